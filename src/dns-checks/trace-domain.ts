import { notAsked } from "../protocols/dns/ask-authorities.ts";
import { type Ask, findAuthoritativeServers } from "../protocols/dns/authoritative.ts";
import { relevantCaa } from "../protocols/dns/caa.ts";
import type { SendQuery } from "../protocols/dns/client.ts";
import { type Resolve, followCnames } from "../protocols/dns/cname-chain.ts";
import type { Server } from "../protocols/dns/network.ts";
import { firstUsable, recordExchanges, skipSilentServers } from "../protocols/dns/resolvers.ts";
import { followUp } from "./follow-up.ts";
import type { Subject, Trace, TraceOptions, View } from "./trace.ts";

/** For all queries of a check together: a hostile zone can have a hundred levels and slow servers. */
const MAX_WAIT_MS = 120_000;

const viewOf = async (send: SendQuery, name: string, server: Server, role: View["role"]): Promise<View> => {
  const recursive = role === "resolver";
  const [cname, a, aaaa] = await Promise.all([
    send(server, { name, type: "CNAME" }, recursive),
    send(server, { name, type: "A" }, recursive),
    send(server, { name, type: "AAAA" }, recursive),
  ]);
  return { server, role, cname, a, aaaa };
};

const authoritativeViews = async (
  resolve: Resolve,
  send: SendQuery,
  { ascii, apex }: Subject,
  { port, mayAsk }: TraceOptions,
) => {
  const ask: Ask = (server, question) => (mayAsk(server.address) ? send : notAsked)(server, question, false);
  const authority = await findAuthoritativeServers(resolve, ask, { ascii, apex }, port);
  const servers = authority?.servers ?? [];
  const views = await Promise.all(
    servers.map((server) => viewOf(mayAsk(server.address) ? send : notAsked, ascii, server, "authority")),
  );
  return { authority, views };
};

/** Sends the queries of every check. */
const firstQueries = async (resolve: Resolve, send: SendQuery, options: TraceOptions, subject: Subject) => {
  const { ascii, target, isWildcard } = subject;
  const [{ authority, views }, resolverViews, chain, caa, ...targets] = await Promise.all([
    authoritativeViews(resolve, send, subject, options),
    Promise.all(options.resolvers.map((server) => viewOf(send, ascii, server, "resolver"))),
    followCnames(resolve, ascii, "A"),
    // RFC 8659 section 3: for a wildcard, those of the domain.
    relevantCaa(resolve, isWildcard ? ascii.slice(ascii.indexOf(".") + 1) : ascii),
    followCnames(resolve, target, "A"),
    followCnames(resolve, target, "AAAA"),
  ]);
  return { authority, views: [...views, ...resolverViews], chain, targets, caa };
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
  const first = await firstQueries(resolve, send, options, subject);
  const further = await followUp(resolve, send, options, subject, first);
  return { ascii, apex, target, ...first, ...further, exchanges };
};
