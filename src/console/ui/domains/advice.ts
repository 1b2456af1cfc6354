import { type Certificate, type Domain, type Finding, isWaiting } from "./model.ts";
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

/** A change to make at the DNS provider. */
export interface Change {
  action: "Create" | "Change" | "Delete";
  type: string;
  /** The name as DNS providers ask for it: without the registered domain, which itself is `@`. */
  name: string;
  fullName: string;
  /** The current values. */
  found: readonly string[];
  /** The new value; absent if the record must be deleted. */
  value?: string;
}

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

/** As specified. */
export const TTL = 3600;

type Named = Pick<Domain, "hostname" | "record" | "guide"> &
  Partial<Pick<Domain, "challengeRecord" | "ownershipRecord" | "stage">>;

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

/** The record that leads to the service, in the type that the provider has. Without ALIAS, that is each address. */
const ownRecords = (domain: Named, action: "Create" | "Change", found: string[] = []): Change[] => {
  const { hostname: name, guide, record } = domain;
  const { type, value, addresses = [] } = record;
  if (type === "ALIAS" && guide && !guide.apexType && addresses.length > 0)
    return addresses.map((one) => change(domain, action, { type: one.type, name, value: one.value }));
  const chosen = type === "ALIAS" ? (guide?.apexType ?? type) : type;
  return [change(domain, action, { type: chosen, name, found, value })];
};

/** Whatever leads an apex elsewhere: in the DNS, an ALIAS looks like addresses. */
const elsewhere = (domain: Named, name: string, found: string[]): Change => {
  const { guide } = domain;
  const ofProvider = guide?.apexType ? `A, AAAA or ${guide.apexType}` : "A or AAAA";
  return change(domain, "Delete", { type: guide ? ofProvider : "A, AAAA, ALIAS or ANAME", name, found });
};

const typeOf = (address: string): string => (address.includes(":") ? "AAAA" : "A");

/** The changes that move a domain from its old host. A CNAME cannot be created while addresses exist. */
const moveChanges = (domain: Named, found: string[] = []): Change[] => {
  const { hostname: name, record } = domain;
  if (found.some((value) => !/^[\d.]+$|:/.test(value))) return ownRecords(domain, "Change", found);
  const deletions = found.map((one) => change(domain, "Delete", { type: typeOf(one), name, found: [one] }));
  const isApex = record.type === "ALIAS" && found.length > 0;
  return [...(isApex ? [elsewhere(domain, name, found)] : deletions), ...ownRecords(domain, "Create")];
};

/** The record that proves which project an apex domain is for. */
const proofRecord = (domain: Named, action: "Create" | "Change"): Change[] => {
  const { proof } = domain.record;
  if (!proof) return [];
  return [change(domain, action, { ...proof, name: `${proof.name}.${domain.hostname}` })];
};

const challengeNameOf = ({ hostname }: Named): string => `_acme-challenge.${hostname.replace(/^\*\./, "")}`;

/** The record for DNS challenges. Only a wildcard requires it. */
export const challengeRecord = (
  domain: Named,
  action: "Create" | "Change" = "Create",
  found: string[] = [],
): Change[] => {
  const { challengeRecord: record } = domain;
  return record ? [change(domain, action, { ...record, name: challengeNameOf(domain), found })] : [];
};

/** The record that proves a domain before it moves. */
export const moveRecord = (domain: Named): Change[] => {
  const txt = domain.ownershipRecord ?? domain.record.proof;
  if (domain.challengeRecord || !txt) return challengeRecord(domain);
  return [change(domain, "Create", { ...txt, name: `${txt.name}.${apexOf(domain)}` })];
};

const isAboutChallenge = ({ name }: Pick<Finding, "name">, domain: Named): boolean =>
  domain.challengeRecord?.required === true && name === challengeNameOf(domain);

/** Every record that the domain needs. */
export const allRecords = (domain: Named, action: "Create" | "Change"): Change[] => [
  ...ownRecords(domain, action),
  ...proofRecord(domain, action),
  ...(domain.challengeRecord?.required ? challengeRecord(domain) : []),
];

const CHANGES: Partial<Record<Finding["kind"], (finding: Finding, domain: Named) => Change[]>> = {
  // An apex domain needs both: otherwise the second would be asked for when the first has spread.
  no_record: (finding, domain) =>
    isAboutChallenge(finding, domain) ? challengeRecord(domain) : allRecords(domain, "Create"),
  wrong_target(finding, domain) {
    const { name, type, found = [] } = finding;
    if (isAboutChallenge(finding, domain)) return challengeRecord(domain, "Change", found);
    if (type === "ALIAS") return [elsewhere(domain, name, found), ...allRecords(domain, "Create")];
    if (found.length < 2) return ownRecords(domain, "Change", found);
    const wrong = found.filter((value) => value !== domain.record.value);
    return [
      change(domain, "Delete", { type: "CNAME", name, found: wrong }),
      ...(wrong.length < found.length ? [] : ownRecords(domain, "Create")),
    ];
  },
  doubled_name: ({ type = "CNAME", found = [], expected = [] }, domain) => [
    ...found.map((name) => change(domain, "Delete", { type, name, found: expected })),
    ...(type === "TXT" ? proofRecord(domain, "Create") : ownRecords(domain, "Create")),
  ],
  // At an unknown provider, these may be addresses to delete: the text says both.
  proxied: (_, domain) => (domain.guide ? ownRecords(domain, "Change") : []),
  addresses_changed: ({ name, found = [], expected = [] }, domain) => [
    ...found.map((value) => change(domain, "Delete", { type: typeOf(value), name, found: [value] })),
    ...expected.map((value) => change(domain, "Create", { type: typeOf(value), name, value })),
  ],
  conflicting_record: ({ name, type = "A", found = [] }, domain) => [
    change(domain, "Delete", { type, name, found }),
    ...(isAboutChallenge({ name }, domain) ? challengeRecord(domain) : ownRecords(domain, "Create")),
  ],
  // Below a delegated name, the record belongs to another zone, which the text names.
  delegated_away: ({ name, zone, found = [] }, domain) =>
    name === zone
      ? [change(domain, "Delete", { type: "NS", name, found }), ...ownRecords(domain, "Create")]
      : [],
  https_record: ({ name, found = [] }, domain) => [change(domain, "Delete", { type: "HTTPS", name, found })],
  wildcard_record: (_, domain) => ownRecords(domain, "Create"),
  stray_address: ({ name, type = "A", found = [] }, domain) => [
    change(domain, "Delete", { type, name, found }),
  ],
  caa_forbids: ({ name, found = [], expected = [], tag = "issue" }, domain) =>
    expected
      .slice(0, 1)
      .map((issuer) => change(domain, "Create", { type: "CAA", name, found, value: `0 ${tag} "${issuer}"` })),
  ownership_unproven: ({ name, found = [], expected = [] }, domain) =>
    expected.map((value) =>
      change(domain, found.length > 0 ? "Change" : "Create", { type: "TXT", name, found, value }),
    ),
  not_moved: ({ found }, domain) => (domain.stage === "live" ? moveChanges(domain, found) : []),
  domain_taken: (_, domain) => proofRecord(domain, "Change"),
  domain_lost: (_, domain) => allRecords(domain, "Change"),
};

type Seen = Named & Pick<Domain, "stage" | "findings"> & Partial<Domain>;

/** Findings that only need time, or are hints. */
const TRANSIENT: ReadonlySet<Finding["kind"]> = new Set([
  "not_propagated",
  "unreachable",
  "long_ttl",
  "apex_cname",
]);

const toneOf = ({ kind }: Finding, domain: Seen): Advice["tone"] => {
  // Most people add a domain before its record.
  const isExpected = kind === "no_record" && isWaiting(domain) && domain.nextCheckAt !== undefined;
  const isEarly = kind === "not_moved" && domain.stage !== "live";
  return isExpected || isEarly || TRANSIENT.has(kind) ? "waiting" : "bad";
};

/** True for CAA records at the domain, or at the target. */
const isAboutCaa = ({ kind, found }: Finding): boolean =>
  kind === "caa_forbids" || kind === "caa_unanswered" || (kind === "platform_unready" && found !== undefined);

/** A finding about CAA records says nothing while HTTPS is off: then the domain is or was live without a certificate. */
const isShown = (finding: Finding, { stage, certificate }: Seen): boolean =>
  !isAboutCaa(finding) || certificate !== undefined || (stage !== "live" && stage !== "suspended");

/** Several findings of these kinds are shown as one: from several servers, or about several types of record. */
const TOGETHER: ReadonlySet<Finding["kind"]> = new Set([...TRANSIENT, "conflicting_record", "stray_address"]);

const grouped = (findings: readonly Finding[]): [Finding, ...Finding[]][] => {
  const groups = Map.groupBy(findings, ({ kind, message, responsible }) =>
    TOGETHER.has(kind) ? `${kind} ${responsible}` : message,
  );
  return [...groups.values()] as [Finding, ...Finding[]][];
};

/** Panels refuse a CNAME alongside other records, so deletions come first. */
const IN_ORDER = { Delete: 0, Change: 1, Create: 1 } as const;

const changesFor = (findings: readonly Finding[], domain: Named): Change[] => {
  const all = findings.flatMap((finding) =>
    finding.challenge
      ? [change(domain, "Create", { type: "CNAME", ...finding.challenge })]
      : (CHANGES[finding.kind]?.(finding, domain) ?? []),
  );
  const distinct = new Map(all.map((one) => [JSON.stringify(one), one])).values().toArray();
  return distinct.toSorted((one, other) => IN_ORDER[one.action] - IN_ORDER[other.action]);
};

const findingAdvice = (findings: readonly [Finding, ...Finding[]], domain: Seen, now: number): Advice => {
  return {
    tone: toneOf(findings[0], domain),
    ...describe(findings, domain, now),
    changes: changesFor(findings, domain),
  };
};

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
  if (isWaiting(domain) && (checkedAt === undefined || findings.length === 0))
    return [{ tone: "waiting", ...createWords(domain), changes: allRecords(domain, "Create") }];
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
  const changes = [domain, pair].flatMap((one) => allRecords(one, "Create"));
  return [{ ...first, ...createWords(domain, pair), changes }, ...others];
};
