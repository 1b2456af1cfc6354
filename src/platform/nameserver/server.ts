import { OperatorError } from "../../lib/operator-error.ts";
import { platformZones, responseCounts, textRecords, withHttpsRecords } from "./nameserver.ts";
import { isGlobalUnicast } from "../../protocols/dns/address.ts";
import { dnsCookies, dnsResponder, responseLimiter } from "../../protocols/dns-server/responder.ts";
import { HTTP_PROTOCOLS } from "../../protocols/tls/listener.ts";
import { publicPort, singleHosts } from "../../lib/host-addresses.ts";
import type { Context } from "../../data/context.ts";

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

export type Nameserver = NonNullable<ReturnType<typeof createNameserver>>;
