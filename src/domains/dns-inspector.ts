import { readFileSync } from "node:fs";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import { systemNetwork } from "../protocols/dns/network.ts";
import { type DnsClientOptions, type DnsClientDependencies, dnsClient } from "../protocols/dns/client.ts";
import { parseServer, resolversOf } from "../protocols/dns/server-address.ts";
import { type Inspect, inspector } from "./inspect.ts";

/** The system's resolvers, as they are now; none if it names none. */
const systemResolvers = (port: number) => {
  try {
    return resolversOf(readFileSync("/etc/resolv.conf", "utf8"), port);
  } catch {
    return [];
  }
};

/** Two tries of two seconds: a verification ends before who asked for it gives up. */
const DNS_OPTIONS: DnsClientOptions = { timeoutMs: 2000, attempts: 2 };

/** How the DNS is asked, as the settings of these names say. */
interface DnsSettings {
  dnsResolvers: readonly string[];
  dnsPort: number;
  dnsPrivate: boolean;
  caaIssuers: readonly string[];
}

/** An inspector that asks real servers. */
export const dnsInspector = (
  { dnsResolvers, dnsPort, dnsPrivate, caaIssuers }: DnsSettings,
  dependencies: Pick<DnsClientDependencies, "clock" | "random">,
  options = DNS_OPTIONS,
): Inspect => {
  const configured = dnsResolvers
    .map((text) => parseServer(text, dnsPort))
    .filter((one) => one !== undefined);
  return inspector({
    ask: dnsClient({ network: systemNetwork, ...dependencies }, options),
    resolvers: () => (configured.length > 0 ? configured : systemResolvers(dnsPort)),
    port: dnsPort,
    mayAsk: (address) => dnsPrivate || isGlobalUnicast(address),
    issuers: caaIssuers,
  });
};
