import { expect, test } from "bun:test";
import { frameWatch } from "../../../src/edge/tls/frames.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

const frame = (type: number, flags: number, length: number): Buffer =>
  Buffer.concat([Buffer.from([0, length >> 8, length & 255, type, flags, 0, 0, 0, 1]), Buffer.alloc(length)]);

const DATA = frame(0, 0, 500);
const HEADERS = frame(1, 4, 30);
const UNENDED = frame(1, 0, 30);
const CONTINUATION = frame(9, 0, 3);
const LAST = frame(9, 4, 3);
const PING = frame(6, 0, 8);

const followed = (...chunks: Uint8Array[]): boolean => {
  const watch = frameWatch();
  return chunks.map((chunk) => watch(chunk)).at(-1) ?? false;
};

test("frames that make work and ask for nothing are told, and no others", () => {
  let told = 0;
  const watch = frameWatch(() => void told++);
  const [reset, settings] = [frame(3, 0, 4), frame(4, 0, 0)];
  watch(Buffer.concat([PREFACE, settings, HEADERS, reset, DATA, PING, frame(8, 0, 4)]));
  expect(told).toBe(3);
});

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
])("after %s the client is in headers or not", (_what, chunks, isInHeaders) => {
  expect(followed(...chunks)).toBe(isInHeaders);
  const bytes = Buffer.concat(chunks);
  expect(followed(...[...bytes].map((byte) => Buffer.from([byte])))).toBe(isInHeaders);
});
