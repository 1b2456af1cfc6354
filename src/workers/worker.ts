import { reasonOf } from "../lib/reason.ts";
import { WORKER } from "./argument.ts";
import { type Channel, type Handlers, channel } from "./channel.ts";

/** Bun's own limit of 256 requests at once would let slow clients stop the others. */
const FORWARDED_REQUESTS = 16_384;

export interface Worker extends Channel {
  pid: number;
  /** Resolves with the reason why it ended. */
  exited: Promise<string>;
  kill(reason?: string): void;
}

/** Starts a worker. */
export const spawnWorker = (
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  handlers: Handlers,
): Worker => {
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
  const exited = child.exited.then(() => {
    const reason = killedFor ?? String(child.signalCode ?? `exit code ${child.exitCode}`);
    link.close(reason);
    return reason;
  });
  return { ...link, pid: child.pid, exited, kill };
};

/** Lets a worker begin to serve. @returns why it does not; undefined if it does */
export const startWithin = async (
  ms: number,
  worker: Worker,
  settings: unknown,
): Promise<string | undefined> => {
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
export const killIfHung = (worker: Worker, ms: number): void => {
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
