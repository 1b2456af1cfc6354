import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const COPIED = ["src", "test", "drizzle", "package.json", "tsconfig.json", "bunfig.toml"];
const isNeeded = (path: string) => !/\/(node_modules|test\/(real|bench))$/.test(path);

export interface Outcome {
  isPassed: boolean;
  /** The names of the tests that passed, and of those that failed. */
  passed: string[];
  failed: string[];
  ms: number;
}

/** A copy of the working tree, in which modules can be changed. `remove` deletes it. */
const sandbox = () => {
  const directory = mkdtempSync(join(tmpdir(), "adoption-store-mutation-"));
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(directory, name), { recursive: true, filter: isNeeded });
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  let running: Bun.Subprocess | undefined;
  return {
    read: (module: string): Promise<string> => Bun.file(join(directory, module)).text(),
    write: (module: string, text: string) => Bun.write(join(directory, module), text),
    /** Runs one test file, up to its first failure unless `isWhole`. It is killed, and fails, after `timeoutMs`. */
    async test(file: string, timeoutMs: number, isWhole = false): Promise<Outcome> {
      const begin = performance.now();
      const bail = isWhole ? [] : ["--bail"];
      const run = Bun.spawn([process.execPath, "test", ...bail, "--timeout", "60000", `./${file}`], {
        cwd: directory,
        stdio: ["ignore", "ignore", "pipe"],
        timeout: Math.ceil(timeoutMs),
        killSignal: "SIGKILL",
      });
      running = run;
      const output = await new Response(run.stderr).text();
      const named = (result: "pass" | "fail") =>
        [...output.matchAll(new RegExp(`^\\(${result}\\) (.*?)(?: \\[[\\d.]+m?s\\])?$`, "gm"))].map(
          ([, name = ""]) => name,
        );
      const [passed, failed] = [named("pass"), named("fail")];
      return { isPassed: (await run.exited) === 0, passed, failed, ms: performance.now() - begin };
    },
    /** Ends the tests that run, then removes the copy. */
    remove() {
      running?.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

export type Sandbox = ReturnType<typeof sandbox>;

/** Gives `act` that many sandboxes, and removes them when it ends or a signal ends this process. */
export const withSandboxes = async <Result>(
  count: number,
  act: (sandboxes: Sandbox[]) => Promise<Result>,
): Promise<Result> => {
  const sandboxes = Array.from({ length: count }, sandbox);
  const remove = () => sandboxes.forEach((one) => one.remove());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      remove();
      process.exit(130);
    });
  try {
    return await act(sandboxes);
  } finally {
    remove();
  }
};
