import { duration, relative } from "../parts/duration.ts";
import type { Certificate, Domain, Finding } from "./model.ts";
import { DNS_DELAY } from "./words.ts";

// What findings and problems with certificates mean, in words.

/** What a person reads first: what is wrong, and what to do. */
export interface Words {
  title: string;
  text: string;
  /** Shown last. */
  note?: string;
}

/** "Your provider's cache expires in 41 minutes." @param left seconds; undefined if not known */
const cacheEnd = (left: number | undefined): string => {
  if (left === undefined) return DNS_DELAY;
  return left > 0
    ? `Your provider's cache expires in ${duration(left)}.`
    : "Your provider's cache should have expired. The next check will tell.";
};

const lists = new Intl.ListFormat("en");

/** What was wrong with an attempt and what to do, by the problem's type (RFC 8555 section 6.7, and the platform's own). */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  budget: "The limit on certificate orders is reached. Wait: the next order is placed automatically.",
  caa: "The domain's CAA records do not allow the CA. Change them.",
  challenge_unreachable: "The domain does not reach this server over HTTP. Its port 80 must be reachable.",
  connection: "The CA could not reach the domain. Its port 80 must lead to this server.",
  dns: "The CA could not find the domain in the DNS. Check its records.",
  externalAccountRequired: "The CA requires an external account. The server's operator must set it up.",
  import_only: "The server's operator imports its certificates. The next one is due.",
  no_authority:
    "The server's operator has not agreed to the terms of service of a CA yet. Certificates are ordered after that.",
  not_held: "The domain does not belong to this project yet. Verify it first.",
  rateLimited: "The CA's rate limit is reached. Wait: the next order is placed automatically.",
  records: "The domain's records do not allow a certificate. Correct them, then choose Re-verify.",
  unauthorized: "The CA found another server at the domain. Check its records.",
  unreachable: "The server could not reach the CA. Its operator must check the connection.",
};

/** What a problem with a certificate means. The CA's own words are shown after it. */
export const certificateProblem = (type: string): string =>
  CERTIFICATE_PROBLEMS[type] ?? "The CA refused. This is what it said:";

/** When the service tries again. */
const attemptWords = ({ failures = 1, nextAttemptAt }: Certificate, now: number): string => {
  const failed = failures > 1 ? `${failures} attempts have failed. ` : "";
  return nextAttemptAt === undefined
    ? `${failed}No further attempt is scheduled: choose Re-verify.`
    : `${failed}Next attempt: ${relative((Date.parse(nextAttemptAt) - now) / 1000)}.`;
};

const CERTIFICATE_TITLES: Partial<Record<Certificate["status"], string>> = {
  ssl_overdue: "There is no certificate after 30 minutes",
  expired: "The certificate has expired",
  in_use: "The certificate could not be renewed yet",
};

/** What is wrong with a certificate. */
export const certificateWords = (certificate: Certificate, now: number): Words => {
  const { status, problem } = certificate;
  return {
    title: CERTIFICATE_TITLES[status] ?? "The last attempt to get a certificate failed",
    text: problem ? certificateProblem(problem.type) : "",
    note: attemptWords(certificate, now),
  };
};

/** What to do if there is no certificate after 30 minutes. The list is specified. */
export const OVERDUE_STEPS = [
  "Confirm that the domain still verifies: its record must be right.",
  "Check that no CAA records block the certificate authority.",
  "Choose Re-verify to start a new attempt.",
] as const;

type Described = Pick<Domain, "hostname" | "record" | "checkedAt">;
type Describe = (findings: readonly [Finding, ...Finding[]], domain: Described, now: number) => Words;

const listed = (values: readonly (string | undefined)[]): string =>
  lists.format(new Set(values.filter((value) => value !== undefined)));

/** Seconds until the last of the servers has forgotten the old records, counted from the check. */
const secondsLeft = (
  findings: readonly Finding[],
  { checkedAt }: Described,
  now: number,
): number | undefined => {
  const known = findings.flatMap(({ seconds }) => seconds ?? []);
  if (known.length < findings.length) return undefined;
  return ((checkedAt === undefined ? now : Date.parse(checkedAt)) - now) / 1000 + Math.max(...known);
};

const needsExactly = ({ record: { type, proof } }: Described): string => {
  const alone = type === "CNAME" ? " No other record may exist under the same name." : "";
  return `${proof ? "The values" : "The value"} must match exactly.${alone} ${DNS_DELAY}`;
};

/** What a finding means, by its kind. Several of a kind come from several servers. */
export const FINDINGS: Record<Finding["kind"], Describe> = {
  no_record: ([{ name }], domain) => ({
    title: `There is no ${domain.record.type} record for ${name} yet`,
    text: `Create ${domain.record.proof ? "these records" : "it"} at your DNS provider. ${needsExactly(domain)}`,
    ...(domain.record.note !== undefined && { note: domain.record.note }),
  }),
  wrong_target: ([{ name }], { record }) => ({
    title: `The ${record.type} record of ${name} points elsewhere`,
    text: "Change its value to exactly this one.",
  }),
  conflicting_record: ([{ name, type = "A" }]) => ({
    title: `${type.startsWith("A") ? "An" : "A"} ${type} record of ${name} is in the way`,
    text: `A CNAME cannot exist beside it. Remove it, then create the CNAME. ${DNS_DELAY}`,
  }),
  caa_forbids: ([{ name }]) => ({
    title: `CAA records of ${name} forbid the certificate`,
    text: "They name the CAs that may issue certificates, and ours is not among them. Add a record that allows it, then choose Re-verify.",
  }),
  not_propagated: (findings, domain, now) => {
    const servers = listed(findings.map(({ server }) => server));
    return {
      title: "The change is on its way",
      text: `The record of ${findings[0].name} is right at your provider. The old one is still at ${servers}. ${cacheEnd(secondsLeft(findings, domain, now))} You only need to wait.`,
    };
  },
  ownership_unproven: () => ({
    title: "The domain is not linked to a project yet",
    text: "The addresses are right, but all projects here share them. A TXT record says which project is meant.",
  }),
  unreachable: (findings) => ({
    title:
      findings.length === 1
        ? `The name server ${findings[0].server} did not respond`
        : `${findings.length} name servers did not respond`,
    text: "This does not mean that your records are wrong. The check is repeated.",
    note: findings.map(({ server, name, reason }) => `${server}, asked about ${name}: ${reason}.`).join(" "),
  }),
  domain_taken: ([{ name }]) => ({
    title: "Another project holds the domain",
    text: `The records of ${name} are right, but the TXT record also names that project. Remove its value, then verify again.`,
  }),
  domain_lost: ([{ name }]) => ({
    title: "The domain now belongs to another project",
    text: `The DNS names that project for ${name}, and its check succeeded. To get the domain back, change the records, then verify again.`,
  }),
};

/** What to do after a domain was added. */
export const createWords = (domain: Described): Words => ({
  title: `Create ${domain.record.proof ? "these records" : "this record"} at your DNS provider`,
  text: needsExactly(domain),
  ...(domain.record.note !== undefined && { note: domain.record.note }),
});

const GRACE_SECONDS = 7 * 24 * 60 * 60;

/** How long a domain is served although its records are wrong. */
export const servedWords = (failingSince: string, now: number): string => {
  const left = (Date.parse(failingSince) - now) / 1000 + GRACE_SECONDS;
  return left > 0
    ? `Visitors see the site for another ${duration(left)}. After that, the domain is no longer served.`
    : "The domain stops being served at the next check.";
};
