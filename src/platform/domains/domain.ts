import type { domains } from "../../data/db/schema/domains.ts";
import type { Plan } from "../projects/plan.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { STAGE_EVENTS, type Stage } from "./stage.ts";

/** What visitors of a live domain get: the site, or a redirect to the project's primary domain. */
export const ROLES = ["primary", "served", "redirect"] as const;
export type Role = (typeof ROLES)[number];

/** A custom domain of a project, without the trace of its last check, which can be long. */
export interface Domain extends Omit<typeof domains.$inferSelect, "findings" | "trace"> {
  findings: DomainFinding[];
}

/** The part of a domain's project that a check needs. */
export interface Holder {
  id: number;
  plan: Plan;
  /** The label of its CNAME target. */
  targetLabel: string;
}

/** The events of a domain's history: those that may change its stage, and those that do not. */
export const EVENTS = [
  "added",
  ...STAGE_EVENTS,
  "removed",
  "unreachable",
  "domain_taken",
  "became_primary",
  "became_served",
  "became_redirect",
] as const;

export type EventName = (typeof EVENTS)[number];

/** Who acted on a domain. The name of a key that was removed before names were stored is unknown. */
export type PastActor =
  { kind: "key" | "person"; id: number; name: string | null } | { kind: "operator" } | { kind: "service" };

/** One row of a domain's history, which outlives the domain. */
export interface DomainEvent {
  id: number;
  at: number;
  actor: PastActor;
  event: EventName;
  /** The stage after it. */
  stage: Stage;
  findings: DomainFinding[];
}
