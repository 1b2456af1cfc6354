/** When the service checks domains. Times and lengths are milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long the service checks a domain that waits for its records: as long as the DNS may take to spread them. */
export const WAITING_MS = 48 * HOUR;
/** How long a live domain that no longer verifies is still served. */
export const LAPSE_MS = 7 * DAY;
/** How long a proof alone keeps a domain live while its records point to its old host. */
export const PROOF_MS = 30 * DAY;

/** The first check of a domain after it is added. */
export const FIRST_CHECK_MS = 10 * SECOND;
/** The first checks are close together, because people wait for them. */
const FIRST = [FIRST_CHECK_MS, 20 * SECOND, 40 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
const LAST_OF_FIRST = 10 * MINUTE;
const STEP = 15 * MINUTE;

/** The next check of a domain that waits: at 10, 20 and 40 s, 1, 2, 5 and 10 minutes, then every 15; null once 48 hours are over. */
export const nextWaitingCheck = (waitingSince: number, now: number): number | null => {
  const age = now - waitingSince;
  const steps = Math.floor((age - LAST_OF_FIRST) / STEP) + 1;
  const next = FIRST.find((after) => after > age) ?? LAST_OF_FIRST + steps * STEP;
  return next <= WAITING_MS ? waitingSince + next : null;
};

/** How long people are likely to wait for a domain. */
export const EARLY_MS = 2 * HOUR;

/** The longest time between checks of a domain whose servers are silent. */
const MAX_BETWEEN_SILENCES = HOUR;
const MAX_BETWEEN_EARLY_SILENCES = 5 * MINUTE;

/**
 * The next check of a domain that waits and whose servers are silent: as scheduled, or after twice the previous interval,
 * whichever is later; within five minutes for the first two hours, then within an hour. Such a check takes seconds, and
 * silence seldom ends soon.
 */
export const nextCheckAfterSilence = (
  waitingSince: number,
  checkedAt: number | null,
  now: number,
): number | null => {
  const planned = nextWaitingCheck(waitingSince, now);
  if (planned === null) return null;
  const since = Math.max(0, now - (checkedAt ?? waitingSince));
  const longest = now - waitingSince < EARLY_MS ? MAX_BETWEEN_EARLY_SILENCES : MAX_BETWEEN_SILENCES;
  return Math.min(Math.max(planned, now + 2 * since), now + longest);
};

/** The daily check of a live domain; earlier if it lapses before that. Nothing else decides when a live domain is checked. */
export const nextLiveCheck = (failingSince: number | null, now: number): number => {
  const lapses = failingSince === null ? Number.POSITIVE_INFINITY : failingSince + LAPSE_MS;
  return lapses > now ? Math.min(now + DAY, lapses) : now + DAY;
};

/** Until the next check of a domain that is live again after a suspension, and whose servers are silent. */
export const UNSURE_MS = 15 * MINUTE;

/** Share of the wait, and the longest delay. */
const JITTER = 0.1;
const MAX_JITTER = 30 * MINUTE;

/** Delays a check by at most a tenth, so that domains added together are not always checked together. */
export const jittered = (next: number | null, now: number, random: () => number): number | null =>
  next === null ? null : Math.round(next + Math.min((next - now) * JITTER, MAX_JITTER) * random());

/** The next check of every domain that waits is within this time. */
export const LONGEST_WAIT_MS = MAX_BETWEEN_SILENCES * (1 + JITTER);
