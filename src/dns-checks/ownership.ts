import type { Expectation } from "./cname-rule.ts";
import { isAuthoritative } from "../protocols/dns/authoritative.ts";
import { isUsable, recordsOf } from "../protocols/dns/cname-chain.ts";
import type { DnsRecord } from "../protocols/dns/message.ts";
import { canonicalName } from "../lib/dns-name.ts";
import type { Exchange } from "../protocols/dns/client.ts";
import type { Proof, Trace } from "./trace.ts";

/**
 * Whether right records prove that a host name is a project's. A CNAME does: its value is the project's own target. The
 * addresses of an ALIAS do not, because all projects share them; there a TXT record decides:
 * - `proven`: every server that responded has the project's own target in it.
 * - `spreading`: only some have.
 * - `claimed`: they have other projects' targets only.
 * - `unclaimed`: they have no target.
 * - `unknown`: no server responded.
 */
type Ownership = "proven" | "spreading" | "claimed" | "unclaimed" | "unknown";

type Subject = Pick<Expectation, "hostname" | "target" | "isApex">;

const isAliasOf = ({ views }: Trace, hostname: string): boolean =>
  views.every(
    ({ cname }) =>
      !isUsable(cname) ||
      recordsOf(cname).some(({ type, name }) => type === "CNAME" && name === canonicalName(hostname)),
  );

/** True if no TXT record is needed: a CNAME names one target only. */
const needsNoProof = (trace: Trace, { hostname, isApex }: Subject): boolean =>
  !isApex || isAliasOf(trace, hostname);

/** True for names in the same zone: the targets of all projects are. */
export const isSibling = (one: string, other: string): boolean =>
  one.slice(one.indexOf(".")) === other.slice(other.indexOf("."));

/** True if an authoritative response holds the records themselves, not a CNAME to them. */
const isDirectResponse = (exchange: Exchange): boolean =>
  isAuthoritative(exchange) && recordsOf(exchange).every(({ type }) => type !== "CNAME");

/** The targets in TXT records. Other texts do not count: a wildcard record may add any. */
const targetsIn = (records: readonly DnsRecord[], target: string): string[] =>
  records.flatMap((record) => {
    const claimed = record.type === "TXT" ? canonicalName(record.data.trim()) : "";
    return isSibling(claimed, canonicalName(target)) ? [claimed] : [];
  });

/** The targets at each authoritative server that responded. */
const targetsByAuthority = ({ direct }: Proof, target: string): string[][] =>
  direct.filter(isDirectResponse).map((exchange) => targetsIn(recordsOf(exchange), target));

/** The targets at each server that responded; the resolvers count as one. */
const targetsByServer = (proof: Proof, target: string): string[][] => [
  targetsIn(proof.resolved.records, target),
  ...targetsByAuthority(proof, target),
];

/** True if every authoritative server that responded has the project's own target in a TXT record. */
export const isClaimed = ({ proof }: Trace, { target }: Subject): boolean => {
  const claims = proof ? targetsByAuthority(proof, target) : [];
  return claims.length > 0 && claims.every((targets) => targets.includes(canonicalName(target)));
};

/** Every target in the TXT records of any server. */
export const claimsOf = ({ proof }: Trace, target: string): string[] =>
  proof ? [...new Set(targetsByServer(proof, target).flat())].toSorted() : [];

/** @param trace must show right records */
export const ownershipOf = (trace: Trace, subject: Subject): Ownership => {
  if (needsNoProof(trace, subject)) return "proven";
  const { proof } = trace;
  if (!proof || proof.resolved.problem === "unanswered") return "unknown";
  const own = canonicalName(subject.target);
  const claims = targetsByServer(proof, subject.target);
  if (claims.every((targets) => targets.includes(own))) return "proven";
  if (claims.some((targets) => targets.includes(own))) return "spreading";
  return claims.flat().length > 0 ? "claimed" : "unclaimed";
};

/** The targets of other projects in the TXT records. Those do not count against a CNAME to this project's own. */
export const rivalsOf = (trace: Trace, subject: Subject, isRight = true): string[] =>
  isRight && needsNoProof(trace, subject)
    ? []
    : claimsOf(trace, subject.target).filter((target) => target !== canonicalName(subject.target));
