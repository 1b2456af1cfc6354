/** A domain's way from added to live, as data: the state table of DESIGN section 6. */

export const STAGES = [
  "awaiting_dns",
  "dns_conflict",
  "verified",
  "issuing",
  "issue_failed",
  "live",
  "suspended",
  "removed",
] as const;

export type Stage = (typeof STAGES)[number];

export const STAGE_EVENTS = [
  /** A check found the records right. */
  "records_right",
  /** A check found a conflicting record or a wrong value. */
  "records_wrong",
  /** A check found no record, or the right one not everywhere yet. */
  "records_missing",
  /** A live domain has not verified for as long as it may: it no longer serves. */
  "lapsed",
  /** Without certificates: a verified domain goes live over HTTP. */
  "served_over_http",
  "order_placed",
  "certificate_stored",
  "issue_refused",
  /** The project's plan fell below Pro. */
  "plan_dropped",
  "plan_restored",
  /** Another project has proven the name, and holds it now. */
  "yielded",
  "removed",
] as const;

export type StageEvent = (typeof STAGE_EVENTS)[number];

const WAITING = {
  records_right: "verified",
  records_wrong: "dns_conflict",
  records_missing: "awaiting_dns",
  removed: "removed",
} as const;

/** While a certificate is under way; one that was imported needs no order. */
const CERTIFYING = {
  yielded: "dns_conflict",
  certificate_stored: "live",
  issue_refused: "issue_failed",
  plan_dropped: "suspended",
} as const;

/** What each event makes of each stage; a pair that is not here does not happen. */
const TABLE: Readonly<Record<Stage, Readonly<Partial<Record<StageEvent, Stage>>>>> = {
  awaiting_dns: WAITING,
  dns_conflict: WAITING,
  verified: { ...WAITING, ...CERTIFYING, order_placed: "issuing", served_over_http: "live" },
  issuing: { ...CERTIFYING, removed: "removed" },
  issue_failed: { ...WAITING, ...CERTIFYING, order_placed: "issuing" },
  // What a check finds of a live domain is reported for days before it counts: then as `lapsed`.
  live: {
    records_right: "live",
    lapsed: "awaiting_dns",
    yielded: "dns_conflict",
    plan_dropped: "suspended",
    removed: "removed",
  },
  suspended: { plan_restored: "live", yielded: "dns_conflict", removed: "removed" },
  removed: {},
};

/** The stage after an event; undefined if it does not happen to a domain of that stage. */
export const nextStage = (stage: Stage, event: StageEvent): Stage | undefined => TABLE[stage][event];
