import type { Hostname } from "../lib/hostname.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import { isUsable, recordsOf } from "../protocols/dns/cname-chain.ts";
import type { QuestionType } from "../protocols/dns/message.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import { type Server, parseServer } from "../protocols/dns/network.ts";
import { judgeRecords } from "./cname-rule.ts";
import { hasValue } from "./doubled-name.ts";
import type { Challenge } from "./finding.ts";
import type { ReportedQuestion } from "./model.ts";
import { toReportedQuestion } from "./report.ts";
import { proofNameOf } from "./trace.ts";

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
