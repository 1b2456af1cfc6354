import { type Ask, findAuthoritativeServers, isAuthoritative, resolveInZone } from "./authoritative.ts";
import type { Resolve } from "./cname-chain.ts";
import type { Exchange, SendQuery } from "./client.ts";
import type { Question } from "./message.ts";
import type { Server } from "./network.ts";
import { failWithoutSending, firstUsable, recordExchanges, skipSilentServers } from "./resolvers.ts";

/** The name servers that this machine asks. */
export interface DnsAccess {
  ask: SendQuery;
  /** At least one. Called for each use, because the system's resolvers may change. */
  resolvers(): Server[];
  /** The port of authoritative servers. */
  port: number;
  /** True if an authoritative server may be asked: the holder of a zone chooses its address. */
  mayAsk(address: string): boolean;
}

export const resolveWith = ({ ask, resolvers }: DnsAccess): Resolve => firstUsable(ask, resolvers());

interface ZoneQuestion extends Question {
  /** The registered domain. */
  apex: string;
}

/** Asks every authoritative server of a zone at the same time. Returns the responses of those that serve the zone. Never rejects. */
export type AskAuthorities = (question: ZoneQuestion) => Promise<Exchange[]>;

/** In place of a query to a server that may not be asked. */
export const notAsked = failWithoutSending("forbidden", "not a public address, so no query was sent");

/** The limit for all queries about a name together: a hostile zone can have a hundred levels and slow servers. */
export const MAX_WAIT_MS = 120_000;

/** The servers of the zone that holds a name, with functions that query them and the resolvers within `MAX_WAIT_MS`. */
const zoneOf = async (access: DnsAccess, name: { ascii: string; apex: string }) => {
  const { send } = recordExchanges(skipSilentServers(access.ask), MAX_WAIT_MS);
  const ask: Ask = (server, question) =>
    (access.mayAsk(server.address) ? send : notAsked)(server, question, false);
  const resolve = resolveWith({ ...access, ask: send });
  return { send, ask, resolve, found: await findAuthoritativeServers(resolve, ask, name, access.port) };
};

export const authorityAsker =
  (access: DnsAccess): AskAuthorities =>
  async ({ name, type, apex }) => {
    const { ask, found } = await zoneOf(access, { ascii: name, apex });
    const servers = found?.servers ?? [];
    const exchanges = await Promise.all(servers.map((server) => ask(server, { name, type })));
    return exchanges.filter(isAuthoritative);
  };

/** Asks the zone that holds a name about it and its parents, because resolvers may have cached their previous records. */
export const resolveAround = async (
  access: DnsAccess,
  name: { ascii: string; apex: string },
): Promise<Resolve> => {
  const { send, resolve, found } = await zoneOf(access, name);
  return resolveInZone(resolve, send, found?.zone ?? "", found?.responding ?? []);
};
