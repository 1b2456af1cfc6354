import { frameBudget } from "./frame-budget.ts";
import { frameReader, GOAWAY, HEADERS, RST_STREAM } from "./frames.ts";
import { matchPreface, PREFACE } from "./preface.ts";

/** `foreign`: it is not HTTP/2. `flood`: more frames without payload than any client needs. */
export type Verdict = "fine" | "foreign" | "flood";

/** Follows both directions of an HTTP/2 connection, and says when the client must go. */
export interface Http2Watch {
  /** Follows bytes from the client. */
  received(chunk: Uint8Array): Verdict;
  /** Follows bytes to the client. */
  sent(chunk: Uint8Array): void;
  /** The client has begun headers and not ended them. */
  isInHeaders(): boolean;
  /** The last frame to such a client; undefined in the middle of another frame. */
  goaway(): Uint8Array | undefined;
}

/** RFC 9113 section 7. */
const ENHANCE_YOUR_CALM = 0xb;
const GOAWAY_BYTES = 8;

/** Section 6.8: on stream 0, the last stream that was seen, and the reason. */
const goawayFrame = (lastStream: number): Uint8Array => {
  const frame = Buffer.alloc(9 + GOAWAY_BYTES);
  frame.writeUIntBE(GOAWAY_BYTES, 0, 3);
  frame[3] = GOAWAY;
  frame.writeUInt32BE(lastStream, 9);
  frame.writeUInt32BE(ENHANCE_YOUR_CALM, 13);
  return frame;
};

export const watchHttp2 = (now: () => number = () => performance.now()): Http2Watch => {
  const budget = frameBudget(now);
  let lastStream = 0;
  const incoming = frameReader(PREFACE.length, (frame) => {
    if (frame.type === HEADERS) lastStream = Math.max(lastStream, frame.stream);
    budget.spend(frame);
  });
  // A client can provoke resets instead of sending them (CVE-2025-8671).
  const outgoing = frameReader(0, (frame) => {
    if (frame.type === RST_STREAM) budget.spend(frame);
  });
  const match = matchPreface();
  return {
    received(chunk) {
      if (match(chunk) === "different") return "foreign";
      incoming.read(chunk);
      return budget.isExceeded() ? "flood" : "fine";
    },
    sent(chunk) {
      outgoing.read(chunk);
      budget.earn(chunk.length);
    },
    isInHeaders: incoming.isInHeaders,
    goaway: () => (outgoing.isAtBoundary() ? goawayFrame(lastStream) : undefined),
  };
};
