import type { DnsRecord, Question, QuestionType } from "./message.ts";
import { isAskable } from "./name.ts";
import type { Exchange } from "./client.ts";

/** How many CNAME records are followed. */
export const MAX_HOPS = 8;

export type Resolve = (question: Question) => Promise<Exchange>;

/** Why a chain has no end: `unanswered` if the resolvers could not be asked. */
export type ChainProblem = "loop" | "too_long" | "bad_name" | "unanswered";

export interface CnameChain {
  /** The name that was asked for, and every CNAME's value after it. */
  names: string[];
  /** The records of the last name, of the type that was asked for. */
  records: DnsRecord[];
  problem?: ChainProblem;
  /** What the last server said. */
  last: Exchange;
}

/** True if the server said what there is, or that there is nothing. */
export const isUsable = ({ outcome }: Exchange): boolean =>
  outcome.kind === "answer" && (outcome.rcode === "NOERROR" || outcome.rcode === "NXDOMAIN");

/** What there is, as the server says; nothing from one that could not say: `named` sends records of a loop with SERVFAIL. */
export const recordsOf = (exchange: Exchange): DnsRecord[] =>
  isUsable(exchange) && exchange.outcome.kind === "answer" ? exchange.outcome.records : [];

const cnameOf = (records: DnsRecord[], name: string): string | undefined =>
  records.find((record) => record.type === "CNAME" && record.name === name)?.data as string | undefined;

/** Walks one answer's CNAME records from the last name on, as far as they lead. */
const walk = (names: string[], records: DnsRecord[]): ChainProblem | undefined => {
  for (;;) {
    const next = cnameOf(records, names.at(-1) ?? "");
    if (next === undefined) return undefined;
    if (names.includes(next)) return "loop";
    if (names.length > MAX_HOPS) return "too_long";
    if (!isAskable(next)) return "bad_name";
    names.push(next);
  }
};

/** Asks for a type through CNAME records, also where the resolver does not follow them itself. */
export const followCnames = async (ask: Resolve, name: string, type: QuestionType): Promise<CnameChain> => {
  const names = [name];
  for (;;) {
    const asked = names.at(-1) ?? "";
    const last = await ask({ name: asked, type });
    if (!isUsable(last)) return { names, records: [], problem: "unanswered", last };
    const problem = walk(names, recordsOf(last));
    if (problem) return { names, records: [], problem, last };
    const end = names.at(-1);
    const records = recordsOf(last).filter((record) => record.type === type && record.name === end);
    // Nothing more to ask: records are there, or the name that was asked for leads no further.
    if (records.length > 0 || end === asked) return { names, records, last };
  }
};
