import { canonicalName } from "../lib/dns-name.ts";
import type { Hostname } from "../lib/hostname.ts";
import type { DnsAccess } from "../protocols/dns/ask-authorities.ts";
import { recordsOf } from "../protocols/dns/cname-chain.ts";
import type { QuestionType } from "../protocols/dns/message.ts";
import type { Server } from "../protocols/dns/network.ts";
import { judgeRecords } from "./cname-rule.ts";
import { proofNameOf } from "./trace.ts";

export interface ProbedRecords {
  hostname: Hostname;
  target: string;
  /** The target's addresses. */
  addresses: string[];
  /** An authoritative server of the zone. */
  server: Server;
}

/**
 * Asks one server of the zone whether it has the records that a name needs: one query, and four for an apex. It only
 * shows that a check is worth its queries. Never rejects.
 */
export const recordProbe =
  ({ ask, mayAsk }: DnsAccess) =>
  async ({ hostname: { ascii, isApex }, target, addresses, server }: ProbedRecords): Promise<boolean> => {
    if (!mayAsk(server.address)) return false;
    const query = (name: string, type: QuestionType) => ask(server, { name, type }, false, () => false);
    const cname = await query(ascii, "CNAME");
    // No address can be beside the CNAME of a subdomain.
    const [a, aaaa] = isApex ? await Promise.all([query(ascii, "A"), query(ascii, "AAAA")]) : [cname, cname];
    const view = { server, role: "authority" as const, cname, a, aaaa };
    if (judgeRecords(view, { hostname: ascii, target, isApex }, addresses).kind !== "right") return false;
    if (!isApex || recordsOf(cname).some(({ type }) => type === "CNAME")) return true;
    const proof = recordsOf(await query(proofNameOf(ascii), "TXT"));
    return proof.some(({ type, data }) => type === "TXT" && canonicalName(String(data).trim()) === target);
  };

export type RecordProbe = ReturnType<typeof recordProbe>;
