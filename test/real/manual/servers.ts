import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../programs.ts";

const LISTEN = "0A";
const PATIENCE_MS = 20_000;

const portsIn = (table: string): number[] =>
  readFileSync(table, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTEN)
    .map(([, local = ""]) => Number.parseInt(local.split(":").at(-1) ?? "", 16));

/** The ports that programs of this network namespace listen on. */
const listening = (): number[] => [...portsIn("/proc/net/tcp"), ...portsIn("/proc/net/tcp6")];

/** A server that is starting refuses, or says 503. What is not HTTP serves as soon as it listens. */
const serves = async (port: number): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(1000);
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { redirect: "manual", signal })).status !== 503;
  } catch (error) {
    return (error as { code?: string }).code !== "ConnectionRefused";
  }
};

/** The servers that a page starts in other terminals. */
export const openServers = (env: Record<string, string>, notes: string) => {
  const running: Bun.Subprocess[] = [];

  const stopAll = async () => {
    for (const server of running.splice(0)) {
      server.kill("SIGINT");
      await server.exited;
    }
  };

  return {
    /** Starts a server, and waits until it serves. @param restart end the others first, as Ctrl-C does */
    async start(command: string, cwd: string, restart: boolean): Promise<void> {
      if (restart) await stopAll();
      const before = new Set(listening());
      const log = join(notes, `server-${running.length}.log`);
      writeFileSync(log, "");
      const server = Bun.spawn(["bash", "--norc", "-ec", `exec 2>&1\n${command}`], {
        cwd,
        env,
        stdin: "ignore",
        stdout: Bun.file(log),
        stderr: "inherit",
      });
      running.push(server);
      const isUp = async () => {
        if (server.exitCode !== null) throw new Error(`it ended with exit code ${server.exitCode}`);
        const added = listening().filter((port) => !before.has(port));
        return added.length > 0 && (await Promise.all(added.map(serves))).every(Boolean);
      };
      await until("it serves", isUp, PATIENCE_MS).catch((error: unknown) => {
        throw new Error(
          `${error instanceof Error ? error.message : String(error)}\n${readFileSync(log, "utf8")}`,
        );
      });
    },
  };
};
