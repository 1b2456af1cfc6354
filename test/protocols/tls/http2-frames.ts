import { DATA, HEADERS, SETTINGS } from "../../../src/protocols/tls/frames.ts";

export const END_HEADERS = 4;

/** 32 bits. */
export const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const frame = (type: number, flags: number, stream: number, body: ArrayLike<number> = []): Buffer =>
  Buffer.concat([
    number(body.length).subarray(1),
    Buffer.from([type, flags]),
    number(stream),
    Uint8Array.from(body),
  ]);

/** RFC 7541 section 6.2.2: a literal field without indexing. */
const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);

/** The headers of a request to a.test. */
export const request = (method: string, flags = 0, stream = 1, path = "/"): Buffer =>
  frame(
    HEADERS,
    flags | END_HEADERS,
    stream,
    Buffer.concat([
      field(":method", method),
      field(":scheme", "https"),
      field(":path", path),
      field(":authority", "a.test"),
    ]),
  );

/** SETTINGS_INITIAL_WINDOW_SIZE. */
export const initialWindow = (bytes: number): Buffer =>
  frame(SETTINGS, 0, 0, Buffer.concat([Buffer.of(0, 4), number(bytes)]));

export interface Frame {
  type: number;
  flags: number;
  stream: number;
  body: Buffer;
}

/** The frames in the received bytes; the last one may be incomplete. */
export const framesIn = (bytes: Buffer): Frame[] => {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    const [type = DATA, flags = 0] = bytes.subarray(at + 3);
    frames.push({ type, flags, stream: bytes.readUInt32BE(at + 5), body: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
};
