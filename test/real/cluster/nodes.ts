import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../authorities.ts";
import { EXECUTABLE, launch, until } from "../support.ts";

/** How long a node may take to start: it may have to fetch a snapshot and the records behind it. */
const START_MS = 30_000;

export interface NodeSettings {
  /** Where its DATA_DIR is. */
  place: string;
  env: Record<string, string>;
  /** Where it runs, if not on this network. */
  network?: { inside: readonly string[]; address: string };
  /** Another executable than the one that was built. */
  program?: string;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** An executable on a port that stays the same when it is started again. */
export const node = ({ place, env, network, program = EXECUTABLE }: NodeSettings) => {
  mkdirSync(place, { recursive: true });
  const port = freePort();
  const url = `http://${network?.address ?? "127.0.0.1"}:${port}`;
  const settings = {
    LOG_LEVEL: "warn",
    AUTH_FAILURES_PER_MINUTE: "1000000",
    ...(network && { HOST: "0.0.0.0" }),
    ...env,
  };
  const argv = [...(network?.inside ?? []), program];
  let running: ReturnType<typeof launch> | undefined;
  const kill = async () => running?.[Symbol.asyncDispose]();
  return {
    place,
    pid: () => running?.pid ?? 0,
    url,
    port,
    /** Starts it, and waits until it is ready. */
    async start(): Promise<void> {
      const started = launch({ cwd: place, env: settings, argv, flags: ["--port", String(port)] });
      running = started;
      let exitCode: number | undefined;
      void started.exited.then((code) => (exitCode = code));
      const hasEnded = () => exitCode !== undefined;
      await until(`${url} is ready`, async () => hasEnded() || (await isReady(url)), START_MS);
      if (hasEnded()) throw new Error(`${place} ended with ${exitCode}: ${await started.stderr}`);
    },
    /** What it has logged since its last start. */
    output: () => running?.stdout() ?? "",
    kill,
    stop: () => process.kill(running?.pid ?? 0, "SIGSTOP"),
    continue: () => process.kill(running?.pid ?? 0, "SIGCONT"),
    /** The key that the first start of a cluster makes. */
    adminKey: () => readFileSync(join(place, "data", "admin.key"), "utf8").trim(),
    [Symbol.asyncDispose]: kill,
  };
};

export type Node = ReturnType<typeof node>;
