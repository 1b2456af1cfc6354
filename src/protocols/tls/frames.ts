/** RFC 9113 section 4.1. */
const HEADER_BYTES = 9;

/** Frame types (section 6), and flags. */
export const DATA = 0;
export const HEADERS = 1;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;
/** The flag of a SETTINGS frame that acknowledges the peer's. */
export const ACK = 1;
export const END_STREAM = 1;
const END_HEADERS = 4;
export const PADDED = 8;

/** The header of a frame (section 4.1). */
export interface FrameHeader {
  /** Bytes after the header. */
  length: number;
  type: number;
  flags: number;
  stream: number;
}

/** A frame without flags. Its payload is these 32-bit numbers. */
export const frameOf = (type: number, stream: number, ...numbers: readonly number[]): Uint8Array => {
  const frame = Buffer.alloc(HEADER_BYTES + 4 * numbers.length);
  frame.writeUIntBE(4 * numbers.length, 0, 3);
  frame[3] = type;
  frame.writeUInt32BE(stream, 5);
  for (const [index, number] of numbers.entries()) frame.writeUInt32BE(number, HEADER_BYTES + 4 * index);
  return frame;
};

const WITH_PAYLOAD: ReadonlySet<number> = new Set([SETTINGS, WINDOW_UPDATE]);
/** Section 4.2: the default of SETTINGS_MAX_FRAME_SIZE. The server rejects longer frames. */
const MAX_PAYLOAD_BYTES = 16_384;
const NO_PAYLOAD = Buffer.alloc(0);

/**
 * Reads the frame headers of one direction of an HTTP/2 connection.
 * @param preface bytes before the first frame
 * @param onFrame called with each frame header, and the payload of SETTINGS and WINDOW_UPDATE; the header is reused
 */
export const frameReader = (
  preface: number,
  onFrame: (header: FrameHeader, payload: Buffer) => void = () => {},
) => {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const header: FrameHeader = { length: 0, type: 0, flags: 0, stream: 0 };
  let headerBytes = 0;
  let bodyBytes = preface;
  let isData = false;
  let inBlock = false;
  let payload = NO_PAYLOAD;

  const begin = () => {
    headerBytes = 0;
    header.length = bytes.readUIntBE(0, 3);
    header.type = bytes[3]!;
    header.flags = bytes[4]!;
    header.stream = bytes.readUInt32BE(5) & 0x7f_ff_ff_ff;
    bodyBytes = header.length;
    isData = header.type === DATA;
    const opensBlock = header.type === HEADERS || header.type === CONTINUATION;
    if (opensBlock) inBlock = (header.flags & END_HEADERS) === 0;
    const hasPayload = bodyBytes > 0 && bodyBytes <= MAX_PAYLOAD_BYTES && WITH_PAYLOAD.has(header.type);
    if (hasPayload) payload = Buffer.allocUnsafe(bodyBytes);
    else onFrame(header, NO_PAYLOAD);
  };
  const readBody = (part: Uint8Array) => {
    bodyBytes -= part.length;
    if (payload.length === 0) return;
    payload.set(part, payload.length - bodyBytes - part.length);
    if (bodyBytes > 0) return;
    const whole = payload;
    payload = NO_PAYLOAD;
    onFrame(header, whole);
  };

  return {
    read(chunk: Uint8Array): void {
      let at = 0;
      while (at < chunk.length) {
        if (bodyBytes > 0) {
          const count = Math.min(bodyBytes, chunk.length - at);
          readBody(chunk.subarray(at, at + count));
          at += count;
        } else {
          bytes[headerBytes] = chunk[at]!;
          headerBytes += 1;
          at += 1;
          if (headerBytes === HEADER_BYTES) begin();
        }
      }
    },
    /** True at the end of a frame. */
    isAtBoundary: (): boolean => headerBytes === 0 && bodyBytes === 0,
    /** True in the middle of a header block, or of any frame but DATA. */
    isInHeaders: (): boolean => inBlock || headerBytes > 0 || (bodyBytes > 0 && !isData),
  };
};

/** RFC 9113 section 3.4: an HTTP/2 client's bytes before its first frame. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** A client's first bytes: a part of the preface, the whole preface, or something else. */
export type PrefaceMatch = "partial" | "whole" | "different";

/** Compares the first bytes of a client with the preface. Call the result with each chunk. */
export const matchPreface = (): ((chunk: Uint8Array) => PrefaceMatch) => {
  let bytes = 0;
  let match: PrefaceMatch = "partial";
  return (chunk) => {
    if (match !== "partial") return match;
    const part = chunk.subarray(0, PREFACE.length - bytes);
    if (!PREFACE.subarray(bytes, bytes + part.length).equals(part)) match = "different";
    else if ((bytes += part.length) === PREFACE.length) match = "whole";
    return match;
  };
};
