import type { Report } from "../dns-checks/model.ts";
import type { WatchQueries } from "../dns-checks/trace.ts";
import { SERVICE } from "../../lib/actor.ts";
import { hostnameOf } from "../../lib/hostname.ts";
import { lruCache } from "../../lib/lru.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import type { Context } from "../../data/context.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import { cnameTargetIn } from "../projects/service.ts";
import { isRefused, missingChallenge } from "./certificate-records.ts";
import { type Server, parseServer } from "../../lib/name-server.ts";
import { type Checks, UNCHECKED } from "./checks.ts";
import type { Domain } from "./domain.ts";
import { isHeld } from "./stage.ts";
import type { Checkable } from "./domain.ts";
import type { Domains } from "./repository.ts";
import { EARLY_MS, WAITING_MS } from "./schedule.ts";

/** The interval between watches. */
const WATCH_MS = 20_000;
/** A domain that has waited for longer than `EARLY_MS` is in one watch per round. */
const WATCHES_PER_ROUND = 6;
/** The maximum number of domains in one watch. The newest have priority. */
const MAX_DOMAINS = 1000;
/** Concurrent probes. */
const MAX_CONCURRENT = 16;
/** A query whose response is different at every watch causes at most one check in this time. */
const RECHECK_MS = 60_000;
/** How long a watch waits for a check. Slow name servers of one domain must not hold up the others, or a shutdown. */
const PATIENCE_MS = 5000;

interface RecordWatchOptions extends WatchQueries {
  domains: Pick<Domains, "watched" | "trace">;
  checks: Checks;
  patienceMs?: number;
}

/** The zone's servers that responded to the last check. The first decides: one with older records than the others, if any. */
const serversOf = ({ findings }: Domain, nameServers: readonly string[]): Server[] => {
  const isSilent = (server: string) =>
    findings.some((finding) => finding.kind === "unreachable" && finding.server === server);
  const stale = findings.find((finding) => finding.kind === "mixed_answers")?.server;
  const responsive = nameServers.filter((server) => server !== stale && !isSilent(server));
  return [...(stale === undefined ? [] : [stale]), ...responsive].flatMap((name) => parseServer(name) ?? []);
};

/** The query of the last check whose response blocks the domain although its records are right. */
const blockingQuery = ({ stage, findings }: Domain, { questions }: Report) => {
  const rejection = findings.find((finding) => finding.kind === "dnssec_failure");
  if (rejection)
    return questions.findLast(({ server, outcome }) => server === rejection.server && outcome === "SERVFAIL");
  // The search for CAA records ends with those that count.
  return isHeld(stage) && isRefused(findings) ? questions.findLast(({ type }) => type === "CAA") : undefined;
};

/**
 * Watches the records of domains that do not point here yet, and checks a domain once one server of its zone has the right ones.
 * A watch stores nothing. A domain whose right records were not enough is checked again on its schedule, after they were wrong,
 * once the DNSSEC or CAA query that blocked it has a different response, or once every server has the challenge's record.
 */
export const recordWatch = (
  { config, clock, log }: Context,
  { domains, probe, probeChallenge, repeatQuery, checks, patienceMs = PATIENCE_MS }: RecordWatchOptions,
): Poller => {
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  const onError = (error: unknown) => log.error({ err: error }, UNCHECKED);
  const checked = lruCache<string, { cause: string; at: number }>({ maxEntries: MAX_DOMAINS });
  let round = 0;

  const watch = async ({ domain, project }: Checkable, signal: AbortSignal): Promise<void> => {
    const trace = hasCustomDomains(project) ? await domains.trace(domain.id) : undefined;
    if (trace === undefined) return;
    const report = JSON.parse(trace) as Report;
    const query = blockingQuery(domain, report);
    const servers = serversOf(domain, report.nameServers);
    const [server] = servers;
    const target = targetOf(project.targetLabel);
    const challenge = missingChallenge(domain.findings);
    const isDelegated = async () =>
      challenge && (await Promise.all(servers.map((one) => probeChallenge(challenge, one)))).every(Boolean);
    const causeOf = async () => {
      if (query && (await repeatQuery(query))) return "changed";
      if (!server) return undefined;
      if (!query && (await probe(hostnameOf(domain.hostname), target, server, report.targetAddresses)))
        return "right";
      return (await isDelegated()) ? "delegated" : undefined;
    };
    const cause = await causeOf();
    const key = `${domain.id} ${domain.stage}`;
    if (cause === undefined) return checked.delete(key);
    const [last, at] = [checked.get(key), clock.now()];
    const isDue = last?.cause !== cause || (cause === "changed" && Math.abs(at - last.at) >= RECHECK_MS);
    if (!isDue || signal.aborted) return;
    checked.set(key, { cause, at });
    log.debug(
      { hostname: domain.hostname, cause },
      "the records of a watched domain may be right: a check is requested",
    );
    const check = checks.run({ domain, project }, SERVICE, signal).catch(onError);
    await Promise.race([check, Bun.sleep(patienceMs)]);
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const since = round++ % WATCHES_PER_ROUND === 0 ? now - WAITING_MS : now - EARLY_MS;
    const queue = (await domains.watched(now, since, MAX_DOMAINS)).values();
    const worker = async () => {
      for (const watched of queue) {
        if (signal.aborted) return;
        await watch(watched, signal).catch(onError);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
  };
  return repeat(WATCH_MS, work, { onError });
};
