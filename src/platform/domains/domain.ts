import type { domains } from "../../data/db/schema/domains.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import type { Report } from "../dns-checks/model.ts";
import type { ConnectOffer } from "../dns-records/model.ts";
import type { Plan } from "../projects/plan.ts";
import type { DomainCertificate } from "./certificate-model.ts";
import { type Stage, STAGE_EVENTS } from "./stage.ts";

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

/** A domain, with the part of its project that a check needs. */
export interface Checkable {
  domain: Domain;
  project: Holder;
}

/** A domain and the required target of its record. */
export type ListedDomain = Domain & {
  /** The slug of its project. */
  project: string;
  target: string;
  /** Of the target; only for an apex. */
  addresses?: readonly string[];
  /** The name to which its challenge may be delegated; undefined if the service cannot create records. */
  challengeTarget?: string | undefined;
  /** Only for a domain that needs records. */
  connect?: ConnectOffer | undefined;
  /** Its certificate, if the service has HTTPS. */
  certificate?: DomainCertificate | undefined;
};

/** A listed domain with the queries of its last check. */
export type InspectedDomain = ListedDomain & { trace?: Report };

/** The certificates of domains. */
export interface DomainCertificates {
  /** Undefined if the name is unknown. */
  find(hostname: string): Promise<DomainCertificate | undefined>;
  /** Requests a certificate, also for a new name; false if a limit makes it wait. */
  request(hostname: string): Promise<boolean>;
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
