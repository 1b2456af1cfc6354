import type { Exchange, SendQuery } from "../protocols/dns/client.ts";
import { type Resolve, followCnames, recordsOf } from "../protocols/dns/cname-chain.ts";
import { dnssecErrorOf } from "../protocols/dns/dnssec.ts";
import { canonicalName } from "../lib/dns-name.ts";
import type { Server } from "../protocols/dns/network.ts";
import { askDoubled } from "./doubled-name.ts";
import { type Proof, type Subject, type Trace, type TraceOptions, type View, proofNameOf } from "./trace.ts";

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

/** Unused, so only a wildcard record answers for it. */
const SIBLING_LABEL = "_adoption-store-sibling";

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
  const name = `${SIBLING_LABEL}${ascii.slice(ascii.indexOf("."))}`;
  return send(odd.view.server, { name, type: odd.exchange.question.type }, isRecursive(odd.view));
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

/** Sends the queries that only some records call for. */
export const followUp = async (
  resolve: Resolve,
  send: SendQuery,
  { mayAsk }: TraceOptions,
  subject: Subject,
  { authority, views }: Pick<Trace, "authority" | "views">,
): Promise<Pick<Trace, "proof" | "sibling" | "doubled" | "unchecked">> => {
  const { ascii, apex, acceptsProof = false, isWildcard = false } = subject;
  const hasAddresses = views.some(({ a, aaaa }) => [a, aaaa].some((one) => recordsOf(one).length > 0));
  const isFlattened = ascii === apex && hasAddresses;
  const mayProve = isFlattened || (acceptsProof && !isWildcard);
  const proofServers = () => (authority?.servers ?? []).filter(({ address }) => mayAsk(address));
  const [proof, sibling, unchecked] = await Promise.all([
    mayProve ? proofOf(resolve, send, proofNameOf(ascii), proofServers()) : undefined,
    siblingOf(send, subject, views),
    uncheckedOf(send, ascii, views),
  ]);
  const doubled = await askDoubled(resolve, subject, { authority, views }, isFlattened ? proof : undefined);
  return {
    ...(proof && { proof }),
    ...(sibling && { sibling }),
    ...(doubled && { doubled }),
    ...(unchecked && { unchecked }),
  };
};
