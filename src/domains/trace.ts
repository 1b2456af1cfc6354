import { type AuthoritativeServers, findAuthoritativeServers } from "../protocols/dns/authoritative.ts";
import { type RelevantCaa, relevantCaa } from "../protocols/dns/caa.ts";
import type { Exchange, SendQuery } from "../protocols/dns/client.ts";
import { type CnameChain, type Resolve, followCnames, recordsOf } from "../protocols/dns/cname-chain.ts";
import type { Server } from "../protocols/dns/network.ts";
import {
  failWithoutSending,
  firstUsable,
  recordExchanges,
  skipSilentServers,
} from "../protocols/dns/resolvers.ts";

/** The host name that is verified. */
export interface Subject {
  /** The name, in A-labels. */
  ascii: string;
  /** Its registered domain. */
  apex: string;
  /** The name that its record must point to. */
  target: string;
}

/** The responses of one server about the name. */
export interface View {
  server: Server;
  role: "authority" | "resolver";
  cname: Exchange;
  a: Exchange;
  aaaa: Exchange;
}

/** The TXT records that name the project of an apex. */
export interface Proof {
  /** From the resolvers. */
  resolved: CnameChain;
  /** From each authoritative server: a resolver may still have older records. */
  direct: Exchange[];
}

/** Every query about a name, and its response. */
export interface Trace {
  ascii: string;
  target: string;
  authority: AuthoritativeServers | undefined;
  views: View[];
  /** The name's CNAME chain and addresses, from the resolvers. */
  chain: CnameChain;
  /** The target's A and AAAA records, from the resolvers. */
  targets: CnameChain[];
  caa: RelevantCaa;
  /** Only for an apex with addresses. */
  proof?: Proof;
  /** All exchanges, in the order of their responses. */
  exchanges: Exchange[];
}

export interface TraceOptions {
  /** At least one. */
  resolvers: Server[];
  /** The port of authoritative servers. */
  port: number;
  /**
   * True if an authoritative server may be asked. The holder of a zone chooses these addresses, and could make this server
   * send packets into its own network. Resolvers need no check, because the operator chooses them.
   */
  mayAsk: (address: string) => boolean;
}

const forbidden = failWithoutSending("forbidden", "not a public address, so no query was sent");

/** For all queries of a check together: a hostile zone can have a hundred levels and slow servers. */
const MAX_WAIT_MS = 120_000;

/** The name whose TXT record names the project of an apex. */
export const proofNameOf = (apex: string): string => `_adoption-store.${apex}`;

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
  const authority = await findAuthoritativeServers(resolve, { ascii, apex }, port);
  const servers = authority?.servers ?? [];
  const views = await Promise.all(
    servers.map((server) => viewOf(mayAsk(server.address) ? send : forbidden, ascii, server, "authority")),
  );
  return { authority, views };
};

const proofOf = async (
  resolve: Resolve,
  send: SendQuery,
  name: string,
  servers: Server[],
): Promise<Proof> => {
  const [resolved, ...direct] = await Promise.all([
    followCnames(resolve, name, "TXT"),
    ...servers.map((server) => send(server, { name, type: "TXT" }, false)),
  ]);
  return { resolved, direct };
};

/** Sends every query that a verification needs. Takes as long as the slowest server. Never rejects. */
export const traceDomain = async (
  sendQuery: SendQuery,
  options: TraceOptions,
  subject: Subject,
): Promise<Trace> => {
  const { resolvers, mayAsk } = options;
  const { ascii, apex, target } = subject;
  const { send, exchanges } = recordExchanges(skipSilentServers(sendQuery), MAX_WAIT_MS);
  const resolve = firstUsable(send, resolvers);
  const [authoritative, resolverViews, chain, caa, ...targets] = await Promise.all([
    authoritativeViews(resolve, send, subject, options),
    Promise.all(resolvers.map((server) => viewOf(send, ascii, server, "resolver"))),
    followCnames(resolve, ascii, "A"),
    relevantCaa(resolve, ascii),
    followCnames(resolve, target, "A"),
    followCnames(resolve, target, "AAAA"),
  ]);
  const { authority } = authoritative;
  const views = [...authoritative.views, ...resolverViews];
  const hasAddresses = views.some(({ a, aaaa }) => [a, aaaa].some((one) => recordsOf(one).length > 0));
  const proofServers = () => (authority?.servers ?? []).filter(({ address }) => mayAsk(address));
  const proof =
    ascii === apex && hasAddresses
      ? await proofOf(resolve, send, proofNameOf(apex), proofServers())
      : undefined;
  return { ascii, target, authority, views, chain, targets, caa, ...(proof && { proof }), exchanges };
};
