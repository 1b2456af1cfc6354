import { expect, test } from "bun:test";
import { frameReader, type FrameHeader, PREFACE } from "../../../src/protocols/tls/frames.ts";

const frame = (type: number, flags: number, length: number): Buffer =>
  Buffer.concat([Buffer.from([0, length >> 8, length & 255, type, flags, 0, 0, 0, 1]), Buffer.alloc(length)]);

const DATA = frame(0, 0, 500);
const HEADERS = frame(1, 4, 30);
const UNENDED = frame(1, 0, 30);
const CONTINUATION = frame(9, 0, 3);
const LAST = frame(9, 4, 3);
const PING = frame(6, 0, 8);

const LAST_DATA = frame(0, 1, 0);

test("frame headers are read from chunks of any size", () => {
  const bytes = Buffer.concat([PREFACE, HEADERS, DATA, LAST_DATA, PING]);
  for (const size of [1, 7, 4096]) {
    const seen: FrameHeader[] = [];
    const reader = frameReader(PREFACE.length, (header) => void seen.push({ ...header }));
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    expect(seen).toEqual([
      { type: 1, flags: 4, length: 30, stream: 1 },
      { type: 0, flags: 0, length: 500, stream: 1 },
      { type: 0, flags: 1, length: 0, stream: 1 },
      { type: 6, flags: 0, length: 8, stream: 1 },
    ]);
    expect(reader.isAtBoundary()).toBe(true);
  }
});

test("a reader is at a boundary only between frames", () => {
  const reader = frameReader(0);
  const boundaries = Array.from(DATA, (byte) => {
    reader.read(Uint8Array.of(byte));
    return reader.isAtBoundary();
  });
  expect(boundaries.filter(Boolean)).toHaveLength(1);
  expect(boundaries.at(-1)).toBe(true);
});

const isInHeadersAfter = (chunks: Iterable<Uint8Array>): boolean => {
  const reader = frameReader(PREFACE.length);
  for (const chunk of chunks) reader.read(chunk);
  return reader.isInHeaders();
};

test.each<[string, Uint8Array[], boolean]>([
  ["half of the preface", [PREFACE.subarray(0, 9)], true],
  ["the preface", [PREFACE], false],
  ["whole frames", [PREFACE, Buffer.concat([HEADERS, DATA, PING])], false],
  ["half of the headers", [PREFACE, HEADERS.subarray(0, 20)], true],
  ["half of a frame's own header", [PREFACE, DATA.subarray(0, 3)], true],
  ["half of a body", [PREFACE, HEADERS, DATA.subarray(0, 100)], false],
  ["a header block without its end", [PREFACE, UNENDED], true],
  ["the same, continued", [PREFACE, UNENDED, CONTINUATION, CONTINUATION], true],
  ["the same, ended", [PREFACE, UNENDED, CONTINUATION, LAST], false],
])("after %s the reader knows whether the client is in headers", (_what, chunks, isInHeaders) => {
  expect(isInHeadersAfter(chunks)).toBe(isInHeaders);
  const bytes = Array.from(Buffer.concat(chunks), (byte) => Uint8Array.of(byte));
  expect(isInHeadersAfter(bytes)).toBe(isInHeaders);
});
