import type { Context } from "../../data/context.ts";
import { DAY_MS, formatTime } from "../../lib/time.ts";
import { type Actor, SERVICE } from "../../lib/actor.ts";
import type { Checkable, Domain, DomainCertificates, EventName, InspectedDomain } from "./domain.ts";
import { awaitsCertificate, isHeld, isServed } from "./stage.ts";
import type { DomainFinding, Finding, FindingOf } from "../dns-checks/finding.ts";
import { type Inspect, type Inspection, mayHold } from "../dns-checks/inspect.ts";
import { isRefused, missingChallenge } from "./certificate-records.ts";
import { Fault } from "../../lib/errors.ts";
import { hostnameOf } from "../../lib/hostname.ts";
import type { RateLimiter } from "../../lib/rate-limiter.ts";
import { PATIENCE_MS, within } from "../dns-checks/dns-access.ts";
import { type Progress, acceptsProof, progressOf } from "./progress.ts";
import { jittered } from "./schedule.ts";
import { reportedAddresses } from "../dns-checks/trace.ts";
import type { Domains } from "./repository.ts";
import type { Check, DomainStages } from "./stage-repository.ts";
import { type Plan, hasCustomDomains } from "../projects/plan.ts";
import { cnameTargetIn } from "../projects/service.ts";
import { type Poller, duePoller } from "../../lib/poller.ts";

/**
 * The outcome of a check: `taken` if the records are right but another project keeps the host name, `overtaken` if the
 * domain was changed or removed meanwhile, so that the result says nothing about it.
 */
type CheckOutcome = "recorded" | "taken" | "overtaken";

/** The outcomes in the log. */
const OUTCOMES: Record<CheckOutcome, string> = {
  recorded: "the result of a check is stored",
  taken: "the records are right, but another project keeps the name",
  overtaken: "the domain was changed during its check, or the service stops: the result is discarded",
};

/** A finding without the parts that differ between checks of the same records. */
export const comparable = (finding: DomainFinding): string =>
  JSON.stringify({ ...finding, seconds: undefined, since: undefined });

/** Ignores the order, because servers respond in any order. */
const isSame = (before: readonly DomainFinding[], after: readonly DomainFinding[]): boolean =>
  before.map(comparable).toSorted().join("\n") === after.map(comparable).toSorted().join("\n");

/** The events of a check for the history. A check with the same result as the last one is not an event. */
const eventsFor = (
  domain: Domain,
  progress: Progress,
  seen: EventName,
  findings: readonly DomainFinding[],
): Check["events"] => {
  if (progress.stage !== domain.stage) return progress.events;
  const hasChanged = domain.checkedAt === null || !isSame(domain.findings, findings);
  return hasChanged ? [{ event: seen, stage: domain.stage }] : [];
};

type Silence = FindingOf<"unreachable">;
type Seen = Pick<Inspection, "findings" | "report">;

/** The last check, if there was one. */
interface LastCheck {
  findings: readonly DomainFinding[];
  checkedAt: number | null;
}

/** Undefined if the last check did not see the silence. The first check that sees it stores no time, so its own time counts. */
const sinceOf = ({ server, name }: Silence, { findings, checkedAt }: LastCheck): string | undefined => {
  const isSame = (finding: DomainFinding): finding is Silence =>
    finding.kind === "unreachable" && finding.server === server && finding.name === name;
  const earlier = findings.find(isSame);
  if (!earlier || checkedAt === null) return undefined;
  return earlier.since ?? formatTime(checkedAt);
};

/** Who must act if the other servers do not show it. */
const repairerOf = ({ server }: Silence, { report }: Seen) =>
  report.nameServers.includes(server) ? "dns_provider" : "operator";

/** Adds the start of each server's silence to the findings, and who must act, at the latest after a day. */
const withSilences = (seen: Seen, last: LastCheck, now: number): Finding[] =>
  seen.findings.map((finding) => {
    if (finding.kind !== "unreachable") return finding;
    const since = sinceOf(finding, last);
    if (since === undefined) return finding;
    const isOverdue = now - Date.parse(since) >= DAY_MS;
    return {
      ...finding,
      since,
      ...(isOverdue && { responsible: finding.responsible ?? repairerOf(finding, seen) }),
    };
  });

const findingsOf = (
  domain: Domain,
  inspection: Inspection,
  isTaken: boolean,
  now: number,
): DomainFinding[] => {
  const found = withSilences(inspection, domain, now);
  return isTaken ? [...found, { kind: "domain_taken", name: domain.hostname }] : found;
};

const isBlocked = (findings: readonly DomainFinding[]): boolean =>
  isRefused(findings) || missingChallenge(findings) !== undefined;

/** A domain that has moved is checked only if a person asks, or its records change. Others have their schedule. */
const isReady = (before: Domain, { event, findings }: Inspection): boolean =>
  event === "records_right" || (mayHold(event) && isBlocked(before.findings) && !isBlocked(findings));

/** @param onReady called when a check finds that a domain which waits for its certificate has moved here, or is allowed now */
export const domainChecks = (
  { config, clock, randomFraction, log }: Context,
  domains: Domains & DomainStages,
  inspect: Inspect,
  onReady?: (hostname: string) => Promise<unknown>,
) => {
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  // With HTTPS, domains get certificates, and are live once they have one.
  const isSecured = config.httpsPort !== undefined;
  const running = new Map<number, { outcome: Promise<CheckOutcome>; isAwaited: boolean }>();

  /** Stores a check's result. False if the domain was changed meanwhile, or another project keeps its name. */
  const write = (
    domain: Domain,
    inspection: Inspection,
    { actor, askedAt, isTaken = false }: { actor: Actor; askedAt: number; isTaken?: boolean },
  ) => {
    const now = clock.now();
    const progress = progressOf(domain, isTaken ? undefined : inspection.event, now, isSecured);
    const findings = findingsOf(domain, inspection, isTaken, now);
    const event = isTaken ? "domain_taken" : (inspection.event ?? "unreachable");
    const { events: _, ...state } = progress;
    return domains.record({
      domain,
      progress: { ...state, nextCheckAt: jittered(state.nextCheckAt, now, randomFraction) },
      events: eventsFor(domain, progress, event, findings),
      findings,
      trace: JSON.stringify(inspection.report),
      isProven: inspection.isProven,
      rivals: inspection.rivals.map((rival) => rival.slice(0, rival.indexOf("."))),
      askedAt,
      actor,
      now,
    });
  };

  /** If another project has had right records for a name, only right records make this project the holder. */
  const mayProve = async (domain: Domain, now: number): Promise<boolean> => {
    if (!acceptsProof(domain, now)) return false;
    const holder = await domains.holder(domain.hostname);
    // The project's own domain may have verified since it was read.
    return !holder || holder.project.id === domain.projectId || holder.domain.verifiedAt === null;
  };

  /** Inspects a domain and stores the result. */
  const perform = async (
    { domain, project }: Checkable,
    actor: Actor,
    isUrgent: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<CheckOutcome> => {
    const { projectId, hostname, stage } = domain;
    const askedAt = clock.now();
    const inspection = await inspect(hostnameOf(hostname), targetOf(project.targetLabel), {
      isUrgent,
      // A project that holds the name has proven it.
      needsProof: !isHeld(stage),
      acceptsProof: await mayProve(domain, askedAt),
      formerAddresses: reportedAddresses(await domains.trace(domain.id)),
      isServed: isServed(stage),
    });
    const event = inspection.event ?? "unreachable";
    log.debug({ hostname, event, findings: inspection.findings.map(({ kind }) => kind) }, "checked a domain");
    if (signal?.aborted) return "overtaken";
    if (await write(domain, inspection, { actor, askedAt })) {
      if (awaitsCertificate(stage) && isReady(domain, inspection)) await onReady?.(hostname);
      return "recorded";
    }
    const holder = mayHold(inspection.event) ? await domains.holder(hostname) : undefined;
    const isTaken = holder !== undefined && holder.project.id !== projectId;
    return isTaken && (await write(domain, inspection, { actor, askedAt, isTaken })) ? "taken" : "overtaken";
  };

  return {
    /**
     * Asks the DNS about a domain and stores the result. Calls during the check share it. Queries of a check that a
     * client waits for go before those of scheduled checks.
     * @param signal after its abort the result is not stored
     */
    run(checkable: Checkable, actor: Actor, signal?: AbortSignal): Promise<CheckOutcome> {
      const { id, hostname } = checkable.domain;
      const isAwaited = actor.kind !== "service";
      const current = running.get(id);
      if (current) {
        current.isAwaited ||= isAwaited;
        return current.outcome;
      }
      const { promise: outcome, resolve, reject } = Promise.withResolvers<CheckOutcome>();
      // Before the check begins: its first queries look here whether they are urgent.
      running.set(id, { outcome, isAwaited });
      perform(checkable, actor, () => running.get(id)?.isAwaited ?? true, signal)
        .finally(() => running.delete(id))
        .then((reached) => {
          log.debug({ hostname, outcome: reached }, OUTCOMES[reached]);
          return resolve(reached);
        })
        .catch(reject);
      return outcome;
    },
  };
};

export type Checks = ReturnType<typeof domainChecks>;

/** Checks of one domain that clients may request. */
export const VERIFICATIONS = { requests: 10, seconds: 60 } as const;
/** Checks for one request: while a domain is checked, its certificate can be ordered and installed. */
const MAX_TRIES = 3;
/** Advice for a client whose check takes too long. */
const LATER = "The check continues: fetch the domain later to see its result.";

export interface VerificationOptions {
  checks: Checks;
  /** Limits the checks of one domain that clients request. */
  verifications: RateLimiter;
  /** Undefined without HTTPS. */
  certificates?: Pick<DomainCertificates, "request"> | undefined;
  /** How long a client waits for a check, in milliseconds. */
  patienceMs?: number;
}

/** Finds a project's domain by its name. @throws Fault not_found */
interface DomainFinder {
  find(slug: string, typed: string): Promise<Checkable>;
  get(slug: string, typed: string): Promise<InspectedDomain>;
}

/** @throws Fault plan_required */
export const assertPlan = (project: { plan: Plan }) => {
  if (!hasCustomDomains(project)) throw new Fault("plan_required");
};

/**
 * Asks the DNS now. Concurrent requests share the check.
 * @throws Fault not_found, plan_required, rate_limited; domain_taken if the DNS also names the project that holds the
 * name; not_ready if the name servers take too long: the check continues, and its result is stored
 */
export const verification = (
  { checks, certificates, verifications, patienceMs = PATIENCE_MS }: VerificationOptions,
  { find, get }: DomainFinder,
) => {
  /** Checks a domain again if its stage changed meanwhile, until this or another process has stored a result. */
  const check = async (slug: string, { project, domain }: Checkable, actor: Actor): Promise<CheckOutcome> => {
    let current = domain;
    for (let tries = 1; ; tries++) {
      const outcome = await checks.run({ project, domain: current }, actor);
      if (outcome !== "overtaken" || tries === MAX_TRIES) return outcome;
      current = (await find(slug, domain.hostname)).domain;
      if (current.id !== domain.id || current.checkedAt !== domain.checkedAt) return outcome;
    }
  };

  return async (slug: string, typed: string, actor: Actor): Promise<InspectedDomain> => {
    const checkable = await find(slug, typed);
    const { project, domain } = checkable;
    assertPlan(project);
    // By name: a domain that is removed and added again has another id.
    await verifications.take(`${project.id} ${domain.hostname}`, VERIFICATIONS);
    const outcome = await within(patienceMs, check(slug, checkable, actor), LATER);
    if (outcome === "taken") throw new Fault("domain_taken");
    const checked = await get(slug, typed);
    const isRequested =
      awaitsCertificate(checked.stage) && ((await certificates?.request(checked.hostname)) ?? false);
    return isRequested ? get(slug, typed) : checked;
  };
};

/** Checks that start each second. 10,000 waiting domains need 11 a second, with 25 queries each. */
export const MAX_PER_TICK = 20;
/** Scheduled checks at the same time. A silent server takes seconds, and must not delay other checks or clients' requests. */
export const MAX_CONCURRENT = 32;

/** The message in the log when a check fails or cannot be stored. */
export const UNCHECKED = "a domain could not be checked";

/** Checks the domains that are due. Results after `stop` are not stored: the check is due again at the next start. */
export const domainScheduler = (
  { clock, log }: Context,
  domains: Domains & DomainStages,
  checks: Checks,
): Poller =>
  duePoller({
    due: domains.due,
    idOf: ({ domain }) => domain.id,
    async process({ domain, project }, signal) {
      if (hasCustomDomains(project)) return checks.run({ domain, project }, SERVICE, signal);
      log.debug({ hostname: domain.hostname }, "the plan has no custom domains: scheduled checks are to end");
      return domains.stopChecks(domain);
    },
    maxPerTick: MAX_PER_TICK,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError: (error) => log.error({ err: error }, UNCHECKED),
  });
