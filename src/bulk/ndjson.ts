import { Fault } from "../http/faults.ts";
import { parseJson } from "../http/json.ts";
import {
  type Batch,
  Broken,
  FEED,
  MOST_ROW,
  type Place,
  type Row,
  assertRow,
  countLines,
  textOf,
} from "./read.ts";

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

const TOO_LONG = `is longer than ${MOST_ROW / 1024} KiB`;

/** Reads lines of JSON from chunks that begin at `place`. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>, place: Place): AsyncGenerator<Batch> {
  let held: Buffer = Buffer.alloc(0);
  let { bytes: start, lines } = place;
  const rowOf = (from: number, to: number): Row["content"] | undefined => {
    assertRow(to - from, lines + 1, "NDJSON");
    const text = textOf(held, from, to).replace(/^\uFEFF/, "");
    if (to - from > MOST_ROW) return new Broken(text, TOO_LONG);
    return text.trim() === "" ? undefined : contentOf(text);
  };
  const take = (isLast: boolean): Batch => {
    const rows: Row[] = [];
    let at = 0;
    while (at < held.length) {
      const feed = held.indexOf(FEED, at);
      if (feed === -1 && !isLast) break;
      const end = feed === -1 ? held.length : feed + 1;
      const content = rowOf(at, feed === -1 ? end : feed);
      if (content) rows.push({ line: lines + 1, end: start + end, content });
      lines += countLines(held, at, end);
      at = end;
    }
    const batch = { rows, bytes: held, start, end: start + at };
    held = held.subarray(at);
    start = batch.end;
    return batch;
  };
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    yield take(false);
    assertRow(held.length, lines + 1, "NDJSON");
  }
  yield take(true);
}
