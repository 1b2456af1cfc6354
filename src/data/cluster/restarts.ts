import { LogTrimmed, ReplicaOutdated } from "./log.ts";
import { markKept, markOutdated } from "./load-snapshot.ts";
import type { Config } from "../../config/config.ts";
import { databasePath } from "../data-dir/paths.ts";
import { reasonOf } from "../../lib/reason.ts";
import type { Logger } from "../../lib/log.ts";

/** After so many rebuilds within an hour, another one will not help. */
const MAX_REBUILDS = 3;
const REBUILD_WINDOW_MS = 3_600_000;
/** How often a start is tried after a rebuild, with a pause that doubles. */
const MAX_TRIES = 8;
const FIRST_PAUSE_MS = 500;

interface Restartable {
  log: Logger;
  /** Resolves with the reason why the server must stop. */
  failed: Promise<Error>;
  state(): Promise<string>;
  stop(): Promise<void>;
}

const STARTING_AGAIN = "Starting again from the cluster's snapshot";

/** A start that fails reports its own reason. */
const asOutdated = (error: unknown): ReplicaOutdated | undefined =>
  error instanceof ReplicaOutdated
    ? error
    : error instanceof Error && error.cause !== undefined
      ? asOutdated(error.cause)
      : undefined;

/** Marks the replica, so that the next start loads the snapshot. @returns false if that did not help before */
const rebuilder = ({ dataDir }: Config) => {
  let rebuilds: number[] = [];
  return async (reason: unknown): Promise<boolean> => {
    const outdated = asOutdated(reason);
    if (!outdated) return false;
    const now = performance.now();
    // A node that applies the log more slowly than others trim it comes closer to the end with each snapshot.
    const isSlow = outdated.cause instanceof LogTrimmed;
    if (!isSlow) rebuilds = [...rebuilds.filter((time) => time > now - REBUILD_WINDOW_MS), now];
    if (rebuilds.length > MAX_REBUILDS) return false;
    const path = databasePath(dataDir);
    if (outdated.keptAs) await markKept(path, outdated.keptAs, outdated.message);
    else await markOutdated(path, outdated.message);
    return true;
  };
};

/**
 * A server of a cluster. When its replica is outdated, it stops serving, and starts again from the snapshot, in this process.
 * It fails only if that does not help.
 */
export const startNode = async <Server extends Restartable>(
  config: Config,
  start: () => Promise<Server>,
  { signal, firstPauseMs = FIRST_PAUSE_MS }: { signal?: AbortSignal; firstPauseMs?: number } = {},
): Promise<Server> => {
  const mayRebuild = rebuilder(config);
  const startOnce = async (): Promise<Server> => {
    for (;;)
      try {
        return await start();
      } catch (error) {
        if (!(await mayRebuild(error))) throw error;
      }
  };
  const startAgain = async (): Promise<Server> => {
    for (let tries = 1; ; tries++)
      try {
        return await startOnce();
      } catch (error) {
        if (tries === MAX_TRIES || signal?.aborted || stopped) throw error;
        // The engine may be unreachable, or another process may have taken the port for a moment.
        const pauseMs = firstPauseMs * 2 ** (tries - 1);
        current.log.error({ reason: reasonOf(error), pauseMs }, "cannot start again yet: trying again");
        await Bun.sleep(pauseMs);
      }
  };
  let current = await startOnce();
  let restarting: Promise<unknown> | undefined;
  let stopped: Promise<void> | undefined;
  const { promise: failed, resolve: onFailed } = Promise.withResolvers<Error>();
  const restart = async (reason: Error): Promise<void> => {
    current.log.error({ reason: reason.message }, "starting again from the cluster's snapshot");
    await current.stop();
    current = await startAgain();
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const reason = await current.failed;
      if (stopped || !(await mayRebuild(reason))) return onFailed(reason);
      restarting = restart(reason).finally(() => (restarting = undefined));
      await restarting;
    }
  };
  watch().catch(onFailed);
  const stop = async () => {
    await restarting?.catch(() => {});
    await current.stop();
  };
  const node: Omit<Restartable, "log"> = {
    failed,
    state: async () => (restarting ? STARTING_AGAIN : current.state()),
    stop: () => (stopped ??= stop()),
  };
  // The addresses and the log are those of the current server.
  return new Proxy({} as Server, { get: (_, name) => Reflect.get(name in node ? node : current, name) });
};
