import { MAX_WAIT_MS, notAsked } from "../protocols/dns/ask-authorities.ts";
import {
  type Ask,
  findAuthoritativeServers,
  isAuthoritative,
  resolveInZone,
} from "../protocols/dns/authoritative.ts";
import { relevantCaa } from "../protocols/dns/caa.ts";
import type { SendQuery } from "../protocols/dns/client.ts";
import { type CnameChain, type Resolve, followCnames } from "../protocols/dns/cname-chain.ts";
import type { Server } from "../protocols/dns/network.ts";
import { firstUsable, recordExchanges, skipSilentServers } from "../protocols/dns/resolvers.ts";
import { targetAddresses } from "./causes.ts";
import { judgeRecords } from "./cname-rule.ts";
import { followUp } from "./follow-up.ts";
import type { Subject, Trace, TraceOptions, View } from "./trace.ts";

const viewOf = async (ask: Ask, name: string, server: Server, role: View["role"]): Promise<View> => {
  const [cname, a, aaaa] = await Promise.all([
    ask(server, { name, type: "CNAME" }),
    ask(server, { name, type: "A" }),
    ask(server, { name, type: "AAAA" }),
  ]);
  return { server, role, cname, a, aaaa };
};

/**
 * True if the records are right at every authoritative server that responded, or if none did. Before that, no resolver is
 * asked about the name: it would cache the wrong records, or their absence, for up to an hour.
 */
const mayAskResolvers = (views: View[], { ascii, apex, target }: Subject, targets: CnameChain[]): boolean => {
  const expected = { hostname: ascii, target, isApex: ascii === apex };
  const addresses = targetAddresses({ targets });
  return views.every((view) => judgeRecords(view, expected, addresses).kind !== "wrong");
};

/** Sends the queries of every check. */
const firstQueries = async (resolve: Resolve, send: SendQuery, options: TraceOptions, subject: Subject) => {
  const { ascii, apex, target, isWildcard } = subject;
  const { resolvers, port, mayAsk } = options;
  const ask: Ask = (server, question) => (mayAsk(server.address) ? send : notAsked)(server, question, false);
  const authority = await findAuthoritativeServers(resolve, ask, subject, port);
  const direct = await Promise.all(
    (authority?.servers ?? []).map((server) => viewOf(ask, ascii, server, "authority")),
  );
  const responding = direct.filter(({ cname }) => isAuthoritative(cname)).map(({ server }) => server);
  const resolveBest = resolveInZone(resolve, send, authority?.zone ?? apex, responding);
  const [chain, caa, ...targets] = await Promise.all([
    followCnames(resolveBest, ascii, "A"),
    // RFC 8659 section 3: for a wildcard, those of the domain.
    relevantCaa(resolveBest, isWildcard ? ascii.slice(ascii.indexOf(".") + 1) : ascii),
    followCnames(resolveBest, target, "A"),
    followCnames(resolveBest, target, "AAAA"),
  ]);
  const askResolver: Ask = (server, question) => send(server, question, true);
  const queriedResolvers = mayAskResolvers(direct, subject, targets) ? resolvers : [];
  const indirect = await Promise.all(
    queriedResolvers.map((server) => viewOf(askResolver, ascii, server, "resolver")),
  );
  return { resolveBest, first: { authority, views: [...direct, ...indirect], chain, targets, caa } };
};

/** Sends every query that a verification needs. Takes as long as the slowest server. Never rejects. */
export const traceDomain = async (
  sendQuery: SendQuery,
  options: TraceOptions,
  subject: Subject,
): Promise<Trace> => {
  const { ascii, apex, target } = subject;
  const { send, exchanges } = recordExchanges(skipSilentServers(sendQuery), MAX_WAIT_MS);
  const resolve = firstUsable(send, options.resolvers);
  const { resolveBest, first } = await firstQueries(resolve, send, options, subject);
  const further = await followUp(resolveBest, send, options, subject, first);
  return { ascii, apex, target, ...first, ...further, exchanges };
};
