import type { Clock } from "../../../lib/time.ts";
import { Fault, fieldFault } from "../../../lib/errors.ts";
import { type Hostname, parseHostname } from "../../../lib/hostname.ts";
import { lruCache } from "../../../lib/lru.ts";
import { type Rate, rateLimiter } from "../../../lib/rate-limiter.ts";
import type { ConnectOffer } from "../../dns-records/model.ts";
import { type OfferConnect, patientOffer } from "../../dns-records/provider-guide.ts";
import { PATIENCE_MS, within } from "../dns-access.ts";
import type { DomainFinding } from "../finding.ts";
import type { Inspect, Inspection } from "../inspect.ts";
import type { Report } from "../model.ts";
import { type ReservedNames, acceptableHostname, refusedName } from "../names.ts";

/** The verdicts on a name that need not belong to a project, and what each means. */
export const NAME_VERDICTS = {
  right: "Every server that responded has the right records.",
  missing: "The record does not exist yet.",
  wrong: "You must change or delete a record.",
  spreading: "Some name servers have the right records, and others still have old ones.",
  blocked: "No CA can issue a certificate for the name.",
  free: "No other record is in the way. Only in a check without a target.",
  in_use: "The name has records that you must change or delete. Only in a check without a target.",
  points_here: "The name already points to a target of this service. Only in a check without a target.",
  unregistered: "The registered domain does not exist in the DNS.",
  unknown: "Too few servers responded for a verdict.",
} as const;

export type NameVerdict = keyof typeof NAME_VERDICTS;

/** Good: there is nothing to change. Bad: the name cannot work like this. The others are neither. */
export const VERDICT_TONES: Readonly<Partial<Record<NameVerdict, "good" | "bad">>> = {
  right: "good",
  free: "good",
  points_here: "good",
  wrong: "bad",
  blocked: "bad",
};

/** A name without a target, and the domain whose names all targets are. */
interface Untargeted {
  hostname: Hostname;
  targetZone: string;
}

const has = (findings: readonly DomainFinding[], ...kinds: DomainFinding["kind"][]): boolean =>
  findings.some(({ kind }) => kinds.includes(kind));

const verdictWithTarget = ({ event, findings }: Inspection): NameVerdict => {
  if (has(findings, "delegated_away")) return "wrong";
  if (event === "records_wrong") return "wrong";
  if (event === "records_missing") {
    if (has(findings, "registration_expired")) return "unregistered";
    return has(findings, "not_propagated", "mixed_answers") ? "spreading" : "missing";
  }
  if (event === undefined) return "unknown";
  return has(findings, "caa_forbids") ? "blocked" : "right";
};

/** Findings that say nothing about a name that has no target yet. */
const ABOUT_TARGETS: ReadonlySet<DomainFinding["kind"]> = new Set([
  "no_record",
  "not_propagated",
  "ownership_unproven",
]);

const leadsTo = (finding: DomainFinding, zone: string): boolean =>
  finding.kind === "wrong_target" && finding.found.every((value) => value.endsWith(`.${zone}`));

/** An apex that is checked against itself has the right addresses if it has any. */
const ownAddresses = ({ findings, report }: Inspection, { ascii, isApex }: Hostname): DomainFinding[] =>
  isApex && report.targetAddresses.length > 0 && !has(findings, "wrong_target")
    ? [{ kind: "wrong_target", name: ascii, type: "ALIAS", found: report.targetAddresses, expected: [] }]
    : [];

const verdictWithoutTarget = (
  inspection: Inspection,
  findings: readonly DomainFinding[],
  { targetZone }: Untargeted,
): NameVerdict => {
  if (has(findings, "delegated_away")) return "wrong";
  if (inspection.event === undefined) return "unknown";
  if (findings.some((finding) => leadsTo(finding, targetZone))) return "points_here";
  if (has(findings, "wrong_target", "conflicting_record", "proxied", "wildcard_record")) return "in_use";
  if (has(findings, "registration_expired")) return "unregistered";
  if (inspection.event === "records_wrong" || has(findings, "parked", "registration_on_hold")) return "wrong";
  return has(findings, "caa_forbids") ? "blocked" : "free";
};

/** @param inspection for the name itself as its target, so that every record it has is a finding */
const judgeWithoutTarget = (inspection: Inspection, untargeted: Untargeted) => {
  const relevant = inspection.findings.filter(({ kind }) => !ABOUT_TARGETS.has(kind));
  const findings = [...ownAddresses(inspection, untargeted.hostname), ...relevant];
  const verdict = verdictWithoutTarget(inspection, findings, untargeted);
  return {
    verdict,
    findings: findings.filter((finding) => !leadsTo(finding, untargeted.targetZone)),
  };
};

type JudgedName = ReturnType<typeof judgeWithoutTarget>;

/** A verdict in one sentence, with the advice. */
export const VERDICT_SENTENCES: Readonly<Record<NameVerdict, (shown: string, apex: string) => string>> = {
  right: (shown) => `${shown} has the right records: nothing is left to do in the DNS.`,
  missing: (shown) => `${shown} does not have its records yet: create them at your DNS provider.`,
  wrong: (shown) => `${shown} has wrong records: correct them as described below.`,
  spreading: (shown) => `Some name servers have the right records of ${shown}: wait until all have them.`,
  blocked: (shown) => `CAA records forbid a certificate for ${shown}: change them first.`,
  free: (shown) => `${shown} is free: add it to a project, then create the record that the project shows.`,
  in_use: (shown) => `${shown} has other records: to move it here, change or delete them as described below.`,
  points_here: (shown) => `${shown} already points to a target of this service.`,
  unregistered: (_, apex) => `The DNS does not know ${apex}: check the spelling, or register the domain.`,
  unknown: (shown) => `Too few name servers of ${shown} responded: try again later.`,
};

/** A name to check, as a person typed it. */
interface TypedName {
  hostname: string;
  /** The required target of its record. Without it, the check only reports the existing records. */
  target?: string | undefined;
}

export interface NameCheck extends JudgedName, CheckableName {
  report: Report;
  /** Only for a target of this service, and a name that needs records. */
  connect?: ConnectOffer | undefined;
}

/** The project's label in a target of this service. */
const labelIn = (target: string | undefined, zone: string): string | undefined => {
  const label = target?.endsWith(`.${zone}`) ? target.slice(0, -zone.length - 1) : undefined;
  return label?.includes(".") ? undefined : label;
};

/** @throws Fault invalid_request */
const acceptableTarget = (typed: string, hostname: Hostname): string => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw refusedName(parsed.refusal, "target");
  const { ascii } = parsed.hostname;
  if (ascii === hostname.ascii)
    throw fieldFault("invalid_request", { field: "target", rule: "conflict" }, "target: is the name itself");
  return ascii;
};

/** Parses a name by the rules for the domains of projects. @throws Fault invalid_request */
export const parseCheckable = (typed: TypedName, reservedNames: ReservedNames) => {
  const hostname = acceptableHostname(typed.hostname, reservedNames);
  const target = typed.target === undefined ? undefined : acceptableTarget(typed.target, hostname);
  return { hostname, target };
};

/** A name that can be checked, and its target in A-labels. */
type CheckableName = ReturnType<typeof parseCheckable>;

/**
 * Checks a name that need not belong to a project. Stores nothing.
 * @param targetZone the domain of all targets
 * @param offerConnect undefined without Domain Connect, and for people without a key: it causes requests to servers that
 *   strangers choose
 */
export const nameChecker = (inspect: Inspect, targetZone: string, offerConnect?: OfferConnect) => {
  const connectOf = patientOffer(offerConnect);
  return async ({ hostname, target }: CheckableName, isUrgent: () => boolean): Promise<NameCheck> => {
    // Only a project that holds the name needs no proof, and this check knows no project.
    const options = { isUrgent, needsProof: target !== undefined };
    const inspection = await inspect(hostname, target ?? hostname.ascii, options);
    const judged =
      target === undefined
        ? judgeWithoutTarget(inspection, { hostname, targetZone })
        : { verdict: verdictWithTarget(inspection), findings: inspection.findings };
    const { report } = inspection;
    const label = judged.verdict === "right" ? undefined : labelIn(target, targetZone);
    const connect = label && (await connectOf({ hostname, zone: report.zone, label }));
    return { hostname, target, ...judged, report, ...(connect && { connect }) };
  };
};

type CheckName = ReturnType<typeof nameChecker>;

/** How many checks clients can start. */
interface NameCheckLimits {
  /** Checks of names below one registered domain, whose name servers may be the target of an attack. */
  perDomain: Rate;
  /** The share of one client, so that no client uses up the limit for all. */
  perDomainAndClient?: Rate;
  /** Checks of all names; undefined: no limit. */
  total?: Rate;
  /** Checks at the same time. */
  concurrent: number;
  /** The share of one client, whose name servers can be slow for minutes. */
  concurrentPerClient?: number;
  /** How long a result is kept for further checks of the same name, in milliseconds. */
  keepMs: number;
}

/** For clients with a key. */
export const KEYED_LIMITS: NameCheckLimits = {
  perDomain: { requests: 30, seconds: 60 },
  concurrent: 16,
  keepMs: 0,
};

/** For all clients without a key together. */
export const PUBLIC_LIMITS = {
  perDomain: { requests: 60, seconds: 600 },
  perDomainAndClient: { requests: 10, seconds: 600 },
  total: { requests: 60, seconds: 60 },
  concurrent: 4,
  concurrentPerClient: 2,
  keepMs: 30_000,
} satisfies NameCheckLimits;

const BUSY_SECONDS = 5;
const LATER = "Try again later.";
/** The limits let no more checks start while a result is kept. */
const MAX_KEPT = 30;

const busy = () =>
  new Fault("not_ready", `Too many checks run at the moment: try again in ${BUSY_SECONDS} s.`, {
    "retry-after": String(BUSY_SECONDS),
  });

interface NameCheckServiceOptions {
  check: CheckName;
  reservedNames: ReservedNames;
  limits: NameCheckLimits;
  /** True if their queries go first, as those of verifications do. */
  isUrgent: boolean;
  /** The domain of every target that is accepted; undefined: any target is. */
  targetZone?: string;
  clock: Clock;
  /** How long a client waits for a check, in milliseconds. */
  patienceMs?: number;
}

/** @throws Fault invalid_request */
const assertTarget = (target: string | undefined, zone: string | undefined) => {
  if (target === undefined || zone === undefined || target.endsWith(`.${zone}`)) return;
  const problem = { field: "target", rule: "not_found" } as const;
  throw fieldFault("invalid_request", problem, "target: is not a target of this service");
};

/** Results for a short time, by name and target. */
const keptResults = ({ keepMs }: NameCheckLimits, clock: Clock) => {
  const cache = lruCache<string, { result: NameCheck; at: number }>({ maxEntries: MAX_KEPT });
  return {
    get(key: string): NameCheck | undefined {
      const kept = cache.get(key);
      return kept && clock.now() - kept.at < keepMs ? kept.result : undefined;
    },
    add(key: string, result: NameCheck) {
      if (keepMs > 0) cache.set(key, { result, at: clock.now() });
    },
  };
};

/** Checks names within limits. Concurrent checks of the same name and target are one. */
export const nameCheckService = (options: NameCheckServiceOptions) => {
  const { check, reservedNames, limits, isUrgent, targetZone, clock, patienceMs = PATIENCE_MS } = options;
  const { concurrent, concurrentPerClient = concurrent } = limits;
  const running = new Map<string, { client: string; result: Promise<NameCheck> }>();
  const kept = keptResults(limits, clock);
  const perDomain = rateLimiter("domain-checks", "checks of this domain");
  const perClient = rateLimiter("own-domain-checks", "checks of this domain");
  const total = rateLimiter("all-domain-checks", "checks");

  const run = async (key: string, name: CheckableName): Promise<NameCheck> => {
    try {
      const result = await check(name, () => isUrgent);
      kept.add(key, result);
      return result;
    } finally {
      running.delete(key);
    }
  };

  const assertRoom = (client: string) => {
    const own = running.values().filter((one) => one.client === client);
    if (running.size >= concurrent || own.toArray().length >= concurrentPerClient) throw busy();
  };

  const start = async (key: string, name: CheckableName, client: string): Promise<NameCheck> => {
    const { apex } = name.hostname;
    // First, so that refused checks of this client do not count against the others.
    if (limits.perDomainAndClient) await perClient.take(`${client} ${apex}`, limits.perDomainAndClient);
    await perDomain.take(apex, limits.perDomain);
    if (limits.total) await total.take("all", limits.total);
    // Another request may have started it meanwhile.
    const current = running.get(key);
    if (current) return current.result;
    assertRoom(client);
    const result = run(key, name);
    running.set(key, { client, result });
    return result;
  };

  return {
    /**
     * @param client that a check counts against, if the limits have a number for each
     * @throws Fault invalid_request, rate_limited; not_ready if too many checks run or the name servers are slow
     */
    async check(typed: TypedName, client = ""): Promise<NameCheck> {
      const name = parseCheckable(typed, reservedNames);
      assertTarget(name.target, targetZone);
      const key = `${name.hostname.ascii} ${name.target ?? ""}`;
      const result = kept.get(key) ?? running.get(key)?.result ?? start(key, name, client);
      return within(patienceMs, Promise.resolve(result), LATER);
    },
  };
};

export type NameCheckService = ReturnType<typeof nameCheckService>;
