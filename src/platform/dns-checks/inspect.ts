import { type Hostname, hostnameOf } from "../../lib/hostname.ts";
import { printable } from "../../lib/text.ts";
import type { DnsAccess } from "../../protocols/dns/authoritative.ts";
import type { SendQuery } from "../../protocols/dns/client.ts";
import type { IsUrgent } from "../../lib/limiter.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import { type DnsSettings, dnsAccess } from "./dns-access.ts";
import type { Finding } from "./finding.ts";
import {
  type Delegated,
  type Delegation,
  type Issuance,
  directMethods,
  issuanceBy,
  missingChallenge,
} from "./issuance.ts";
import type { Report } from "./model.ts";
import { type Verdict, isClaimed, isSibling, ownershipOf, rivalsOf, verdictOf } from "./verdict.ts";
import { toReport, traceDomain } from "./trace.ts";

/** The state of a domain in the DNS. */
export interface Inspection {
  /** `ownership_proven`: the records point elsewhere, but the DNS names this project. */
  event: Verdict["event"] | "ownership_proven";
  findings: Finding[];
  /** True if the records are this project's own, and no other project's. */
  isProven: boolean;
  /** True if the TXT records name this project. */
  isClaimed?: boolean;
  /** The targets of other projects in the TXT records. */
  rivals: string[];
  report: Report;
}

export interface InspectOptions {
  isUrgent: IsUrgent;
  /** True unless the project holds the name already. */
  needsProof: boolean;
  /** True if the DNS can prove the name for the project before its records point here. */
  acceptsProof?: boolean;
  /** True if visitors of the name are served already. */
  isServed?: boolean;
  /** Addresses that the target had at earlier checks. */
  formerAddresses?: readonly string[];
  /** More CAs that CAA records may name, in addition to the configured ones. */
  issuers?: readonly string[];
  /** True if the name stands for its wildcard: only DNS-01 can prove that (RFC 8555 section 7.1.3). */
  isWildcard?: boolean;
}

/** Asks the DNS whether a host name leads to a target. Never rejects. */
export type Inspect = (hostname: Hostname, target: string, options: InspectOptions) => Promise<Inspection>;

interface InspectorOptions extends DnsAccess {
  issuance: Issuance;
}

/** Records in one finding: a zone can have any number. */
const MAX_FOUND = 100;

const sanitize = (value: unknown): unknown => {
  if (typeof value === "string") return printable(value);
  return Array.isArray(value) ? value.slice(0, MAX_FOUND).map(sanitize) : value;
};

/** Makes every text of a finding safe to print. */
export const sanitizeFinding = (finding: Finding): Finding =>
  Object.fromEntries(Object.entries(finding).map(([field, value]) => [field, sanitize(value)])) as Finding;

/** An inspector that queries name servers. */
export const inspector =
  ({ ask, resolvers, port, mayAsk, issuance }: InspectorOptions): Inspect =>
  async ({ ascii, apex, isApex }, target, options) => {
    const { isUrgent, needsProof, acceptsProof = false, isWildcard = false } = options;
    const { issuers: extraIssuers = [], formerAddresses = [] } = options;
    const askInTurn: SendQuery = (server, question, recursive) => ask(server, question, recursive, isUrgent);
    const trace = await traceDomain(
      askInTurn,
      { resolvers: resolvers(), port, mayAsk },
      { ascii, apex, target, isWildcard, acceptsProof },
    );
    const order = {
      issuers: [...new Set([...issuance.issuers, ...extraIssuers])],
      methods: isWildcard ? ["dns-01"] : issuance.methods,
      isWildcard,
      accounts: await issuance.accounts(),
    };
    const records = trace.caa.kind === "found" ? trace.caa.records : [];
    const challenge = await missingChallenge(records, order, {
      delegation: isWildcard || target === ascii ? undefined : issuance.delegation,
      hostname: ascii,
      label: target.slice(0, target.indexOf(".")),
    });
    const methods = challenge ? directMethods(order.methods) : order.methods;
    const expected = { ...order, methods, hostname: ascii, target, isApex, needsProof, formerAddresses };
    const { event, findings } = verdictOf(trace, expected);
    const isProven = ownershipOf(trace, expected) === "proven";
    const rivals = rivalsOf(trace, expected, event === "records_right");
    return {
      event,
      findings: findings.map((finding) =>
        sanitizeFinding(finding.kind === "caa_forbids" && challenge ? { ...finding, challenge } : finding),
      ),
      isProven,
      isClaimed: isClaimed(trace, expected),
      rivals,
      report: toReport(trace, formerAddresses),
    };
  };

/** An inspector that queries real servers. */
export const dnsInspector = (
  { caaIssuers, ...settings }: DnsSettings & { caaIssuers: readonly string[] },
  dependencies: Parameters<typeof dnsAccess>[1],
): Inspect => inspector({ ...dnsAccess(settings, dependencies), issuance: issuanceBy(caaIssuers) });

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

// A site moves here without downtime: the DNS proves ownership, the certificate is issued, and then the records change.

/** True if a check found that the project may have the name. */
export const mayHold = (event: Inspection["event"]): boolean =>
  event === "records_right" || event === "ownership_proven";

/** Findings that only report where the records point. */
const POINTING_ELSEWHERE: ReadonlySet<Finding["kind"]> = new Set([
  "no_record",
  "wrong_target",
  "conflicting_record",
  "stray_address",
  "wildcard_record",
  "proxied",
]);

/** Faults of the records, regardless of their destination. */
const FAULTS: ReadonlySet<Finding["kind"]> = new Set(["no_record", "stray_address", "proxied"]);

/** True for records that have no destination but still block the CNAME. */
const isInTheWay = (finding: Finding): boolean =>
  finding.kind === "conflicting_record" && finding.type !== "A" && finding.type !== "AAAA";

const isReplaced = (finding: Finding): boolean => !FAULTS.has(finding.kind) && !isInTheWay(finding);

const foundIn = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.flatMap((finding) => ("found" in finding && finding.found) || [])),
];

/** True if the records point to the target of another project. This outweighs any proof. */
const pointsToRival = ({ findings }: Inspection, target: string): boolean =>
  foundIn(findings).some((value) => value !== target && isSibling(value, target));

/** The inspection of a proven name that points elsewhere. @param elsewhere the findings that show it @param challenge a missing value */
const provenElsewhere = (
  inspection: Inspection,
  elsewhere: readonly Finding[],
  { ascii: name, isApex }: Hostname,
  target: string,
  challenge: string | undefined,
): Inspection => {
  const others = inspection.findings.filter((one) => !elsewhere.includes(one) || !isReplaced(one));
  const finding = sanitizeFinding({
    kind: "not_moved",
    name,
    type: isApex ? "ALIAS" : "CNAME",
    found: foundIn(elsewhere.filter((one) => !isInTheWay(one))),
    expected: [target],
    ...(challenge && { challenge: { name: challengeNameOf(name), value: challenge } }),
  });
  return { ...inspection, event: "ownership_proven", isProven: true, findings: [finding, ...others] };
};

/**
 * Inspects names whose records may still point to an old host. Either of two records proves a name: a TXT record with the project's
 * target, or a challenge that is delegated to the project. A wildcard can have only the second.
 */
export const cutOverInspector =
  (inspect: Inspect, delegation: Delegation | undefined): Inspect =>
  async (hostname, target, options) => {
    const inspection = await inspect(hostname, target, options);
    const { isClaimed = false, findings } = inspection;
    const elsewhere = findings.filter(
      ({ kind, name }) => POINTING_ELSEWHERE.has(kind) && name === hostname.ascii,
    );
    if (!options.acceptsProof || elsewhere.length === 0 || pointsToRival(inspection, target))
      return inspection;
    const [label = ""] = target.split(".");
    const delegated = await delegation?.lookUp(hostname.ascii, label);
    const isProven = isClaimed || delegated?.kind === "delegated";
    if (!isProven) return inspection;
    const challenge = delegated?.kind === "elsewhere" && !options.isServed ? delegated.expected : undefined;
    return provenElsewhere(inspection, elsewhere, hostname, target, challenge);
  };

/** Tries to reach this service under a name at addresses, as a CA does. Returns why that fails; undefined if it works. */
type TryToReach = (hostname: string, addresses: readonly string[]) => Promise<string | undefined>;

/** True for a name whose records are right, but which is not served yet. */
const isArriving = ({ event, report }: Inspection, isServed = false): boolean =>
  event === "records_right" && !isServed && report.targetAddresses.length > 0;

/** The holder of a name chooses its addresses, and each costs two connections at the same time. */
const MAX_TRIED = 8;

/** Inspects a name, and tries to reach it: through a proxy, or once its records are right. Never changes the event. */
export const reachingInspector =
  (inspect: Inspect, tryToReach: TryToReach): Inspect =>
  async (hostname, target, options) => {
    const tryFirst = (addresses: readonly string[]) =>
      tryToReach(hostname.ascii, addresses.slice(0, MAX_TRIED));
    const inspection = await inspect(hostname, target, options);
    // No request can be for the wildcard itself.
    if (hostname.isWildcard) return inspection;
    const tried = inspection.findings.map(async (finding): Promise<Finding> => {
      if (finding.kind !== "proxied") return finding;
      const obstacle = await tryFirst(finding.found);
      return { ...finding, reachesService: obstacle === undefined };
    });
    const findings = await Promise.all(tried);
    const obstacle = isArriving(inspection, options.isServed)
      ? await tryFirst(inspection.report.targetAddresses)
      : undefined;
    if (obstacle === undefined) return { ...inspection, findings };
    const reason = `cannot be reached (${obstacle.replace(/\.$/, "")})`;
    return { ...inspection, findings: [...findings, { kind: "platform_unready", name: target, reason }] };
  };
