import type { NeededType } from "./dns/finding.ts";
import { proofNameOf } from "./dns/name.ts";
import type { Hostname } from "./hostname.ts";

/** The DNS record that a domain needs, in the forms that providers and tools take it in. */
export interface NeededRecord {
  type: NeededType;
  /** What to enter as its name: the labels left of the registered domain, or `@` for that itself. */
  name: string;
  value: string;
  /** Seconds. */
  ttl: number;
  note?: string;
  /** A line of a zone file (RFC 1035 section 5.1); none for an ALIAS, which BIND does not know. */
  bind?: string;
  /** A block for Terraform: of the provider hashicorp/dns, for an ALIAS of dnsimple/dnsimple. */
  terraform: string;
}

/** Of the specification's step 2. */
export const TTL = 3600;

const apexNote = (apex: string, target: string): string =>
  `ANAME serves as well. Not every DNS provider has one of them; without, use a subdomain such as www. If another project here has or had this domain, a TXT record must tell which one it is for: name ${proofNameOf(apex)}, value ${target}.`;

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

/** @param target the project's CNAME target */
export const recordFor = ({ ascii, apex, isApex, label }: Hostname, target: string): NeededRecord => {
  const common = { name: label, value: target, ttl: TTL };
  if (isApex) {
    const fields = { zone_name: apex, name: "", type: "ALIAS", value: target, ttl: TTL };
    return {
      type: "ALIAS",
      ...common,
      note: apexNote(ascii, target),
      terraform: block("dnsimple_zone_record", ascii, fields),
    };
  }
  return {
    type: "CNAME",
    ...common,
    // Whole names, for a zone file whose origin is a delegated subdomain takes them too.
    bind: `${ascii}. ${TTL} IN CNAME ${target}.`,
    terraform: block("dns_cname_record", ascii, {
      zone: `${apex}.`,
      name: label,
      cname: `${target}.`,
      ttl: TTL,
    }),
  };
};
