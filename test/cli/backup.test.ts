import { describe, expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  truncateSync,
  closeSync,
  openSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { backupName } from "../../src/operate/backups/file-names.ts";
import { databasePath, lockPath, restoringPath } from "../../src/data/data-dir/paths.ts";
import { NOW, backUp, closedStore, namesIn } from "../operate/backups/stores.ts";
import { bundledProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, bundledOnTerminal, inProcess, onQuestion, expectFailure } from "./program.ts";
import { takeLock } from "../../src/data/db/file-lock.ts";

const program = bundled();
const onTerminal = bundledOnTerminal();
const envOf = (dataDir: string) => ({ DATA_DIR: dataDir, DISK_RESERVE: "0" });
const spawn = (argv: string[], dataDir: string) => program(argv, { env: envOf(dataDir) });
const run = (argv: string[], dataDir: string, env = {}) =>
  inProcess(argv, { env: { ...envOf(dataDir), ...env } });

test("a backup is taken to a file and restored, in words and in JSON", async () => {
  const dataDir = await closedStore("Bella");
  const file = join(temporaryDirectory(), "b.db");
  const result = await spawn(["backup", file], dataDir);
  expect([result.code, result.error]).toEqual([0, ""]);
  expect(result.out).toMatch(/^\/.+b\.db: [\d.]+ kB, checked, in [\d.]+ s\nSites: 0 files/);
  const again = await spawn(["backup", file, "--force", "--with-secrets", "--json"], dataDir);
  expect(JSON.parse(again.out)).toMatchObject({ file, secrets: "included", removed: [] });

  const other = await closedStore("Max");
  const unasked = await spawn(["restore", file], other);
  expect([unasked.code, unasked.out, unasked.error]).toEqual([
    2,
    "",
    expect.stringContaining("Standard input is not a terminal. Pass --yes to confirm.\n"),
  ]);
  expect(await namesIn(other)).toEqual(["Max"]);
  const restored = await spawn(["restore", file, "--yes"], other);
  expect([restored.code, restored.error]).toEqual([0, ""]);
  expect(restored.out).toContain("The previous database is kept as ");
  expect(restored.out).toContain(`To start the server: adoption-store serve --data-dir ${other}\n`);
  expect(await namesIn(other)).toEqual(["Bella"]);
  // There is no question if there is nothing to lose.
  const fresh = join(temporaryDirectory(), "fresh");
  expect(JSON.parse((await spawn(["restore", file, "--json"], fresh)).out)).toMatchObject({ dataDir: fresh });
});

test("backup --check reports whether a file can be restored, in words and in JSON, and needs no DATA_DIR", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const none = join(temporaryDirectory(), "none");
  const well = await run(["backup", "--check", file], none);
  expect([well.code, well.error]).toEqual([0, ""]);
  expect(well.out).toMatch(
    /^\/.+backup\.db: [\d.]+ kB, can be restored \(its newest migration is \d{4}_\w+\)\nSites: 0 files/,
  );
  const json = await run(["backup", file, "--check", "--json"], none);
  expect(JSON.parse(json.out)).toMatchObject({ file, ok: true, secrets: false });
  writeFileSync(file, "no database, but long enough to be looked at".repeat(99));
  const ill = await run(["backup", "--check", file, "--json"], none);
  expect([ill.code, JSON.parse(ill.out)]).toEqual([
    1,
    { file, ok: false, reason: expect.stringContaining("cannot be restored") },
  ]);
  expect(ill.error).toMatch(/^adoption-store: [^\n]+cannot be restored[^\n]+\n$/);
  expect(existsSync(none)).toBe(false);
});

test("on a terminal every step is shown, even a short one", async () => {
  const dataDir = await closedStore("Bella");
  const file = join(temporaryDirectory(), "b.db");
  const env = { DATA_DIR: dataDir, DISK_RESERVE: "0" };
  const steps = (shown: string) => shown.split("\r\u001B[K").filter((line) => /^[A-Z][^\n]+$/.test(line));
  const result = await onTerminal(["backup", file], env);
  expect([result.code, steps(result.shown)]).toEqual([0, ["Copying the database", "Checking the copy"]]);
  const restored = await onTerminal(["restore", file, "--yes"], env);
  expect([restored.code, steps(restored.shown)]).toEqual([
    0,
    ["Writing the database", "Checking the database"],
  ]);
});

test.each([
  ["Ctrl-C", "\u0003", 130],
  ["Ctrl-D", "\u0004", 0],
])("%s where it asks restores nothing, and is no crash", async (_, key, expected) => {
  const { file } = await backUp(await closedStore("Bella"));
  const dataDir = await closedStore("Max");
  const env = { DATA_DIR: dataDir, NO_COLOR: "1" };
  const { shown, code } = await onTerminal(["restore", file], env, onQuestion("[y/N]", key));
  expect([code, shown.split("\n").at(-2)]).toEqual([
    expected,
    expected === 0 ? "Nothing was restored.\r" : "adoption-store: stopped\r",
  ]);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
});

test("backups in a directory are named by their time, and --keep limits their number", async () => {
  const dataDir = await closedStore("Bella");
  const directory = temporaryDirectory();
  for (let count = 0; count < 3; count++)
    expect((await run(["backup", directory, "--keep", "2"], dataDir)).code).toBe(0);
  const names = readdirSync(directory);
  expect(names).toHaveLength(4);
  for (const name of names) expect(name).toMatch(/^adoption-store-\d{8}T\d{6}\.\d{3}Z\.db(\.sha256)?$/);
});

test.each([
  [["backup"], 2, "file"],
  [["backup", "b.db", "--keep", "3"], 2, "--keep needs a directory"],
  [["backup", "/tmp/", "--keep", "0"], 2, '--keep: "0" is not a number'],
  [["backup", "--check", "/none.db"], 1, "does not exist"],
  [["backup", "--check", "b.db", "--keep", "3"], 2, "--keep cannot be used with --check"],
  [["backup", "--check", "b.db", "--no-sites"], 2, "--no-sites cannot be used with --check"],
  [["backup", "/etc/passwd"], 2, "exists already"],
  [["backup", "/dev/null"], 1, "not an ordinary file"],
  [["backup", "/dev/null", "--force"], 1, "not an ordinary file"],
  [["backup", "/none/b.db"], 1, "does not exist"],
  [["restore", "/none.db"], 1, "does not exist"],
  [["restore", "/etc/passwd/none.db"], 1, "does not exist"],
  [["restore", "."], 1, "contains no backup that can be restored"],
  [["restore", "/dev/null"], 1, "is not an ordinary file"],
  [["restore"], 2, "the argument <backup> is missing"],
])("%j is refused in one line", async (argv, expected, message) => {
  const { out, error, code } = await run(argv, await closedStore("Bella"));
  expect([code, out]).toEqual([expected, ""]);
  expect(error).toMatch(/^adoption-store: [^\n]+\n$/);
  expect(error).toContain(message);
});

test("a backup to a file of the server is refused without the advice to overwrite it", async () => {
  const dataDir = await closedStore("Bella");
  const { code, error } = await run(["backup", databasePath(dataDir)], dataDir);
  expect([code, error]).toEqual([1, expect.stringContaining("is a file of the server in DATA_DIR")]);
  expect(error).not.toContain("--force");
});

test("a database with a changed schema is not backed up, because it could not be restored, and doctor names the reason", async () => {
  const dataDir = await closedStore("Bella");
  const client = new Client(databasePath(dataDir));
  client.run("CREATE TABLE notes (text TEXT)");
  client.close();
  expectFailure(
    await run(["backup", join(temporaryDirectory(), "b.db")], dataDir),
    1,
    'its table "notes" is not part of adoption-store',
  );
  const doctor = await run(["doctor", "--port", "0"], dataDir);
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("its schema was changed")]);
});

test("a damaged database is reported once, and doctor recommends only its repair", async () => {
  const dataDir = await closedStore("Bella");
  // The first page of the schema.
  const file = openSync(databasePath(dataDir), "r+");
  writeSync(file, Buffer.alloc(60, 7), 0, 60, 100);
  closeSync(file);
  const backup = await run(["backup", join(temporaryDirectory(), "b.db")], dataDir);
  expect(backup.error.match(/cannot be backed up/g)).toHaveLength(1);
  expect(backup.error.match(/DATA_DIR/g)).toHaveLength(1);
  const doctor = await run(["doctor", "--port", "0"], dataDir);
  expect(doctor.out).toContain("the database is damaged");
  expect(doctor.out + doctor.error).not.toMatch(/adoption-store doctor(?! --repair)/);
});

test.each(["backup b.db", "keys list", "export o.csv", "restore r.db --yes"])(
  "%s reports a log that is a directory, and does not blame the directory of the backup",
  async (line) => {
    const dataDir = await closedStore("Bella");
    const { file } = await backUp(dataDir);
    const log = `${databasePath(dataDir)}-wal`;
    mkdirSync(log);
    const argv = line
      .replace("r.db", file)
      .replace(/[bo]\.\w+$/, join(temporaryDirectory(), "$&"))
      .split(" ");
    const { error, code } = await run(argv, dataDir);
    expect([code, error]).toEqual([
      1,
      expect.stringContaining(`${log} is a directory where a file must be: move it away`),
    ]);
    expect(error).toMatch(/^adoption-store: [^\n]+\n$/);
  },
);

test("without a database, backup takes no backup and creates no directory", async () => {
  const dataDir = join(temporaryDirectory(), "mistyped");
  const { error, code } = await run(["backup", join(temporaryDirectory(), "b.db")], dataDir);
  expect([code, error.includes("there is no database")]).toEqual([1, true]);
  expect(existsSync(dataDir)).toBe(false);
});

describe("while a backup is being restored", () => {
  test.each(["keys list", "orders list", "export", "backup b.db", "serve"])(
    "%s does not open the database, whose log would stay next to the restored one",
    async (line) => {
      const dataDir = await closedStore("Bella");
      writeFileSync(restoringPath(dataDir), "half");
      const lock = takeLock(lockPath(dataDir));
      const { out, error, code } = await spawn(line.split(" "), dataDir);
      lock?.release();
      expect([code, out, error]).toEqual([1, "", expect.stringContaining("is being restored")]);
      expect(readdirSync(dataDir).filter((name) => /-wal|-shm/.test(name))).toEqual([]);
    },
  );

  test("doctor does not check the database, and leftovers of a killed restore stop no command", async () => {
    const dataDir = await closedStore("Bella");
    writeFileSync(restoringPath(dataDir), "half");
    const lock = takeLock(lockPath(dataDir));
    expect((await spawn(["doctor"], dataDir)).out).toContain("not checked: a backup is being restored");
    lock?.release();
    expect((await spawn(["keys", "list"], dataDir)).code).toBe(0);
  });
});

const MINUTE_MS = 60_000;

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
  expectFailure(
    await run(["backup", "/tmp/a.db", "/tmp/b.db"], await closedStore("Bella")),
    2,
    "name exactly one file to write",
  );
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
    expectFailure(
      await run(["restore", directory], await closedStore("Bella")),
      1,
      `${directory} contains no backup that can be restored`,
    );
  });
});

test("a restore from a directory that is missing names the directory", async () => {
  const dataDir = await closedStore("Bella");
  expectFailure(
    await run(["restore", "latest", "--yes"], dataDir),
    1,
    `${dataDir}/backups: it cannot be read`,
  );
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
