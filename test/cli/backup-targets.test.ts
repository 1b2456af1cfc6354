import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { backupName } from "../../src/operate/backups/file-names.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { NOW, backUp, closedStore, namesIn } from "../operate/backups/stores.ts";
import { bundledProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, bundledOnTerminal, inProcess } from "./program.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const MINUTE_MS = 60_000;

const program = bundled();
const onTerminal = bundledOnTerminal();
const envOf = (dataDir: string) => ({ DATA_DIR: dataDir, DISK_RESERVE: "0" });
const run = (argv: string[], dataDir: string, env = {}) =>
  inProcess(argv, { env: { ...envOf(dataDir), ...env } });

/** Puts backups of these stores into a directory, one minute apart. @returns their paths, oldest first */
const backupsOf = async (directory: string, stores: readonly string[]): Promise<string[]> => {
  const files: string[] = [];
  for (const [at, dataDir] of stores.entries()) {
    const file = join(directory, backupName(NOW + at * MINUTE_MS));
    copyFileSync((await backUp(dataDir)).file, file);
    files.push(file);
  }
  return files;
};

describe("backup --check with several files", () => {
  test("checks all of them, and fails if one is damaged", async () => {
    const files = await backupsOf(temporaryDirectory(), [
      await closedStore("Bella"),
      await closedStore("Max"),
      await closedStore("Luna"),
    ]);
    const [first = "", damaged = "", last = ""] = files;
    const none = join(temporaryDirectory(), "none");
    expect((await run(["backup", "--check", first, last], none)).code).toBe(0);

    truncateSync(damaged, 20_000);
    const words = await run(["backup", "--check", ...files], none);
    expect(words.code).toBe(1);
    expect(words.out.match(/^.+(?=: .+ can be restored)/gm)).toEqual([first, last]);
    expect(words.error).toContain(`${damaged} cannot be restored`);
    expect(words.error).toEndWith("adoption-store: 1 of 3 backups cannot be restored\n");
    const { out } = await run(["backup", "--check", "--json", ...files], none);
    const lines = out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ file: first, ok: true }),
      expect.objectContaining({ file: damaged, ok: false }),
      expect.objectContaining({ file: last, ok: true }),
    ]);
  });
});

test("backup without --check refuses several files", async () => {
  const { code, error } = await run(["backup", "/tmp/a.db", "/tmp/b.db"], await closedStore("Bella"));
  expect([code, error]).toEqual([2, expect.stringContaining("name exactly one file to write")]);
});

describe("a restore of a directory", () => {
  test("uses the newest valid backup, and names it and the damaged ones", async () => {
    const directory = temporaryDirectory();
    const [, valid = "", damaged = ""] = await backupsOf(directory, [
      await closedStore("Bella"),
      await closedStore("Max"),
      await closedStore("Luna"),
    ]);
    truncateSync(damaged, 20_000);
    const fresh = join(temporaryDirectory(), "fresh");
    const { out, error } = await run(["restore", directory, "--json"], fresh);
    expect(JSON.parse(out)).toMatchObject({ file: valid, dataDir: fresh });
    expect(error).toContain(`${damaged} cannot be restored`);
    expect(error).toContain(`Using the newest valid backup: ${valid}`);
    expect(await namesIn(fresh)).toEqual(["Max"]);
  });

  test("uses no backup of another store than the one in DATA_DIR", async () => {
    const directory = temporaryDirectory();
    const dataDir = await closedStore("Bella");
    const [own, other] = await backupsOf(directory, [dataDir, await closedStore("Max")]);
    const { out, error } = await run(["restore", directory, "--yes", "--json"], dataDir);
    expect(JSON.parse(out)).toMatchObject({ file: own });
    expect(error).toContain(`${other} is a backup of another store`);
  });

  test("is refused without a valid backup", async () => {
    const directory = temporaryDirectory();
    const { code, error } = await run(["restore", directory], await closedStore("Bella"));
    expect([code, error]).toEqual([
      1,
      expect.stringContaining(`${directory} contains no backup that can be restored`),
    ]);
  });
});

test("a restore from a directory that is missing says so", async () => {
  const dataDir = await closedStore("Bella");
  const { code, error } = await run(["restore", "latest", "--yes"], dataDir);
  expect([code, error]).toEqual([1, expect.stringContaining(`${dataDir}/backups: it cannot be read`)]);
});

test("a backup whose name ends with a space is not confused with another one", async () => {
  const dataDir = await closedStore("Bella");
  const other = await closedStore("Rex");
  const directory = temporaryDirectory();
  await run(["backup", join(directory, "good.db")], other);
  await run(["backup", join(directory, "good.db ")], dataDir);
  expect((await run(["restore", join(directory, "good.db "), "--yes"], dataDir)).code).toBe(0);
  const { out } = await run(["export", "--format", "csv"], dataDir);
  expect(out).toContain("Bella");
});

test("a restore of latest uses the newest valid backup in BACKUP_DIR", async () => {
  const dataDir = await closedStore("Bella");
  mkdirSync(join(dataDir, "backups"));
  const [, newest] = await backupsOf(join(dataDir, "backups"), [dataDir, dataDir]);
  const byDefault = await run(["restore", "latest", "--yes", "--json"], dataDir);
  expect(JSON.parse(byDefault.out)).toMatchObject({ file: newest });
  const directory = temporaryDirectory();
  const [only] = await backupsOf(directory, [dataDir]);
  const chosen = await run(["restore", "latest", "--yes", "--json"], dataDir, { BACKUP_DIR: directory });
  expect(JSON.parse(chosen.out)).toMatchObject({ file: only });
});

/** The targets of the backups in the audit log. */
const recordedBackups = async (dataDir: string): Promise<string[]> => {
  const { out } = await run(["audit", "--action", "backup.taken", "--json"], dataDir);
  return (JSON.parse(out) as { resource: { id: string } }[]).map(({ resource }) => resource.id);
};

const pipedBackup = async (dataDir: string) =>
  Bun.spawn([...(await bundledProgram()), "backup", "-"], {
    env: { PATH: process.env["PATH"] ?? "", ...envOf(dataDir) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });

describe("backup -", () => {
  test("writes nothing but the backup to standard output, and leaves no file in DATA_DIR", async () => {
    const dataDir = await closedStore("Bella");
    const before = readdirSync(dataDir);
    const output = join(temporaryDirectory(), "piped.db");
    const { code, error } = await program(["backup", "-"], { env: envOf(dataDir), output });
    expect([code, error]).toEqual([
      0,
      expect.stringMatching(/^adoption-store: Wrote and verified a backup of .+\.\n$/),
    ]);
    expect(readFileSync(output, "latin1")).toStartWith("SQLite format 3\0");
    expect((await run(["backup", "--check", output], dataDir)).code).toBe(0);
    expect(readdirSync(dataDir)).toEqual(before);
    expect(await recordedBackups(dataDir)).toEqual(["standard output"]);
    const fresh = join(temporaryDirectory(), "fresh");
    expect((await run(["restore", output, "--yes"], fresh)).code).toBe(0);
    expect(await namesIn(fresh)).toEqual(["Bella"]);
  });

  test("leaves no file if a signal ends it while it writes", async () => {
    const dataDir = await closedStore("Bella");
    const before = readdirSync(dataDir);
    // The entry in the audit log waits for this transaction.
    using other = new Client(databasePath(dataDir));
    other.run("BEGIN IMMEDIATE");
    const child = await pipedBackup(dataDir);
    const output = child.stdout.getReader().read();
    const isWritten = () => readdirSync(dataDir).some((name) => name.startsWith("adoption-store-"));
    while (Bun.peek.status(output) === "pending" && !isWritten()) await Bun.sleep(1);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    other.run("ROLLBACK");
    other.close(true);
    expect(readdirSync(dataDir)).toEqual(before);
    expect(await recordedBackups(dataDir)).toEqual([]);
  });

  test("leaves no file and no entry in the audit log if the reader closes standard output", async () => {
    const dataDir = await closedStore("Bella");
    const before = readdirSync(dataDir);
    const child = await pipedBackup(dataDir);
    await child.stdout.cancel();
    expect([await child.exited, await child.stderr.text()]).toEqual([
      1,
      "adoption-store: the reader closed standard output before the backup was complete\n",
    ]);
    expect(readdirSync(dataDir)).toEqual(before);
    expect(await recordedBackups(dataDir)).toEqual([]);
  });

  test("fails if standard output is full", async () => {
    const { code, error } = await program(["backup", "-"], {
      env: envOf(await closedStore("Bella")),
      output: "/dev/full",
    });
    expect(code).toBe(1);
    expect(error).toMatch(/^adoption-store: cannot write to standard output: ENOSPC[^\n]+\n$/);
  });

  test("is refused on a terminal, and with flags that print or keep files", async () => {
    const dataDir = await closedStore("Bella");
    const { shown, code } = await onTerminal(["backup", "-"], envOf(dataDir));
    expect([code, shown]).toEqual([
      2,
      expect.stringContaining("a backup is binary, and standard output is a terminal: redirect"),
    ]);
    for (const flags of [["--json"], ["--force"], ["--keep", "3"]])
      expect((await run(["backup", "-", ...flags], dataDir)).error).toContain("cannot be used with standard");
    expect(existsSync("-")).toBe(false);
  });
});
