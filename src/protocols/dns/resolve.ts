import { findAuthoritativeServers, type AuthoritativeServers } from "./authoritative.ts";
import { relevantCaa, type RelevantCaa } from "./caa.ts";
import { followCnames, isUsable, recordsOf, type Resolve, type CnameChain } from "./cname.ts";
import type { Server } from "./network.ts";
import { proofNameOf } from "./name.ts";
import type { SendQuery, Exchange, FailureKind } from "./client.ts";

export interface Subject {
  /** The name, in A-labels. */
  ascii: string;
  /** Its registered domain. */
  apex: string;
  /** What its record must point to. */
  target: string;
}

/** What one server says of the name. */
export interface View {
  server: Server;
  role: "authority" | "resolver";
  cname: Exchange;
  a: Exchange;
  aaaa: Exchange;
}

/** The TXT records that tell which project an apex is for. */
export interface Proof {
  /** As the resolvers have them. */
  resolved: CnameChain;
  /** As each of the zone's own servers has them: a resolver may still have older ones. */
  direct: Exchange[];
}

/** Everything that was asked about a name, and what came of it. */
export interface Trace {
  ascii: string;
  target: string;
  authority: AuthoritativeServers | undefined;
  views: View[];
  /** Where the name leads, as the resolvers say. */
  chain: CnameChain;
  /** The target's own addresses, as the resolvers say: its A and its AAAA records. */
  targets: CnameChain[];
  caa: RelevantCaa;
  /** Only of an apex that has addresses. */
  proof?: Proof;
  /** Every question in the order of their answers. */
  exchanges: Exchange[];
}

export interface ResolveSettings {
  /** At least one. */
  resolvers: Server[];
  /** Where the zones' own servers are asked. */
  port: number;
  /**
   * Whether a zone's own server may be asked: whoever holds a zone chooses their addresses, and could so have the
   * service send packets into its own network. Resolvers are the operator's choice, and always asked.
   */
  mayAsk: (address: string) => boolean;
}

/** What comes of a question that is not asked. */
const unasked =
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

const forbidden = unasked("forbidden", "not a public address, so it was not asked");
const late = unasked("timeout", "the check had waited for too long, so it was not asked");
const silent = unasked("timeout", "it was silent about this name before, so it was not asked");

/** Milliseconds of waiting that a check may cost, in sum: a stranger's zone can have a hundred levels and slow servers. */
const MAX_WAITING = 120_000;

/**
 * Asks a server nothing more about a name once it was silent about it: each silence takes seconds of a turn that others
 * wait for. So the first question goes alone, and those that come meanwhile follow its answer.
 */
const sparing = (ask: SendQuery): SendQuery => {
  const begun = new Map<string, Promise<unknown>>();
  const silences = new Set<string>();
  return async (...asked) => {
    const [{ address, port }, { name }] = asked;
    const key = `${address} ${port} ${name}`;
    const put = async () => {
      const exchange = await ask(...asked);
      const { outcome } = exchange;
      if (outcome.kind === "failure" && outcome.failure === "timeout") silences.add(key);
      return exchange;
    };
    const first = begun.get(key);
    if (first) {
      await first;
      return silences.has(key) ? silent(...asked) : put();
    }
    const answered = put();
    begun.set(key, answered);
    return answered;
  };
};

/** Keeps every exchange, and asks no more once their waiting is used up. */
const recorder = (ask: SendQuery) => {
  const exchanges: Exchange[] = [];
  let waited = 0;
  const recorded: SendQuery = async (...question) => {
    const exchange = await (waited < MAX_WAITING ? ask : late)(...question);
    waited += exchange.milliseconds;
    exchanges.push(exchange);
    return exchange;
  };
  return { recorded, exchanges };
};

/** Asks the resolvers one after the other until one answers; the last one's failure if none does. */
const anyOf = (ask: SendQuery, resolvers: Server[]): Resolve => {
  let order = resolvers;
  return async (question) => {
    let last: Exchange | undefined;
    for (const server of order) {
      last = await ask(server, question, true);
      if (isUsable(last)) return last;
      // Who was silent once is waited for again only if nobody else answers.
      if (last.outcome.kind === "failure") order = [...order.filter((one) => one !== server), server];
    }
    if (!last) throw new Error("no resolver");
    return last;
  };
};

const viewOf = async (ask: SendQuery, name: string, server: Server, role: View["role"]): Promise<View> => {
  const recursive = role === "resolver";
  const [cname, a, aaaa] = await Promise.all([
    ask(server, { name, type: "CNAME" }, recursive),
    ask(server, { name, type: "A" }, recursive),
    ask(server, { name, type: "AAAA" }, recursive),
  ]);
  return { server, role, cname, a, aaaa };
};

const proofOf = async (any: Resolve, ask: SendQuery, name: string, servers: Server[]): Promise<Proof> => {
  const [resolved, ...direct] = await Promise.all([
    followCnames(any, name, "TXT"),
    ...servers.map((server) => ask(server, { name, type: "TXT" }, false)),
  ]);
  return { resolved, direct };
};

/** Asks everything that verification needs to know of a name. Takes as long as the slowest server; never fails. */
export const investigate = async (
  ask: SendQuery,
  { resolvers, port, mayAsk }: ResolveSettings,
  { ascii, apex, target }: Subject,
): Promise<Trace> => {
  const { recorded, exchanges } = recorder(sparing(ask));
  const any = anyOf(recorded, resolvers);
  const authorityViews = async () => {
    const authority = await findAuthoritativeServers(any, { ascii, apex }, port);
    const servers = authority?.servers ?? [];
    return {
      authority,
      views: await Promise.all(
        servers.map((server) =>
          viewOf(mayAsk(server.address) ? recorded : forbidden, ascii, server, "authority"),
        ),
      ),
    };
  };
  const [own, public_, chain, caa, ...targets] = await Promise.all([
    authorityViews(),
    Promise.all(resolvers.map((server) => viewOf(recorded, ascii, server, "resolver"))),
    followCnames(any, ascii, "A"),
    relevantCaa(any, ascii),
    followCnames(any, target, "A"),
    followCnames(any, target, "AAAA"),
  ]);
  const views = [...own.views, ...public_];
  const hasAddresses = views.some(({ a, aaaa }) => [a, aaaa].some((one) => recordsOf(one).length > 0));
  const mayNeedProof = ascii === apex && hasAddresses;
  const proofServers = () => (own.authority?.servers ?? []).filter(({ address }) => mayAsk(address));
  const proof = mayNeedProof ? await proofOf(any, recorded, proofNameOf(apex), proofServers()) : undefined;
  return {
    ascii,
    target,
    authority: own.authority,
    views,
    chain,
    targets,
    caa,
    ...(proof && { proof }),
    exchanges,
  };
};
