import { isUsable, recordsOf, type Resolve } from "./cname.ts";
import { isAskable, withParents } from "./name.ts";
import type { Server } from "./network.ts";

export interface AuthoritativeServers {
  zone: string;
  servers: Server[];
}

/** How many of a zone's servers are asked. */
const MAX_SERVERS = 4;
/** Names of which nobody says anything, until the search is given up: each may take seconds. */
const MAX_UNANSWERED = 2;

const addressesOf = async (ask: Resolve, name: string): Promise<string[]> => {
  for (const type of ["A", "AAAA"] as const) {
    const records = recordsOf(await ask({ name, type }));
    const found = records.flatMap((record) => (record.type === type ? [record.data] : []));
    // A machine without IPv6 reaches a server that has both.
    if (found.length > 0) return found;
  }
  return [];
};

/**
 * The servers of the zone that holds a name: the nearest name from it up that has NS records.
 * @param apex the last name to look at: a registered domain is delegated by itself
 * @param port where they are asked
 * @returns undefined if no such zone is known to the resolvers
 */
export const findAuthoritativeServers = async (
  ask: Resolve,
  { ascii, apex }: { ascii: string; apex: string },
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  let unanswered = 0;
  for (const zone of withParents(ascii)) {
    const exchange = await ask({ name: zone, type: "NS" });
    const names = recordsOf(exchange).flatMap((record) =>
      record.type === "NS" && record.name === zone && isAskable(record.data) ? [record.data] : [],
    );
    if (isUsable(exchange) && names.length > 0) {
      const found = await Promise.all(names.slice(0, MAX_SERVERS).map((name) => addressesOf(ask, name)));
      const addresses = [...new Set(found.flat())].slice(0, MAX_SERVERS);
      return { zone, servers: addresses.map((address) => ({ address, port })) };
    }
    if (exchange.outcome.kind === "failure") unanswered += 1;
    if (zone === apex || unanswered === MAX_UNANSWERED) return undefined;
  }
  return undefined;
};
