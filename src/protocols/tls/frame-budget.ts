import { CONTINUATION, DATA, GOAWAY, HEADERS, PADDED, PING, RST_STREAM, SETTINGS } from "./frames.ts";
import type { FrameHeader } from "./frames.ts";

/** The largest burst of frames. Browsers cancel dozens of requests when a page is left. */
export const MAX_ALLOWANCE = 1000;
const ALLOWANCE_PER_MS = 0.2;
/** Enough for the responses in flight, not for a flood after a long download. */
export const MAX_CREDIT = 4096;
/** For each request: an empty DATA frame that ends the body, WINDOW_UPDATE, PRIORITY_UPDATE, a reserved frame type. */
const CREDIT_PER_REQUEST = 4;
/** Simple clients send two WINDOW_UPDATE frames for each DATA frame, which may be short. */
const BYTES_PER_CREDIT = 64;
/** DATA with less is counted as empty. */
const MIN_DATA_BYTES = 16;
/** Section 6.1: the length of the padding is one byte. */
const MAX_PADDING_BYTES = 256;

const DEMANDS_WORK: ReadonlySet<number> = new Set([RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION]);

const isEmpty = ({ length, flags }: FrameHeader): boolean =>
  length < MIN_DATA_BYTES + ((flags & PADDED) === 0 ? 0 : MAX_PADDING_BYTES);

/**
 * Limits the frames of a client that carry no part of a request: they cost the server time (RFC 9113 section 10.5), and
 * neither flow control nor the limits of requests count them. Such a frame spends credit that the connection earned by
 * requests and responses; without credit it spends an allowance that grows with time. Frames that demand work spend
 * the allowance alone: a client must not earn resets by opening streams (CVE-2023-44487).
 * @param now milliseconds of a monotonic clock
 */
export const frameBudget = (now: () => number) => {
  let allowance = MAX_ALLOWANCE;
  let credit = 0;
  let refilledAt = now();

  const earn = (earned: number) => {
    credit = Math.min(MAX_CREDIT, credit + earned);
  };
  /** Refills before each frame: time that passed while the allowance was full must not count later. */
  const spendAllowance = () => {
    const at = now();
    allowance = Math.min(MAX_ALLOWANCE, allowance + (at - refilledAt) * ALLOWANCE_PER_MS) - 1;
    refilledAt = at;
  };

  return {
    /** Spends the cost of the frame. */
    spend(frame: FrameHeader): void {
      if (frame.type === HEADERS) earn(CREDIT_PER_REQUEST);
      else if (DEMANDS_WORK.has(frame.type)) spendAllowance();
      else if (frame.type === DATA && !isEmpty(frame)) return;
      else if (credit >= 1) credit -= 1;
      else spendAllowance();
    },
    /** Earns credit for bytes sent to the client, which it acknowledges with WINDOW_UPDATE. */
    earn: (bytes: number): void => earn(bytes / BYTES_PER_CREDIT),
    isExceeded: (): boolean => allowance < 0,
  };
};
