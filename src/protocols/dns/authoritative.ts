import type { Exchange } from "./client.ts";
import { isUsable, recordsOf, type Resolve } from "./cname-chain.ts";
import type { DnsRecord, Question } from "./message.ts";
import { isQueryable, withParents } from "./name.ts";
import type { Server } from "./network.ts";

export interface AuthoritativeServers {
  zone: string;
  /** The names of the servers. */
  names: string[];
  servers: Server[];
}

/** Asks an authoritative server. */
export type Ask = (server: Server, question: Question) => Promise<Exchange>;

/** A zone may have any number of servers. */
const MAX_SERVERS = 4;
/** Of a zone whose servers the resolvers do not know. */
const MAX_DELEGATED = 2;
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

const serverNames = (records: DnsRecord[], zone: string): string[] =>
  records.flatMap((record) =>
    record.type === "NS" && record.name === zone && isQueryable(record.data) ? [record.data] : [],
  );

/** The servers with these names. @param glue their addresses, as far as they are known */
const serversOf = async (
  resolve: Resolve,
  zone: string,
  names: string[],
  { port, most, glue = [] }: { port: number; most: number; glue?: DnsRecord[] },
): Promise<AuthoritativeServers> => {
  const known = (name: string) =>
    glue.flatMap((record) => (record.type === "A" && record.name === name ? [record.data] : []));
  const find = async (name: string) => {
    const addresses = known(name);
    return addresses.length > 0 ? addresses : addressesOf(resolve, name);
  };
  const found = await Promise.all(names.slice(0, most).map(find));
  const addresses = [...new Set(found.flat())].slice(0, most);
  return { zone, names, servers: addresses.map((address) => ({ address, port })) };
};

/**
 * Asks a server of the parent zone which servers a zone is delegated to. If none of those responds for the zone, the
 * resolvers cannot tell.
 */
const findDelegation = async (
  resolve: Resolve,
  ask: Ask,
  zone: string,
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  const [, parent = ""] = withParents(zone);
  const names = serverNames(recordsOf(await resolve({ name: parent, type: "NS" })), parent);
  const [server] = (await serversOf(resolve, parent, names, { port, most: 1 })).servers;
  if (!server) return undefined;
  const { outcome } = await ask(server, { name: zone, type: "NS" });
  if (outcome.kind === "failure") return undefined;
  const delegated = serverNames([...outcome.records, ...outcome.authorities], zone);
  if (delegated.length === 0) return undefined;
  return serversOf(resolve, zone, delegated, { port, most: MAX_DELEGATED, glue: outcome.glue ?? [] });
};

/**
 * Finds the servers of the zone that holds a name: the zone is the nearest parent, or the name itself, with NS records.
 * @param apex the last name to look at: a registered domain is a zone of its own
 * @param port of the servers
 * @returns undefined if neither the resolvers nor the parent of the registered domain know such a zone
 */
export const findAuthoritativeServers = async (
  resolve: Resolve,
  ask: Ask,
  { ascii, apex }: { ascii: string; apex: string },
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  let failures = 0;
  for (const zone of withParents(ascii)) {
    const exchange = await resolve({ name: zone, type: "NS" });
    const names = serverNames(recordsOf(exchange), zone);
    if (isUsable(exchange) && names.length > 0)
      return serversOf(resolve, zone, names, { port, most: MAX_SERVERS });
    if (exchange.outcome.kind === "failure") failures += 1;
    if (failures === MAX_FAILURES) return undefined;
    if (zone === apex) return failures > 0 ? undefined : findDelegation(resolve, ask, apex, port);
  }
  return undefined;
};
