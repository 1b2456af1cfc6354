import type { DomainFinding } from "../dns-checks/finding.ts";
import { isWithin } from "../lib/dns-name.ts";
import type { NeededRecord } from "./model.ts";
import {
  type PanelRecord,
  type PanelZone,
  correction,
  creation,
  deletion,
  deletionOfAddresses,
  proxyRemoval,
} from "./panel-steps.ts";
import type { Provider } from "../dns-checks/providers.ts";
import type { KnownZone } from "./terraform.ts";

/** The records that a name needs, in the types that the zone's provider has. */
interface Needed extends PanelZone {
  owner: string;
  /** Without ALIAS, one for each address. */
  own: PanelRecord[];
  proof: PanelRecord[];
  hint: string[];
}

const addressRecords = (owner: string, values: readonly string[]): PanelRecord[] =>
  values.map((value) => ({ type: value.includes(":") ? "AAAA" : "A", owner, value }));

export const neededAt = (
  owner: string,
  { type, value, proof }: NeededRecord,
  { addresses, name }: KnownZone,
  provider: Provider,
): Needed => {
  const chosen = type === "ALIAS" ? provider.apexType : type;
  const instead =
    addresses.length > 0
      ? "Create the addresses of the target instead"
      : "Use a subdomain such as www instead";
  return {
    provider,
    name,
    owner,
    own: chosen ? [{ type: chosen, owner, value }] : addressRecords(owner, addresses),
    proof: proof ? [{ type: "TXT", owner: `${proof.name}.${owner}`, value: proof.value }] : [],
    hint: chosen ? [] : [`${provider.name} has no ALIAS record for an apex domain. ${instead}.`],
  };
};

const creationOf = (records: readonly PanelRecord[], needed: Needed): string[] =>
  records.flatMap((record) => creation(record, needed));

const ownCreations = (needed: Needed): string[] => [...needed.hint, ...creationOf(needed.own, needed)];

/** Creates all of them. */
export const creations = (needed: Needed): string[] => [
  ...ownCreations(needed),
  ...creationOf(needed.proof, needed),
];

const addressDeletions = (owner: string, values: readonly string[], needed: Needed): string[] => {
  const byType = Map.groupBy(addressRecords(owner, values), ({ type }) => type);
  return [...byType].map(([type, records]) => {
    const own = records.map(({ value }) => value);
    return deletion(type, owner, own, needed);
  });
};

/** A CNAME record of another name than the domain's own. */
const otherRecord = ({ name, expected }: { name: string; expected: string[] }): PanelRecord => ({
  type: "CNAME",
  owner: name,
  value: expected[0] ?? "",
});

/** The steps that resolve a finding: `first` deletes, `next` creates. Undefined if there is nothing to do at the provider. */
const stepsFor = (finding: DomainFinding, needed: Needed): { first?: Steps; next?: Steps } | undefined => {
  const { owner, own, proof } = needed;
  const { name } = finding;
  const [record] = own;
  if ("challenge" in finding && finding.challenge) {
    const { name: challenge, value } = finding.challenge;
    return { next: creation({ type: "CNAME", owner: challenge, value }, needed) };
  }
  switch (finding.kind) {
    case "no_record":
      // A wildcard also needs the record of its challenge.
      return { next: name === owner ? creations(needed) : creation(otherRecord(finding), needed) };
    case "domain_lost":
      return { next: creations(needed) };
    case "wildcard_record":
      return { next: ownCreations(needed) };
    case "conflicting_record":
      return {
        first: [deletion(finding.type, name, finding.found, needed)],
        next: name === owner ? ownCreations(needed) : creation(otherRecord(finding), needed),
      };
    case "stray_address":
      return { first: [deletion(finding.type, name, finding.found, needed)] };
    case "https_record":
      return { first: [deletion("HTTPS", name, finding.found, needed)] };
    case "wrong_target":
      if (finding.type === "CNAME" && finding.found.length > 1) {
        const wrong = finding.found.filter((value) => !finding.expected.includes(value));
        const next = wrong.length < finding.found.length ? [] : creation(otherRecord(finding), needed);
        return { first: [deletion("CNAME", name, wrong, needed)], next };
      }
      return finding.type === "CNAME" && record
        ? { first: correction(name === owner ? record : otherRecord(finding), finding.found, needed) }
        : { first: [deletionOfAddresses(name, needed)], next: creations(needed) };
    case "doubled_name":
      return finding.type === "ALIAS"
        ? { first: [deletionOfAddresses(`${name}.${needed.name}`, needed)], next: creations(needed) }
        : {
            first: [deletion(finding.type, finding.found[0] ?? "", finding.expected, needed)],
            next: creationOf(finding.type === "TXT" ? proof : own, needed),
          };
    case "proxied":
      return record && { first: proxyRemoval(record, needed) };
    case "addresses_changed":
      return {
        first: addressDeletions(name, finding.found, needed),
        next: creationOf(addressRecords(name, finding.expected), needed),
      };
    case "ownership_unproven":
      return {
        first: finding.found.length > 0 ? [deletion("TXT", name, finding.found, needed)] : [],
        next: creationOf(proof, needed),
      };
    case "caa_forbids":
      if (finding.expected.length === 0) return { first: [deletion("CAA", name, finding.found, needed)] };
      return needed.name !== undefined && isWithin(name, needed.name)
        ? {
            next: creation(
              { type: "CAA", owner: name, value: finding.expected[0] ?? "", tag: finding.tag },
              needed,
            ),
          }
        : undefined;
    default:
      return undefined;
  }
};

type Steps = readonly string[];

/** Each list once: several servers can have the same records. */
const distinct = (lists: readonly Steps[]): Steps =>
  [...new Map(lists.map((one) => [one.join(), one])).values()].flat();

/** The steps that resolve all findings. Panels refuse a CNAME beside other records, so deletions come first. */
export const repairs = (findings: readonly DomainFinding[], needed: Needed): Steps => {
  const found = findings.flatMap((finding) => stepsFor(finding, needed) ?? []);
  return [...distinct(found.map(({ first = [] }) => first)), ...distinct(found.map(({ next = [] }) => next))];
};
