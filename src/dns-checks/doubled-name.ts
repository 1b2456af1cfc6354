import { canonicalName } from "../lib/dns-name.ts";
import type { Exchange } from "../protocols/dns/client.ts";
import { isAuthoritative } from "../protocols/dns/authoritative.ts";
import { isUsable, recordsOf } from "../protocols/dns/cname-chain.ts";
import type { Question } from "../protocols/dns/message.ts";
import { isQueryable } from "../protocols/dns/name.ts";
import {
  type AskSource,
  type Proof,
  type Subject,
  type Trace,
  type View,
  proofNameOf,
  siblingNameOf,
} from "./trace.ts";

// Most DNS panels add the zone to every name. If the holder enters the whole name, the record has the zone in it twice.

/** True if a response has one of these values. */
export const hasValue = (exchange: Exchange, values: readonly string[]): boolean =>
  recordsOf(exchange).some(({ data }) => typeof data === "string" && values.includes(canonicalName(data)));

/** True for a usable response of a resolver, or of a server that holds the zone. */
export const hasAnswered = ({ role, cname }: View): boolean =>
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

/** Looks for a missing record where a panel may have put it. A wildcard record would also answer for a sibling of that name. */
export const askDoubled = async (
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
