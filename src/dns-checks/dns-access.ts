import { readFileSync } from "node:fs";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import { type DnsClientDependencies, type DnsClientOptions, dnsClient } from "../protocols/dns/client.ts";
import { systemNetwork, parseServer, resolversOf } from "../protocols/dns/network.ts";

/** Settings of the DNS client. */
export interface DnsSettings {
  dnsResolvers: readonly string[];
  dnsPort: number;
  dnsPrivate: boolean;
}

/** resolv.conf(5): without a name server, the one on this machine is used. */
const THIS_MACHINE = "127.0.0.1";

/** Tries of two and four seconds: slow servers respond, and a verification ends before the client times out. */
const DNS_OPTIONS: DnsClientOptions = { timeoutMs: 2000, attempts: 2 };

/** The resolvers in /etc/resolv.conf; none if it has none or cannot be read. */
const systemResolvers = (port: number) => {
  try {
    return resolversOf(readFileSync("/etc/resolv.conf", "utf8"), port);
  } catch {
    return [];
  }
};

/** Real name servers: those of the settings, or the system's. */
export const dnsAccess = (
  { dnsResolvers, dnsPort: port, dnsPrivate }: DnsSettings,
  dependencies: Pick<DnsClientDependencies, "clock" | "randomBytes">,
  options = DNS_OPTIONS,
): DnsAccess => {
  const configured = dnsResolvers.map((text) => parseServer(text, port)).filter((one) => one !== undefined);
  return {
    ask: dnsClient({ network: systemNetwork, ...dependencies }, options),
    resolvers() {
      const found = configured.length > 0 ? configured : systemResolvers(port);
      return found.length > 0 ? found : [{ address: THIS_MACHINE, port }];
    },
    port,
    mayAsk: (address) => dnsPrivate || isGlobalUnicast(address),
  };
};
