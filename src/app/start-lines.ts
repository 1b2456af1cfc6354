import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { type Config, isLocalHost } from "../config/config.ts";

/** What a server tells about its addresses. */
export interface StartedServer {
  /** The address of PORT for this machine. */
  url: string;
  httpPort: number | undefined;
  httpsPort: number | undefined;
  /** The addresses of sites, with `*` for the project. */
  sites: string;
  /** The file with the first key, if it still exists. */
  adminKey: string | undefined;
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

const MAX_ADDRESSES = 4;

const isAny = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** The URLs under which other machines reach a listener on all addresses; link-local addresses need a zone. */
const networkUrls = (host: string, port: string, interfaces: Interfaces): string[] =>
  Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter(({ internal, family, address }) =>
      internal || address.startsWith("fe80:") ? false : family === "IPv4" || host === "::",
    )
    .map(({ family, address }) => `http://${family === "IPv6" ? `[${address}]` : address}:${port}`)
    .slice(0, MAX_ADDRESSES);

/** Says who can reach an address. */
const reachOf = (host: string): string => {
  if (isLocalHost(host)) return "this machine only";
  return isAny(host) ? "all addresses" : host;
};

const isLocalDomain = (domain: string): boolean => domain === "localhost" || domain.endsWith(".localhost");

/** What a start prints: the addresses that can be reached, and where the key is. */
export const startLines = (
  config: Config,
  { url, httpPort, httpsPort, sites, adminKey }: StartedServer,
  interfaces: Interfaces = networkInterfaces(),
): string[] => {
  const { portHost, host, baseUrl, platformDomain } = config;
  const network = isAny(portHost) ? networkUrls(portHost, new URL(url).port, interfaces) : [];
  const address = baseUrl ?? network[0] ?? url;
  const reach = reachOf(host);
  const lines: (string | false)[] = [
    `Listening on ${[url, ...network].join(" and ")} (${reachOf(portHost)})`,
    baseUrl !== undefined && `Public address: ${baseUrl}`,
    httpPort !== undefined && `HTTP on port ${httpPort} (${reach})`,
    httpsPort !== undefined && `HTTPS on port ${httpsPort} (${reach}), for names that have a certificate`,
    `Manual: ${address}/manual`,
    config.console && `Console: ${address}/console`,
    `Sites: ${sites.replace("*", "PROJECT")}${isLocalDomain(platformDomain) ? " (this machine only, until PLATFORM_DOMAIN is set)" : ""}`,
    adminKey !== undefined && `Admin key (all scopes) in ${adminKey}`,
    httpsPort !== undefined &&
      !config.acmeAgreeTos &&
      "The server orders no certificate until ACME_AGREE_TOS is true",
  ];
  return lines.filter((line) => line !== false);
};
