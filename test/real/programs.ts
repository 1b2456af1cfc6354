import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// Nothing here needs the test runner: the bench and programs of tests use it too.

/** What `bun run build` makes. */
export const EXECUTABLE = resolve(import.meta.dir, "../../dist/adoption-store");
export const PROGRAMS = join(import.meta.dir, "node_modules");

/** A command of a package of this directory's manifest. */
export const command = (name: string): string => join(PROGRAMS, ".bin", name);

/** Whether this machine has a program, a file, a package of this directory's manifest, network namespaces, or `root` as its user. */
export const isInstalled = (program: string): boolean => {
  if (program === "root") return process.getuid?.() === 0;
  if (program === "network namespaces")
    return (
      Bun.which("unshare") !== null &&
      Bun.spawnSync(["unshare", "-n", "ip", "link", "set", "lo", "up"]).success
    );
  return Bun.which(program) !== null || existsSync(resolve(PROGRAMS, program));
};

export const areInstalled = (programs: readonly string[]): boolean => programs.every(isInstalled);

/** A new directory on a disk. */
export const newDirectory = (): string => mkdtempSync(join(tmpdir(), "adoption-store-"));

/** Busy machines need much longer than others. */
export const MAX_MS = 20_000;

/** Waits until something is so, at most `ms`. @throws if it is not so by then */
export const until = async (
  what: string,
  isSo: () => boolean | Promise<boolean>,
  ms = MAX_MS,
): Promise<void> => {
  for (const end = performance.now() + ms; !(await isSo()); await Bun.sleep(5))
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
};

/** At most `ms` for a promise. @throws if it takes longer */
export const within = <Value>(what: string, ms: number, promise: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

export interface Surroundings {
  cwd?: string;
  /** The whole environment, in addition to PATH. */
  env?: Record<string, string>;
}

/** The environment of everything that is started here: PATH and what is named, nothing of the tester's. */
export const environment = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  ...env,
});

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs any program to its end. */
export const run = async (argv: string[], { cwd, env }: Surroundings = {}): Promise<Finished> => {
  const child = Bun.spawn(argv, {
    ...(cwd !== undefined && { cwd }),
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
};

/** Runs a command of the executable to its end. */
export const store = (argv: string[], surroundings?: Surroundings): Promise<Finished> =>
  run([EXECUTABLE, ...argv], surroundings);
