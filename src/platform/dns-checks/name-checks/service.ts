import { Fault, fieldFault } from "../../../lib/errors.ts";
import { lruCache } from "../../../lib/lru.ts";
import { type Rate, rateLimiter } from "../../../lib/rate-limiter.ts";
import type { Clock } from "../../../lib/time.ts";
import {
  type CheckName,
  type CheckableName,
  type NameCheck,
  type TypedName,
  parseCheckable,
} from "./name-check.ts";
import type { ReservedNames } from "../names.ts";
import { PATIENCE_MS, within } from "../dns-access.ts";

/** How many checks clients can start. */
export interface NameCheckLimits {
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

export interface NameCheckServiceOptions {
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
