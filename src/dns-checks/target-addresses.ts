import { lruCache } from "../lib/lru.ts";
import type { Clock } from "../lib/time.ts";
import { within } from "./patience.ts";
import { type DnsAccess, resolveWith } from "../protocols/dns/authoritative.ts";
import { type Resolve, resolveAddresses } from "../protocols/dns/cname-chain.ts";

/** Looks up the addresses of a target. Never rejects; empty if the DNS does not respond in time. */
export type AddressesOf = (target: string) => Promise<readonly string[]>;

const MAX_AGE_MS = 60_000;
/** Clients wait for it. */
const PATIENCE_MS = 2000;
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
    const addresses = within(PATIENCE_MS, lookUp(resolveWith(dns), target), "").catch(() => []);
    known.set(target, { at: now, addresses });
    return addresses;
  };
};
