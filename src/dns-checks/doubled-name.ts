import { canonicalName } from "../lib/dns-name.ts";
import type { Exchange } from "../protocols/dns/client.ts";
import { type Resolve, isUsable, recordsOf } from "../protocols/dns/cname-chain.ts";
import { isQueryable } from "../protocols/dns/name.ts";
import { type Proof, type Subject, type Trace, type View, proofNameOf } from "./trace.ts";

// Most DNS panels add the zone to every name. If the holder enters the whole name, the record has the zone in it twice.

/** True if a response has one of these values. */
export const hasValue = (exchange: Exchange, values: readonly string[]): boolean =>
  recordsOf(exchange).some(({ data }) => typeof data === "string" && values.includes(canonicalName(data)));

const ask = async (resolve: Resolve, name: string, type: "CNAME" | "A" | "TXT") =>
  isQueryable(name) ? resolve({ name, type }) : undefined;

/** True for a usable response of a resolver, or of a server that holds the zone. */
const hasAnswered = ({ role, cname }: View): boolean =>
  isUsable(cname) &&
  (role === "resolver" || (cname.outcome.kind === "answer" && cname.outcome.authoritative));

const hasRecords = ({ cname, a, aaaa }: View): boolean =>
  [cname, a, aaaa].some((exchange) => recordsOf(exchange).length > 0);

type Seen = Pick<Trace, "authority" | "views">;

/** Asks for the record of a name under the doubled one, if the name has no records. */
const doubledRecord = (resolve: Resolve, subject: Subject, { authority, views }: Seen) => {
  const { ascii, apex, target, isWildcard = false } = subject;
  const mayBeThere = !isWildcard && views.some(hasAnswered) && !views.some(hasRecords);
  // Without a target, a check asks about the name itself.
  if (!authority || !mayBeThere || target === ascii) return undefined;
  // An ALIAS shows as addresses.
  return ask(resolve, `${ascii}.${authority.zone}`, ascii === apex ? "A" : "CNAME");
};

/** The same for the TXT record of an apex, if it does not name the project. */
const doubledProof = (resolve: Resolve, { apex, target }: Subject, { resolved, direct }: Proof) =>
  [resolved.last, ...direct].some((exchange) => hasValue(exchange, [canonicalName(target)]))
    ? undefined
    : ask(resolve, `${proofNameOf(apex)}.${apex}`, "TXT");

/** Looks for a missing record where a panel may have put it. */
export const askDoubled = (resolve: Resolve, subject: Subject, seen: Seen, proof?: Proof) =>
  proof ? doubledProof(resolve, subject, proof) : doubledRecord(resolve, subject, seen);
