import { isWithin } from "../../lib/hostname.ts";
import type { Exchange, FailureKind, SendQuery } from "./client.ts";
import { isUsable, type Resolve, recordsOf } from "./cname-chain.ts";
import type { Server } from "../../lib/name-server.ts";
import type { DnsRecord, Question } from "./message.ts";
import { isQueryable, withParents } from "./name.ts";

/** A query that fails without being sent. */
export const failWithoutSending =
  (failure: FailureKind, detail: string): SendQuery =>
  async (server, question, recursive) => ({
    server,
    question,
    recursive,
    transport: "udp",
    outcome: { kind: "failure", failure, detail },
    milliseconds: 0,
    ignored: [],
  });

const skipSilent = failWithoutSending("timeout", "it was silent about this name before, so it was not asked");
const skipLate = failWithoutSending("timeout", "the check had waited for too long, so it was not asked");

/**
 * Sends a server no more queries about a name after a timeout: each timeout occupies a slot for seconds. So the first query
 * goes alone, and concurrent ones wait for its outcome.
 */
export const skipSilentServers = (send: SendQuery): SendQuery => {
  const firstQueries = new Map<string, Promise<unknown>>();
  const silent = new Set<string>();
  return async (...query) => {
    const [{ address, port }, { name }] = query;
    const key = `${address} ${port} ${name}`;
    const sendAndNote = async () => {
      const exchange = await send(...query);
      const { outcome } = exchange;
      if (outcome.kind === "failure" && outcome.failure === "timeout") silent.add(key);
      return exchange;
    };
    const first = firstQueries.get(key);
    if (first) {
      await first;
      return silent.has(key) ? skipSilent(...query) : sendAndNote();
    }
    const exchange = sendAndNote();
    firstQueries.set(key, exchange);
    return exchange;
  };
};

/** Sends the same query once, records every exchange, and sends no more once they have waited `maxWaitMs` in all. */
export const recordExchanges = (send: SendQuery, maxWaitMs: number) => {
  const exchanges: Exchange[] = [];
  const sent = new Map<string, Promise<Exchange>>();
  let waitedMs = 0;
  const record: SendQuery = async (...query) => {
    const exchange = await (waitedMs < maxWaitMs ? send : skipLate)(...query);
    waitedMs += exchange.milliseconds;
    exchanges.push(exchange);
    return exchange;
  };
  const sendOnce: SendQuery = (...query) => {
    const [server, question, recursive] = query;
    const key = JSON.stringify([server, question, recursive]);
    const exchange = sent.get(key) ?? record(...query);
    sent.set(key, exchange);
    return exchange;
  };
  return { send: sendOnce, exchanges };
};

/**
 * Asks one server after the other until one has a usable answer. If none does, it returns the last exchange.
 * @param servers at least one
 * @param isRecursive false for authoritative servers
 */
export const firstUsable = (send: SendQuery, servers: Server[], isRecursive = true): Resolve => {
  let order = servers;
  return async (question) => {
    let last: Exchange | undefined;
    for (const server of order) {
      last = await send(server, question, isRecursive);
      if (isUsable(last)) return last;
      // A server that failed is queried again only if no other has an answer.
      if (last.outcome.kind === "failure") order = [...order.filter((one) => one !== server), server];
    }
    if (!last) throw new Error("no server");
    return last;
  };
};

export interface AuthoritativeServers {
  zone: string;
  /** The names of the servers. */
  names: string[];
  servers: Server[];
  /** The servers that responded for the zone to queries about the name. */
  responding: Server[];
  /** Server names without an address, which cannot be queried. */
  unaddressed: string[];
  /** True if a server of the parent zone named the servers. False if only the resolvers did. */
  isFromParent: boolean;
}

/** Asks an authoritative server. */
export type Ask = (server: Server, question: Question) => Promise<Exchange>;

/** A zone may have any number of servers. */
const MAX_SERVERS = 4;
/** The maximum number of delegations to follow below the registered domain. */
const MAX_CUTS = 5;
/** The maximum number of names to query between a zone and the name. */
const MAX_LEVELS = 8;

/** Name servers, as a resolver or a referral names them, and their known addresses. */
type Delegation = Pick<AuthoritativeServers, "zone" | "names" | "isFromParent"> & { glue?: DnsRecord[] };

/** @returns undefined if the resolvers could not look it up */
const addressesOf = async (resolve: Resolve, name: string): Promise<string[] | undefined> => {
  let isKnown = true;
  for (const type of ["A", "AAAA"] as const) {
    const exchange = await resolve({ name, type });
    isKnown &&= isUsable(exchange);
    const addresses = recordsOf(exchange).flatMap((record) => (record.type === type ? [record.data] : []));
    // A machine without IPv6 can reach a server with both.
    if (addresses.length > 0) return addresses;
  }
  return isKnown ? [] : undefined;
};

const serverNames = (records: DnsRecord[], zone: string): string[] => [
  ...new Set(
    records.flatMap((record) =>
      record.type === "NS" && record.name === zone && isQueryable(record.data) ? [record.data] : [],
    ),
  ),
];

/** The servers of a delegation. None has been asked yet. */
const serversOf = async (
  resolve: Resolve,
  { zone, names, glue = [], isFromParent }: Delegation,
  port: number,
  limit: number,
): Promise<AuthoritativeServers> => {
  const find = async (name: string) => {
    const known = glue.flatMap((one) => (one.type === "A" && one.name === name ? [one.data] : []));
    return known.length > 0 ? known : addressesOf(resolve, name);
  };
  const asked = names.slice(0, limit);
  const found = await Promise.all(asked.map(find));
  const addresses = [...new Set(found.flatMap((own) => own ?? []))].slice(0, limit);
  const servers = addresses.map((address) => ({ address, port }));
  const unaddressed = asked.filter((_, index) => found[index]?.length === 0);
  return { zone, names, servers, responding: [], unaddressed, isFromParent };
};

/** The delegation of a zone in a response from its parent's servers or its own. */
const delegationIn = ({ outcome }: Exchange, zone: string): Delegation | undefined => {
  if (outcome.kind === "failure" || outcome.rcode !== "NOERROR") return undefined;
  const names = serverNames([...outcome.records, ...outcome.authorities], zone);
  return names.length === 0
    ? undefined
    : { zone, names, glue: outcome.glue ?? [], isFromParent: !outcome.authoritative };
};

/** Asks a server of the parent zone which servers a zone is delegated to. */
const askParent = async (
  resolve: Resolve,
  ask: Ask,
  zone: string,
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  const [, parent = ""] = withParents(zone);
  const names = serverNames(recordsOf(await resolve({ name: parent, type: "NS" })), parent);
  const above = { zone: parent, names, isFromParent: false };
  const [server] = (await serversOf(resolve, above, port, 1)).servers;
  const delegation = server && delegationIn(await ask(server, { name: zone, type: "NS" }), zone);
  return delegation && serversOf(resolve, delegation, port, MAX_SERVERS);
};

/** True for a usable answer of a server that holds the name's zone. */
export const isAuthoritative = (exchange: Exchange): boolean =>
  isUsable(exchange) && exchange.outcome.kind === "answer" && exchange.outcome.authoritative;

/** True if the SOA of a negative response shows that the zone is the closest one above the name (RFC 2308 section 3). */
const isNearest = ({ outcome }: Exchange, zone: string): boolean =>
  outcome.kind === "answer" && outcome.authorities.some(({ type, name }) => type === "SOA" && name === zone);

/**
 * Asks the servers of a zone whether the name is in a child zone. A server that holds both zones need not refer to the
 * child, so it is also asked about the parents of the name.
 */
const findCut = async (
  ask: Ask,
  { zone, servers }: AuthoritativeServers,
  ascii: string,
): Promise<{ responding: Server[]; cut: Delegation | undefined }> => {
  const levels = withParents(ascii).filter((name) => name !== zone && isWithin(name, zone));
  const cutIn = (exchanges: Exchange[]) =>
    levels
      .flatMap((level) => exchanges.map((one) => delegationIn(one, level)))
      .find((cut) => cut !== undefined);
  const exchanges = await Promise.all(servers.map((server) => ask(server, { name: ascii, type: "NS" })));
  const responding = exchanges.filter(isAuthoritative).map(({ server }) => server);
  const [first] = responding;
  let last = exchanges;
  for (const name of levels.slice(1, MAX_LEVELS)) {
    if (!first || cutIn(last) || last.some((one) => isNearest(one, zone))) break;
    last = [await ask(first, { name, type: "NS" })];
  }
  return { responding, cut: cutIn(last) };
};

/**
 * Finds the servers of the zone that holds a name. Asks the resolvers about the registered domain only, and the authoritative
 * servers about names below it: a resolver that is asked about a name too early caches that it does not exist (RFC 2308).
 * @param apex the registered domain, which is a zone. If the resolvers' servers of it do not respond, its parent is asked
 * @param port of the servers
 * @returns undefined if neither the resolvers nor the parent of the registered domain know such a zone
 */
export const findAuthoritativeServers = async (
  resolve: Resolve,
  ask: Ask,
  { ascii, apex }: { ascii: string; apex: string },
  port: number,
): Promise<AuthoritativeServers | undefined> => {
  const exchange = await resolve({ name: apex, type: "NS" });
  const names = serverNames(recordsOf(exchange), apex);
  /** Finds the closest zone that holds the name, starting from a zone above it. */
  const below = async (top: AuthoritativeServers): Promise<AuthoritativeServers> => {
    let at = top;
    for (let cuts = 0; ; cuts += 1) {
      const { responding, cut } = await findCut(ask, at, ascii);
      if (!cut || cuts === MAX_CUTS) return { ...at, responding };
      at = await serversOf(resolve, cut, port, MAX_SERVERS);
    }
  };
  const cached = { zone: apex, names, isFromParent: false };
  const known = names.length > 0 && (await below(await serversOf(resolve, cached, port, MAX_SERVERS)));
  if (known && (known.zone !== apex || known.responding.length > 0)) return known;
  const delegated = await askParent(resolve, ask, apex, port);
  return delegated ? below(delegated) : known || undefined;
};

/** Asks responding servers of a zone about its names, and the resolvers about all other names, or if no server responds. */
export const resolveInZone = (
  resolve: Resolve,
  send: SendQuery,
  zone: string,
  responding: Server[],
): Resolve => {
  if (responding.length === 0) return resolve;
  const own = firstUsable(send, responding, false);
  return async (question) => {
    if (!isWithin(question.name, zone)) return resolve(question);
    const exchange = await own(question);
    // Other servers hold the zones of referrals.
    return isUsable(exchange) && !isAuthoritative(exchange) ? resolve(question) : exchange;
  };
};

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

/** Replaces a query to a server that may not be asked. */
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
