import { judgeCaaAt } from "./caa-finding.ts";
import type { Finding, RecordFinding } from "./finding.ts";
import { formatServer } from "../protocols/dns/server-address.ts";
import { explain, targetAddresses } from "./causes.ts";
import { proofNameOf } from "./trace.ts";
import { claimsOf, ownershipOf } from "./ownership.ts";
import type { Trace, View } from "./trace.ts";
import { judgeRecords, type Expectation, type Judgement } from "./cname-rule.ts";

export interface Verdict {
  /** True if every server that responded has the right records, at least one resolver among them, and ownership is proven. */
  verified: boolean;
  /** False if CAA records forbid the certificate, or could not be read. The domain can be verified all the same. */
  mayIssue: boolean;
  /** The event for the domain's stage; undefined if no server could be asked. */
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

/** Wrong records at the source need a change by the domain's holder. Elsewhere they only need time. */
const findingsOf = (name: string, { view, judgement }: Judged, isSourceRight: boolean): Finding[] => {
  const server = formatServer(view.server);
  switch (judgement.kind) {
    case "right":
      return [];
    case "unknown":
      return judgement.reason === undefined
        ? []
        : [{ kind: "unreachable", name, server, reason: judgement.reason }];
    case "wrong": {
      const { findings, seconds } = judgement;
      if (!isSourceRight) return findings;
      if (view.role === "authority") return [mixedAnswers(name, server, findings)];
      return [{ kind: "not_propagated", name, server, ...(seconds !== undefined && { seconds }) }];
    }
  }
};

const caaFindings = ({ caa }: Trace, expected: Expectation): Finding[] => {
  if (caa.kind === "none") return [];
  if (caa.kind === "unknown") {
    const { server, outcome } = caa.exchange;
    const failure = outcome.kind === "failure" ? outcome.failure : outcome.rcode;
    const why = caa.problem === "unanswered" ? failure : caa.problem;
    const reason = `no CAA response for ${caa.name} (${why})`;
    return [{ kind: "unreachable", name: expected.hostname, server: formatServer(server), reason }];
  }
  const judged = judgeCaaAt(caa, expected);
  return "finding" in judged ? [judged.finding] : [];
};

/** An apex with the right addresses also needs a proof, unless the project holds the name and no other project claims it. */
const ownershipFindings = (trace: Trace, expected: Expectation): Finding[] => {
  const { hostname, target, needsProof } = expected;
  const ownership = ownershipOf(trace, expected);
  if (ownership === "proven" || (ownership !== "claimed" && !needsProof)) return [];
  const name = proofNameOf(hostname);
  const server = trace.proof ? formatServer(trace.proof.resolved.last.server) : "";
  if (ownership === "unknown") return [{ kind: "unreachable", name, server, reason: "no TXT response" }];
  if (ownership === "spreading") return [{ kind: "not_propagated", name, server }];
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
  const recordFindings = relevant.flatMap((one) => findingsOf(expected.hostname, one, isSourceRight));
  const caaProblems = caaFindings(trace, expected);
  const areRight = responded.every(isRight) && responded.some(({ view }) => view.role === "resolver");
  const ownershipProblems = areRight ? ownershipFindings(trace, expected) : [];
  const verified = areRight && ownershipProblems.length === 0;
  const findings = [...recordFindings, ...ownershipProblems, ...caaProblems];
  return {
    verified,
    mayIssue: caaProblems.length === 0,
    event: eventOf(verified, findings),
    findings: explain(findings, trace, expected),
  };
};
