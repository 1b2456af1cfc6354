import type { Certificate, Domain, Finding } from "./model.ts";
import { isWaiting } from "./stages.ts";
import {
  FINDINGS,
  OVERDUE_STEPS,
  type Words,
  certificateWords,
  createWords,
  servedWords,
} from "./explanations.ts";

/** A change to make at the DNS provider. */
export interface Change {
  action: "Create" | "Change" | "Remove";
  type: string;
  /** The name as DNS providers ask for it: without the registered domain, which itself is `@`. */
  name: string;
  fullName: string;
  /** The current values. */
  found: readonly string[];
  /** The new value; absent if the record must be removed. */
  value?: string;
}

/** Why a domain is not active, or will not stay so, and what to do. */
export interface Advice extends Words {
  /** `bad`: somebody must act. `waiting`: the record is not there yet, or the service goes on by itself. */
  tone: "bad" | "waiting";
  changes: readonly Change[];
  /** The CA's own words. */
  quotes?: readonly string[];
  /** What to do, one by one. */
  steps?: readonly string[];
}

/** As specified. */
export const TTL = 3600;

type Named = Pick<Domain, "hostname" | "record">;

/** The registered domain. */
const apexOf = ({ hostname, record: { name } }: Named): string =>
  name === "@" ? hostname : hostname.slice(name.length + 1);

/** A name as DNS providers ask for it. One outside the registered domain stays as it is. */
const shortName = (name: string, domain: Named): string => {
  const apex = apexOf(domain);
  if (name === apex) return "@";
  return name.endsWith(`.${apex}`) ? name.slice(0, -apex.length - 1) : name;
};

const change = (
  domain: Named,
  action: Change["action"],
  { type, name, found = [], value }: { type: string; name: string; found?: string[]; value?: string },
): Change => ({
  action,
  type,
  name: shortName(name, domain),
  fullName: name,
  found,
  ...(value !== undefined && { value }),
});

/** The record that leads to the service. */
const ownRecord = (domain: Named, action: "Create" | "Change", found: string[] = []): Change => {
  const { type, value } = domain.record;
  return change(domain, action, { type, name: domain.hostname, found, value });
};

/** The record that proves which project an apex domain is for. */
const proofRecord = (domain: Named, action: "Create" | "Change"): Change[] => {
  const { proof } = domain.record;
  if (!proof) return [];
  const { type, value } = proof;
  return [change(domain, action, { type, name: `${proof.name}.${domain.hostname}`, value })];
};

/** Every record that the domain needs. */
export const allRecords = (domain: Named, action: "Create" | "Change"): Change[] => [
  ownRecord(domain, action),
  ...proofRecord(domain, action),
];

const CHANGES: Partial<Record<Finding["kind"], (finding: Finding, domain: Named) => Change[]>> = {
  // An apex domain needs both: otherwise the second would be asked for when the first has spread.
  no_record: (_, domain) => allRecords(domain, "Create"),
  wrong_target: ({ found }, domain) => [ownRecord(domain, "Change", found)],
  conflicting_record: ({ name, type = "A", found = [] }, domain) => [
    change(domain, "Remove", { type, name, found }),
    ownRecord(domain, "Create"),
  ],
  caa_forbids: ({ name, found = [], expected = [] }, domain) =>
    expected
      .slice(0, 1)
      .map((issuer) => change(domain, "Create", { type: "CAA", name, found, value: `0 issue "${issuer}"` })),
  ownership_unproven: ({ name, found = [], expected = [] }, domain) =>
    expected.map((value) =>
      change(domain, found.length > 0 ? "Change" : "Create", { type: "TXT", name, found, value }),
    ),
  domain_taken: (_, domain) => proofRecord(domain, "Change"),
  domain_lost: (_, domain) => allRecords(domain, "Change"),
};

type Seen = Named & Pick<Domain, "stage" | "findings"> & Partial<Domain>;

/** Findings that only need time. */
const PASSING: ReadonlySet<Finding["kind"]> = new Set(["not_propagated", "unreachable"]);

const toneOf = ({ kind }: Finding, domain: Seen): Advice["tone"] => {
  // Most people add a domain before its record.
  const isExpected = kind === "no_record" && isWaiting(domain) && domain.nextCheckAt !== undefined;
  return isExpected || PASSING.has(kind) ? "waiting" : "bad";
};

/** A finding about CAA records says nothing while HTTPS is off: then the domain is or was live without a certificate. */
const isShown = ({ kind }: Finding, { stage, certificate }: Seen): boolean =>
  kind !== "caa_forbids" || certificate !== undefined || (stage !== "live" && stage !== "suspended");

/** Findings of the same kind at several servers are one. */
const grouped = (findings: readonly Finding[]): [Finding, ...Finding[]][] => {
  const groups = Map.groupBy(findings, ({ kind, message }) => (PASSING.has(kind) ? kind : message));
  return [...groups.values()] as [Finding, ...Finding[]][];
};

const findingAdvice = (findings: readonly [Finding, ...Finding[]], domain: Seen, now: number): Advice => {
  const [finding] = findings;
  return {
    tone: toneOf(finding, domain),
    ...FINDINGS[finding.kind](findings, domain, now),
    changes: CHANGES[finding.kind]?.(finding, domain) ?? [],
  };
};

/** Problems with a certificate that end by themselves. */
const PASSING_PROBLEMS: ReadonlySet<string> = new Set(["budget", "rateLimited"]);

const certificateAdvice = (certificate: Certificate, now: number): Advice | undefined => {
  const { status, problem } = certificate;
  if (!problem && status !== "ssl_overdue" && status !== "expired") return undefined;
  const isPassing =
    status === "in_use" || (status === "failing" && PASSING_PROBLEMS.has(problem?.type ?? ""));
  return {
    tone: isPassing ? "waiting" : "bad",
    ...certificateWords(certificate, now),
    changes: [],
    ...(problem && { quotes: quotesOf(problem) }),
    ...(status === "ssl_overdue" && { steps: OVERDUE_STEPS }),
  };
};

/** What the CA said, one sentence per part. */
const quotesOf = ({ detail, subproblems }: NonNullable<Certificate["problem"]>): string[] => [
  detail,
  ...subproblems.map(({ identifier, detail }) => (identifier ? `${identifier}: ${detail}` : detail)),
];

const ORDER = { bad: 0, waiting: 1 } as const;

/** What to do about a domain, the most urgent first; nothing if all is well. @param now milliseconds */
export const adviceOf = (domain: Seen, now: number): Advice[] => {
  const { certificate, checkedAt, failingSince } = domain;
  const findings = domain.findings.filter((finding) => isShown(finding, domain));
  if (isWaiting(domain) && (checkedAt === undefined || findings.length === 0))
    return [{ tone: "waiting", ...createWords(domain), changes: allRecords(domain, "Create") }];
  const found = grouped(findings).map((group) => findingAdvice(group, domain, now));
  // Wrong records explain why there is no certificate. The steps for an overdue one are shown all the same.
  const isExplained = certificate?.status !== "ssl_overdue" && found.some(({ tone }) => tone === "bad");
  const about = certificate && !isExplained ? certificateAdvice(certificate, now) : undefined;
  const all = [...found, ...(about ? [about] : [])].toSorted(
    (one, other) => ORDER[one.tone] - ORDER[other.tone],
  );
  const [first, ...others] = all;
  if (!first || failingSince === undefined) return all;
  return [{ ...first, note: servedWords(failingSince, now) }, ...others];
};
