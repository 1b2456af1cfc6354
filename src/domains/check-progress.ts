import type { Verdict } from "../dns-checks/verdict.ts";
import type { Domain } from "./domain.ts";
import { LAPSE_MS, UNSURE_MS, nextCheckAfterSilence, nextLiveCheck, nextWaitingCheck } from "./schedule.ts";
import { type StageEvent, type StoredStage, isServed, isWaiting, nextStage } from "./stage.ts";

/** The state of a domain after a check. */
export interface Progress extends Pick<
  Domain,
  "stage" | "waitingSince" | "nextCheckAt" | "failingSince" | "verifiedAt" | "liveAt"
> {
  /** The stage's events, in order. */
  events: readonly StageEvent[];
}

type CheckEvent = Verdict["event"];

/** Since when a live domain fails. A check without responses changes nothing. */
const failingAfter = ({ stage, failingSince }: Domain, event: CheckEvent, now: number): number | null => {
  if (event === undefined) return failingSince;
  return isServed(stage) && event !== "records_right" ? (failingSince ?? now) : null;
};

/**
 * True for a domain that is live again after a suspension and has not verified since: another project may have got its name
 * in the meantime.
 */
const isUnsure = ({ stage, verifiedAt, liveAt }: Domain): boolean =>
  isServed(stage) && liveAt !== null && verifiedAt !== null && verifiedAt < liveAt;

/** A live domain that does not verify is given time, unless another project may have its name now. */
const isOver = (domain: Domain, event: CheckEvent, failingSince: number | null, now: number): boolean =>
  (failingSince !== null && now - failingSince >= LAPSE_MS) ||
  (event === "records_wrong" && isUnsure(domain));

/** The events that a check causes. Without HTTPS a verified domain is live over HTTP at once. */
const eventsOf = (
  domain: Domain,
  event: CheckEvent,
  failingSince: number | null,
  now: number,
  isSecured: boolean,
) => {
  if (event === undefined) return [];
  if (isServed(domain.stage) && event !== "records_right")
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
  if (isServed(stage)) return nextLiveCheck(failingSince, now);
  if (!isWaiting(stage)) return null;
  return event === undefined
    ? nextCheckAfterSilence(waitingSince, checkedAt, now)
    : nextWaitingCheck(waitingSince, now);
};

/**
 * @param event what the check found; undefined without responses, which is not a failure
 * @param isSecured true if domains get certificates, and are live once they have one
 */
export const progressOf = (domain: Domain, event: CheckEvent, now: number, isSecured = false): Progress => {
  const failing = failingAfter(domain, event, now);
  const events = eventsOf(domain, event, failing, now, isSecured);
  const stages = stagesOf(domain.stage, events);
  const stage = stages.at(-1) ?? domain.stage;
  const isSureAgain = event === "records_right" && isUnsure(domain);
  const hasLapsed = isServed(domain.stage) && !isServed(stage);
  const waitingSince = hasLapsed ? now : domain.waitingSince;
  const failingSince = hasLapsed ? null : failing;
  return {
    events,
    stage,
    waitingSince,
    failingSince,
    nextCheckAt: nextCheckAfter({ ...domain, stage, waitingSince, failingSince }, event, now),
    verifiedAt: events.some((one) => one === "records_right") || isSureAgain ? now : domain.verifiedAt,
    liveAt: !isServed(domain.stage) && isServed(stage) ? now : domain.liveAt,
  };
};
