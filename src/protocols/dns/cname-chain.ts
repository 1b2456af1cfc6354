import type { Exchange } from "./client.ts";
import type { DnsRecord, Question, QuestionType } from "./message.ts";
import { isQueryable } from "./name.ts";

/** How many CNAME records are followed. */
const MAX_HOPS = 8;
/** The maximum for one name: its holder can list thousands, and each may get a connection. */
const MAX_ADDRESSES = 20;

/** Asks a resolver. */
export type Resolve = (question: Question) => Promise<Exchange>;

/** Why a chain has no end; `unanswered` if the resolvers had no usable answer. */
export type ChainProblem = "loop" | "too_long" | "bad_name" | "unanswered";

export interface CnameChain {
  /** The name of the question, and the value of every CNAME record after it. */
  names: string[];
  /** The records of the last name that have the type of the question. */
  records: DnsRecord[];
  problem?: ChainProblem;
  /** The exchange that ended the chain. */
  last: Exchange;
}

/** True for an answer with the records, or with their absence. */
export const isUsable = ({ outcome }: Exchange): boolean =>
  outcome.kind === "answer" && (outcome.rcode === "NOERROR" || outcome.rcode === "NXDOMAIN");

/** The records of a usable answer. Any other counts as empty: `named` sends the records of a loop with SERVFAIL. */
export const recordsOf = (exchange: Exchange): DnsRecord[] =>
  isUsable(exchange) && exchange.outcome.kind === "answer" ? exchange.outcome.records : [];

/** The addresses in A and AAAA records. */
export const addressesIn = (records: readonly DnsRecord[]): string[] =>
  records.flatMap((record) => (record.type === "A" || record.type === "AAAA" ? [record.data] : []));

const cnameOf = (records: DnsRecord[], name: string): string | undefined =>
  records.find((record) => record.type === "CNAME" && record.name === name)?.data as string | undefined;

/** Appends the chain of CNAME values in one answer to `names`. */
const appendCnames = (names: string[], records: DnsRecord[]): ChainProblem | undefined => {
  for (;;) {
    const next = cnameOf(records, names.at(-1) ?? "");
    if (next === undefined) return undefined;
    if (names.includes(next)) return "loop";
    if (names.length > MAX_HOPS) return "too_long";
    if (!isQueryable(next)) return "bad_name";
    names.push(next);
  }
};

/** Queries records through CNAME records, also if the resolver does not follow them itself. */
export const followCnames = async (
  resolve: Resolve,
  name: string,
  type: QuestionType,
): Promise<CnameChain> => {
  const names = [name];
  for (;;) {
    const queried = names.at(-1) ?? "";
    const last = await resolve({ name: queried, type });
    if (!isUsable(last)) return { names, records: [], problem: "unanswered", last };
    const problem = appendCnames(names, recordsOf(last));
    if (problem) return { names, records: [], problem, last };
    const end = names.at(-1);
    const records = recordsOf(last).filter((record) => record.type === type && record.name === end);
    // The chain ends with records, or with a name that has no CNAME.
    if (records.length > 0 || end === queried) return { names, records, last };
  }
};

/** The first addresses of a name, IPv4 before IPv6; none for those that the resolvers could not look up. */
export const resolveAddresses = async (resolve: Resolve, name: string): Promise<string[]> => {
  const chains = await Promise.all([followCnames(resolve, name, "A"), followCnames(resolve, name, "AAAA")]);
  return addressesIn(chains.flatMap(({ records }) => records)).slice(0, MAX_ADDRESSES);
};
