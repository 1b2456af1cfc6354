import { type Hostname, hostnameOf } from "../lib/hostname.ts";
import { challengeNameOf } from "../protocols/dns/name.ts";
import type { Delegated, Delegation } from "./delegation.ts";
import type { Finding } from "./finding.ts";
import { type Inspect, type Inspection, sanitizeFinding } from "./inspect.ts";

/** Random: only a wildcard record answers for it, and no resolver has cached that it does not exist. */
const randomNameBelow = ({ ascii }: Hostname): string =>
  `w${crypto.randomUUID().slice(0, 8)}${ascii.slice(ascii.indexOf("."))}`;

const UNABLE =
  "cannot serve wildcards, because none of NAMESERVER, DNS_UPDATE_SERVER and DNS_CHALLENGE_HOOK is set any more";

/** The finding about the challenge record, and the event that it causes. */
const challengeFault = (
  { ascii }: Hostname,
  delegated: Extract<Delegated, { kind: "elsewhere" }>,
  { report: { chain }, findings }: Inspection,
): { finding: Finding; event: Inspection["event"] } => {
  const name = challengeNameOf(ascii);
  const { expected, texts } = delegated;
  // Without a record, the wildcard answers for the challenge too.
  const found = delegated.found.filter((value) => value !== chain[1]);
  const common = { name, type: "CNAME" as const, expected: [expected] };
  if (found.length > 0)
    return { finding: { kind: "wrong_target", ...common, found }, event: "records_wrong" };
  const ofWildcard = new Set(findings.flatMap((one) => (one.kind === "conflicting_record" ? one.found : [])));
  const inTheWay = texts.filter((text) => !ofWildcard.has(text));
  return inTheWay.length === 0
    ? { finding: { kind: "no_record", ...common }, event: "records_missing" }
    : {
        finding: { kind: "conflicting_record", ...common, type: "TXT", found: inTheWay },
        event: "records_wrong",
      };
};

/** A wildcard is right only if its challenge is delegated too: only DNS-01 works for wildcards. */
const withChallenge = (inspection: Inspection, hostname: Hostname, delegated: Delegated): Inspection => {
  if (delegated.kind === "delegated") return inspection;
  const isRight = inspection.event === "records_right";
  if (delegated.kind === "unknown")
    return { ...inspection, isProven: false, event: isRight ? undefined : inspection.event };
  const { finding, event } = challengeFault(hostname, delegated, inspection);
  return {
    ...inspection,
    isProven: false,
    event: isRight ? event : inspection.event,
    findings: [...inspection.findings, sanitizeFinding(finding)],
  };
};

/**
 * Inspects wildcards such as `*.example.org`: asks for a random name below the domain, which only the wildcard record answers,
 * and for the delegation of the challenge. Both records name the project. Other names go to `inspect` as they are.
 */
export const wildcardInspector =
  (inspect: Inspect, delegation: Delegation | undefined): Inspect =>
  async (hostname, target, options) => {
    if (!hostname.isWildcard) return inspect(hostname, target, options);
    const asked = randomNameBelow(hostname);
    const [label = ""] = target.split(".");
    const [inspection, delegated] = await Promise.all([
      inspect(hostnameOf(asked), target, { ...options, isWildcard: true }),
      delegation?.lookUp(hostname.ascii, label),
    ]);
    const findings = inspection.findings.map((finding): Finding =>
      finding.name === asked ? { ...finding, name: hostname.ascii } : finding,
    );
    const renamed = { ...inspection, findings };
    if (delegated) return withChallenge(renamed, hostname, delegated);
    return {
      ...renamed,
      isProven: false,
      event: undefined,
      findings: [...findings, { kind: "platform_unready", name: target, reason: UNABLE }],
    };
  };
