import { Fault } from "../lib/errors.ts";
import { parseJson } from "../lib/json.ts";
import {
  type Batch,
  UnreadableRow,
  LF,
  type LongLine,
  MAX_ROW,
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
    return isObject(value) ? value : new UnreadableRow(text, "is no JSON object");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return new UnreadableRow(text, error.message.replace("The body", "The line"));
  }
};

const textIn = (bytes: Buffer, from: number, to: number): string =>
  rowText(bytes, from, to).replace(/^\uFEFF/, "");

/** Reads lines of JSON from chunks that begin at `place`. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>, place: Position): AsyncGenerator<Batch> {
  let held: Buffer = Buffer.alloc(0);
  let { bytes: start, lines } = place;
  let long: LongLine | undefined;
  const rowOf = (from: number, to: number): Row["content"] | undefined => {
    const text = textIn(held, from, to);
    if (to - from > MAX_ROW) return new UnreadableRow(text, TOO_LONG);
    return text.trim() === "" ? undefined : contentOf(text);
  };
  const take = (isLast: boolean): Batch => {
    const rows: Row[] = [];
    let at = 0;
    while (at < held.length || long) {
      const feed = held.indexOf(LF, at);
      if (feed === -1 && !isLast) break;
      const end = feed === -1 ? held.length : feed + 1;
      const content = long?.content ?? rowOf(at, feed === -1 ? end : feed);
      if (content) rows.push({ line: long?.line ?? lines + 1, end: start + end, content });
      long = undefined;
      lines += countLines(held, at, end);
      at = end;
    }
    const batch = { rows, bytes: held, start, end: start + at };
    held = held.subarray(at);
    start = batch.end;
    return batch;
  };
  /** A batch of its own, without rows: no import comes to an end in it. */
  const passOver = (): Batch => {
    long ??= { line: lines + 1, content: new UnreadableRow(textIn(held, 0, held.length), TOO_LONG) };
    const passed = skippableLength(held);
    lines += countLines(held, 0, passed);
    const batch = { rows: [], bytes: held, start, end: start + passed };
    held = held.subarray(passed);
    start = batch.end;
    return batch;
  };
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    yield take(false);
    if (long || held.length > MAX_ROW) yield passOver();
  }
  yield take(true);
}
