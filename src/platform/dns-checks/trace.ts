import { type Hostname, canonicalName } from "../../lib/hostname.ts";
import { type Server, formatServer, parseServer } from "../../lib/name-server.ts";
import { printable } from "../../lib/text.ts";
import {
  type Ask,
  type AuthoritativeServers,
  type DnsAccess,
  MAX_WAIT_MS,
  findAuthoritativeServers,
  firstUsable,
  isAuthoritative,
  notAsked,
  recordExchanges,
  resolveInZone,
  skipSilentServers,
} from "../../protocols/dns/authoritative.ts";
import { type RelevantCaa, formatCaa, relevantCaa } from "../../protocols/dns/caa.ts";
import { type Exchange, type SendQuery, dnssecErrorOf } from "../../protocols/dns/client.ts";
import {
  type CnameChain,
  type Resolve,
  addressesIn,
  followCnames,
  isUsable,
  recordsOf,
} from "../../protocols/dns/cname-chain.ts";
import type { DnsRecord, Question, QuestionType } from "../../protocols/dns/message.ts";
import { challengeNameOf, isQueryable } from "../../protocols/dns/name.ts";
import { type View, judgeRecords } from "./cname-rule.ts";
import type { Challenge } from "./finding-kind.ts";
import type { Report, ReportedQuestion } from "./model.ts";
import { proofNameOf } from "./names.ts";

/** The host name that is verified. */
export interface Subject {
  /** The name, in A-labels. */
  ascii: string;
  /** Its registered domain. */
  apex: string;
  /** The name that its record must point to. */
  target: string;
  /** True for a name that stands for its sibling, the wildcard. */
  isWildcard?: boolean;
  /** True if a TXT record can prove the name before its records point here. */
  acceptsProof?: boolean;
}

/** Every query about a name, and its response. */
export interface Trace {
  ascii: string;
  target: string;
  /** The registered domain. */
  apex: string;
  authority: AuthoritativeServers | undefined;
  /** Without resolvers while the records are wrong at the zone's own servers. */
  views: View[];
  /** The name's CNAME chain and addresses. */
  chain: CnameChain;
  /** The target's A and AAAA records. */
  targets: CnameChain[];
  caa: RelevantCaa;
  /** Only for an apex with addresses, and for a name that a TXT record can prove. */
  proof?: Proof | undefined;
  /** The records of an unused sibling name. If they are the same, a wildcard answers for both. */
  sibling?: Exchange | undefined;
  /** The records of the name, or of the TXT record's, with the zone twice: a common place of a missing record. */
  doubled?: Exchange;
  /** The records of an unused sibling of that name, which only a wildcard can have. */
  doubledSibling?: Exchange;
  /** Responses with the name's other records, from one of the zone's own servers, without those of a wildcard. */
  others?: Exchange[] | undefined;
  /** The response about the DS record of the domain, if a resolver failed. */
  ds?: Exchange | undefined;
  /** The response of a resolver that failed, to the same query without DNSSEC. */
  unchecked?: Exchange | undefined;
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

/** Asks the server whose response decides: one of the zone's own, or else a resolver. */
type AskSource = (question: Question) => Promise<Exchange>;

/** Unused, so only a wildcard record answers for it. */
const SIBLING_LABEL = "_adoption-store-sibling";

/** Another name of the same parent. */
const siblingNameOf = (name: string): string => `${SIBLING_LABEL}${name.slice(name.indexOf("."))}`;

/** Strangers control their servers' responses, so a report is bounded. */
const MAX_QUESTIONS = 200;
const MAX_RECORDS = 20;

const formatData = (record: DnsRecord): string => {
  switch (record.type) {
    case "CAA":
      return formatCaa(record);
    case "SOA":
      return `minimum ${record.data.minimum}`;
    default:
      return record.data;
  }
};

const formatRecord = (record: DnsRecord): string =>
  printable(`${record.name} ${record.ttl} IN ${record.type} ${formatData(record)}`);

const formatRecords = (records: DnsRecord[]): string[] => records.slice(0, MAX_RECORDS).map(formatRecord);

export const toReportedQuestion = ({
  server,
  question,
  outcome,
  ...exchange
}: Exchange): ReportedQuestion => ({
  server: formatServer(server),
  name: printable(question.name),
  type: question.type,
  recursive: exchange.recursive,
  ...(question.checkingDisabled && { checkingDisabled: true as const }),
  transport: exchange.transport,
  ...(outcome.kind === "answer"
    ? { outcome: outcome.rcode, records: formatRecords(outcome.records) }
    : { outcome: outcome.failure, detail: printable(outcome.detail), records: [] }),
  milliseconds: Math.max(0, Math.round(exchange.milliseconds)),
});

/** The addresses of the target; undefined if they could not be looked up. */
export const targetAddresses = ({ targets }: Pick<Trace, "targets">): string[] | undefined =>
  targets.length === 0 || targets.some(({ problem }) => problem !== undefined)
    ? undefined
    : addressesIn(targets.flatMap(({ records }) => records));

// Most DNS panels add the zone to every name. If the holder enters the whole name, the record has the zone in it twice.

/** True if a response has one of these values. */
export const hasValue = (exchange: Exchange, values: readonly string[]): boolean =>
  recordsOf(exchange).some(({ data }) => typeof data === "string" && values.includes(canonicalName(data)));

/** True for a usable response of a resolver, or of a server that holds the zone. */
const hasAnswered = ({ role, cname }: View): boolean =>
  role === "resolver" ? isUsable(cname) : isAuthoritative(cname);

const hasRecords = ({ cname, a, aaaa }: View): boolean =>
  [cname, a, aaaa].some((exchange) => recordsOf(exchange).length > 0);

type Seen = Pick<Trace, "authority" | "views">;

/** The doubled name of a name that has no records. */
const doubledRecord = (subject: Subject, { authority, views }: Seen): Question | undefined => {
  const { ascii, apex, target, isWildcard = false } = subject;
  const mayBeDoubled = !isWildcard && !views.some(hasRecords);
  // Without a target, a check asks about the name itself.
  if (!authority || !mayBeDoubled || target === ascii) return undefined;
  // An ALIAS shows as addresses.
  return { name: `${ascii}.${authority.zone}`, type: ascii === apex ? "A" : "CNAME" };
};

/** The same for the TXT record of an apex, if it does not name the project. */
const doubledProof = ({ apex, target }: Subject, { resolved, direct }: Proof): Question | undefined =>
  [resolved.last, ...direct].some((exchange) => hasValue(exchange, [canonicalName(target)]))
    ? undefined
    : { name: `${proofNameOf(apex)}.${apex}`, type: "TXT" };

/** Looks where a panel may have put a missing record. A wildcard record would also answer for a sibling of that name. */
const askDoubled = async (
  ask: AskSource,
  subject: Subject,
  seen: Seen,
  proof?: Proof,
): Promise<Pick<Trace, "doubled" | "doubledSibling">> => {
  const question = proof ? doubledProof(subject, proof) : doubledRecord(subject, seen);
  if (!question || !isQueryable(question.name)) return {};
  const doubled = await ask(question);
  if (recordsOf(doubled).length === 0) return { doubled };
  return { doubled, doubledSibling: await ask({ ...question, name: siblingNameOf(question.name) }) };
};

/** Records that cannot coexist with a CNAME (RFC 1034 section 3.6.2), except addresses. NS records appear as a referral. */
export const EXCLUDED_BY_CNAME = ["TXT", "MX", "CAA", "HTTPS"] as const;
/** An apex may have all other types. */
const AT_APEX = ["HTTPS"] as const;

export const valuesOf = (exchange: Exchange): string[] =>
  recordsOf(exchange)
    .filter(({ type }) => type === exchange.question.type)
    .map(formatData)
    .toSorted();

/** True for a name that exists and is not an alias. Nothing else is at a name that does not exist (RFC 8020). */
const mayHaveOthers = ({ cname }: View): boolean =>
  cname.outcome.kind === "answer" && cname.outcome.rcode === "NOERROR" && recordsOf(cname).length === 0;

/** Asks one of the zone's servers for the name's other records, without those of a wildcard. */
const askOthers = async (
  ask: AskSource,
  { ascii, apex, isWildcard }: Subject,
  view: View,
): Promise<Exchange[]> => {
  const isApex = ascii === apex;
  if (!isApex && !mayHaveOthers(view)) return [];
  const others = (isApex ? AT_APEX : EXCLUDED_BY_CNAME).map(async (type) => {
    const exchange = await ask({ name: ascii, type });
    const mayBeWildcard = valuesOf(exchange).length > 0 && !isApex && !isWildcard;
    const sibling = mayBeWildcard ? valuesOf(await ask({ name: siblingNameOf(ascii), type })) : [];
    return valuesOf(exchange).join() === sibling.join() ? [] : [exchange];
  });
  return (await Promise.all(others)).flat();
};

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

const proofOf = async (resolve: Resolve, send: SendQuery, name: string, servers: Server[]) => {
  const [resolved, ...direct] = await Promise.all([
    followCnames(resolve, name, "TXT"),
    ...servers.map((server) => send(server, { name, type: "TXT" }, false)),
  ]);
  return {
    /** From the zone's own servers, or from the resolvers if none of those responds. */
    resolved,
    /** From each authoritative server. */
    direct,
  };
};

/** The TXT records that name the project of a host name. */
export type Proof = Awaited<ReturnType<typeof proofOf>>;

const isRecursive = ({ role }: View): boolean => role === "resolver";

/** Asks about another name of the same parent, if a name below the apex has other records than the one that it needs. */
const siblingOf = async (send: SendQuery, { ascii, apex, target, isWildcard }: Subject, views: View[]) => {
  const hasOther = (exchange: Exchange) =>
    recordsOf(exchange).some(
      ({ name, type, data }) => name === ascii && type !== "SOA" && data !== canonicalName(target),
    );
  const odd = views
    .flatMap((view) => [view.a, view.aaaa, view.cname].map((exchange) => ({ view, exchange })))
    .find(({ exchange }) => hasOther(exchange));
  // A name that stands for a wildcard has the same records as all its siblings.
  if (ascii === apex || isWildcard || !odd) return undefined;
  const question = { name: siblingNameOf(ascii), type: odd.exchange.question.type };
  return send(odd.view.server, question, isRecursive(odd.view));
};

/** Asks the first resolver that failed again, without DNSSEC, unless its response explained the failure. */
const uncheckedOf = async (send: SendQuery, name: string, views: View[]) => {
  const failed = views.find(
    (view) =>
      isRecursive(view) &&
      view.cname.outcome.kind === "answer" &&
      view.cname.outcome.rcode === "SERVFAIL" &&
      dnssecErrorOf(view.cname) === undefined,
  );
  return failed && send(failed.server, { name, type: "CNAME", checkingDisabled: true }, true);
};

/** Asks a resolver that failed for the DS record of the domain, which only the parent zone can have (RFC 4034 section 5). */
const dsOf = async (send: SendQuery, apex: string, views: View[]) => {
  const failed = views.find((view) => isRecursive(view) && !hasAnswered(view));
  return failed && send(failed.server, { name: apex, type: "DS", checkingDisabled: true }, true);
};

/** Sends the queries that only some records call for. */
const followUp = async (
  resolve: Resolve,
  send: SendQuery,
  { mayAsk }: TraceOptions,
  subject: Subject,
  { authority, views }: Pick<Trace, "authority" | "views">,
): Promise<Partial<Trace>> => {
  const { ascii, apex, acceptsProof = false, isWildcard = false } = subject;
  const hasAddresses = views.some(({ a, aaaa }) => [a, aaaa].some((one) => recordsOf(one).length > 0));
  const isFlattened = ascii === apex && hasAddresses;
  const mayProve = isFlattened || (acceptsProof && !isWildcard);
  const proofServers = () => (authority?.servers ?? []).filter(({ address }) => mayAsk(address));
  // One of the zone's own servers, or else a resolver.
  const source = views.find(hasAnswered);
  const ask: AskSource | undefined =
    source && ((question) => send(source.server, question, isRecursive(source)));
  const [proof, sibling, unchecked, ds, others] = await Promise.all([
    mayProve ? proofOf(resolve, send, proofNameOf(ascii), proofServers()) : undefined,
    siblingOf(send, subject, views),
    uncheckedOf(send, ascii, views),
    dsOf(send, apex, views),
    source && ask && !isRecursive(source) ? askOthers(ask, subject, source) : undefined,
  ]);
  const doubled =
    ask && (await askDoubled(ask, subject, { authority, views }, isFlattened ? proof : undefined));
  return { proof, sibling, ...doubled, unchecked, ds, others };
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

/** Without TTLs, which resolvers count down. */
const comparable = ({ outcome, records }: ReportedQuestion): string =>
  [outcome, ...records.map((record) => record.replace(/ \d+ IN /, " ")).toSorted()].join("\n");

/** Queries to one server between checks, which go before them. True only means that a full check is worthwhile. None rejects. */
export const watchQueries = ({ ask, mayAsk }: Pick<DnsAccess, "ask" | "mayAsk">) => {
  const query = (server: Server, type: QuestionType, name: string, recursive = false) =>
    ask(server, { name, type }, recursive, () => false);
  return {
    /** True if a server of a zone has the records that a name needs: one query, two for a wildcard, and four for an apex. */
    async probe(
      { ascii, isApex, isWildcard }: Hostname,
      target: string,
      server: Server,
      addresses: string[],
    ): Promise<boolean> {
      if (!mayAsk(server.address)) return false;
      const cname = await query(server, "CNAME", ascii);
      // A subdomain with a CNAME cannot have addresses.
      const [a, aaaa, proof] = isApex
        ? await Promise.all([
            query(server, "A", ascii),
            query(server, "AAAA", ascii),
            query(server, "TXT", proofNameOf(ascii)),
          ])
        : [cname, cname, cname];
      const view = { server, role: "authority" as const, cname, a, aaaa };
      const isRight = judgeRecords(view, { hostname: ascii, target, isApex }, addresses).kind === "right";
      if (!isRight || ![cname, proof].some((exchange) => hasValue(exchange, [target]))) return false;
      if (!isWildcard) return true;
      // Without a record, the wildcard answers for the challenge too. Only a check knows the right value.
      const challenge = await query(server, "CNAME", challengeNameOf(ascii));
      return recordsOf(challenge).length > 0 && !hasValue(challenge, [target]);
    },
    /** True if a server of a zone has the CNAME record of a challenge. */
    probeChallenge: async ({ name, value }: Challenge, server: Server): Promise<boolean> =>
      mayAsk(server.address) && hasValue(await query(server, "CNAME", name), [value]),
    /** Repeats a query of a check. True for a usable response that differs from the check's. */
    async repeatQuery(asked: ReportedQuestion): Promise<boolean> {
      const { name, type, recursive } = asked;
      const server = parseServer(asked.server);
      if (!server || !(recursive || mayAsk(server.address))) return false;
      const exchange = await query(server, type as QuestionType, name, recursive);
      return isUsable(exchange) && comparable(toReportedQuestion(exchange)) !== comparable(asked);
    },
  };
};

export type WatchQueries = ReturnType<typeof watchQueries>;

/** @param former addresses that the target had at earlier checks */
export const toReport = (
  { target, authority, chain, targets, caa, exchanges }: Trace,
  former: readonly string[],
): Report => {
  const targetAddresses = targets
    .flatMap(({ records }) => records)
    .slice(0, MAX_RECORDS)
    .map((record) => printable(formatData(record)));
  const formerAddresses = former.filter((address) => !targetAddresses.includes(address));
  return {
    target,
    ...(authority && { zone: authority.zone }),
    nameServers: authority?.servers.map(formatServer) ?? [],
    chain: chain.names.map((name) => printable(name)),
    targetAddresses,
    ...(formerAddresses.length > 0 && { formerAddresses: formerAddresses.slice(0, MAX_RECORDS) }),
    caa: caa.kind === "found" ? formatRecords(caa.records) : [],
    questions: exchanges.slice(0, MAX_QUESTIONS).map(toReportedQuestion),
  };
};

/** The addresses that the target had at a check and before it. @param report as it is stored */
export const reportedAddresses = (report: string | undefined): string[] => {
  if (report === undefined) return [];
  const { targetAddresses, formerAddresses = [] } = JSON.parse(report) as Report;
  return [...targetAddresses, ...formerAddresses];
};
