import { canonicalName } from "../../lib/hostname.ts";
import { type AuthoritativeServers, isAuthoritative } from "../../protocols/dns/authoritative.ts";
import type { Exchange } from "../../protocols/dns/client.ts";
import { isUsable, recordsOf } from "../../protocols/dns/cname-chain.ts";
import type { DnsRecord } from "../../protocols/dns/message.ts";
import { formatServer } from "../../lib/name-server.ts";
import { explain, httpsFindings, withConflicts } from "./causes.ts";
import { type Expectation, type Judgement, type View, judgeRecords, unknownAddresses } from "./cname-rule.ts";
import type { Finding, RecordFinding } from "./finding.ts";
import { judgeCaaAt } from "./issuance.ts";
import { type Proof, type Trace, hasValue, targetAddresses } from "./trace.ts";
import { proofNameOf } from "./names.ts";

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
const claimsOf = ({ proof }: Trace, target: string): string[] =>
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

export interface Verdict {
  /**
   * The event for the domain's stage; undefined if no server could be asked. `records_right` if every authoritative server that
   * responded has the right records, ownership is proven, and no resolver rejects them because of DNSSEC. If no authoritative
   * server responded, the resolvers decide.
   */
  event: "records_right" | "records_wrong" | "records_missing" | undefined;
  findings: Finding[];
}

interface Judged {
  view: View;
  judgement: Judgement;
}

const isRight = ({ judgement }: Judged): boolean => judgement.kind === "right";
const hasResponded = ({ judgement }: Judged): boolean => judgement.kind !== "unknown";

const mixedAnswers = (name: string, server: string, findings: RecordFinding[]): Finding => {
  const found = findings.flatMap((finding) => ("found" in finding ? finding.found : []));
  return { kind: "mixed_answers", name, server, found, expected: findings[0]?.expected ?? [] };
};

interface Source {
  isRight: boolean;
  /** Who must act if a server of this role does not respond, as far as the other servers show it. */
  repairer: Partial<Record<View["role"], "dns_provider" | "operator">>;
}

/** Without any response, the zone's own servers are the cause: a resolver asks them too. */
const repairerOf = (responded: readonly Judged[]): Source["repairer"] => {
  if (responded.length === 0) return { authority: "dns_provider" };
  return responded.some(({ view }) => view.role === "authority") ? { resolver: "operator" } : {};
};

/** Wrong records at the source need a change by the domain's holder. Elsewhere they only need time. */
const findingsOf = (
  { hostname: name, target }: Expectation,
  { view, judgement }: Judged,
  source: Source,
): Finding[] => {
  const server = formatServer(view.server);
  switch (judgement.kind) {
    case "right":
      return [];
    case "unknown": {
      const { reason } = judgement;
      if (reason === undefined) return [];
      const responsible = reason === unknownAddresses(target) ? "operator" : source.repairer[view.role];
      return [{ kind: "unreachable", name, server, reason, ...(responsible && { responsible }) }];
    }
    case "wrong": {
      const { findings, seconds } = judgement;
      if (!source.isRight) return findings;
      if (view.role === "authority") return [mixedAnswers(name, server, findings)];
      return [{ kind: "not_propagated", name, server, ...(seconds !== undefined && { seconds }) }];
    }
  }
};

/** Servers that do not exist. */
const unaddressedServers = (
  { zone: name, unaddressed, isFromParent }: AuthoritativeServers,
  apex: string,
): Finding[] =>
  unaddressed.map((server) => ({
    kind: "lame_delegation",
    name,
    server,
    reason: "it has no A or AAAA record",
    // The parent of any other zone is not the registry.
    ...(isFromParent && name === apex && { responsible: "registrar" }),
  }));

const caaFindings = ({ caa, chain }: Trace, expected: Expectation): Finding[] => {
  if (caa.kind === "none") return [];
  if (caa.kind === "unknown") {
    const { server: asked, recursive, outcome } = caa.exchange;
    const failure = outcome.kind === "failure" ? outcome.failure : outcome.rcode;
    const why = caa.problem === "unanswered" ? failure : caa.problem;
    const server = formatServer(asked);
    // `named` responds to a loop of CNAME records with SERVFAIL, and that finding is enough.
    if (!recursive && caa.problem === "unanswered")
      return chain.problem ? [] : [{ kind: "caa_unanswered", name: caa.name, server, reason: failure }];
    const reason = `no CAA response for ${caa.name} (${why})`;
    return [{ kind: "unreachable", name: expected.hostname, server, reason }];
  }
  const judged = judgeCaaAt(caa, expected);
  return "finding" in judged ? [judged.finding] : [];
};

/** Some servers of the zone have the TXT record, and another one does not. */
const mixedProof = ({ resolved, direct }: Proof, name: string, target: string): Finding => {
  const stale = direct.find((exchange) => !hasValue(exchange, [canonicalName(target)])) ?? resolved.last;
  const found = recordsOf(stale).flatMap((record) => (record.type === "TXT" ? [record.data] : []));
  return { kind: "mixed_answers", name, server: formatServer(stale.server), found, expected: [target] };
};

/** An apex with the right addresses also needs a proof, unless the project holds the name and no other project claims it. */
const ownershipFindings = (trace: Trace, expected: Expectation): Finding[] => {
  const { hostname, target, needsProof } = expected;
  const ownership = ownershipOf(trace, expected);
  if (ownership === "proven" || (ownership !== "claimed" && !needsProof)) return [];
  const name = proofNameOf(hostname);
  const server = trace.proof ? formatServer(trace.proof.resolved.last.server) : "";
  if (ownership === "unknown") return [{ kind: "unreachable", name, server, reason: "no TXT response" }];
  if (ownership === "spreading" && trace.proof) return [mixedProof(trace.proof, name, target)];
  const found = claimsOf(trace, target);
  return [{ kind: "ownership_unproven", name, type: "TXT", found, expected: [target] }];
};

const eventOf = (verified: boolean, findings: Finding[]): Verdict["event"] => {
  const has = (...kinds: Finding["kind"][]) => findings.some(({ kind }) => kinds.includes(kind));
  if (verified) return "records_right";
  const isClaimed = findings.some((one) => one.kind === "ownership_unproven" && one.found.length > 0);
  if (isClaimed || has("wrong_target", "conflicting_record", "stray_address")) return "records_wrong";
  return has("no_record", "not_propagated", "mixed_answers", "ownership_unproven")
    ? "records_missing"
    : undefined;
};

/** Evaluates the responses for a domain. Authoritative servers decide; resolvers do if none of those responded. */
export const verdictOf = (trace: Trace, expected: Expectation): Verdict => {
  const addresses = targetAddresses(trace);
  const judgements = trace.views.map((view) => ({
    view,
    judgement: judgeRecords(view, expected, addresses),
  }));
  const responded = judgements.filter(hasResponded);
  const authoritative = responded.filter(({ view }) => view.role === "authority");
  const source = authoritative.length > 0 ? authoritative : responded;
  const isSourceRight = source.some(isRight);
  const relevant = judgements.filter((one) => isSourceRight || !hasResponded(one) || source.includes(one));
  const repairer = repairerOf(responded);
  const ofServers = relevant.flatMap((one) =>
    findingsOf(expected, one, { isRight: isSourceRight, repairer }),
  );
  const recordFindings = [...withConflicts(ofServers, trace, expected), ...httpsFindings(trace)];
  const missingServers = trace.authority ? unaddressedServers(trace.authority, trace.apex) : [];
  const areRight = isSourceRight && source.every(isRight);
  const ofOwnership = areRight ? ownershipFindings(trace, expected) : [];
  const problems = [...missingServers, ...recordFindings, ...ofOwnership, ...caaFindings(trace, expected)];
  const findings = explain(problems, trace, expected);
  // CAs validate DNSSEC too.
  const isRejected = findings.some(({ kind }) => kind === "dnssec_failure");
  const verified = areRight && ofOwnership.length === 0 && !isRejected;
  return { event: areRight && isRejected ? undefined : eventOf(verified, problems), findings };
};
