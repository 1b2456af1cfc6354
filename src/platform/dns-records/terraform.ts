import type { Hostname } from "../../lib/hostname.ts";
import type { Provider } from "../dns-checks/providers.ts";

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

type Zone = Pick<Hostname, "apex">;

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
const anyBlock = ({ type, owner, name, value, ttl }: BlockRecord, { apex }: Zone): string =>
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
export interface KnownZone {
  /** Undefined if the resolvers knew none. */
  name?: string | undefined;
  provider: Provider | undefined;
  /** The target's addresses, as far as available. */
  addresses: readonly string[];
}

/** A record as a Terraform block, for the zone's provider if a block exists for it. */
export const terraformFor = (record: BlockRecord, zone: Zone, { provider, addresses }: KnownZone): string => {
  switch (provider?.terraform) {
    case "cloudflare":
      return cloudflareBlock(record);
    case "route53":
      return route53Block(record, addresses) ?? anyBlock(record, zone);
    default:
      return anyBlock(record, zone);
  }
};
