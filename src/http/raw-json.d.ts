/** JSON.parse source text access (ECMAScript 2026), which Bun has and the library types do not yet. */
interface JSON {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
