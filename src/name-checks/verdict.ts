import type { Hostname } from "../lib/hostname.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import type { Inspection } from "../dns-checks/inspect.ts";

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

export interface JudgedName {
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
export const judgeWithTarget = (inspection: Inspection): JudgedName => ({
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
export const judgeWithoutTarget = (inspection: Inspection, untargeted: Untargeted): JudgedName => {
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

/** One sentence on what the verdict means for this name, and what to do. @param shown the name */
export const verdictSentence = (verdict: NameVerdict, shown: string, apex: string): string =>
  SENTENCES[verdict](shown, apex);
