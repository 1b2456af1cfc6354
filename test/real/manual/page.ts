/**
 * Follows one page as a reader would. It is started in separate namespaces, so that every port is free, nothing leaves the
 * machine, and everything that it starts ends with it.
 *
 *     bun test/real/manual/page.ts PAGE PLACE [--bun]
 *
 * PAGE is a Markdown file below the root, PLACE an empty directory. With --bun, `node` is Bun. Prints one JSON object.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Expected, type Step, blocksOf, runsHere, stepsOf } from "../../pages/manual/blocks.ts";
import { matches } from "../../pages/manual/match.ts";
import { EXECUTABLE } from "../programs.ts";
import { openServers } from "./servers.ts";
import { openShell } from "./shell.ts";
import { isWhole } from "./whole.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const COMMAND_MS = 60_000;

/** What one page came to. */
export interface Outcome {
  /** How many steps were done. */
  steps: number;
  /** The first step that failed: where, what was expected, and what was there instead. */
  failure?: string;
}

const run = (argv: string[], env?: Record<string, string>, cwd?: string) => {
  const { success, stdout, stderr } = Bun.spawnSync(argv, { ...(env && { env }), ...(cwd && { cwd }) });
  if (!success) throw new Error(`${argv.join(" ")}: ${stdout.toString()}${stderr.toString()}`);
};

const program = (path: string, text: string) => {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};

/** `how-to-backups.setup.sh` for the page `src/pages/manual/how-to/backups.md`. */
const setupOf = (page: string): string =>
  join(
    import.meta.dir,
    `${page.replace("src/pages/manual/", "").replace(/\.md$/, "").toLowerCase().replaceAll("/", "-")}.setup.sh`,
  );

/** The machine as a reader has it: loopback, a home, the program on the PATH, and no name server. */
const prepare = (place: string, withBun: boolean) => {
  const [home, work, bin, notes] = ["home", "work", "bin", "notes"].map((name) => join(place, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [home, work, bin, notes]) mkdirSync(path);
  run(["ip", "link", "set", "lo", "up"]);
  writeFileSync(join(place, "resolv.conf"), "nameserver 127.0.0.1\n");
  run(["mount", "--bind", join(place, "resolv.conf"), "/etc/resolv.conf"]);
  symlinkSync(EXECUTABLE, join(bin, "adoption-store"));
  if (withBun) program(join(bin, "node"), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  // Without it curl would draw its progress where the page shows only the response.
  writeFileSync(join(home, ".curlrc"), "no-progress-meter\n");
  writeFileSync(join(notes, ".curlrc"), "no-progress-meter\nfail-with-body\n");
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    // The standard library of Go is compiled once for all pages.
    GOCACHE: process.env["GOCACHE"] ?? join(process.env["HOME"] ?? "/root", ".cache/go-build"),
    GOFLAGS: "-mod=mod",
    GOPROXY: "off",
  };
  return { work, bin, notes, env };
};

/** Runs the page's setup, which may write `NAME=value` to $SETUP_ENV for the page's environment. */
const setUp = (
  page: string,
  { work, bin, notes, env }: ReturnType<typeof prepare>,
): Record<string, string> => {
  const script = setupOf(page);
  if (!existsSync(script)) return env;
  const added = join(notes, "setup.env");
  writeFileSync(added, "");
  run(
    ["bash", "-e", script],
    { ...env, BIN: bin, NOTES: notes, SETUP_ENV: added, ROOT, BUN: process.execPath },
    work,
  );
  const lines = readFileSync(added, "utf8").split("\n").filter(Boolean);
  return {
    ...env,
    ...Object.fromEntries(
      lines.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]),
    ),
  };
};

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, "    ");

const wrongOutput = ({ text }: Expected, found: string): string =>
  `expected:\n${indented(text)}\n  got:\n${indented(found)}`;

const follow = async (page: string, place: string, withBun: boolean): Promise<Outcome> => {
  const steps = stepsOf(blocksOf(readFileSync(resolve(ROOT, page), "utf8")).filter(runsHere), isWhole);
  const machine = prepare(place, withBun);
  const { work, notes } = machine;
  const env = setUp(page, machine);
  const shell = openShell(work, env, notes);
  const servers = openServers(env, notes);

  /** @returns what is wrong; undefined if nothing is */
  const take = async (step: Step): Promise<string | undefined> => {
    if (step.kind === "write") {
      const file = resolve(shell.directory(), step.path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.text);
      return undefined;
    }
    if (step.kind === "serve") {
      await servers.start(step.command, shell.directory(), step.restart);
      return undefined;
    }
    const { expected, exitCode } = step;
    const joined = expected === undefined || expected.kind === "text";
    // Where no output is compared, an error response is a failure.
    const curl = expected ? "unset CURL_HOME" : `export CURL_HOME=${notes}`;
    const ran = await shell.run(`${curl}\n${step.command}`, {
      joined,
      strict: exitCode === 0,
      ms: COMMAND_MS,
    });
    if (ran.exitCode !== exitCode)
      return `exit code ${ran.exitCode}, not ${exitCode}:\n${indented(ran.stdout + ran.stderr)}`;
    return expected && !matches(expected, ran.stdout) ? wrongOutput(expected, ran.stdout) : undefined;
  };

  for (const [at, step] of steps.entries()) {
    const problem = await take(step).catch((error: unknown) => String(error));
    if (problem === undefined) continue;
    const what = step.kind === "write" ? step.path : step.command;
    return { steps: at, failure: `${page}:${step.line}: ${what}\n  ${problem}` };
  }
  return { steps: steps.length };
};

const [page = "", place = "", mode] = process.argv.slice(2);
const outcome = await follow(page, place, mode === "--bun").catch((error: unknown): Outcome => ({
  steps: 0,
  failure: `${page}: ${String(error)}`,
}));
console.log(JSON.stringify(outcome));
process.exit();
