import { Fault } from "../../lib/errors.ts";
import { parseJson } from "../../lib/json.ts";
import type { Field } from "../pets/fields/field.ts";
import {
  type Batch,
  UnreadableRow,
  LF,
  type LongLine,
  MAX_ROW_BYTES,
  type Position,
  type Row,
  TOO_LONG,
  countLines,
  skippableLength,
  rowText,
} from "./row.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const contentOf = (text: string): Row["content"] => {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : new UnreadableRow(text, "is not a JSON object");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return new UnreadableRow(text, error.message.replace("The body", "The line"));
  }
};

const textIn = (bytes: Buffer, from: number, to: number): string =>
  rowText(bytes, from, to).replace(/^\uFEFF/, "");

/** Reads lines of JSON from chunks that start at `position`. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>, position: Position): AsyncGenerator<Batch> {
  let buffer: Buffer = Buffer.alloc(0);
  let { bytes: start, lines } = position;
  let long: LongLine | undefined;
  const rowOf = (from: number, to: number): Row["content"] | undefined => {
    const text = textIn(buffer, from, to);
    if (to - from > MAX_ROW_BYTES) return new UnreadableRow(text, TOO_LONG);
    return text.trim() === "" ? undefined : contentOf(text);
  };
  const take = (isLast: boolean): Batch => {
    const rows: Row[] = [];
    let at = 0;
    while (at < buffer.length || long) {
      const feed = buffer.indexOf(LF, at);
      if (feed === -1 && !isLast) break;
      const end = feed === -1 ? buffer.length : feed + 1;
      const content = long?.content ?? rowOf(at, feed === -1 ? end : feed);
      if (content) rows.push({ line: long?.line ?? lines + 1, end: start + end, content });
      long = undefined;
      lines += countLines(buffer, at, end);
      at = end;
    }
    const batch = { rows, bytes: buffer, start, end: start + at };
    buffer = buffer.subarray(at);
    start = batch.end;
    return batch;
  };
  /** Skips a part of a long line in a separate batch, without rows: no progress is stored inside the line. */
  const skipPart = (): Batch => {
    long ??= { line: lines + 1, content: new UnreadableRow(textIn(buffer, 0, buffer.length), TOO_LONG) };
    const skipped = skippableLength(buffer);
    lines += countLines(buffer, 0, skipped);
    const batch = { rows: [], bytes: buffer, start, end: start + skipped };
    buffer = buffer.subarray(skipped);
    start = batch.end;
    return batch;
  };
  for await (const chunk of chunks) {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    yield take(false);
    if (long || buffer.length > MAX_ROW_BYTES) yield skipPart();
  }
  yield take(true);
}

/** How many lines are searched for keys. */
const MAX_KEY_LINES = 100;

/** The kinds of fields that have these types of JavaScript. */
const KINDS: Readonly<Record<string, Field["kind"]>> = {
  string: "text",
  number: "number",
  boolean: "boolean",
};

/** The keys of the objects at the start of a file, with the kind of field that has their values; undefined if none has them all. */
export const keysIn = (head: Buffer): Map<string, Field["kind"] | undefined> => {
  const lines = textIn(head, 0, head.length).split("\n");
  const types = new Map<string, Set<string>>();
  for (const line of lines.slice(0, MAX_KEY_LINES)) {
    const content = contentOf(line);
    if (content instanceof UnreadableRow) continue;
    for (const [key, value] of Object.entries(content)) {
      const found = types.get(key) ?? new Set();
      types.set(key, value === null ? found : found.add(typeof value));
    }
  }
  return new Map(
    [...types].map(([key, found]) => [key, found.size === 1 ? KINDS[[...found].join()] : undefined]),
  );
};
