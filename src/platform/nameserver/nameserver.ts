import { isIPv4, isIPv6 } from "node:net";
import type { Context } from "../../data/context.ts";
import { canonicalName, isWithin } from "../../lib/hostname.ts";
import { publicPort, singleHosts } from "../../lib/host-addresses.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { RCODE } from "../../protocols/dns-server/answer.ts";
import {
  type OwnedSet,
  type RecordSet,
  type Soa,
  aaaaSet,
  aSet,
  caaSet,
  httpsSet,
  nsSet,
  txtSet,
  TYPE,
} from "../../protocols/dns-server/records.ts";
import {
  type Client,
  dnsCookies,
  dnsResponder,
  responseLimiter,
} from "../../protocols/dns-server/responder.ts";
import { type AddedRecords, type Zone, createZone } from "../../protocols/dns-server/zone.ts";
import { isGlobalUnicast } from "../../protocols/dns/address.ts";
import { HTTP_PROTOCOLS } from "../../protocols/tls/listener.ts";

interface ZoneSettings {
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

/** Seconds. So short, because a CA may query again as soon as another value is added. */
const TEXT_TTL = 1;

/**
 * TXT records by name, such as those of ACME challenges. They are served immediately, and are lost when the process ends.
 * Names outside the zones are not served.
 * @param stored values that the database has for a name: other processes serve them too
 */
export const textRecords = (stored: (name: string) => readonly string[] = () => []) => {
  const values = new Map<string, Set<string>>();
  const isAbove = (name: string): boolean => [...values.keys()].some((owner) => owner.endsWith(`.${name}`));
  const added: AddedRecords = (name) => {
    const texts = new Set([...(values.get(name) ?? []), ...stored(name)]);
    if (texts.size > 0) return [txtSet(TEXT_TTL, texts)];
    return isAbove(name) ? [] : undefined;
  };
  return {
    /** The record sets for zones. */
    added,
    /** Adds a record to the name's existing ones. @param name in A-labels */
    add(name: string, value: string): void {
      const owner = canonicalName(name);
      values.set(owner, (values.get(owner) ?? new Set()).add(value));
    },
    /** Removes a record, if it exists. */
    remove(name: string, value: string): void {
      const owner = canonicalName(name);
      const texts = values.get(owner);
      texts?.delete(value);
      if (texts?.size === 0) values.delete(owner);
    },
  };
};

export type TextRecords = ReturnType<typeof textRecords>;

/** Seconds. A browser that has the record uses only HTTPS, even if the certificate has gone. */
const HTTPS_TTL = 300;

/**
 * HTTPS records (RFC 9460), in addition to other records. A browser that finds one connects over HTTPS immediately, so
 * only names whose visitors all get a valid certificate have one. Hints of addresses would save nothing: browsers ask for
 * the addresses at the same time.
 * @param protocols of the HTTPS listener (RFC 7301)
 */
export const withHttpsRecords = (
  others: AddedRecords,
  protocols: readonly string[],
  isSecured: (name: string) => boolean,
): AddedRecords => {
  const own: RecordSet = httpsSet(HTTPS_TTL, protocols);
  return (name, type) => {
    const added = others(name, type);
    return type === TYPE.HTTPS && isSecured(name) ? [...(added ?? []), own] : added;
  };
};

const NAMES = new Map<number | undefined, string>(Object.entries(RCODE).map(([name, code]) => [code, name]));

/** Counts the responses by transport and response code. */
const responseCounts = () => {
  const counts = { udp: new Map<number | undefined, number>(), tcp: new Map<number | undefined, number>() };
  return {
    add({ transport }: Client, rcode: number | undefined): void {
      counts[transport].set(rcode, (counts[transport].get(rcode) ?? 0) + 1);
    },
    /** The counts, with the code `none` for packets without a response. */
    *all(): Generator<{ labels: { transport: string; rcode: string }; count: number }> {
      for (const [transport, codes] of Object.entries(counts))
        for (const [code, count] of codes)
          yield { labels: { transport, rcode: NAMES.get(code) ?? "none" }, count };
    },
  };
};

/**
 * The addresses in the name server's records; undefined without NAMESERVER.
 * @throws OperatorError if the settings have no public address or no domain
 */
export const nameserverAddresses = ({
  nameserver,
  platformDomain,
  publicAddresses,
  host,
}: Context["config"]): readonly string[] | undefined => {
  if (nameserver.length === 0) return undefined;
  if (platformDomain === "localhost")
    throw new OperatorError(
      "NAMESERVER needs a domain: set PLATFORM_DOMAIN to the domain that you delegate to this server",
    );
  if (publicAddresses.length > 0) return publicAddresses;
  const addresses = singleHosts(host).filter(isGlobalUnicast);
  if (addresses.length > 0) return addresses;
  throw new OperatorError(
    `NAMESERVER needs public addresses, and HOST ${host} has none: set PUBLIC_ADDRESSES to the addresses at which the Internet reaches this service, such as 203.0.113.10`,
  );
};

/** Which names' visitors can all use HTTPS now. */
interface Secured {
  /** For a name that is served. */
  name(hostname: string): boolean;
  /** For the target of a project, by its label: true only if it is true for all of the project's domains. */
  target(label: string): boolean;
}

const securedNames = (
  { baseUrl, httpsPort = 0, platformCnameTarget }: Context["config"],
  secured: Secured,
): ((name: string) => boolean) => {
  // The records lead browsers to this port (RFC 9460 section 7.2).
  if (publicPort(baseUrl, httpsPort) !== 443) return () => false;
  return (name) => {
    const [label = "", ...parent] = name.split(".");
    return secured.name(name) || (parent.join(".") === platformCnameTarget && secured.target(label));
  };
};

/** The service's own name server, before it listens; undefined without NAMESERVER. @throws OperatorError */
export const createNameserver = (
  { config, clock, randomBytes }: Omit<Context, "database">,
  secured: Secured = { name: () => false, target: () => false },
  storedTexts?: (name: string) => readonly string[],
) => {
  const addresses = nameserverAddresses(config);
  if (!addresses) return undefined;
  const texts = textRecords(storedTexts);
  const counts = responseCounts();
  const zones = platformZones(
    { ...config, addresses },
    {
      serial: Math.floor(clock.now() / 1000),
      added: withHttpsRecords(texts.added, HTTP_PROTOCOLS, securedNames(config, secured)),
    },
  );
  return {
    /** The domains that it serves. */
    origins: zones.map(({ origin }) => origin),
    /** TXT records in these domains, added and removed at run time. */
    texts,
    /** The responses since the start. */
    counts: counts.all,
    respond: dnsResponder({
      zones,
      cookies: dnsCookies({ clock, randomBytes }),
      limiter: responseLimiter(clock),
      onResponse: counts.add,
    }),
  };
};
