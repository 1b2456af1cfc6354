import { Fault } from "../../lib/errors.ts";
import { parseJson } from "../../lib/json.ts";
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

/** The keys of the objects at the start of a file. */
export const keysIn = (head: Buffer): string[] => {
  const lines = textIn(head, 0, head.lastIndexOf(LF) === -1 ? head.length : head.lastIndexOf(LF)).split("\n");
  const keys = lines.slice(0, MAX_KEY_LINES).flatMap((line) => {
    const content = contentOf(line);
    return content instanceof UnreadableRow ? [] : Object.keys(content);
  });
  return [...new Set(keys)];
};
