/**
 * How a domain gets from added to live, as two tables: the properties of each stage, and the stage that each event leads to.
 * Nothing else lists stages: the SQL that moves domains and the predicates about stages are generated from here.
 *
 * Who moves a domain: a check of its records (`progress.ts`), its certificate (`certificate_stored`, ...), its project's
 * plan, and another project that proves the name. Each move is one UPDATE that names the stages it starts from, in one
 * transaction with its row in the history. So of two moves at a time the second finds the stage that the first left, and a
 * crash leaves the domain in a stage whose check or certificate is still due.
 */

const PROPERTIES = [
  /** Waits for its records: checked by itself for 48 hours. Several projects may wait for a name. */
  "isWaiting",
  /** Holds the host name: of all projects only one can. */
  "isHeld",
  /** Keeps the name against another project whose records are right too. */
  "keepsName",
  /** Gets a certificate, and has it renewed. */
  "wantsCertificate",
  /** Will be live once it has a certificate. */
  "awaitsCertificate",
  /** Visitors get the site or a redirect; checked once a day. */
  "isServed",
  /** Something is wrong that a person must fix. */
  "isFailing",
] as const;

type Property = (typeof PROPERTIES)[number];

/** The properties of a domain in each stage. */
const STAGE_PROPERTIES = {
  awaiting_dns: ["isWaiting"],
  dns_conflict: ["isWaiting", "isFailing"],
  verified: ["isHeld", "keepsName", "wantsCertificate", "awaitsCertificate"],
  issuing: ["isHeld", "keepsName", "wantsCertificate", "awaitsCertificate"],
  issue_failed: ["isHeld", "keepsName", "wantsCertificate", "awaitsCertificate", "isFailing"],
  live: ["isHeld", "keepsName", "wantsCertificate", "isServed"],
  suspended: ["isHeld"],
} as const satisfies Record<string, readonly Property[]>;

/** The stage of a domain that exists. */
export type StoredStage = keyof typeof STAGE_PROPERTIES;

export const STORED_STAGES = Object.keys(STAGE_PROPERTIES) as StoredStage[];

/** The stages of a history: a domain that is removed has no row, but a history. */
export const STAGES = [...STORED_STAGES, "removed"] as const;

export type Stage = (typeof STAGES)[number];

/** The stage of a domain that was added just now. */
export const FIRST_STAGE: StoredStage = "awaiting_dns";

export const STAGE_EVENTS = [
  /** A check found the records right. */
  "records_right",
  /** A check found that the records still point to an old host, but the DNS proves ownership. */
  "ownership_proven",
  /** A check found a conflicting record or a wrong value. */
  "records_wrong",
  /** A check found no record, or the right one not everywhere yet. */
  "records_missing",
  /** A live domain has not verified within the allowed time and is not served anymore. */
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
] as const;

export type StageEvent = (typeof STAGE_EVENTS)[number];

/** The stage that an event leads to. A pair that is not here leaves the stage as it is. */
const TRANSITIONS: readonly (readonly [from: StoredStage, event: StageEvent, to: StoredStage])[] = [
  ["awaiting_dns", "records_right", "verified"],
  ["awaiting_dns", "ownership_proven", "verified"],
  ["awaiting_dns", "records_wrong", "dns_conflict"],
  ["dns_conflict", "records_right", "verified"],
  ["dns_conflict", "ownership_proven", "verified"],
  ["dns_conflict", "records_missing", "awaiting_dns"],
  // Without certificates this leads on to `live`.
  ["verified", "records_right", "verified"],
  ["verified", "records_wrong", "dns_conflict"],
  ["verified", "records_missing", "awaiting_dns"],
  ["verified", "served_over_http", "live"],
  ["verified", "order_placed", "issuing"],
  // An imported certificate needs no order.
  ["verified", "certificate_stored", "live"],
  ["verified", "issue_refused", "issue_failed"],
  ["verified", "plan_dropped", "suspended"],
  ["verified", "yielded", "dns_conflict"],
  // No check moves it: now the CA looks at the records.
  ["issuing", "certificate_stored", "live"],
  ["issuing", "issue_refused", "issue_failed"],
  ["issuing", "plan_dropped", "suspended"],
  ["issuing", "yielded", "dns_conflict"],
  ["issue_failed", "records_right", "verified"],
  ["issue_failed", "records_wrong", "dns_conflict"],
  ["issue_failed", "records_missing", "awaiting_dns"],
  ["issue_failed", "order_placed", "issuing"],
  ["issue_failed", "certificate_stored", "live"],
  ["issue_failed", "plan_dropped", "suspended"],
  ["issue_failed", "yielded", "dns_conflict"],
  // Wrong records of a live domain are only reported for days, before they count as `lapsed`.
  ["live", "lapsed", "awaiting_dns"],
  ["live", "plan_dropped", "suspended"],
  ["live", "yielded", "dns_conflict"],
  ["suspended", "plan_restored", "live"],
  ["suspended", "yielded", "dns_conflict"],
];

const has = (stage: StoredStage, property: Property): boolean =>
  (STAGE_PROPERTIES[stage] as readonly Property[] | undefined)?.includes(property) ?? false;

export const isWaiting = (stage: StoredStage): boolean => has(stage, "isWaiting");
export const isHeld = (stage: StoredStage): boolean => has(stage, "isHeld");
export const isServed = (stage: StoredStage): boolean => has(stage, "isServed");
export const wantsCertificate = (stage: StoredStage): boolean => has(stage, "wantsCertificate");
export const awaitsCertificate = (stage: StoredStage): boolean => has(stage, "awaitsCertificate");

/** The stages that have a property, in the order of the table. */
export const stagesThat = (property: Property): StoredStage[] =>
  STORED_STAGES.filter((stage) => has(stage, property));

/** The stage after an event; undefined if the event leaves the stage as it is. */
export const nextStage = (stage: StoredStage, event: StageEvent): StoredStage | undefined =>
  TRANSITIONS.find(([from, on]) => from === stage && on === event)?.[2];

/** The stage after an event that must move the domain. @throws if the event cannot happen in this stage */
export const stageAfter = (stage: StoredStage, event: StageEvent): StoredStage => {
  const next = nextStage(stage, event);
  if (next === undefined) throw new Error(`the event ${event} cannot happen to a domain that is ${stage}`);
  return next;
};

/** The stages that an event moves a domain from, and the one that it leads to. @throws if it leads to several, or nowhere */
export const transitionOf = (event: StageEvent): { from: StoredStage[]; to: StoredStage } => {
  const rows = TRANSITIONS.filter(([, on]) => on === event);
  const [to, ...others] = new Set(rows.map(([, , stage]) => stage));
  if (to === undefined || others.length > 0) throw new Error(`the table must lead ${event} to one stage`);
  return { from: rows.map(([from]) => from), to };
};
