import type { NeededType } from "./finding-kind.ts";
import type { RecordFinding } from "./finding.ts";
import { isUsable, recordsOf } from "../../protocols/dns/cname-chain.ts";
import type { DnsRecord, TextRecord } from "../../protocols/dns/message.ts";
import { canonicalName } from "../../lib/hostname.ts";
import type { Server } from "../../lib/name-server.ts";
import type { Exchange } from "../../protocols/dns/client.ts";

/** The responses of one server about the name. */
export interface View {
  server: Server;
  role: "authority" | "resolver";
  cname: Exchange;
  a: Exchange;
  aaaa: Exchange;
}

/** The expected records of a domain. */
export interface Expectation {
  /** In A-labels. */
  hostname: string;
  target: string;
  isApex: boolean;
  /** The CAs that may issue, as CAA records name them. */
  issuers: readonly string[];
  /** The challenge types that this service can use with them. */
  methods: readonly string[];
  /** True if the certificate is for the wildcard that belongs to the name. */
  isWildcard?: boolean;
  /** The URIs of the accounts with them, if available. */
  accounts?: readonly string[] | undefined;
  /** True unless the project holds the name already. An apex's addresses alone do not identify the project. */
  needsProof: boolean;
  /** Addresses that the target had before. */
  formerAddresses?: readonly string[];
}

/** The meaning of one server's responses; `seconds` is how long a cache may keep them. */
export type Judgement =
  | { kind: "right" }
  | { kind: "wrong"; findings: RecordFinding[]; seconds: number | undefined }
  /** Without a reason if it lies with the target. */
  | { kind: "unknown"; reason?: string };

/** Why an exchange says nothing about the domain; undefined if it does. */
const reasonOf = ({ outcome }: Exchange, role: View["role"]): string | undefined => {
  if (outcome.kind === "failure") return `${outcome.failure} (${outcome.detail})`;
  if (outcome.rcode !== "NOERROR" && outcome.rcode !== "NXDOMAIN") return outcome.rcode;
  return role === "authority" && !outcome.authoritative ? "does not hold the zone" : undefined;
};

const ofType = <Type extends TextRecord["type"]>(
  exchange: Exchange,
  name: string,
  type: Type,
): TextRecord[] =>
  recordsOf(exchange).filter(
    (record): record is TextRecord & { type: Type } => record.type === type && record.name === name,
  );

/** Sorted, because some servers rotate records. */
const valuesOf = (records: TextRecord[]): string[] => records.map(({ data }) => data).toSorted();

/** How long caches may keep these records, or their absence (RFC 2308 section 5). */
const secondsOf = (records: DnsRecord[], { outcome }: Exchange): number | undefined => {
  if (records.length > 0) return Math.max(...records.map(({ ttl }) => ttl));
  const authorities = outcome.kind === "answer" ? outcome.authorities : [];
  const soa = authorities.find((record) => record.type === "SOA");
  return soa && Math.min(soa.ttl, soa.data.minimum);
};

const wrong = (findings: RecordFinding[], records: DnsRecord[], exchange: Exchange): Judgement => ({
  kind: "wrong",
  findings,
  seconds: secondsOf(records, exchange),
});

/** The CNAME rule: the value must equal the target, except for case and the final dot. */
const judgeAlias = (
  view: View,
  records: TextRecord[],
  name: string,
  type: NeededType,
  target: string,
): Judgement => {
  if (records.every(({ data }) => data === target)) return { kind: "right" };
  const found = valuesOf(records);
  return wrong([{ kind: "wrong_target", name, type, found, expected: [target] }], records, view.cname);
};

/** A finding for each type of address. */
const addressFindings = (
  kind: "conflicting_record" | "stray_address",
  name: string,
  records: TextRecord[],
  expected: string[],
): RecordFinding[] =>
  (["A", "AAAA"] as const).flatMap((type) => {
    const found = valuesOf(records.filter((record) => record.type === type));
    return found.length > 0 ? [{ kind, name, type, found, expected }] : [];
  });

const judgeSubdomain = (view: View, name: string, target: string): Judgement => {
  const addresses = [...ofType(view.a, name, "A"), ...ofType(view.aaaa, name, "AAAA")];
  // All of them: panels refuse a CNAME as long as one is left.
  if (addresses.length > 0)
    return wrong(addressFindings("conflicting_record", name, addresses, [target]), addresses, view.a);
  const records = ofType(view.cname, name, "CNAME");
  if (records.length > 0) return judgeAlias(view, records, name, "CNAME", target);
  return wrong([{ kind: "no_record", name, type: "CNAME", expected: [target] }], [], view.cname);
};

/** The reason of a server whose response cannot be judged. */
export const unknownAddresses = (target: string): string => `the addresses of ${target} are not known`;

/** ALIAS and ANAME appear as addresses: there must be at least one, and each must be one of the target's. */
const judgeApex = (view: View, name: string, target: string, addresses?: string[]): Judgement => {
  const aliases = ofType(view.cname, name, "CNAME");
  if (aliases.length > 0) return judgeAlias(view, aliases, name, "ALIAS", target);
  const unknown = reasonOf(view.a, view.role) ?? reasonOf(view.aaaa, view.role);
  if (unknown !== undefined) return { kind: "unknown", reason: unknown };
  const records = [...ofType(view.a, name, "A"), ...ofType(view.aaaa, name, "AAAA")];
  if (records.length === 0)
    return wrong([{ kind: "no_record", name, type: "ALIAS", expected: [target] }], [], view.a);
  if (!addresses) return { kind: "unknown", reason: unknownAddresses(target) };
  if (addresses.length === 0) return { kind: "unknown" };
  const strays = records.filter(({ data }) => !addresses.includes(data));
  if (strays.length === 0) return { kind: "right" };
  const expected = addresses.toSorted();
  if (strays.length < records.length)
    return wrong(addressFindings("stray_address", name, strays, expected), strays, view.a);
  const found = valuesOf(records);
  return wrong([{ kind: "wrong_target", name, type: "ALIAS", found, expected }], records, view.a);
};

/** Whether one server's records are right. @param addresses the target's own; undefined if they are not known */
export const judgeRecords = (
  view: View,
  expected: Pick<Expectation, "hostname" | "target" | "isApex">,
  addresses?: string[],
): Judgement => {
  const reason = reasonOf(view.cname, view.role);
  if (reason !== undefined || !isUsable(view.cname)) return { kind: "unknown", reason: reason ?? "" };
  const name = canonicalName(expected.hostname);
  const target = canonicalName(expected.target);
  return expected.isApex ? judgeApex(view, name, target, addresses) : judgeSubdomain(view, name, target);
};
