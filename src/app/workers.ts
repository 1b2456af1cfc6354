import { type Config, processEnvironment } from "../config/config.ts";
import { challengesSocketPath, workersSocketPath } from "../data/data-dir/paths.ts";
import type { MissingWorkers } from "../data/data-dir/process-record.ts";
import type { AdopterReads } from "../access/audit/adopter-reads.ts";
import { type ForwardedListener, type OwnerSocket, listenForForwarded } from "../edge/forwarding.ts";
import type { Handler } from "../edge/http-listener.ts";
import type { Metrics, RequestCounts } from "../http/metrics.ts";
import type { Logger } from "../lib/log.ts";
import { formatTime } from "../lib/time.ts";
import { listenForChallenges } from "../protocols/tls/alpn-challenges.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { type Limiters, takeFor } from "../edge/workers/limiters.ts";
import { type WorkerPool, startPool } from "../edge/workers/pool.ts";
import type { WorkerVitals } from "./health.ts";
import type { WorkersRecorder } from "../data/data-dir/server-records.ts";
import type { Services } from "./services.ts";

/** The settings of a new worker. The ports are those that the owner listens on. */
export interface WorkerSettings {
  config: Config;
  socket: OwnerSocket;
}

/** A worker's counts since its last report. */
export interface WorkerReport extends RequestCounts {
  pid: number;
  keysUsed: ReadonlyMap<number, number>;
  adopterReads: readonly AdopterReads[];
  /** Resident memory, in bytes. */
  memory: number;
  /** CPU time since the last report, in seconds. */
  cpuSeconds: number;
}

/** The parts of this process that its workers use. */
interface Shared extends Pick<Services, "keys" | "adopterReads" | "pets" | "https"> {
  metrics: Metrics;
  limiters: Limiters;
}

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
    ({ keys, adopterReads, metrics }: Shared) =>
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
      shared: Shared,
      ports: Pick<Config, "port" | "httpPort" | "httpsPort">,
      onChange: WorkersRecorder,
    ): Promise<void> {
      if (shared.https)
        challenges = await listenForChallenges(
          challengesSocketPath(config.dataDir),
          shared.https.handshake,
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
