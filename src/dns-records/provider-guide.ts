import { within } from "../dns-checks/dns-access.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import type { Report } from "../dns-checks/model.ts";
import { type Provider, providerOf } from "../dns-checks/providers.ts";
import { isWithin } from "../lib/dns-name.ts";
import type { Hostname } from "../lib/hostname.ts";
import type { ConnectOffer, NeededRecord, ProviderGuide } from "./model.ts";
import { recordFor } from "./needed-record.ts";
import type { KnownZone } from "./terraform.ts";

// Steps at a DNS provider, in the words of its panel.

/** A record to create, by its whole name. */
interface PanelRecord {
  type: string;
  owner: string;
  value: string;
  /** Of a CAA record, `issue` if it is absent. */
  tag?: string | undefined;
}

/** A zone at a listed provider. */
interface PanelZone {
  provider: Provider;
  name: string | undefined;
}

const SAVE = "If the form asks for a TTL, choose 1 hour (3600 seconds). Save.";
const SWITCH_OFF = "Switch the proxy off: the status must be DNS only.";

/** A name without its zone, which may be a delegated subdomain. */
const nameWithin = (owner: string, zone: string | undefined): string => {
  if (owner === zone) return "@";
  return zone !== undefined && owner.endsWith(`.${zone}`) ? owner.slice(0, -zone.length - 1) : owner;
};

/** A name as the panel lists it. */
const listedName = (owner: string, { name, provider }: PanelZone): string => {
  const isWhole = provider.listsWholeNames || (owner === name && provider.apexName === "");
  return isWhole ? owner : nameWithin(owner, name);
};

const openPanel = ({ provider: { name, where } }: PanelZone): string =>
  `Sign in at ${name}, and open: ${where}.`;

const plural = (word: string, values: readonly string[]): string => (values.length > 1 ? `${word}s` : word);

/** Deletes the records of a type with these values. */
const deletion = (type: string, owner: string, values: readonly string[], zone: PanelZone): string =>
  `Delete the ${type} ${plural("record", values)} with the name ${listedName(owner, zone)} and the ${plural("value", values)} ${values.join(", ")}.`;

/** Deletes whatever leads a name elsewhere: in a response, an ALIAS looks like addresses. */
const deletionOfAddresses = (owner: string, zone: PanelZone): string => {
  const { apexType } = zone.provider;
  const types = apexType === undefined ? "A or AAAA" : `A, AAAA or ${apexType}`;
  return `Delete each ${types} record with the name ${listedName(owner, zone)}.`;
};

const nameStep = (owner: string, zone: PanelZone): string => {
  const { fields, apexName } = zone.provider;
  if (owner === zone.name && apexName === "") return `Leave the field ${fields.name} empty.`;
  return `Enter ${nameWithin(owner, zone.name)} in the field ${fields.name}.`;
};

const NAMED: ReadonlySet<string> = new Set(["CNAME", "ALIAS", "ANAME"]);

/** @param isDotted true if the panel has added the zone to the value before */
const valueStep = (
  { type, value, tag = "issue" }: Omit<PanelRecord, "owner">,
  { fields, ...provider }: Provider,
  isDotted = false,
): string => {
  if (type === "CAA")
    return `Enter the flags 0, the tag ${tag} and the value ${value}. If the form has one field for all three, enter 0 ${tag} "${value}".`;
  if (NAMED.has(type) && (provider.needsFinalDot || isDotted))
    return `Enter ${value}. in the field ${fields.value}, with the final dot.`;
  const written = type === "TXT" && provider.wantsQuotes ? `"${value}"` : value;
  return `Enter ${written} in the field ${fields.value}.`;
};

/** Only CNAME and address records can be proxied. */
const proxySteps = (type: string, { terraform }: Provider): string[] =>
  terraform === "cloudflare" && type !== "TXT" && type !== "CAA" ? [SWITCH_OFF] : [];

/** Creates a record. */
const creation = (record: PanelRecord, zone: PanelZone): string[] => {
  const { type, owner } = record;
  const { provider } = zone;
  return [
    provider.add === undefined
      ? `Add a record of the type ${type}.`
      : `Choose ${provider.add}, then the type ${type}.`,
    nameStep(owner, zone),
    valueStep(record, provider),
    ...proxySteps(type, provider),
    SAVE,
  ];
};

/** Gives a record another value. */
const correction = (
  { type, owner, value }: PanelRecord,
  found: readonly string[],
  zone: PanelZone,
): string[] => {
  const isDotted = found.some((one) => one.startsWith(`${value}.`));
  return [
    `Open the ${type} record with the name ${listedName(owner, zone)} and the value ${found.join(", ")} to edit it.`,
    valueStep({ type, value }, zone.provider, isDotted),
    ...proxySteps(type, zone.provider),
    SAVE,
  ];
};

/** Switches off the proxy that hides a record. */
const proxyRemoval = ({ type, owner, value }: PanelRecord, zone: PanelZone): string[] => [
  `Open the record with the name ${listedName(owner, zone)} to edit it. If it is not of the type ${type} with the value ${value}, delete it, and add that record.`,
  SWITCH_OFF,
  SAVE,
];

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

const neededAt = (
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
const creations = (needed: Needed): string[] => [
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

/** The steps that resolve all findings. Panels refuse a CNAME alongside other records, so deletions come first. */
const repairs = (findings: readonly DomainFinding[], needed: Needed): Steps => {
  const found = findings.flatMap((finding) => stepsFor(finding, needed) ?? []);
  return [...distinct(found.map(({ first = [] }) => first)), ...distinct(found.map(({ next = [] }) => next))];
};

const NS_RECORD = /^\S+ \d+ IN NS (\S+)$/;

/** The names of a zone's servers, from the responses of a check. */
const serverNamesIn = ({ zone, questions }: Report): string[] => {
  const records = questions.flatMap(({ name, type, records: lines }) =>
    type === "NS" && name === zone ? lines : [],
  );
  return [...new Set(records.flatMap((line) => NS_RECORD.exec(line)?.[1] ?? []))];
};

/** The zone's data in a check. */
export const zoneIn = (report: Report | undefined): KnownZone => ({
  name: report?.zone,
  provider: report && providerOf(serverNamesIn(report)),
  addresses: report?.targetAddresses ?? [],
});

/** The steps at the DNS provider of a name's zone: those for the findings, or else how to create the records. */
export const guideFor = (
  owner: string,
  record: NeededRecord,
  zone: KnownZone,
  findings: readonly DomainFinding[] = [],
): ProviderGuide | undefined => {
  const { provider } = zone;
  // The NS records belong to the parent zone, or the record to the child zone. Each may be at another provider.
  if (!provider || findings.some(({ kind }) => kind === "delegated_away")) return undefined;
  const { name, apexType } = provider;
  const needed = neededAt(owner, record, zone, provider);
  const steps = repairs(findings, needed);
  return {
    provider: name,
    ...(apexType && { apexType }),
    steps: [openPanel(needed), ...(steps.length > 0 ? steps : creations(needed))],
  };
};

/**
 * The record that a name needs, and the steps in the zone of the last check.
 * @param addresses of the target, if more exact than that check's
 * @param findings of that check
 */
export const recordAndGuide = (
  hostname: Hostname,
  target: string,
  report: Report | undefined,
  {
    addresses = [],
    findings = [],
  }: { addresses?: readonly string[] | undefined; findings?: readonly DomainFinding[] } = {},
) => {
  const zone = { ...zoneIn(report), ...(addresses.length > 0 && { addresses }) };
  const record = recordFor(hostname, target, zone);
  const guide = guideFor(hostname.ascii, record, zone, findings);
  return { record, ...(guide && { guide }) };
};

/** A name whose records a DNS provider may create. */
export interface ConnectRequest {
  hostname: Hostname;
  /** The zone of the name, if the last check found it. */
  zone: string | undefined;
  /** The label of the project's target. */
  label: string;
  /** The project that has the domain. */
  slug?: string;
}

/** Undefined if the provider of the zone does not support it. */
export type OfferConnect = (request: ConnectRequest) => Promise<ConnectOffer | undefined>;

/** How long clients wait for an offer, in milliseconds. */
const OFFER_PATIENCE_MS = 4000;

/** Leaves out an offer that takes too long. The lookup continues, and the next request gets its result. */
export const patientOffer =
  (offer: OfferConnect | undefined): OfferConnect =>
  async (request) =>
    offer && within(OFFER_PATIENCE_MS, offer(request), "").catch(() => undefined);
