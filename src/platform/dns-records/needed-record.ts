import type { Needed } from "../dns-checks/finding-kind.ts";
import type { DomainFinding } from "../dns-checks/finding.ts";
import { type Report, fromFindings } from "../dns-checks/model.ts";
import { proofNameOf } from "../dns-checks/names.ts";
import { type Provider, providerOf } from "../dns-checks/providers.ts";
import type { Hostname } from "../../lib/hostname.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import type { AddressRecord, ChallengeRecord, NeededRecord, ProofRecord } from "./model.ts";
import { guideFor } from "./provider-guide.ts";

/** A record as Terraform blocks need it. */
interface BlockRecord {
  /** CNAME for a subdomain, ALIAS for an apex, TXT for the proof. */
  type: "CNAME" | "ALIAS" | "TXT";
  /** Its full name. */
  owner: string;
  /** As DNS providers ask for it: `@` for an apex. */
  name: string;
  value: string;
  ttl: number;
}

/** A Terraform identifier: it must not begin with a digit. */
const identifierOf = (hostname: string): string =>
  hostname.replaceAll(/[^a-z0-9]/g, "_").replace(/^(?=[0-9])/, "_");

/** A value that is written as it is. */
const expression = (text: string) => ({ text });

type Value = string | number | string[] | ReturnType<typeof expression>;

const written = (value: Value): string =>
  typeof value === "object" && "text" in value ? value.text : JSON.stringify(value);

const block = (type: string, identifier: string, fields: Record<string, Value>): string => {
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  const lines = Object.entries(fields).map(([name, value]) => `  ${name.padEnd(width)} = ${written(value)}`);
  return [`resource "${type}" "${identifierOf(identifier)}" {`, ...lines, "}"].join("\n");
};

/** The holder of the zone sets it. */
const ZONE_ID = expression("var.zone_id");

/** For the provider cloudflare/cloudflare 5. Cloudflare flattens the CNAME of an apex. Proxied records cannot be verified. */
const cloudflareBlock = ({ type, owner, value, ttl }: BlockRecord): string =>
  block("cloudflare_dns_record", owner, {
    zone_id: ZONE_ID,
    name: owner,
    type: type === "ALIAS" ? "CNAME" : type,
    content: type === "TXT" ? `"${value}"` : value,
    ttl,
    ...(type !== "TXT" && { proxied: expression("false") }),
  });

const route53Record = (
  identifier: string,
  type: string,
  { owner, ttl }: BlockRecord,
  records: string[],
): string => block("aws_route53_record", identifier, { zone_id: ZONE_ID, name: owner, type, ttl, records });

/** For hashicorp/aws. An alias of Route 53 leads to services of Amazon only, so an apex has the target's addresses. */
const route53Block = (record: BlockRecord, addresses: readonly string[]): string | undefined => {
  const { type, owner, value } = record;
  if (type !== "ALIAS") return route53Record(owner, type, record, [value]);
  const families = Object.entries({
    A: addresses.filter((address) => !address.includes(":")),
    AAAA: addresses.filter((address) => address.includes(":")),
  }).filter(([, own]) => own.length > 0);
  if (families.length === 0) return undefined;
  return families
    .map(([family, own]) => route53Record(`${owner}_${family.toLowerCase()}`, family, record, own))
    .join("\n\n");
};

/** For hashicorp/dns, which speaks dynamic updates (RFC 2136), or dnsimple/dnsimple for an apex: it has ALIAS. */
const anyBlock = ({ type, owner, name, value, ttl }: BlockRecord, { apex }: Hostname): string =>
  type === "CNAME"
    ? block("dns_cname_record", owner, { zone: `${apex}.`, name, cname: `${value}.`, ttl })
    : block("dnsimple_zone_record", owner, {
        zone_name: apex,
        name: name === "@" ? "" : name,
        type,
        value,
        ttl,
      });

/** The data of the zone that the record goes into. */
interface KnownZone {
  /** Undefined if the resolvers knew none. */
  name?: string | undefined;
  provider: Provider | undefined;
  /** The target's addresses, as far as available. */
  addresses: readonly string[];
}

/** A record as a Terraform block, for the zone's provider if a block exists for it. */
const terraformFor = (
  record: BlockRecord,
  hostname: Hostname,
  { provider, addresses }: KnownZone,
): string => {
  switch (provider?.terraform) {
    case "cloudflare":
      return cloudflareBlock(record);
    case "route53":
      return route53Block(record, addresses) ?? anyBlock(record, hostname);
    default:
      return anyBlock(record, hostname);
  }
};

/** Seconds: changes are rare, and the owner of a domain may correct a mistake within an hour. */
export const TTL = 3600;

const UNKNOWN_ZONE: KnownZone = { provider: undefined, addresses: [] };

const withoutAlias = (addresses: readonly string[]): string =>
  addresses.length === 0
    ? "use a subdomain such as www."
    : `create A and AAAA records with the addresses of this service (${addresses.join(", ")}). The service checks them every day. If its addresses change, a finding names the new ones.`;

const apexNote = (apex: string, addresses: readonly string[]): string =>
  `An ANAME record works too. If your DNS provider has neither, ${withoutAlias(addresses)} All projects share these addresses, so the TXT record ${proofNameOf(apex)} must say which project the domain belongs to.`;

/** A record in the forms of tools: a line of a zone file (RFC 1035 section 5.1), and a Terraform block. */
const recordAt = <Type extends "CNAME" | "TXT">(
  type: Type,
  owner: string,
  value: string,
  hostname: Hostname,
  zone: KnownZone,
) => {
  const record = { type, name: owner.slice(0, -hostname.apex.length - 1), value, ttl: TTL };
  // Absolute names also work in a zone file whose origin is a delegated subdomain.
  const bind = `${owner}. ${TTL} IN ${type} ${type === "TXT" ? `"${value}"` : `${value}.`}`;
  return { ...record, bind, terraform: terraformFor({ ...record, owner }, hostname, zone) };
};

const proofFor = (hostname: Hostname, target: string, zone: KnownZone): ProofRecord =>
  recordAt("TXT", proofNameOf(hostname.ascii), target, hostname, zone);

const BEFORE_MOVE =
  "Optional: to move a live site without downtime, create this record first, and let the old host proxy /.well-known/acme-challenge/ to this server (a redirect is not enough). Change the other records when the domain is live.";

/** The TXT record that proves a subdomain before its CNAME points here. */
export const ownershipRecordFor = (hostname: Hostname, target: string, zone: KnownZone): ProofRecord => ({
  ...proofFor(hostname, target, zone),
  note: BEFORE_MOVE,
});

const MOVE =
  "Optional: to move a live site without downtime, create this record first, and keep it. The server then orders the certificate. Change the other records when the domain is live. Renewals need no port 80.";

const WILDCARD =
  "A wildcard needs the _acme-challenge record too, because CAs validate wildcards only by DNS. Keep it: every renewal uses it.";

/** The record of the challenge. @param value the name in which this service creates the records of the project's challenges */
export const challengeRecordFor = (
  hostname: Hostname,
  value: string,
  zone = UNKNOWN_ZONE,
): ChallengeRecord => ({
  ...recordAt("CNAME", challengeNameOf(hostname.ascii), value, hostname, zone),
  required: hostname.isWildcard,
  note: hostname.isWildcard ? WILDCARD : MOVE,
});

const addressRecord = (apex: string, address: string): AddressRecord => {
  const type = address.includes(":") ? "AAAA" : "A";
  return { type, name: "@", value: address, ttl: TTL, bind: `${apex}. ${TTL} IN ${type} ${address}` };
};

/** The records for an apex in addition to an ALIAS. */
const forApex = (hostname: Hostname, target: string, zone: KnownZone) => {
  const { apex } = hostname;
  const addresses = zone.addresses.map((address) => addressRecord(apex, address));
  return {
    note: apexNote(apex, zone.addresses),
    ...(addresses.length > 0 && { addresses }),
    proof: proofFor(hostname, target, zone),
  };
};

/** @param target the project's CNAME target @param zone the zone's data, if it was asked */
export const recordFor = (hostname: Hostname, target: string, zone = UNKNOWN_ZONE): NeededRecord => {
  const { ascii, isApex, label } = hostname;
  if (!isApex) return recordAt("CNAME", ascii, target, hostname, zone);
  const record = { type: "ALIAS", name: label, value: target, ttl: TTL } as const;
  const terraform = terraformFor({ ...record, owner: ascii }, hostname, zone);
  return { ...record, terraform, ...forApex(hostname, target, zone) };
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

/** The records that a name needs, in the types that the zone's provider has. */
export const neededAt = (
  { ascii: name, apex }: Hostname,
  { type, value, proof, addresses = [] }: NeededRecord,
  provider: Provider | undefined,
  isLive = false,
): Needed => {
  const chosen = type === "ALIAS" && provider ? provider.apexType : type;
  return {
    name,
    apex,
    own:
      chosen || addresses.length === 0
        ? [{ type: chosen ?? type, name, value }]
        : addresses.map((one) => ({ type: one.type, name, value: one.value })),
    proof: proof ? [{ type: proof.type, name: `${proof.name}.${name}`, value: proof.value }] : [],
    provider,
    isLive,
  };
};

/** The last check of a name. */
interface LastCheck {
  /** Of the target, if more exact than the report's. */
  addresses?: readonly string[] | undefined;
  findings: readonly DomainFinding[];
  stage?: string;
}

/** The record that a name needs, the findings with the changes that resolve them, and the steps in the zone. */
export const adviceFor = (
  hostname: Hostname,
  target: string,
  report: Report | undefined,
  { addresses = [], findings, stage }: LastCheck,
) => {
  const zone = { ...zoneIn(report), ...(addresses.length > 0 && { addresses }) };
  const record = recordFor(hostname, target, zone);
  const needed = neededAt(hostname, record, zone.provider, stage === "live");
  const { name, provider } = zone;
  const guide = provider && guideFor(needed, { name, provider }, findings);
  return { record, ...(guide && { guide }), findings: fromFindings(findings, needed) };
};
