import { canonicalName } from "../../lib/dns-name.ts";
import type { Hostname } from "../../lib/hostname.ts";
import {
  type Ask,
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
import { relevantCaa } from "../../protocols/dns/caa.ts";
import { type Exchange, type SendQuery, dnssecErrorOf } from "../../protocols/dns/client.ts";
import {
  type CnameChain,
  type Resolve,
  followCnames,
  isUsable,
  recordsOf,
} from "../../protocols/dns/cname-chain.ts";
import type { QuestionType } from "../../protocols/dns/message.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import { type Server, parseServer } from "../../lib/name-server.ts";
import { askDoubled, askOthers, hasAnswered, hasValue, targetAddresses } from "./causes.ts";
import { judgeRecords } from "./cname-rule.ts";
import type { Challenge } from "./finding-kind.ts";
import type { ReportedQuestion } from "./model.ts";
import { toReportedQuestion } from "./report.ts";
import {
  type AskSource,
  type Proof,
  type Subject,
  type Trace,
  type TraceOptions,
  type View,
  proofNameOf,
  siblingNameOf,
} from "./trace.ts";

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

/**
 * Asks one server of a zone whether it has the records that a name needs: one query, two for a wildcard, and four for an apex.
 * True only means that a full check is worthwhile. Never rejects.
 */
export const recordProbe =
  ({ ask, mayAsk }: Pick<DnsAccess, "ask" | "mayAsk">) =>
  async ({ ascii, isApex, isWildcard }: Hostname, target: string, server: Server, addresses: string[]) => {
    if (!mayAsk(server.address)) return false;
    const query = (type: QuestionType, name = ascii) => ask(server, { name, type }, false, () => false);
    const cname = await query("CNAME");
    // A subdomain with a CNAME cannot have addresses.
    const [a, aaaa, proof] = isApex
      ? await Promise.all([query("A"), query("AAAA"), query("TXT", proofNameOf(ascii))])
      : [cname, cname, cname];
    const view = { server, role: "authority" as const, cname, a, aaaa };
    const isRight = judgeRecords(view, { hostname: ascii, target, isApex }, addresses).kind === "right";
    if (!isRight || ![cname, proof].some((exchange) => hasValue(exchange, [target]))) return false;
    if (!isWildcard) return true;
    // Without a record, the wildcard answers for the challenge too. Only a check knows the right value.
    const challenge = await query("CNAME", challengeNameOf(ascii));
    return recordsOf(challenge).length > 0 && !hasValue(challenge, [target]);
  };

export type RecordProbe = ReturnType<typeof recordProbe>;

/** Asks one server of a zone whether it has the CNAME record of a challenge. Never rejects. */
export const challengeProbe =
  ({ ask, mayAsk }: Pick<DnsAccess, "ask" | "mayAsk">) =>
  async ({ name, value }: Challenge, server: Server): Promise<boolean> =>
    mayAsk(server.address) &&
    hasValue(await ask(server, { name, type: "CNAME" }, false, () => false), [value]);

export type ChallengeProbe = ReturnType<typeof challengeProbe>;

/** Without TTLs, which resolvers count down. */
const comparable = ({ outcome, records }: ReportedQuestion): string =>
  [outcome, ...records.map((record) => record.replace(/ \d+ IN /, " ")).toSorted()].join("\n");

/** Repeats a query of a check. True for a usable response that differs from the check's. Never rejects. */
export const queryRepeater =
  ({ ask, mayAsk }: Pick<DnsAccess, "ask" | "mayAsk">) =>
  async (asked: ReportedQuestion): Promise<boolean> => {
    const { name, type, recursive } = asked;
    const server = parseServer(asked.server);
    if (!server || !(recursive || mayAsk(server.address))) return false;
    const exchange = await ask(server, { name, type: type as QuestionType }, recursive, () => false);
    return isUsable(exchange) && comparable(toReportedQuestion(exchange)) !== comparable(asked);
  };
