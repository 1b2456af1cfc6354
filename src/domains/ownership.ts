import { isUsable, recordsOf } from "../protocols/dns/cname.ts";
import type { DnsRecord } from "../protocols/dns/message.ts";
import { canonicalName } from "../protocols/dns/name.ts";
import type { Exchange } from "../protocols/dns/client.ts";
import type { Proof, Trace } from "./trace.ts";

/**
 * Whose a host name is, once its records are right. A CNAME names the project's own target; the addresses that an ALIAS
 * shows are those of every project, so that only a TXT record tells: `shown` if all servers that answer have the project's
 * own target there, `spreading` if some have, `claimed` if they have only other projects' targets, `open` if there is none,
 * `unknown` if no server answered.
 */
export type Ownership = "shown" | "spreading" | "claimed" | "open" | "unknown";

interface Named {
  hostname: string;
  target: string;
  isApex: boolean;
}

const isAliasOf = ({ views }: Trace, hostname: string): boolean =>
  views.every(
    ({ cname }) =>
      !isUsable(cname) ||
      recordsOf(cname).some(({ type, name }) => type === "CNAME" && name === canonicalName(hostname)),
  );

/** True if no TXT record is needed: a CNAME names one target only. */
const needsNoProof = (trace: Trace, { hostname, isApex }: Named): boolean =>
  !isApex || isAliasOf(trace, hostname);

/** Names of one zone, as the targets of all projects are. */
const isSibling = (one: string, other: string): boolean =>
  one.slice(one.indexOf(".")) === other.slice(other.indexOf("."));

/** True for an authoritative answer with the records themselves, not with a CNAME to them. */
const isDirectResponse = (exchange: Exchange): boolean =>
  isUsable(exchange) &&
  exchange.outcome.kind === "answer" &&
  exchange.outcome.authoritative &&
  recordsOf(exchange).every(({ type }) => type !== "CNAME");

/** The targets that TXT records name; a wildcard may bring any others. */
const targetsIn = (records: readonly DnsRecord[], target: string): string[] =>
  records.flatMap((record) => {
    const claimed = record.type === "TXT" ? canonicalName(record.data.trim()) : "";
    return isSibling(claimed, canonicalName(target)) ? [claimed] : [];
  });

/** The same for each server that answered. */
const targetsByServer = ({ resolved, direct }: Proof, target: string): string[][] =>
  [resolved.records, ...direct.filter(isDirectResponse).map(recordsOf)].map((records) =>
    targetsIn(records, target),
  );

/** Every target that the TXT records of any server name. */
export const claimsOf = ({ proof }: Trace, target: string): string[] =>
  proof ? [...new Set(targetsByServer(proof, target).flat())].toSorted() : [];

/** @param trace of records that are right */
export const ownershipOf = (trace: Trace, subject: Named): Ownership => {
  if (needsNoProof(trace, subject)) return "shown";
  const { proof } = trace;
  if (!proof || proof.resolved.problem === "unanswered") return "unknown";
  const own = canonicalName(subject.target);
  const claims = targetsByServer(proof, subject.target);
  if (claims.every((targets) => targets.includes(own))) return "shown";
  if (claims.some((targets) => targets.includes(own))) return "spreading";
  return claims.flat().length > 0 ? "claimed" : "open";
};

/** Targets of other projects that the TXT records name as well. */
export const rivalsOf = (trace: Trace, subject: Named): string[] =>
  needsNoProof(trace, subject)
    ? []
    : claimsOf(trace, subject.target).filter((target) => target !== canonicalName(subject.target));
