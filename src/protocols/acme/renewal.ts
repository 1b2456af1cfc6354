/** When certificates are renewed. Times and lengths are milliseconds; `random` answers from 0 up to, not including, 1. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export interface Validity {
  notBefore: number;
  notAfter: number;
}

/** RFC 9773 section 4.2: the window that the certificate authority suggests. */
export interface RenewalWindow {
  start: number;
  end: number;
}

/** Below this, a third of the lifetime would leave too little time for a second try. */
const SHORT_LIFETIME = 10 * DAY;
/** Of what is left of the lifetime, or of a wait: certificates issued together are not renewed together. */
const JITTER = 0.1;

/** What is to be left of the lifetime at the renewal. */
const leftOf = (lifetime: number): number => (lifetime < SHORT_LIFETIME ? lifetime / 2 : lifetime / 3);

/** A window that outlasts the certificate would let it expire. */
const isUsable = (window: RenewalWindow | undefined, { notAfter }: Validity): window is RenewalWindow =>
  window !== undefined && window.start < window.end && window.end <= notAfter;

/**
 * When to renew: at a random moment of the window, if there is one (RFC 9773 section 4.2), otherwise when a third of the
 * lifetime is left, or half of it below 10 days, put off by a tenth of that at the most; now, if that is past.
 */
export const renewalTime = (
  { validity, window, now }: { validity: Validity; window?: RenewalWindow | undefined; now: number },
  random: () => number,
): number => {
  const { notBefore, notAfter } = validity;
  const left = leftOf(notAfter - notBefore);
  const at = isUsable(window, validity)
    ? window.start + (window.end - window.start) * random()
    : notAfter - left + left * JITTER * random();
  return Math.max(now, Math.round(at));
};

const RETRIES = [MINUTE, 10 * MINUTE, 100 * MINUTE];

/**
 * When to try again after a failure: in 1, 10 and 100 minutes, then daily, but not before the certificate authority's
 * Retry-After; put off by a tenth of that at the most.
 * @param failures how often it has failed in a row, 1 at the least
 */
export const retryTime = (
  { failures, retryAfterMs = 0, now }: { failures: number; retryAfterMs?: number | undefined; now: number },
  random: () => number,
): number => {
  const wait = Math.max(RETRIES[failures - 1] ?? DAY, retryAfterMs);
  return Math.ceil(now + wait + wait * JITTER * random());
};
