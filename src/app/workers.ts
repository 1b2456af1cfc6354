import { type Config, processEnvironment } from "../config/config.ts";
import { challengesSocketPath, workersSocketPath } from "../data/data-dir/paths.ts";
import type { MissingWorkers } from "../data/data-dir/process-record.ts";
import { type ForwardedListener, listenForForwarded } from "../edge/forwarding.ts";
import type { Handler } from "../edge/http-listener.ts";
import type { Metrics } from "../http/metrics.ts";
import { Fault } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { formatTime } from "../lib/time.ts";
import { listenForChallenges } from "../protocols/tls/alpn-challenges.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { type WorkerPool, startPool } from "../edge/workers/pool.ts";
import type { WorkerVitals } from "./health.ts";
import type { WorkersRecorder } from "./records.ts";
import type { Services } from "./services.ts";
import type { LimiterName, TakeResult, Taken, WorkerReport, WorkerSettings } from "./worker-messages.ts";

/** The parts of this process that its workers use. */
interface Shared {
  keys: Pick<Services["keys"], "recordUse">;
  adopterReads: Pick<Services["adopterReads"], "record">;
  pets: Services["pets"];
  metrics: Pick<Metrics, "add">;
  limiters: Readonly<Record<LimiterName, RateLimiter>>;
  https: Services["https"];
}

const takeFor =
  (limiters: Shared["limiters"]) =>
  async ({ limiter, client, rate }: Taken): Promise<TakeResult> => {
    try {
      return { headers: await limiters[limiter].take(client, rate) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { code, message, headers } = error;
      return { code, message, headers };
    }
  };

/** Why workers are missing after a change: some ended, for a reason, or some have started. */
const missingAfter = (
  before: MissingWorkers | undefined,
  count: number,
  ended: string | undefined,
): MissingWorkers | undefined => {
  if (ended !== undefined) return { count, since: before?.since ?? formatTime(Date.now()), reason: ended };
  return before && count > 0 ? { ...before, count } : undefined;
};

/**
 * The other processes of this server: they share its ports, respond to plain reads, and forward everything else to this one.
 * @param command how a worker is started, instead of as this program
 */
export const createWorkers = (config: Config, log: Logger, fetch: Handler, command?: readonly string[]) => {
  const socket = { path: workersSocketPath(config.dataDir), token: crypto.randomUUID() };
  const forwarded: ForwardedListener = listenForForwarded(socket, fetch);
  const memory = new Map<number, number>();
  let cpuSeconds = 0;
  let missing: MissingWorkers | undefined;
  let pool: WorkerPool | undefined;
  let challenges: { stop(): void } | undefined;

  const others: WorkerVitals = {
    report: async () => pool?.report(),
    memory: () => [...memory.values()].reduce((sum, bytes) => sum + bytes, 0),
    cpuSeconds: () => cpuSeconds,
    missing: () => missing,
  };

  const receive =
    ({ keys, adopterReads, metrics }: Omit<Shared, "https">) =>
    (report: WorkerReport): void => {
      metrics.add(report);
      for (const [id, at] of report.keysUsed) keys.recordUse(id, at);
      for (const { reader, rows } of report.adopterReads) adopterReads.record(reader, rows);
      memory.set(report.pid, report.memory);
      cpuSeconds += report.cpuSeconds;
    };

  const close = async (): Promise<void> => {
    challenges?.stop();
    await forwarded.stop();
  };

  return {
    forwarded,
    others,
    /** Starts the workers. Resolves when they serve. @param ports those that this process listens on */
    async start(
      { https, ...shared }: Shared,
      ports: Pick<Config, "port" | "httpPort" | "httpsPort">,
      onChange: WorkersRecorder,
    ): Promise<void> {
      if (https)
        challenges = await listenForChallenges(
          challengesSocketPath(config.dataDir),
          https.handshake,
          DEFAULT_LIMITS.handshakeMs,
        );
      const settings: WorkerSettings = { config: { ...config, ...ports }, socket };
      pool = startPool({
        count: config.workers - 1,
        settings,
        handlers: {
          take: takeFor(shared.limiters),
          report: receive(shared),
          index: shared.pets.indexing.index,
        },
        onChange(pids, ended) {
          missing = missingAfter(missing, config.workers - 1 - pids.length, ended);
          for (const pid of memory.keys()) if (!pids.includes(pid)) memory.delete(pid);
          onChange(pids, missing);
        },
        log,
        env: processEnvironment(),
        ...(command && { command }),
      });
      await pool.ready;
    },
    /** Lets the workers finish their requests in flight. Call it while this process still responds to them. */
    async stop(graceMs: number): Promise<void> {
      await pool?.stop(graceMs);
      await close();
    },
    close,
  };
};

export type Workers = ReturnType<typeof createWorkers>;
