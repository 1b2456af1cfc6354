import { type Inspection, mayHold } from "../dns-checks/inspect.ts";
import type { Domain } from "./domain.ts";
import {
  LAPSE_MS,
  PROOF_MS,
  UNSURE_MS,
  nextCheckAfterSilence,
  nextLiveCheck,
  nextWaitingCheck,
} from "./schedule.ts";
import {
  type StageEvent,
  type StoredStage,
  isServed,
  isWaiting,
  nextStage,
  stageAfter,
  wantsCertificate,
} from "./stage.ts";

/** The state of a domain after a check. */
export interface Progress extends Pick<
  Domain,
  "stage" | "waitingSince" | "nextCheckAt" | "failingSince" | "verifiedAt" | "liveAt"
> {
  /** The events that change the stage, in order, each with the stage after it. */
  events: readonly { event: StageEvent; stage: StoredStage }[];
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
): Progress["events"] => {
  if (event === undefined) return [];
  if (isServed(domain.stage) && !mayHold(event))
    return isOver(domain, event, failingSince, now)
      ? [{ event: "lapsed", stage: stageAfter(domain.stage, "lapsed") }]
      : [];
  const stage = nextStage(domain.stage, event);
  if (stage === undefined) return [];
  const served = isSecured ? undefined : nextStage(stage, "served_over_http");
  return [{ event, stage }, ...(served ? [{ event: "served_over_http" as const, stage: served }] : [])];
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
  // Without events, the domain stays in its stage.
  const { stage } = events.at(-1) ?? domain;
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
