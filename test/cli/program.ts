import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program, bundled and compiled once for a file of tests: each process then starts in a third of the time. */
export const bundled = () => {
  const directory = mkdtempSync(join(tmpdir(), "adoption-store-test-"));
  beforeAll(async () => {
    await Bun.build({
      entrypoints: [join(import.meta.dir, "../../src/main.ts")],
      outdir: directory,
      target: "bun",
      format: "cjs",
      bytecode: true,
    });
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  /** Runs a command in a directory, whose DATA_DIR is `data` below it. */
  return async (cwd: string, argv: string[], input = "") => {
    const child = Bun.spawn([process.execPath, join(directory, "main.js"), ...argv], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", DATA_DIR: join(cwd, "data") },
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { out, error, code };
  };
};
