import type { NeededType } from "./finding.ts";
import { proofNameOf } from "./trace.ts";
import type { Hostname } from "../lib/hostname.ts";

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
  /** A Terraform block: for the provider hashicorp/dns, or dnsimple/dnsimple for an ALIAS. */
  terraform: string;
  /** Only for an apex: the record that says which project it is for. */
  proof?: ProofRecord;
}

/** The TXT record that an apex also needs, in the same forms. */
export interface ProofRecord extends Required<
  Pick<NeededRecord, "name" | "value" | "ttl" | "bind" | "terraform">
> {
  type: "TXT";
}

/** From step 2 of the specification. */
export const TTL = 3600;

const apexNote = (apex: string): string =>
  `An ANAME record works too. Not every DNS provider has ALIAS or ANAME: without them, use a subdomain such as www. All projects share these addresses, so the TXT record ${proofNameOf(apex)} must say which project the domain belongs to.`;

/** A Terraform identifier: it must not begin with a digit. */
const identifierOf = (hostname: string): string =>
  hostname.replaceAll(/[^a-z0-9]/g, "_").replace(/^(?=[0-9])/, "_");

const block = (type: string, hostname: string, fields: Record<string, string | number>): string => {
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  const lines = Object.entries(fields).map(
    ([name, value]) => `  ${name.padEnd(width)} = ${JSON.stringify(value)}`,
  );
  return [`resource "${type}" "${identifierOf(hostname)}" {`, ...lines, "}"].join("\n");
};

const apexBlock = (
  apex: string,
  owner: string,
  record: { name: string; type: string; value: string },
): string => block("dnsimple_zone_record", owner, { zone_name: apex, ...record, ttl: TTL });

const proofFor = (apex: string, target: string): ProofRecord => {
  const owner = proofNameOf(apex);
  const name = owner.slice(0, -apex.length - 1);
  const record = { name, type: "TXT", value: target } as const;
  return {
    ...record,
    ttl: TTL,
    bind: `${owner}. ${TTL} IN TXT "${target}"`,
    terraform: apexBlock(apex, owner, record),
  };
};

/** @param target the project's CNAME target */
export const recordFor = ({ ascii, apex, isApex, label }: Hostname, target: string): NeededRecord => {
  const common = { name: label, value: target, ttl: TTL };
  if (isApex) {
    return {
      type: "ALIAS",
      ...common,
      note: apexNote(apex),
      terraform: apexBlock(apex, ascii, { name: "", type: "ALIAS", value: target }),
      proof: proofFor(apex, target),
    };
  }
  return {
    type: "CNAME",
    ...common,
    // Absolute names also work in a zone file whose origin is a delegated subdomain.
    bind: `${ascii}. ${TTL} IN CNAME ${target}.`,
    terraform: block("dns_cname_record", ascii, {
      zone: `${apex}.`,
      name: label,
      cname: `${target}.`,
      ttl: TTL,
    }),
  };
};
