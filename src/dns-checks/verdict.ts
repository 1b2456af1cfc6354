import { judgeCaaAt } from "./caa-finding.ts";
import type { Finding, RecordFinding } from "./finding.ts";
import { formatServer } from "../protocols/dns/network.ts";
import { explain, targetAddresses } from "./causes.ts";
import { hasValue } from "./doubled-name.ts";
import { httpsFindings, withConflicts } from "./other-records.ts";
import { type Proof, proofNameOf } from "./trace.ts";
import { canonicalName } from "../lib/dns-name.ts";
import { recordsOf } from "../protocols/dns/cname-chain.ts";
import type { AuthoritativeServers } from "../protocols/dns/authoritative.ts";
import { claimsOf, ownershipOf } from "./ownership.ts";
import type { Trace, View } from "./trace.ts";
import { judgeRecords, type Expectation, type Judgement, unknownAddresses } from "./cname-rule.ts";

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

/** What the responses mean for a domain. Authoritative servers decide; resolvers do if none of those responded. */
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
