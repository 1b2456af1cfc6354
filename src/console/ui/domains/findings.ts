import { duration } from "../parts/duration.ts";
import type { Tone } from "../parts/tone.ts";
import type { Domain, Finding } from "./model.ts";

/** A change to make at the DNS provider. */
export interface Change {
  what: "Create" | "Change" | "Remove";
  type: string;
  /** The full name. */
  name: string;
  /** The current values. */
  found: string[];
  /** The value that it needs; absent if the record must be removed. */
  value?: string;
}

/** A finding in words. */
export interface FindingDescription {
  tone: Tone;
  title: string;
  advice: string;
  changes: Change[];
}

type DomainRecord = Pick<Domain, "hostname" | "record" | "checkedAt">;

export const DNS_DELAY = "DNS changes can take up to 48 hours.";

/** "Your provider's cache expires in 41 minutes.", counted from the check. @param now milliseconds */
const cacheEnd = (seconds: number | undefined, checkedAt: string | undefined, now: number): string => {
  if (seconds === undefined) return DNS_DELAY;
  const asked = checkedAt === undefined ? now : Date.parse(checkedAt);
  const left = (asked + seconds * 1000 - now) / 1000;
  return left > 0
    ? `Your provider's cache expires in ${duration(left)}.`
    : "Your provider's cache should have expired. The next check will tell.";
};

const listed = (values: readonly string[] = []): string => values.join(" and ");

type Describe = (finding: Finding, seen: DomainRecord, now: number) => Omit<FindingDescription, "tone">;

/** The record that the domain needs, under its full name. */
const needed = (
  { hostname, record }: DomainRecord,
  what: "Create" | "Change",
  found: string[] = [],
): Change => ({
  what,
  type: record.type,
  name: hostname,
  found,
  value: record.value,
});

/** All records that the domain needs. */
const recordsOf = (seen: DomainRecord): Change[] => {
  const { proof } = seen.record;
  if (!proof) return [needed(seen, "Change")];
  const name = `${proof.name}.${seen.hostname}`;
  return [needed(seen, "Change"), { what: "Change", type: proof.type, name, found: [], value: proof.value }];
};

const DESCRIBE: Record<Finding["kind"], [Tone, Describe]> = {
  no_record: [
    "waiting",
    ({ name }, seen) => ({
      title: `There is no ${seen.record.type} record for ${name} yet`,
      advice: `Create it at your DNS provider. ${DNS_DELAY}`,
      changes: [needed(seen, "Create")],
    }),
  ],
  wrong_target: [
    "bad",
    ({ name, found = [] }, seen) => ({
      title: `The ${seen.record.type} record of ${name} points elsewhere`,
      advice: "Change its value to exactly this one.",
      changes: [needed(seen, "Change", found)],
    }),
  ],
  conflicting_record: [
    "bad",
    ({ name, type = "A", found = [] }, seen) => ({
      title: `${type.startsWith("A") ? "An" : "A"} ${type} record of ${name} is in the way`,
      advice: `A CNAME cannot exist beside it. Remove it, then create the CNAME. ${DNS_DELAY}`,
      changes: [{ what: "Remove", type, name, found }, needed(seen, "Create")],
    }),
  ],
  caa_forbids: [
    "bad",
    ({ name, found = [], expected = [] }) => ({
      title: `CAA records of ${name} forbid the certificate`,
      advice:
        "They name the CAs that may issue certificates, and ours is not among them. Add a record that allows it.",
      changes: expected
        .slice(0, 1)
        .map((issuer) => ({ what: "Create", type: "CAA", name, found, value: `0 issue "${issuer}"` })),
    }),
  ],
  not_propagated: [
    "waiting",
    ({ name, server, seconds }, { checkedAt }, now) => ({
      title: "The change is on its way",
      advice: `The record of ${name} is right at your provider, but the name server ${server} still has the old records. ${cacheEnd(seconds, checkedAt, now)} You only need to wait.`,
      changes: [],
    }),
  ],
  ownership_unproven: [
    "bad",
    ({ name, found = [], expected = [] }) => ({
      title: "The domain is not linked to a project yet",
      advice:
        "The addresses are right, but all projects here share them. A TXT record tells which project is meant.",
      changes: expected.map((value) => ({
        what: found.length > 0 ? "Change" : "Create",
        type: "TXT",
        name,
        found,
        value,
      })),
    }),
  ],
  unreachable: [
    "waiting",
    ({ name, server, reason }) => ({
      title: `The name server ${server} did not respond`,
      advice: `It was asked about ${name}: ${reason}. This does not mean that your records are wrong. The check is repeated.`,
      changes: [],
    }),
  ],
  domain_taken: [
    "bad",
    ({ name }) => ({
      title: "Another project holds the domain",
      advice: `The records of ${name} are right, but the TXT record also names that project. Remove its value, then verify again.`,
      changes: [],
    }),
  ],
  domain_lost: [
    "bad",
    ({ name }, seen) => ({
      title: "The domain now belongs to another project",
      advice: `The DNS names that project for ${name}, and its check succeeded. To get the domain back, change the records, then verify again.`,
      changes: recordsOf(seen),
    }),
  ],
};

/** Describes a finding, with the records to change. @param now milliseconds */
export const describeFinding = (finding: Finding, seen: DomainRecord, now: number): FindingDescription => {
  const [tone, describe] = DESCRIBE[finding.kind];
  return { tone, ...describe(finding, seen, now) };
};

/** The findings to show. Those about certificates are left out if the domain is or was live without one: HTTPS is off. */
export const shownFindings = ({
  stage,
  findings,
  certificate,
}: Pick<Domain, "stage" | "findings" | "certificate">) =>
  (stage === "live" || stage === "suspended") && !certificate
    ? findings.filter(({ kind }) => kind !== "caa_forbids")
    : findings;

/** The current values of a record in one line. */
export const currentValue = ({ found }: Pick<Change, "found">): string => listed(found);
