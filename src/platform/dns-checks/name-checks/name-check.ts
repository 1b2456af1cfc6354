import type { DomainFinding } from "../finding.ts";
import type { Inspect, Inspection } from "../inspect.ts";
import type { Report } from "../model.ts";
import { type ReservedNames, acceptableHostname, refusedName } from "../names.ts";
import type { ConnectOffer } from "../../dns-records/model.ts";
import { type OfferConnect, patientOffer } from "../../dns-records/provider-guide.ts";
import { fieldFault } from "../../../lib/errors.ts";
import { type Hostname, parseHostname } from "../../../lib/hostname.ts";

/** The verdicts on a name that need not belong to a project, and what each means. */
export const NAME_VERDICTS = {
  right: "Every server that responded has the right records.",
  missing: "The record does not exist yet.",
  wrong: "You must change or delete a record.",
  spreading: "Some name servers have the right records, and others still have old ones.",
  blocked: "No CA can issue a certificate for the name.",
  free: "No other record is in the way. Only in a check without a target.",
  in_use: "The name has records that you must change or delete. Only in a check without a target.",
  points_here: "The name already points to a target of this service. Only in a check without a target.",
  unregistered: "The registered domain does not exist in the DNS.",
  unknown: "Too few servers responded for a verdict.",
} as const;

export type NameVerdict = keyof typeof NAME_VERDICTS;

/** Good: there is nothing to change. Bad: the name cannot work like this. The others are neither. */
export const VERDICT_TONES: Readonly<Partial<Record<NameVerdict, "good" | "bad">>> = {
  right: "good",
  free: "good",
  points_here: "good",
  wrong: "bad",
  blocked: "bad",
};

interface JudgedName {
  verdict: NameVerdict;
  findings: DomainFinding[];
}

/** A name without a target, and the domain whose names all targets are. */
interface Untargeted {
  hostname: Hostname;
  targetZone: string;
}

const has = (findings: readonly DomainFinding[], ...kinds: DomainFinding["kind"][]): boolean =>
  findings.some(({ kind }) => kinds.includes(kind));

const verdictWithTarget = ({ event, findings }: Inspection): NameVerdict => {
  if (has(findings, "delegated_away")) return "wrong";
  if (event === "records_wrong") return "wrong";
  if (event === "records_missing") {
    if (has(findings, "registration_expired")) return "unregistered";
    return has(findings, "not_propagated", "mixed_answers") ? "spreading" : "missing";
  }
  if (event === undefined) return "unknown";
  return has(findings, "caa_forbids") ? "blocked" : "right";
};

/** @param inspection for the target of the name */
const judgeWithTarget = (inspection: Inspection): JudgedName => ({
  verdict: verdictWithTarget(inspection),
  findings: inspection.findings,
});

/** Findings that say nothing about a name that has no target yet. */
const ABOUT_TARGETS: ReadonlySet<DomainFinding["kind"]> = new Set([
  "no_record",
  "not_propagated",
  "ownership_unproven",
]);

const leadsTo = (finding: DomainFinding, zone: string): boolean =>
  finding.kind === "wrong_target" && finding.found.every((value) => value.endsWith(`.${zone}`));

/** An apex that is checked against itself has the right addresses if it has any. */
const ownAddresses = ({ findings, report }: Inspection, { ascii, isApex }: Hostname): DomainFinding[] =>
  isApex && report.targetAddresses.length > 0 && !has(findings, "wrong_target")
    ? [{ kind: "wrong_target", name: ascii, type: "ALIAS", found: report.targetAddresses, expected: [] }]
    : [];

const verdictWithoutTarget = (
  inspection: Inspection,
  findings: readonly DomainFinding[],
  { targetZone }: Untargeted,
): NameVerdict => {
  if (has(findings, "delegated_away")) return "wrong";
  if (inspection.event === undefined) return "unknown";
  if (findings.some((finding) => leadsTo(finding, targetZone))) return "points_here";
  if (has(findings, "wrong_target", "conflicting_record", "proxied", "wildcard_record")) return "in_use";
  if (has(findings, "registration_expired")) return "unregistered";
  if (inspection.event === "records_wrong" || has(findings, "parked", "registration_on_hold")) return "wrong";
  return has(findings, "caa_forbids") ? "blocked" : "free";
};

/** @param inspection for the name itself as its target, so that every record it has is a finding */
const judgeWithoutTarget = (inspection: Inspection, untargeted: Untargeted): JudgedName => {
  const relevant = inspection.findings.filter(({ kind }) => !ABOUT_TARGETS.has(kind));
  const findings = [...ownAddresses(inspection, untargeted.hostname), ...relevant];
  const verdict = verdictWithoutTarget(inspection, findings, untargeted);
  return {
    verdict,
    findings: findings.filter((finding) => !leadsTo(finding, untargeted.targetZone)),
  };
};

const SENTENCES: Readonly<Record<NameVerdict, (shown: string, apex: string) => string>> = {
  right: (shown) => `${shown} has the right records: nothing is left to do in the DNS.`,
  missing: (shown) => `${shown} does not have its records yet: create them at your DNS provider.`,
  wrong: (shown) => `${shown} has wrong records: correct them as described below.`,
  spreading: (shown) => `Some name servers have the right records of ${shown}: wait until all have them.`,
  blocked: (shown) => `CAA records forbid a certificate for ${shown}: change them first.`,
  free: (shown) => `${shown} is free: add it to a project, then create the record that the project shows.`,
  in_use: (shown) => `${shown} has other records: to move it here, change or delete them as described below.`,
  points_here: (shown) => `${shown} already points to a target of this service.`,
  unregistered: (_, apex) => `The DNS does not know ${apex}: check the spelling, or register the domain.`,
  unknown: (shown) => `Too few name servers of ${shown} responded: try again later.`,
};

/** One sentence with the verdict's meaning for this name, and the advice. @param shown the name */
export const verdictSentence = (verdict: NameVerdict, shown: string, apex: string): string =>
  SENTENCES[verdict](shown, apex);

/** A name to check, as a person typed it. */
export interface TypedName {
  hostname: string;
  /** The required target of its record. Without it, the check only reports the existing records. */
  target?: string | undefined;
}

/** A name that can be checked. */
export interface CheckableName {
  hostname: Hostname;
  /** In A-labels. */
  target: string | undefined;
}

export interface NameCheck extends JudgedName, CheckableName {
  report: Report;
  /** Only for a target of this service, and a name that needs records. */
  connect?: ConnectOffer | undefined;
}

/** The project's label in a target of this service. */
const labelIn = (target: string | undefined, zone: string): string | undefined => {
  const label = target?.endsWith(`.${zone}`) ? target.slice(0, -zone.length - 1) : undefined;
  return label?.includes(".") ? undefined : label;
};

/** @throws Fault invalid_request */
const acceptableTarget = (typed: string, hostname: Hostname): string => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw refusedName(parsed.refusal, "target");
  const { ascii } = parsed.hostname;
  if (ascii === hostname.ascii)
    throw fieldFault("invalid_request", { field: "target", rule: "conflict" }, "target: is the name itself");
  return ascii;
};

/** Parses a name by the rules for the domains of projects. @throws Fault invalid_request */
export const parseCheckable = (typed: TypedName, reservedNames: ReservedNames): CheckableName => {
  const hostname = acceptableHostname(typed.hostname, reservedNames);
  const target = typed.target === undefined ? undefined : acceptableTarget(typed.target, hostname);
  return { hostname, target };
};

interface NameCheckerOptions {
  inspect: Inspect;
  /** The domain of all targets. */
  targetZone: string;
  /** Undefined without Domain Connect, and for people without a key: it causes requests to servers that strangers choose. */
  offerConnect?: OfferConnect | undefined;
}

/** Checks a name that need not belong to a project. Stores nothing. */
export const nameChecker = ({ inspect, targetZone, offerConnect }: NameCheckerOptions) => {
  const connectOf = patientOffer(offerConnect);
  return async ({ hostname, target }: CheckableName, isUrgent: () => boolean): Promise<NameCheck> => {
    // Only a project that holds the name needs no proof, and this check knows no project.
    const options = { isUrgent, needsProof: target !== undefined };
    const inspection = await inspect(hostname, target ?? hostname.ascii, options);
    const judged =
      target === undefined
        ? judgeWithoutTarget(inspection, { hostname, targetZone })
        : judgeWithTarget(inspection);
    const { report } = inspection;
    const label = judged.verdict === "right" ? undefined : labelIn(target, targetZone);
    const connect = label && (await connectOf({ hostname, zone: report.zone, label }));
    return { hostname, target, ...judged, report, ...(connect && { connect }) };
  };
};

export type CheckName = ReturnType<typeof nameChecker>;
