import { type Certificate, type Change, type Domain, type Finding, isWaiting } from "./model.ts";
import {
  OVERDUE_STEPS,
  type Words,
  certificateWords,
  createWords,
  describe,
  endsSoon,
  isDue,
  servedWords,
} from "./explanations.ts";
import { SUSPENDED } from "./words.ts";

/** Why a domain is not active, or will not stay active, and the remedy. */
export interface Advice extends Words {
  /** `bad`: the user must act. `waiting`: the record does not exist yet, or the service continues without the user. */
  tone: "bad" | "waiting";
  changes: readonly Change[];
  /** The CA's own words. */
  quotes?: readonly string[];
  /** The actions to take, one by one. */
  steps?: readonly string[];
}

type Named = Pick<Domain, "hostname" | "record" | "guide"> &
  Partial<Pick<Domain, "challengeRecord" | "ownershipRecord" | "stage">>;

/** A record of the domain, whose name is within its registered domain. */
const creation = (
  { hostname, record }: Named,
  { type, name, value }: Pick<Domain["record"], "name" | "value"> & { type: string },
): Change => {
  const apex = record.name === "@" ? hostname : hostname.slice(record.name.length + 1);
  return { action: "create", type, name, value, fullName: name === "@" ? apex : `${name}.${apex}` };
};

/** Every record that the domain needs, in the types that its provider has. */
export const allRecords = (domain: Named): Change[] => {
  const { guide, record, challengeRecord } = domain;
  const { type, addresses = [], proof } = record;
  const chosen = type === "ALIAS" && guide ? guide.apexType : type;
  const records = [
    ...(chosen || addresses.length === 0 ? [{ ...record, type: chosen ?? type }] : addresses),
    ...(proof ? [proof] : []),
    ...(challengeRecord?.required ? [challengeRecord] : []),
  ];
  return records.map((one) => creation(domain, one));
};

/** The record that proves a domain before it moves. */
export const moveRecord = (domain: Named): Change[] => {
  const first = domain.challengeRecord ?? domain.ownershipRecord ?? domain.record.proof;
  return first ? [creation(domain, first)] : [];
};

type Seen = Named & Pick<Domain, "stage" | "findings"> & Partial<Domain>;

const toneOf = ({ kind, isHint }: Finding, domain: Seen): Advice["tone"] => {
  // Most people add a domain before its record.
  const isExpected = kind === "no_record" && isWaiting(domain) && domain.nextCheckAt !== undefined;
  // Silence never counts against a domain.
  return isExpected || isHint || kind === "unreachable" ? "waiting" : "bad";
};

/** True for CAA records at the domain, or at the target. */
const isAboutCaa = ({ kind, found }: Finding): boolean =>
  kind === "caa_forbids" || kind === "caa_unanswered" || (kind === "platform_unready" && found !== undefined);

/** A finding about CAA records says nothing while HTTPS is off: then the domain is or was live without a certificate. */
const isShown = (finding: Finding, { stage, certificate }: Seen): boolean =>
  !isAboutCaa(finding) || certificate !== undefined || (stage !== "live" && stage !== "suspended");

/** Several findings of these kinds are shown as one: from several servers, or about several records. */
const TOGETHER: ReadonlySet<Finding["kind"]> = new Set([
  "no_record",
  "not_propagated",
  "unreachable",
  "conflicting_record",
  "stray_address",
]);

const grouped = (findings: readonly Finding[]): [Finding, ...Finding[]][] => {
  const groups = Map.groupBy(findings, ({ kind, message, responsible }) =>
    TOGETHER.has(kind) ? `${kind} ${responsible}` : message,
  );
  return [...groups.values()] as [Finding, ...Finding[]][];
};

/** Panels refuse a CNAME alongside other records, so deletions come first. */
const IN_ORDER = { delete: 0, change: 1, create: 1 } as const;

/** Each change once. */
const changesOf = (findings: readonly Finding[]): Change[] => {
  const all = findings.flatMap(({ changes = [] }) => changes);
  const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return distinct.toSorted((one, other) => IN_ORDER[one.action] - IN_ORDER[other.action]);
};

const findingAdvice = (findings: readonly [Finding, ...Finding[]], domain: Seen, now: number): Advice => ({
  tone: toneOf(findings[0], domain),
  ...describe(findings, domain, now),
  changes: changesOf(findings),
});

/** Problems with a certificate that end by themselves. */
const TRANSIENT_PROBLEMS: ReadonlySet<string> = new Set(["budget", "rateLimited", "undecided"]);

const certificateAdvice = (certificate: Certificate, now: number): Advice | undefined => {
  const { status, problem, queue } = certificate;
  const mustRenew = endsSoon(certificate, now);
  if (!problem && !queue && !mustRenew && status !== "ssl_overdue" && status !== "expired") return undefined;
  const isTransient =
    (status === "in_use" && !mustRenew) ||
    (queue !== undefined && !problem) ||
    (TRANSIENT_PROBLEMS.has(problem?.type ?? "") && !problem?.cause && status !== "ssl_overdue") ||
    (status === "failing" && isDue(certificate, now));
  return {
    tone: isTransient ? "waiting" : "bad",
    ...certificateWords(certificate, now),
    changes: [],
    ...(problem && { quotes: quotesOf(problem) }),
    ...(status === "ssl_overdue" && { steps: OVERDUE_STEPS }),
  };
};

/** The CA's own words, one sentence per part. */
const quotesOf = ({ detail, subproblems, cause }: NonNullable<Certificate["problem"]>): string[] => [
  detail,
  ...subproblems.map(({ identifier, detail }) => (identifier ? `${identifier}: ${detail}` : detail)),
  ...(cause ? quotesOf(cause) : []),
];

const ORDER = { bad: 0, waiting: 1 } as const;

/** The advice on a domain, the most urgent first; empty if all is well. @param now milliseconds */
export const adviceOf = (domain: Seen, now: number): Advice[] => {
  if (domain.suspension)
    return [{ tone: "bad", title: SUSPENDED, text: domain.suspension.message, changes: [] }];
  const { certificate, checkedAt, failingSince } = domain;
  const findings = domain.findings.filter((finding) => isShown(finding, domain));
  if (isWaiting(domain) && (checkedAt === undefined || findings.length === 0)) {
    const changes = allRecords(domain);
    return [{ tone: "waiting", ...createWords(changes, domain), changes }];
  }
  const found = grouped(findings).map((group) => findingAdvice(group, domain, now));
  // Wrong records explain a missing certificate. The steps for an overdue one are shown all the same.
  const isExplained = certificate?.status !== "ssl_overdue" && found.some(({ tone }) => tone === "bad");
  const about = certificate && !isExplained ? certificateAdvice(certificate, now) : undefined;
  const all = [...found, ...(about ? [about] : [])].toSorted(
    (one, other) => ORDER[one.tone] - ORDER[other.tone],
  );
  const [first, ...others] = all;
  if (!first || failingSince === undefined) return all;
  return [{ ...first, note: servedWords(failingSince, now) }, ...others];
};

const lacksRecords = (domain: Domain): boolean =>
  isWaiting(domain) && domain.findings.every(({ kind }) => kind === "no_record");

/** The steps for a domain, with the records of its pair if both are missing: one visit to the DNS provider creates all. */
export const adviceWithPair = (domain: Domain, pair: Domain | undefined, now: number): Advice[] => {
  const [first, ...others] = adviceOf(domain, now);
  if (!first || !pair || !lacksRecords(domain) || !lacksRecords(pair)) return adviceOf(domain, now);
  const changes = [domain, pair].flatMap(allRecords);
  return [{ ...first, ...createWords(changes, domain, pair), changes }, ...others];
};
