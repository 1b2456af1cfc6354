import { duration, relative } from "../parts/wording.ts";
import {
  type Certificate,
  type Change,
  DNS_DELAY,
  type Domain,
  type Finding,
  SUSPENDED,
  isWaiting,
} from "./model.ts";

// What findings and problems with certificates mean, in words.

/** A domain as far as its records are described. */
export type Named = Pick<Domain, "hostname" | "record" | "guide"> &
  Partial<Pick<Domain, "challengeRecord" | "ownershipRecord" | "stage" | "checkedAt">>;

/** The text that a person reads first: the problem, and the remedy. */
interface Words {
  title: string;
  text: string;
  note?: string;
  /** Who must act. Shown last. */
  who?: string;
}

/** Problems of an attempt with their remedies, by the problem's type (RFC 8555 section 6.7, and the platform's own). */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  budget: "The limit on certificate orders is reached. Wait: the next order is placed automatically.",
  caa: "The domain's CAA records do not allow the CA. Change them.",
  challenge_unreachable: "The domain does not reach this server over HTTP. Its port 80 must be reachable.",
  connection:
    "The CA could not reach the domain. Its ports 80 and 443 must reach this server. Attempts alternate between them.",
  dns: "The CA could not find the domain in the DNS. Check its records.",
  externalAccountRequired: "The CA requires an external account. The server's operator must set it up.",
  import_only: "The server's operator imports its certificates. The next one is due.",
  no_authority: "The server's operator must first agree to a CA's terms of service.",
  not_moved:
    "The domain still points to its old host, which does not forward the CA's challenge to this server.",
  not_held: "The domain does not belong to this project yet. Verify it first.",
  platform_unready: "This server is not ready for custom domains. Its operator must correct this.",
  rateLimited: "The CA's rate limit is reached. Wait: the next order is placed automatically.",
  records: "The domain's records do not allow a certificate. Correct them, then choose Re-verify.",
  records_unknown: "The domain's records could not be looked up. This does not mean that they are wrong.",
  unauthorized:
    "The CA did not find the response to its challenge. If it found another server, check the domain's records. If it did not find the TXT record, wait for the next attempt.",
  unreachable: "The server could not reach the CA. Its operator must check the connection.",
};

/** The CA's own words are shown after it. */
export const certificateProblem = (type: string): string =>
  CERTIFICATE_PROBLEMS[type] ?? "The CA refused. This is what it said:";

const attemptWords = ({ failures = 1, nextAttemptAt }: Certificate, now: number): string => {
  const failed = failures > 1 ? `${failures} attempts have failed. ` : "";
  return nextAttemptAt === undefined
    ? `${failed}No further attempt is scheduled: choose Re-verify.`
    : `${failed}Next attempt: ${relative((Date.parse(nextAttemptAt) - now) / 1000)}.`;
};

const CERTIFICATE_TITLES: Partial<Record<Certificate["status"], string>> = {
  wanted: "The certificate is waiting for a CA limit",
  ordered: "The CA is working on the certificate",
  ssl_overdue: "There is no certificate after 30 minutes",
  expired: "The certificate has expired",
  in_use: "The certificate could not be renewed yet",
};

/** True if the next attempt is about to begin: it may solve the last one's problem. */
const isDue = ({ nextAttemptAt }: Certificate, now: number): boolean =>
  nextAttemptAt !== undefined && Date.parse(nextAttemptAt) <= now;

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** True if a renewal is overdue: less than a week is left, or less than a quarter of a short lifetime. */
const endsSoon = ({ notBefore = "", notAfter = "" }: Certificate, now: number): boolean => {
  const end = Date.parse(notAfter);
  return end - now < Math.min(WEEK_MS, (end - Date.parse(notBefore)) / 4);
};

const DUE: Words = {
  title: "A new attempt to get a certificate begins in a moment",
  text: "This is why the last one failed:",
};

const queueWords = ({ position, estimatedAt }: NonNullable<Certificate["queue"]>, now: number): Words => ({
  title: `The certificate is number ${position} in the queue`,
  text: `Its turn should come ${relative((Date.parse(estimatedAt) - now) / 1000)}. The CA limits orders, and projects take turns. You only need to wait.`,
});

const certificateWords = (certificate: Certificate, now: number): Words => {
  const { status, problem, queue } = certificate;
  if (queue && !problem) return queueWords(queue, now);
  if (status === "failing" && isDue(certificate, now)) return DUE;
  return {
    title: CERTIFICATE_TITLES[status] ?? "The last attempt to get a certificate failed",
    text: problem
      ? [problem, problem.cause].flatMap((one) => (one ? certificateProblem(one.type) : [])).join(" ")
      : "",
    note: attemptWords(certificate, now),
  };
};

/** The steps if the certificate is missing after 30 minutes. The list is specified. */
const OVERDUE_STEPS = [
  "Confirm that the domain still verifies: its record must be right.",
  "Check that no CAA records block the certificate authority.",
  "Choose Re-verify to start a new attempt.",
] as const;

type Describe = (findings: readonly [Finding, ...Finding[]], domain: Named, now: number) => Words;

const lists = new Intl.ListFormat("en");

/** "Their caches expire within 41 minutes.", counted from the check to the last of them. */
const cacheEnd = (findings: readonly Finding[], { checkedAt }: Named, now: number): string => {
  const known = findings.flatMap(({ seconds }) => seconds ?? []);
  if (known.length < findings.length) return DNS_DELAY;
  const left = ((checkedAt === undefined ? now : Date.parse(checkedAt)) - now) / 1000 + Math.max(...known);
  return left > 0
    ? `Their caches expire within ${duration(left)}.`
    : "Their caches should have expired. The next check will tell.";
};

const needsExactly = (areTwo: boolean, { record: { type } }: Named): string => {
  const alone = type === "CNAME" ? " No other record may exist under the same name." : "";
  return `${areTwo ? "The values" : "The value"} must match exactly.${alone} ${DNS_DELAY}`;
};

/** The note about providers without ALIAS. A known provider has its own steps instead. */
const aliasNote = ({ guide, record: { note } }: Named): Pick<Words, "note"> =>
  guide || note === undefined ? {} : { note };

/** Types of records that serve something other than the website. */
const NEEDED_ELSEWHERE: ReadonlySet<string> = new Set(["MX", "TXT"]);

/** Who must end the silence of a name server. */
const REPAIR: Partial<Record<NonNullable<Finding["responsible"]>, string>> = {
  dns_provider: "Ask your DNS provider to repair the name servers of the zone.",
  operator: "The operator of this server must find out why its resolver gives no usable response.",
};

const silenceWords = ({ since, responsible = "nobody" }: Finding, now: number): string => {
  const repair = REPAIR[responsible];
  if (repair === undefined) return "This does not mean that your records are wrong. Another check follows.";
  const seconds = since === undefined ? 0 : (now - Date.parse(since)) / 1000;
  return seconds < 60 ? repair : `No check has received a response for ${duration(seconds)}. ${repair}`;
};

/** More than a message can tell, by kind: next to the records, over time, or about several findings. */
const FINDINGS: Partial<Record<Finding["kind"], (...of: Parameters<Describe>) => Partial<Words>>> = {
  no_record: (findings, domain) => {
    const areTwo = findings.flatMap(({ changes = [] }) => changes).length > 1;
    return {
      text: `Create ${areTwo ? "these records" : "it"} at your DNS provider. ${needsExactly(areTwo, domain)}`,
      ...aliasNote(domain),
    };
  },
  conflicting_record: (findings, { hostname }) => {
    const types = new Set(findings.map(({ type }) => type));
    return {
      ...(types.size > 1 && {
        title: `The ${[...types].join(" and ")} records of ${findings[0].name} are in the way`,
      }),
      ...(findings.some(({ name, type = "" }) => name === hostname && NEEDED_ELSEWHERE.has(type)) && {
        note: "If mail or another service still needs these records, choose another name for the site.",
      }),
      text: `A CNAME cannot coexist with ${findings.length > 1 ? "them. Delete them" : "it. Delete it"}, then create the CNAME. ${DNS_DELAY}`,
    };
  },
  stray_address: () => ({
    text: `Some visitors do not arrive. Delete these records; the other addresses are right. ${DNS_DELAY}`,
  }),
  wrong_target: ([{ type }], domain) =>
    type === "ALIAS"
      ? { text: `Delete these records, then create the new ones. ${DNS_DELAY}`, ...aliasNote(domain) }
      : {},
  not_propagated: (findings, domain, now) => ({
    text: `Your domain's own name servers have the right record for ${findings[0].name}. These resolvers still have the old one: ${lists.format(new Set(findings.flatMap(({ server = [] }) => server)))}. ${cacheEnd(findings, domain, now)} No action is needed, and this does not delay the domain.`,
  }),
  ownership_unproven: () => ({
    text: "The addresses are right, but all projects here share them. The TXT record says which project the domain is for.",
  }),
  not_moved: ([finding], { stage }) =>
    stage === "live"
      ? {
          text: `The certificate of ${finding.name} is ready, and this server can take its visitors. They will not notice the move. ${DNS_DELAY}`,
        }
      : {
          text: `${finding.challenge ? "To get a certificate before the move, create this record. " : ""}Your site is not affected yet. Change its record when this page shows that it is ready.`,
          who: whoMustAct(finding.challenge ? finding : { ...finding, responsible: "nobody" }),
        },
  unreachable: (findings, _, now) => ({
    ...(findings.length > 1 && { title: `${findings.length} name servers did not respond` }),
    text: silenceWords(findings[0], now),
    note: findings.map(({ server, name, reason }) => `${server}, asked about ${name}: ${reason}.`).join(" "),
  }),
};

const RESPONSIBLE: Record<Exclude<NonNullable<Finding["responsible"]>, "nobody">, string> = {
  holder: "you, at your DNS provider",
  dns_provider: "your DNS provider",
  proxy: "you, in the settings of the proxy",
  registrar: "you, at your registrar",
  operator: "the operator of this server",
};

/** "Who must act: you, at your DNS provider." */
export const whoMustAct = ({ responsible = "holder" }: Finding): string =>
  responsible === "nobody" ? "No action needed." : `Who must act: ${RESPONSIBLE[responsible]}.`;

/** The rest of a message that begins with the title. */
const textAfter = ({ title, message }: Finding): string => {
  const text = message.startsWith(title) ? message.slice(title.length + 2) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** What findings of a kind mean, and who must act. */
const describe: Describe = (findings, domain, now) => {
  const [finding] = findings;
  const words = { title: finding.title, text: textAfter(finding), who: whoMustAct(finding) };
  return { ...words, ...FINDINGS[finding.kind]?.(findings, domain, now) };
};

/** The next steps after a domain was added, alone or with its pair. */
const createWords = (records: readonly unknown[], domain: Named, pair?: Named): Words => {
  const areTwo = records.length > 1;
  return {
    title: `Create ${areTwo ? "these records" : "this record"} at your DNS provider`,
    text: pair
      ? `The values must match exactly. No other record may have the same name as the CNAME. ${DNS_DELAY}`
      : needsExactly(areTwo, domain),
    ...aliasNote(pair?.record.type === "ALIAS" ? pair : domain),
  };
};

const GRACE_SECONDS = 7 * 24 * 60 * 60;

/** How long a domain is served although its records are wrong. */
const servedWords = (failingSince: string, now: number): string => {
  const left = (Date.parse(failingSince) - now) / 1000 + GRACE_SECONDS;
  return left > 0
    ? `Visitors see the site for another ${duration(left)}. After that, the domain is no longer served.`
    : "The domain stops being served at the next check.";
};

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

const changesOf = (findings: readonly Finding[]): Change[] => {
  const all = findings.flatMap(({ changes = [] }) => changes);
  const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return distinct.toSorted((a, b) => IN_ORDER[a.action] - IN_ORDER[b.action]);
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
  const all = [...found, ...(about ? [about] : [])].toSorted((a, b) => ORDER[a.tone] - ORDER[b.tone]);
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
