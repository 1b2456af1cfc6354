/** When certificates are renewed. Times and durations are in milliseconds; `random` returns a number in [0, 1). */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface Validity {
  notBefore: number;
  notAfter: number;
}

/** The last third of a shorter lifetime would leave too little time for retries. */
const SHORT_LIFETIME_MS = 10 * DAY_MS;
/** A fraction of the remaining lifetime, or of a wait: certificates issued together are not renewed together. */
const JITTER = 0.1;

/**
 * When to renew: at a random time in the window that the CA suggests (RFC 9773 section 4.2). Without one, or if it is empty or
 * ends after the expiry, when a third of the lifetime remains, or half of it below 10 days, plus a jitter of at most a tenth of
 * that. Never before `now`.
 */
export const renewalTime = (
  {
    validity: { notBefore, notAfter },
    window,
    now,
  }: { validity: Validity; window?: { start: number; end: number } | undefined; now: number },
  random: () => number,
): number => {
  const lifetime = notAfter - notBefore;
  const remaining = lifetime / (lifetime < SHORT_LIFETIME_MS ? 2 : 3);
  const at =
    window && window.start < window.end && window.end <= notAfter
      ? window.start + (window.end - window.start) * random()
      : notAfter - remaining + remaining * JITTER * random();
  return Math.max(now, Math.round(at));
};

const RETRY_WAITS_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS];
/** The longest wait, of the time that the certificate in use is still valid: a six-day one has time for several retries. */
const RETRY_SHARE = 1 / 8;

/**
 * When to retry after a failure: in 1, 10 and 100 minutes, then daily, but in an eighth of the time until `notAfter` if that is
 * shorter. Never before the CA's Retry-After. Plus a jitter of at most a tenth of the wait.
 * @param failures consecutive failures, at least 1
 * @param notAfter until when the certificate in use is valid; 0 without one
 */
export const retryTime = (
  {
    failures,
    retryAfterMs = 0,
    notAfter = 0,
    now,
  }: { failures: number; retryAfterMs?: number | undefined; notAfter?: number | undefined; now: number },
  random: () => number,
): number => {
  const longest = notAfter > now ? Math.max(MINUTE_MS, (notAfter - now) * RETRY_SHARE) : Infinity;
  const wait = Math.max(Math.min(RETRY_WAITS_MS[failures - 1] ?? DAY_MS, longest), retryAfterMs);
  return Math.ceil(now + wait + wait * JITTER * random());
};
