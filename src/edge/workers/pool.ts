import type { Logger } from "../../lib/log.ts";
import { ownProgram } from "../../lib/own-program.ts";
import { reasonOf } from "../../lib/reason.ts";
import { WORKER } from "./argument.ts";
import { type Handlers, channel } from "./channel.ts";

/** Bun's own limit of 256 concurrent requests would let slow clients stop the others. */
const FORWARDED_REQUESTS = 16_384;

/** Starts a worker. */
const spawnWorker = (
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  handlers: Handlers,
) => {
  const child = Bun.spawn([...command, WORKER], {
    env: {
      ...env,
      BUN_CONFIG_MAX_HTTP_REQUESTS: String(FORWARDED_REQUESTS),
      // The system kills the worker with its owner, even if it hangs.
      BUN_FEATURE_FLAG_NO_ORPHANS: "1",
    },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (packet) => link.receive(packet),
  });
  const link = channel((packet) => child.send(packet), handlers);
  let killedFor: string | undefined;
  const kill = (reason?: string): void => {
    killedFor ??= reason;
    child.kill("SIGKILL");
  };
  const exited = child.exited.then((): string => {
    const reason = killedFor ?? String(child.signalCode ?? `exit code ${child.exitCode}`);
    link.close(reason);
    return reason;
  });
  return {
    ...link,
    pid: child.pid,
    /** Resolves with the reason why it ended. */
    exited,
    kill,
  };
};

type Worker = ReturnType<typeof spawnWorker>;

/** Lets a worker begin to serve. @returns why it does not; undefined if it does */
const startWithin = async (ms: number, worker: Worker, settings: unknown): Promise<string | undefined> => {
  const timer = setTimeout(() => worker.kill(`it did not start within ${ms} ms`), ms);
  try {
    await worker.ask("start", settings);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    clearTimeout(timer);
  }
};

/** Kills a worker whose event loop hangs, because the system still gives it connections. */
const killIfHung = (worker: Worker, ms: number): void => {
  let hasResponded = true;
  const noteResponse = () => {
    hasResponded = true;
  };
  const timer = setInterval(() => {
    if (!hasResponded) return worker.kill(`it did not respond for ${ms} ms`);
    hasResponded = false;
    worker.ask("report").then(noteResponse, noteResponse);
  }, ms);
  void worker.exited.then(() => clearInterval(timer));
};

/** The first pause before a worker is replaced that ended soon after its start; each next one is twice as long. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A worker that lived this long is replaced immediately. */
const STABLE_MS = 10_000;
/** How long a worker may take to start. */
const START_MS = 30_000;
/** How long a worker may take to report. One that takes longer is left out. */
const REPORT_MS = 1000;
/** A worker that does not respond for this long hangs. systemd waits as long for the first process. */
const HANG_MS = 30_000;

interface PoolOptions<Settings> {
  count: number;
  /** The settings of new workers. */
  settings: Settings;
  /** The functions that workers may call. */
  handlers: Handlers;
  /** Called with the running workers when one has started, and when one has ended: then also with the reason. */
  onChange(pids: readonly number[], ended?: string): void;
  log: Logger;
  env: Readonly<Record<string, string | undefined>>;
  /** How a worker is started, without WORKER. */
  command?: readonly string[];
  /** How long a worker may take to start, in milliseconds. */
  startMs?: number;
  /** How long a worker may take to respond, in milliseconds. */
  hangMs?: number;
}

const pauseAfter = (livedMs: number, beforeMs: number): number => {
  if (livedMs >= STABLE_MS) return 0;
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, beforeMs * 2));
};

/** Keeps a number of workers running. A worker ends when this process does, because their channel closes. */
export const startPool = <Settings>({
  count,
  settings,
  handlers,
  onChange,
  log,
  env,
  command = ownProgram(),
  startMs = START_MS,
  hangMs = HANG_MS,
}: PoolOptions<Settings>) => {
  const started = new Set<Worker>();
  /** Those that serve. */
  const running = new Set<Worker>();
  const stopping = Promise.withResolvers<void>();
  let isStopping = false;
  const pids = () => Array.from(running, ({ pid }) => pid);

  /** Runs one worker until it ends. @returns why it ended */
  const runOne = async (onReady: () => void): Promise<string> => {
    const worker = spawnWorker(command, env, handlers);
    started.add(worker);
    const failed = await startWithin(startMs, worker, settings);
    if (failed === undefined) {
      running.add(worker);
      // It had started when the others were asked to stop.
      if (isStopping) void worker.ask("stop").catch(() => {});
      else onChange(pids());
    } else worker.kill();
    onReady();
    killIfHung(worker, hangMs);
    const reason = await worker.exited;
    started.delete(worker);
    running.delete(worker);
    return failed ?? reason;
  };

  const keepOne = async (onReady: () => void): Promise<void> => {
    for (let pauseMs = 0; ;) {
      const begin = performance.now();
      const reason = await runOne(onReady).catch(reasonOf);
      onReady();
      if (isStopping) return;
      onChange(pids(), reason);
      pauseMs = pauseAfter(performance.now() - begin, pauseMs);
      log.warn({ reason, pauseMs }, "a worker has ended: starting another");
      await Promise.race([Bun.sleep(pauseMs), stopping.promise]);
      if (isStopping) return;
    }
  };

  const starts = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const kept = starts.map(({ resolve }) => keepOne(resolve));

  return {
    /** Resolves when each worker has started, or has failed to for the first time. */
    ready: Promise.all(starts.map(({ promise }) => promise)),
    /** Asks all workers for their reports; resolves when they have sent them. */
    async report(): Promise<void> {
      const reports = [...running].map((worker) => worker.ask("report").catch(() => {}));
      await Promise.race([Promise.all(reports), Bun.sleep(REPORT_MS)]);
    },
    /** Lets all workers finish their requests in flight, at most `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      stopping.resolve();
      for (const worker of running) void worker.ask("stop").catch(() => {});
      const timer = setTimeout(() => {
        for (const worker of started) worker.kill();
      }, graceMs);
      await Promise.all(kept);
      clearTimeout(timer);
    },
  };
};

export type WorkerPool = ReturnType<typeof startPool>;
