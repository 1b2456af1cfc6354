import { readFileSync } from "node:fs";
import type { Context } from "../../data/context.ts";
import { Fault } from "../../lib/errors.ts";
import { lruCache } from "../../lib/lru.ts";
import type { Clock } from "../../lib/time.ts";
import { isGlobalUnicast } from "../../protocols/dns/address.ts";
import { type DnsAccess, resolveWith } from "../../protocols/dns/authoritative.ts";
import { type DnsClientDependencies, type DnsClientOptions, dnsClient } from "../../protocols/dns/client.ts";
import { type Resolve, resolveAddresses } from "../../protocols/dns/cname-chain.ts";
import { parseServer } from "../../lib/name-server.ts";
import { resolversOf, systemNetwork } from "../../protocols/dns/network.ts";
import { attempt } from "../../lib/attempt.ts";

/** Settings of the DNS client. */
export type DnsSettings = Pick<Context["config"], "dnsResolvers" | "dnsPort" | "dnsPrivate">;

/** resolv.conf(5): without a name server, the one on this machine is used. */
const THIS_MACHINE = "127.0.0.1";

/** Tries of two and four seconds: slow servers respond, and a verification ends before the client times out. */
const DNS_OPTIONS: DnsClientOptions = { timeoutMs: 2000, attempts: 2 };

/** The resolvers in /etc/resolv.conf; none if it has none or cannot be read. */
const systemResolvers = (port: number) =>
  attempt(() => resolversOf(readFileSync("/etc/resolv.conf", "utf8"), port)) ?? [];

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

/** How long a client waits for a check, in milliseconds: shorter than the timeouts of HTTP clients. */
export const PATIENCE_MS = 20_000;

/** Waits for work. @param next the client's next step @throws Fault not_ready if it takes longer; the work continues */
export const within = async <Value>(ms: number, work: Promise<Value>, next: string): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const tooSlow = new Fault("not_ready", `The name servers respond slowly. ${next}`, { "retry-after": "30" });
  const timer = setTimeout(() => reject(tooSlow), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Looks up the addresses of a target. Never rejects; empty if the DNS does not respond in time. */
export type AddressesOf = (target: string) => Promise<readonly string[]>;

const MAX_AGE_MS = 60_000;
/** Clients wait for it, in milliseconds. */
const LOOKUP_PATIENCE_MS = 2000;
const MAX_TARGETS = 1000;

const lookUp = async (resolve: Resolve, target: string): Promise<string[]> =>
  (await resolveAddresses(resolve, target)).toSorted();

/** Remembers addresses for a minute: all apex domains of a project have the same. */
export const targetAddressLookup = (dns: DnsAccess, clock: Clock): AddressesOf => {
  const known = lruCache<string, { at: number; addresses: Promise<readonly string[]> }>({
    maxEntries: MAX_TARGETS,
  });
  return (target) => {
    const now = clock.now();
    const last = known.get(target);
    if (last && now - last.at < MAX_AGE_MS) return last.addresses;
    const addresses = within(LOOKUP_PATIENCE_MS, lookUp(resolveWith(dns), target), "").catch(() => []);
    known.set(target, { at: now, addresses });
    return addresses;
  };
};
