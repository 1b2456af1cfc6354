import { proofNameOf } from "../dns-checks/trace.ts";
import type { Hostname } from "../../lib/hostname.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import type { AddressRecord, ChallengeRecord, NeededRecord, ProofRecord } from "./model.ts";
import { type KnownZone, terraformFor } from "./terraform.ts";

/** From step 2 of the specification. */
export const TTL = 3600;

export const UNKNOWN_ZONE: KnownZone = { provider: undefined, addresses: [] };

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
