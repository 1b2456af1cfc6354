import { isUsable, recordsOf, type Resolve } from "./cname-chain.ts";
import { isQueryable, withParents } from "./name.ts";
import type { Server } from "./network.ts";

export interface AuthoritativeServers {
  zone: string;
  servers: Server[];
}

/** A zone may have any number of servers. */
const MAX_SERVERS = 4;
/** The search ends after so many failures: each may take seconds. */
const MAX_FAILURES = 2;

const addressesOf = async (resolve: Resolve, name: string): Promise<string[]> => {
  for (const type of ["A", "AAAA"] as const) {
    const records = recordsOf(await resolve({ name, type }));
    const addresses = records.flatMap((record) => (record.type === type ? [record.data] : []));
    // A machine without IPv6 can reach a server with both.
    if (addresses.length > 0) return addresses;
  }
  return [];
};

/**
 * Finds the servers of the zone that holds a name: the zone is the nearest parent, or the name itself, with NS records.
 * @param apex the last name to look at: a registered domain is a zone of its own
 * @param port of the servers
 * @returns undefined if the resolvers know no such zone
 */
export const findAuthoritativeServers = async (
  resolve: Resolve,
  { ascii, apex }: { ascii: string; apex: string },
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  let failures = 0;
  for (const zone of withParents(ascii)) {
    const exchange = await resolve({ name: zone, type: "NS" });
    const names = recordsOf(exchange).flatMap((record) =>
      record.type === "NS" && record.name === zone && isQueryable(record.data) ? [record.data] : [],
    );
    if (isUsable(exchange) && names.length > 0) {
      const found = await Promise.all(names.slice(0, MAX_SERVERS).map((name) => addressesOf(resolve, name)));
      const addresses = [...new Set(found.flat())].slice(0, MAX_SERVERS);
      return { zone, servers: addresses.map((address) => ({ address, port })) };
    }
    if (exchange.outcome.kind === "failure") failures += 1;
    if (zone === apex || failures === MAX_FAILURES) return undefined;
  }
  return undefined;
};
