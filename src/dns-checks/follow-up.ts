import type { Exchange, SendQuery } from "../protocols/dns/client.ts";
import { type Resolve, followCnames, recordsOf } from "../protocols/dns/cname-chain.ts";
import { dnssecErrorOf } from "../protocols/dns/dnssec.ts";
import { canonicalName } from "../lib/dns-name.ts";
import type { Server } from "../protocols/dns/network.ts";
import { askDoubled, hasAnswered } from "./doubled-name.ts";
import { askOthers } from "./other-records.ts";
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
  // A name that stands for a wildcard has the same records as all names beside it.
  if (ascii === apex || isWildcard || !odd) return undefined;
  const question = { name: siblingNameOf(ascii), type: odd.exchange.question.type };
  return send(odd.view.server, question, isRecursive(odd.view));
};

/** Asks the first resolver that failed again, without DNSSEC, unless it said why it failed. */
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
export const followUp = async (
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
  return {
    ...(proof && { proof }),
    ...(sibling && { sibling }),
    ...doubled,
    ...(unchecked && { unchecked }),
    ...(ds && { ds }),
    ...(others && { others }),
  };
};
