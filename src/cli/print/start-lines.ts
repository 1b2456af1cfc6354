import type { StartedServer } from "../../app/server.ts";
import { type Config, isLocalHost } from "../../config/config.ts";
import { LINK_MINUTES } from "../../pages/console/sign-in-links.ts";
import { originsOf } from "../../platform/nameserver/nameserver.ts";
import { signInLink } from "../../access/people/person.ts";
import { type Interfaces, isAnyHost, networkUrls } from "../../lib/host-addresses.ts";

/** Describes who can reach an address. */
const reachOf = (host: string): string => {
  if (isLocalHost(host)) return "this machine only";
  return isAnyHost(host) ? "all addresses" : host;
};

const isLocalDomain = (domain: string): boolean => domain === "localhost" || domain.endsWith(".localhost");

/** The output of a start: the reachable addresses, and the path of the key. */
export const startLines = (
  config: Config,
  { url, httpPort, httpsPort, dnsPort, sites, adminKey, signInToken, clusterNode }: StartedServer,
  interfaces?: Interfaces,
): string[] => {
  const { portHost, host, dnsListenHost, baseUrl, platformDomain, platformCnameTarget } = config;
  const network = networkUrls(url, portHost, interfaces);
  const address = baseUrl ?? network[0] ?? url;
  const reach = reachOf(host);
  const lines: (string | false)[] = [
    `Listening on ${[url, ...network].join(" and ")} (${reachOf(portHost)})`,
    baseUrl !== undefined && `Public address: ${baseUrl}`,
    httpPort !== undefined && `HTTP on port ${httpPort} (${reach})`,
    httpsPort !== undefined && `HTTPS on port ${httpsPort} (${reach}), for names that have a certificate`,
    dnsPort !== undefined &&
      `Name server on port ${dnsPort} (${reachOf(dnsListenHost)}), for ${originsOf([platformDomain, platformCnameTarget]).join(" and ")}`,
    clusterNode !== undefined && clusterNode,
    `Manual: ${address}/manual`,
    config.console && `Console: ${address}/console`,
    signInToken !== undefined &&
      `Sign in to the console (single use, expires in ${LINK_MINUTES} minutes): ${signInLink(address, signInToken)}`,
    `Sites: ${sites.replace("*", "PROJECT")}${isLocalDomain(platformDomain) ? " (this machine only, until PLATFORM_DOMAIN is set)" : ""}`,
    adminKey === undefined &&
      clusterNode !== undefined &&
      "Admin key: in the DATA_DIR of the node that created the store, until it is removed there",
    adminKey !== undefined && `Admin key (all scopes) in ${adminKey}`,
    httpsPort !== undefined &&
      !config.acmeAgreeTos &&
      "The server orders no certificate until ACME_AGREE_TOS is true",
  ];
  return lines.filter((line) => line !== false);
};
