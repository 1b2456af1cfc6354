import type { NeededType } from "../dns-checks/finding.ts";
import { proofNameOf } from "../dns-checks/trace.ts";
import type { Hostname } from "../lib/hostname.ts";
import { type KnownZone, terraformFor } from "./terraform.ts";

/** The DNS record that a domain needs, in the forms that DNS providers and tools accept. */
export interface NeededRecord {
  type: NeededType;
  /** What to enter as its name: the labels left of the registered domain, or `@` for the registered domain itself. */
  name: string;
  value: string;
  /** Seconds. */
  ttl: number;
  note?: string;
  /** A line of a zone file (RFC 1035 section 5.1); none for an ALIAS, which BIND does not know. */
  bind?: string;
  /** A Terraform block. */
  terraform: string;
  /** Only for an apex: the records to create at a DNS provider without ALIAS, if the service's addresses are known. */
  addresses?: AddressRecord[];
  /** Only for an apex: the record that says which project it is for. */
  proof?: ProofRecord;
}

/** An address of the service. */
export interface AddressRecord extends Pick<NeededRecord, "name" | "value" | "ttl"> {
  type: "A" | "AAAA";
  bind: string;
}

/** A TXT record that names the project of a host name, in the same forms. */
export interface ProofRecord extends Required<
  Pick<NeededRecord, "name" | "value" | "ttl" | "bind" | "terraform">
> {
  type: "TXT";
  note?: string;
}

/** From step 2 of the specification. */
export const TTL = 3600;

export const UNKNOWN_ZONE: KnownZone = { provider: undefined, addresses: [] };

const withoutAlias = (addresses: readonly string[]): string =>
  addresses.length === 0
    ? "use a subdomain such as www."
    : `create A and AAAA records with the addresses of this service (${addresses.join(", ")}). The service checks them every day. If its addresses change, a finding names the new ones.`;

const apexNote = (apex: string, addresses: readonly string[]): string =>
  `An ANAME record works too. If your DNS provider has neither, ${withoutAlias(addresses)} All projects share these addresses, so the TXT record ${proofNameOf(apex)} must say which project the domain belongs to.`;

const proofFor = (hostname: Hostname, target: string, zone: KnownZone): ProofRecord => {
  const owner = proofNameOf(hostname.ascii);
  const name = owner.slice(0, -hostname.apex.length - 1);
  const record = { type: "TXT", name, value: target, ttl: TTL } as const;
  return {
    ...record,
    bind: `${owner}. ${TTL} IN TXT "${target}"`,
    terraform: terraformFor({ ...record, owner }, hostname, zone),
  };
};

const BEFORE_MOVE =
  "Optional: to move a live site without downtime, create this record first, and let the old host proxy /.well-known/acme-challenge/ to this server (a redirect is not enough). Change the other records when the domain is live.";

/** The TXT record that proves a subdomain before its CNAME points here. */
export const ownershipRecordFor = (hostname: Hostname, target: string, zone: KnownZone): ProofRecord => ({
  ...proofFor(hostname, target, zone),
  note: BEFORE_MOVE,
});

const addressRecord = (apex: string, address: string): AddressRecord => {
  const type = address.includes(":") ? "AAAA" : "A";
  return { type, name: "@", value: address, ttl: TTL, bind: `${apex}. ${TTL} IN ${type} ${address}` };
};

/** What an apex needs besides an ALIAS. */
const forApex = (hostname: Hostname, target: string, zone: KnownZone) => {
  const { apex } = hostname;
  const addresses = zone.addresses.map((address) => addressRecord(apex, address));
  return {
    note: apexNote(apex, zone.addresses),
    ...(addresses.length > 0 && { addresses }),
    proof: proofFor(hostname, target, zone),
  };
};

/** @param target the project's CNAME target @param zone what is known of the zone, if it was asked */
export const recordFor = (hostname: Hostname, target: string, zone = UNKNOWN_ZONE): NeededRecord => {
  const { ascii, isApex, label } = hostname;
  const type: NeededType = isApex ? "ALIAS" : "CNAME";
  const record = { type, name: label, value: target, ttl: TTL };
  const terraform = terraformFor({ ...record, owner: ascii }, hostname, zone);
  if (isApex) return { ...record, terraform, ...forApex(hostname, target, zone) };
  // Absolute names also work in a zone file whose origin is a delegated subdomain.
  return { ...record, bind: `${ascii}. ${TTL} IN CNAME ${target}.`, terraform };
};
