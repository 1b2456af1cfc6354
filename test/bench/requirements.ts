import { join } from "node:path";
import { type Measurement, Refused } from "./options.ts";
import { launch } from "./processes.ts";

const ROOT = join(import.meta.dir, "../..");
const PEERS = join(import.meta.dir, "peers");

const run = async (what: string, command: string[], cwd: string): Promise<void> => {
  console.error(what);
  const child = launch(command, { cwd, output: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Refused(`${command.join(" ")} failed:\n${output}${errors}`);
};

/** @throws Refused */
export const assertTools = (only: ReadonlySet<Measurement>): void => {
  if (process.platform !== "linux")
    throw new Refused("the bench reads CPU times from /proc: run it on Linux");
  const others: readonly Measurement[] = ["bulk", "start", "nameserver"];
  const needsDriver = [...only].some((name) => !others.includes(name));
  if (needsDriver && !Bun.which("wrk")) throw new Refused("wrk is not installed: apt-get install wrk");
};

/** The executable to measure: a new one in `directory`, or that in dist. */
export const executable = async (directory: string, build: boolean): Promise<string> => {
  const built = join(ROOT, "dist/adoption-store");
  if (build) {
    const file = join(directory, "adoption-store");
    await run("building", [process.execPath, "run", "build", "--outfile", file], ROOT);
    return file;
  }
  if (await Bun.file(built).exists()) return built;
  throw new Refused("dist/adoption-store does not exist: leave --no-build away");
};

export interface Peers {
  constant: string[];
  hono: string[];
  fastify: string[];
}

/** Installs the peers as their lock file says, Node for the one that needs it included. */
export const peers = async (): Promise<Peers> => {
  await run("installing the peers", [process.execPath, "install", "--frozen-lockfile"], PEERS);
  const node = join(PEERS, `node_modules/node-linux-${process.arch}/bin/node`);
  return {
    constant: [process.execPath, join(PEERS, "constant.js")],
    hono: [process.execPath, join(PEERS, "hono.js")],
    fastify: [node, join(PEERS, "fastify.js")],
  };
};
