import type { RecordProbe } from "../dns-checks/record-probe.ts";
import type { Report } from "../dns-checks/report.ts";
import { SERVICE } from "../lib/actor.ts";
import { hostnameOf } from "../lib/hostname.ts";
import { lruCache } from "../lib/lru.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import type { Clock } from "../lib/time.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import { parseServer } from "../protocols/dns/server-address.ts";
import type { Checks } from "./checks.ts";
import type { Domain } from "./domain.ts";
import type { Checkable } from "./read-repository.ts";
import type { Domains } from "./repository.ts";

/** Between watches. */
const WATCH_MS = 20_000;
/** How long a domain that waits is in every watch. After that it is in one watch of each round. */
const WATCHED_FIRST_MS = 2 * 60 * 60 * 1000;
const WATCHES_PER_ROUND = 6;
/** Domains in one watch, those that have waited the least first. */
const MAX_DOMAINS = 1000;
/** Probes at the same time. */
const MAX_CONCURRENT = 16;
/** How long a watch waits for a check. Slow name servers of one domain must not hold up the watch of the others, or a stop. */
const PATIENCE_MS = 5000;

interface RecordWatchOptions {
  domains: Pick<Domains, "watched" | "trace">;
  probe: RecordProbe;
  checks: Checks;
  clock: Clock;
  targetOf: (label: string) => string;
  onError: (error: unknown) => void;
  patienceMs?: number;
}

/** The server whose response decides: one with older records than the others, otherwise the first that responded. */
const serverOf = ({ findings }: Domain, nameServers: readonly string[]) => {
  const isSilent = (server: string) =>
    findings.some((finding) => finding.kind === "unreachable" && finding.server === server);
  const stale = findings.find((finding) => finding.kind === "mixed_answers")?.server;
  return parseServer(stale ?? nameServers.find((server) => !isSilent(server)) ?? "");
};

/**
 * Watches the records of domains that do not lead here yet, and checks a domain as soon as one server of its zone has the right ones.
 * A watch stores nothing. A domain whose right records were not enough is checked again by its plan, or after they
 * were wrong.
 */
export const recordWatch = ({
  domains,
  probe,
  checks,
  clock,
  targetOf,
  onError,
  patienceMs = PATIENCE_MS,
}: RecordWatchOptions): Poller => {
  const isChecked = lruCache<number, true>({ maxEntries: MAX_DOMAINS });
  let round = 0;

  const watch = async ({ domain, project }: Checkable, signal: AbortSignal): Promise<void> => {
    const trace = hasCustomDomains(project) ? await domains.trace(domain.id) : undefined;
    if (trace === undefined) return;
    const { nameServers, targetAddresses } = JSON.parse(trace) as Report;
    const server = serverOf(domain, nameServers);
    if (!server) return;
    const target = targetOf(project.targetLabel);
    const isRight = await probe(hostnameOf(domain.hostname), target, server, targetAddresses);
    if (!isRight) return isChecked.delete(domain.id);
    if (isChecked.get(domain.id) || signal.aborted) return;
    isChecked.set(domain.id, true);
    const check = checks.run({ domain, project }, SERVICE, signal).catch(onError);
    await Promise.race([check, Bun.sleep(patienceMs)]);
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const since = round++ % WATCHES_PER_ROUND === 0 ? 0 : now - WATCHED_FIRST_MS;
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
