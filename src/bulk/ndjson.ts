import { Fault } from "../http/faults.ts";
import { parseJson } from "../http/json.ts";
import { FileRefused } from "./columns.ts";
import { type Batch, Broken, MOST_ROW, type Place, type Row } from "./read.ts";

const LINE_FEED = 10;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const contentOf = (text: string): Row["content"] => {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : new Broken(text, "is no JSON object");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return new Broken(text, error.message.replace("The body", "The line"));
  }
};

/** A line without an end by then: the file is none of lines. */
const MOST_LINE = 2 ** 20;
const MOST_SHOWN = 1000;
const TOO_LONG = `is longer than ${MOST_ROW / 1024} KiB`;

/** Reads lines of JSON from chunks that begin at `place`. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>, place: Place): AsyncGenerator<Batch> {
  let held: Buffer = Buffer.alloc(0);
  let { bytes: start, lines } = place;
  const rowOf = (from: number, to: number): Row["content"] | undefined => {
    if (to - from > MOST_ROW) return new Broken(held.toString("utf8", from, from + MOST_SHOWN), TOO_LONG);
    const text = held.toString("utf8", from, to).replace(/^\uFEFF/, "");
    return text.trim() === "" ? undefined : contentOf(text);
  };
  const take = (isLast: boolean): Batch => {
    const batch: Batch = { rows: [], bytes: held, start };
    let at = 0;
    while (at < held.length) {
      const feed = held.indexOf(LINE_FEED, at);
      if (feed === -1 && !isLast) break;
      const end = feed === -1 ? held.length : feed + 1;
      const content = rowOf(at, feed === -1 ? end : feed);
      lines++;
      if (content) batch.rows.push({ line: lines, end: start + end, content });
      at = end;
    }
    held = held.subarray(at);
    start += at;
    return batch;
  };
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    if (held.length > MOST_LINE && !held.includes(LINE_FEED))
      throw new FileRefused(`line ${lines + 1} is longer than ${MOST_LINE / 2 ** 20} MiB: this is no NDJSON`);
    yield take(false);
  }
  yield take(true);
}
