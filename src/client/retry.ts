import type { ApiError } from "./api-error.ts";

/** The longest wait between two attempts. A longer Retry-After is left to the caller. */
const MAX_DELAY_MS = 30_000;
const MIN_DELAY_MS = 250;

/** After these the server did nothing, so that any request can be sent again. */
const NOTHING_DONE: ReadonlySet<string> = new Set([
  "rate_limited",
  "idempotency_in_flight",
  "import_running",
  "storage_unavailable",
  "not_ready",
]);
/** After these the server may have done it: no response, or one of a proxy or of a failing disk. */
const UNKNOWN: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** 128 random bits. Browsers offer `crypto.randomUUID` only over HTTPS and on localhost. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/** A request as far as retries depend on it. */
export interface Sent {
  method: string;
  headers: Headers;
}

/**
 * True if sending it twice does what sending it once does. A POST needs an Idempotency-Key. A conditional request does not
 * qualify: the second attempt would fail because of the first.
 */
export const isRepeatable = ({ method, headers }: Sent): boolean =>
  method === "POST" ? headers.has("idempotency-key") : !headers.has("if-match");

/** True if the request may have been carried out, although it failed. */
export const isOutcomeUnknown = ({ status, code }: ApiError): boolean =>
  UNKNOWN.has(status) && !NOTHING_DONE.has(code);

const isRetryable = (request: Sent, error: ApiError): boolean =>
  NOTHING_DONE.has(error.code) || error.status === 429 || (isOutcomeUnknown(error) && isRepeatable(request));

/** The wait before the attempt after `failures` failed ones, from half of it to all of it, at random. */
export const backoffMs = (failures: number, minMs = MIN_DELAY_MS): number =>
  Math.min(MAX_DELAY_MS, minMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);

/** The milliseconds to wait before the next attempt; undefined if there should be none. */
export const retryDelay = (request: Sent, error: ApiError, failures: number): number | undefined => {
  const askedMs = (error.retryAfter ?? 0) * 1000;
  if (askedMs > MAX_DELAY_MS || !isRetryable(request, error)) return undefined;
  return Math.max(askedMs, backoffMs(failures));
};
