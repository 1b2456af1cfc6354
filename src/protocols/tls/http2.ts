import { frameBudget } from "./frame-budget.ts";
import { frameOf, frameReader, GOAWAY, matchPreface, PREFACE, RST_STREAM } from "./frames.ts";
import { watchResponses } from "./responses.ts";

/** `foreign`: not HTTP/2. `flood`: more frames without payload than any client needs. */
export type Verdict = "fine" | "foreign" | "flood";

/** RFC 9113 section 7. */
const CANCEL = 0x8;
const ENHANCE_YOUR_CALM = 0xb;

/** Section 6.8: sent on stream 0. */
const goawayFrame = (lastStream: number): Uint8Array => frameOf(GOAWAY, 0, lastStream, ENHANCE_YOUR_CALM);

/** Section 6.4. */
const resetFrame = (stream: number): Uint8Array => frameOf(RST_STREAM, stream, CANCEL);

/**
 * Watches both directions of an HTTP/2 connection for a client that must be disconnected, and for responses that it does not
 * read.
 * @param onResponses called with 1 for each request and -1 for each response that ends
 */
export const watchHttp2 = (
  onResponses: (change: 1 | -1) => void = () => {},
  now: () => number = () => performance.now(),
) => {
  const budget = frameBudget(now);
  const responses = watchResponses(now, onResponses);
  const incoming = frameReader(PREFACE.length, (frame, payload) => {
    responses.received(frame, payload);
    budget.spend(frame);
  });
  // A client can provoke resets instead of sending them (CVE-2025-8671).
  const outgoing = frameReader(0, (frame) => {
    responses.sent(frame);
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
    goaway: (): Uint8Array | undefined =>
      outgoing.isAtBoundary() ? goawayFrame(responses.lastStream()) : undefined,
    /** The streams of responses that the client has blocked since `time`. */
    blockedSince: responses.blockedSince,
    /** True if a frame can be added in both directions: none is incomplete, and neither is a header block. */
    canAddFrames: (): boolean =>
      [incoming, outgoing].every((reader) => reader.isAtBoundary() && !reader.isInHeaders()),
    /** Stops watching the responses. @returns the frames that reset them, for either side */
    reset(streams: readonly number[]): Uint8Array {
      for (const stream of streams) responses.end(stream);
      return Buffer.concat(streams.map(resetFrame));
    },
    /** Call it when the connection ends. */
    close: responses.endAll,
  };
};

export type Http2Watch = ReturnType<typeof watchHttp2>;
