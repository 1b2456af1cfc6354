import { type Subprocess, spawn, spawnSync } from "bun";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Refused } from "./options.ts";

const running = new Set<Subprocess>();
let closing = false;

interface Place<Output> {
  cwd: string;
  /** The environment; without it, that of the bench. */
  env?: Record<string, string>;
  /** Where standard output and error go: a pipe each, nowhere, or an open file. */
  output: Output;
}

/** Starts a process that `stopAll` ends if it still runs. */
export const launch = <const Output extends "pipe" | "ignore" | number>(
  command: string[],
  { cwd, env, output }: Place<Output>,
) => {
  if (closing) throw new Refused("stopped");
  const child = spawn(command, {
    cwd,
    env: env ?? process.env,
    stdin: "ignore",
    stdout: output,
    stderr: output,
  });
  running.add(child);
  void child.exited.finally(() => running.delete(child));
  return child;
};

const KILL_AFTER_MS = 15_000;

const stop = async (child: Subprocess): Promise<void> => {
  const impatient = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  child.kill("SIGTERM");
  await child.exited;
  clearTimeout(impatient);
};

/** Ends every process that was started here, and no other; from now on none is started. */
export const stopAll = async (): Promise<void> => {
  closing = true;
  await Promise.all([...running].map(stop));
};

export interface Server {
  name: string;
  pid: number;
  url: string;
  stop(): Promise<void>;
}

const LISTENING = /Listening on \S+:(\d+)/;
const START_MS = 20_000;

const announcedPort = (log: string): number | undefined =>
  Number(LISTENING.exec(readFileSync(log, "utf8"))?.[1]) || undefined;

const openPort = async (port: number): Promise<number | undefined> => {
  const options = { hostname: "127.0.0.1", port, socket: { data() {} } };
  const socket = await Bun.connect(options).catch(() => undefined);
  socket?.end();
  return socket && port;
};

const portOf = async (child: Subprocess, log: string, given?: number): Promise<number> => {
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const port = given ? await openPort(given) : announcedPort(log);
    if (port) return port;
    await Bun.sleep(5);
  }
  throw new Refused(`a server did not start:\n${readFileSync(log, "utf8")}`);
};

/** What a server needs of the environment; the settings of the shell that runs the bench do not reach it. */
export const environment = (settings: Record<string, string>): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  NODE_ENV: "production",
  ...settings,
});

interface StartOptions {
  directory: string;
  settings: Record<string, string>;
  /** Of a server that can't choose it. */
  port?: number;
}

/** Starts a server that chooses a free port and prints `Listening on <url>`, or one with a given port. */
export const startServer = async (
  name: string,
  command: string[],
  { directory, settings, port: given }: StartOptions,
): Promise<Server> => {
  const log = join(directory, `${name}-${Bun.randomUUIDv7()}.log`);
  const output = openSync(log, "a");
  const child = launch(command, { cwd: directory, env: environment(settings), output });
  closeSync(output);
  const port = await portOf(child, log, given);
  return { name, pid: child.pid, url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
};

const ticksPerSecond = Number(spawnSync(["getconf", "CLK_TCK"]).stdout.toString()) || 100;

/** User and system time of a process with all its threads so far, in seconds (proc(5): fields 14 and 15 of stat). */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the name in parentheses, may hold spaces: count from behind it, where field 3 comes first.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

/** Resident memory in bytes. */
export const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
