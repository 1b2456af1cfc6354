import { type Inspection, mayHold } from "../dns-checks/inspect.ts";
import {
  type Domain,
  type StageEvent,
  type StoredStage,
  isServed,
  isWaiting,
  nextStage,
  wantsCertificate,
} from "./stage.ts";

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
const PROOF_MS = 30 * DAY;

/** The first checks are close together, because people wait for them. */
const FIRST = [10 * SECOND, 20 * SECOND, 40 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE];
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
const UNSURE_MS = 15 * MINUTE;

/** Share of the wait, and the longest delay. */
const JITTER = 0.1;
const MAX_JITTER = 30 * MINUTE;

/** Delays a check by at most a tenth, so that domains added together are not always checked together. */
export const jittered = (next: number | null, now: number, random: () => number): number | null =>
  next === null ? null : Math.round(next + Math.min((next - now) * JITTER, MAX_JITTER) * random());

/** The next check of every domain that waits is within this time. */
export const LONGEST_WAIT_MS = MAX_BETWEEN_SILENCES * (1 + JITTER);

/** The state of a domain after a check. */
export interface Progress extends Pick<
  Domain,
  "stage" | "waitingSince" | "nextCheckAt" | "failingSince" | "verifiedAt" | "liveAt"
> {
  /** The stage's events, in order. */
  events: readonly StageEvent[];
}

type CheckEvent = Inspection["event"];

/** True once the records of a domain have been right. After that, a proof does not count: old TXT records are seldom deleted. */
const hasMoved = ({ verifiedAt }: Pick<Domain, "verifiedAt">): boolean => verifiedAt !== null;

/** True while a proof is enough for a domain. */
export const acceptsProof = (domain: Domain, now: number): boolean =>
  !hasMoved(domain) && (domain.liveAt === null || now - domain.liveAt < PROOF_MS);

/** Since when a live domain fails. A check without responses changes nothing. */
const failingAfter = ({ stage, failingSince }: Domain, event: CheckEvent, now: number): number | null => {
  if (event === undefined) return failingSince;
  return isServed(stage) && !mayHold(event) ? (failingSince ?? now) : null;
};

/**
 * True for a domain that is live again after a suspension and has not verified since: another project may have got its name
 * in the meantime.
 */
const isUnsure = ({ stage, verifiedAt, waitingSince }: Domain): boolean =>
  isServed(stage) && verifiedAt !== null && verifiedAt < waitingSince;

/** A live domain that does not verify is given time, unless another project may have its name now. */
const isOver = (domain: Domain, event: CheckEvent, failingSince: number | null, now: number): boolean =>
  (failingSince !== null && now - failingSince >= LAPSE_MS) ||
  (event === "records_wrong" && isUnsure(domain));

/** The events that a check causes. Without HTTPS a verified domain is live over HTTP immediately. */
const eventsOf = (
  domain: Domain,
  event: CheckEvent,
  failingSince: number | null,
  now: number,
  isSecured: boolean,
) => {
  if (event === undefined) return [];
  if (isServed(domain.stage) && !mayHold(event))
    return isOver(domain, event, failingSince, now) ? (["lapsed"] as const) : [];
  const stage = nextStage(domain.stage, event);
  if (stage === undefined) return [];
  const goesLive = !isSecured && nextStage(stage, "served_over_http") !== undefined;
  return goesLive ? ([event, "served_over_http"] as const) : [event];
};

/** The stage after each event. */
export const stagesOf = (stage: StoredStage, events: Progress["events"]): StoredStage[] => {
  let at = stage;
  return events.map((event) => (at = nextStage(at, event) ?? at));
};

const nextCheckAfter = (after: Domain, event: CheckEvent, now: number): number | null => {
  const { stage, waitingSince, failingSince, checkedAt } = after;
  if (event === undefined && isUnsure(after)) return now + UNSURE_MS;
  // Early, to notice a move.
  if (wantsCertificate(stage) && !hasMoved(after))
    return nextWaitingCheck(waitingSince, now) ?? nextLiveCheck(failingSince, now);
  if (isServed(stage)) return nextLiveCheck(failingSince, now);
  if (!isWaiting(stage)) return null;
  return event === undefined
    ? nextCheckAfterSilence(waitingSince, checkedAt, now)
    : nextWaitingCheck(waitingSince, now);
};

/**
 * @param event the check's result; undefined without responses, which is not a failure
 * @param isSecured true if domains get certificates, and are live once they have one
 */
export const progressOf = (domain: Domain, event: CheckEvent, now: number, isSecured = false): Progress => {
  const failing = failingAfter(domain, event, now);
  const events = eventsOf(domain, event, failing, now, isSecured);
  const stages = stagesOf(domain.stage, events);
  const stage = stages.at(-1) ?? domain.stage;
  const isNewlyRight = events.length > 0 || !hasMoved(domain) || isUnsure(domain);
  const verifiedAt = event === "records_right" && isNewlyRight ? now : domain.verifiedAt;
  const hasLapsed = isServed(domain.stage) && !isServed(stage);
  const waitingSince = hasLapsed ? now : domain.waitingSince;
  const failingSince = hasLapsed ? null : failing;
  return {
    events,
    stage,
    waitingSince,
    failingSince,
    verifiedAt,
    nextCheckAt: nextCheckAfter({ ...domain, stage, waitingSince, failingSince, verifiedAt }, event, now),
    liveAt: !isServed(domain.stage) && isServed(stage) ? now : domain.liveAt,
  };
};
