import { frameBudget } from "./frame-budget.ts";
import { frameReader, GOAWAY, HEADERS, matchPreface, PREFACE, RST_STREAM } from "./frames.ts";

/** `foreign`: not HTTP/2. `flood`: more frames without payload than any client needs. */
export type Verdict = "fine" | "foreign" | "flood";

/** RFC 9113 section 7. */
const ENHANCE_YOUR_CALM = 0xb;
const GOAWAY_BYTES = 8;

/** Section 6.8: sent on stream 0, with the last stream and the reason. */
const goawayFrame = (lastStream: number): Uint8Array => {
  const frame = Buffer.alloc(9 + GOAWAY_BYTES);
  frame.writeUIntBE(GOAWAY_BYTES, 0, 3);
  frame[3] = GOAWAY;
  frame.writeUInt32BE(lastStream, 9);
  frame.writeUInt32BE(ENHANCE_YOUR_CALM, 13);
  return frame;
};

/** Watches both directions of an HTTP/2 connection for a client that must be disconnected. */
export const watchHttp2 = (now: () => number = () => performance.now()) => {
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
    /** Call it with bytes from the client. */
    received(chunk: Uint8Array): Verdict {
      if (match(chunk) === "different") return "foreign";
      incoming.read(chunk);
      return budget.isExceeded() ? "flood" : "fine";
    },
    /** Call it with bytes to the client. */
    sent(chunk: Uint8Array): void {
      outgoing.read(chunk);
      budget.earn(chunk.length);
    },
    /** True while the client's headers are incomplete. */
    isInHeaders: incoming.isInHeaders,
    /** The last frame to a client that floods; undefined in the middle of another frame. */
    goaway: (): Uint8Array | undefined => (outgoing.isAtBoundary() ? goawayFrame(lastStream) : undefined),
  };
};

export type Http2Watch = ReturnType<typeof watchHttp2>;
