/** JSON.parse source text access (ECMAScript 2026). Bun has it; TypeScript's library types do not yet. */
interface RawJSON {
  readonly rawJSON: string;
}
interface JSON {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
}
