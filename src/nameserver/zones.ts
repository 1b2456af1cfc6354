import { isIPv4, isIPv6 } from "node:net";
import { isWithin } from "../protocols/dns-server/name.ts";
import { aaaaSet, aSet, caaSet, nsSet, type OwnedSet, type Soa } from "../protocols/dns-server/records.ts";
import { type AddedRecords, createZone, type Zone } from "../protocols/dns-server/zone.ts";

export interface ZoneSettings {
  platformDomain: string;
  platformCnameTarget: string;
  /** The host names of the zones' name servers. */
  nameserver: readonly string[];
  /** The addresses at which the service is reached. */
  addresses: readonly string[];
  caaIssuers: readonly string[];
}

/** Seconds. Addresses may have to change soon; the name servers and the CAA policy seldom change. */
const ADDRESS_TTL = 300;
const POLICY_TTL = 3600;
/** Seconds to cache a negative response: CAs must soon see a challenge that was added. */
const NEGATIVE_TTL = 60;

/** RFC 1912 section 2.2. No other server copies the zones, so only `minimum` matters. */
const soaOf = (origin: string, mname: string, serial: number): Soa => ({
  ttl: POLICY_TTL,
  mname,
  // RFC 2142 section 7.
  rname: `hostmaster.${origin}`,
  serial,
  refresh: 3600,
  retry: 600,
  expire: 1_209_600,
  minimum: NEGATIVE_TTL,
});

/** The domains that do not lie below another: one zone holds a domain and all names below it. */
export const originsOf = (domains: readonly string[]): string[] =>
  [...new Set(domains)].filter((one) => !domains.some((other) => other !== one && isWithin(one, other)));

/**
 * The zones of the platform: both domains and all names below them have the service's addresses. Only the origins
 * have CAA records, where a CA finds them for the sites' names. CAA records at the targets would also count for the custom
 * domains that point to them (RFC 8659 section 3), and replace the policy of the domains' holders.
 */
export const platformZones = (
  { platformDomain, platformCnameTarget, nameserver, addresses, caaIssuers }: ZoneSettings,
  { serial, added }: { serial: number; added: AddedRecords },
): Zone[] => {
  const domains = [platformDomain, platformCnameTarget];
  const sets = [aSet(ADDRESS_TTL, addresses.filter(isIPv4)), aaaaSet(ADDRESS_TTL, addresses.filter(isIPv6))];
  const owners = new Set([...domains, ...domains.map((domain) => `*.${domain}`), ...nameserver]);
  const addressRecords: OwnedSet[] = [...owners].flatMap((name) => sets.map((set) => ({ name, set })));
  return originsOf(domains).map((origin) =>
    createZone({
      origin,
      soa: soaOf(origin, nameserver[0] ?? origin, serial),
      records: [
        { name: origin, set: nsSet(POLICY_TTL, nameserver) },
        { name: origin, set: caaSet(POLICY_TTL, caaIssuers) },
        ...addressRecords.filter(({ name }) => isWithin(name, origin)),
      ],
      added,
    }),
  );
};
