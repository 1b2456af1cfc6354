import { join } from "node:path";
import { allowedCores } from "./cores.ts";
import { type Measurement, Refused } from "./options.ts";
import { launch } from "./processes.ts";

const ROOT = join(import.meta.dir, "../..");
const PEERS = join(import.meta.dir, "peers");

export const run = async (what: string, command: string[], cwd: string): Promise<void> => {
  console.error(what);
  const child = launch(command, { cwd, output: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Refused(`${command.join(" ")} failed:\n${output}${errors}`);
};

interface Tool {
  program: string;
  install: string;
  neededBy: readonly Measurement[];
}

/** Programs that the bench runs and doesn't bring along. */
export const TOOLS: readonly Tool[] = [
  {
    program: "wrk",
    install: "apt-get install wrk",
    neededBy: ["read", "write", "workers", "cluster", "growth", "site", "memory"],
  },
  { program: "gcc", install: "apt-get install gcc libc6-dev", neededBy: ["workers"] },
  { program: "h2load", install: "apt-get install nghttp2-client", neededBy: ["tls"] },
  { program: "caddy", install: "apt-get install caddy", neededBy: ["site", "tls"] },
  { program: "go", install: "Go 1.25 or later, from https://go.dev/dl", neededBy: ["read", "write"] },
  { program: "named", install: "apt-get install bind9", neededBy: ["nameserver", "issuance"] },
  { program: "pebble", install: "apt-get install pebble", neededBy: ["issuance"] },
  { program: "dnsperf", install: "apt-get install dnsperf", neededBy: ["nameserver"] },
  { program: "chromium", install: "apt-get install chromium", neededBy: ["console"] },
  { program: "taskset", install: "apt-get install util-linux", neededBy: ["streams"] },
];

/** @throws Refused, with the command that installs each missing program */
export const assertTools = (only: ReadonlySet<Measurement>): void => {
  if (process.platform !== "linux")
    throw new Refused("The bench reads CPU times from /proc: run it on Linux.");
  if (only.has("streams") && allowedCores().length < 2)
    throw new Refused(
      "The part streams needs two cores: one for the server, and another for its clients. Choose other parts with --only.",
    );
  const missing = TOOLS.filter(
    ({ program, neededBy }) => neededBy.some((name) => only.has(name)) && !Bun.which(program),
  );
  if (missing.length === 0) return;
  const lines = missing.map(
    ({ program, install, neededBy }) => `  ${program}, for ${neededBy.join(" and ")}: ${install}`,
  );
  throw new Refused(
    `Programs are missing. Install them, or choose other parts with --only:\n${lines.join("\n")}`,
  );
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

/** Builds PocketBase as go.sum says. @returns the executable */
export const pocketBase = async (directory: string): Promise<string> => {
  const file = join(directory, "pocketbase");
  await run(
    "building PocketBase",
    ["go", "build", "-mod=readonly", "-o", file, "."],
    join(PEERS, "pocketbase"),
  );
  return file;
};

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

/** Installs what drives Chromium, as the lock file of the real tests says. */
export const installBrowserDriver = (): Promise<void> =>
  run(
    "installing playwright-core",
    [process.execPath, "install", "--frozen-lockfile"],
    join(ROOT, "test/real"),
  );
