import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../authorities.ts";
import { launch, until } from "../support.ts";

/** How long a node may take to start: it may have to fetch a snapshot and the records behind it. */
const START_MS = 30_000;

export interface NodeSettings {
  /** Where its DATA_DIR is. */
  place: string;
  env: Record<string, string>;
  /** How the executable is run, if not by itself. */
  argv?: string[];
}

/** An executable on a port that stays the same when it is started again. */
export const node = ({ place, env, argv }: NodeSettings) => {
  mkdirSync(place, { recursive: true });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = { LOG_LEVEL: "warn", AUTH_FAILURES_PER_MINUTE: "1000000", ...env };
  let running: ReturnType<typeof launch> | undefined;
  const pid = () => running?.pid ?? 0;
  return {
    place,
    url,
    port,
    pid,
    /** Starts it, and waits until it is ready. */
    async start(): Promise<void> {
      const started = launch({
        cwd: place,
        env: settings,
        flags: ["--port", String(port)],
        ...(argv && { argv }),
      });
      running = started;
      const isReady = () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      let exitCode: number | undefined;
      void started.exited.then((code) => (exitCode = code));
      await until(`${url} is ready`, async () => exitCode !== undefined || (await isReady()), START_MS);
      if (exitCode !== undefined) throw new Error(`${place} ended with ${exitCode}: ${await started.stderr}`);
    },
    async kill(): Promise<void> {
      await running?.[Symbol.asyncDispose]();
    },
    /** SIGSTOP or SIGCONT. */
    signal: (name: "SIGSTOP" | "SIGCONT") => void process.kill(pid(), name),
    /** The key of the first start of a cluster. */
    adminKey: () => readFileSync(join(place, "data", "admin.key"), "utf8").trim(),
    [Symbol.asyncDispose]: async () => running?.[Symbol.asyncDispose](),
  };
};

export type Node = ReturnType<typeof node>;
