import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLocked, takeLock } from "../../../src/data/db/file-lock.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";
import { asUser, giveToUser } from "../../support/user.ts";
import { Database as Client } from "bun:sqlite";
import { isOpenElsewhere, lockHolder } from "../../../src/data/db/other-processes.ts";
import { openDatabase } from "../../../src/data/db/open.ts";

const lockIn = (directory = temporaryDirectory()) => join(directory, "server.lock");

test("a lock excludes all others until it is released, and leaves an empty file", () => {
  const path = lockIn();
  const lock = takeLock(path);
  expect([takeLock(path), isLocked(path)]).toEqual([undefined, true]);
  lock?.release();
  expect(isLocked(path)).toBe(false);
  takeLock(path)?.release();
  expect([readdirSync(join(path, "..")), statSync(path).size]).toEqual([["server.lock"], 0]);
});

test("a lock excludes another process", async () => {
  const directory = temporaryDirectory();
  const path = lockIn(directory);
  const lock = takeLock(path);
  giveToUser(directory, path);
  const other = () =>
    asUser(
      { "data/db/file-lock.ts": "takeLock" },
      `console.log(takeLock(${JSON.stringify(path)}) !== undefined)`,
    );
  expect(await other()).toBe("false");
  lock?.release();
  expect(await other()).toBe("true");
});

test("a lock is not taken if its file cannot be written, because it would exclude no process", async () => {
  const directory = temporaryDirectory();
  const path = lockIn(directory);
  writeFileSync(path, "");
  giveToUser(directory, path);
  chmodSync(path, 0o444);
  const statement = `try { takeLock(${JSON.stringify(path)}); console.log("taken"); } catch ({ code }) { console.log(code); }`;
  expect(await asUser({ "data/db/file-lock.ts": "takeLock" }, statement)).toBe("SQLITE_READONLY");
});

test("a lock that no process holds is free, and checking it creates no file", () => {
  const path = lockIn();
  expect([isLocked(path), existsSync(path)]).toEqual([false, false]);
});

test("a database is open elsewhere while any connection has it open, even a read-only one", () => {
  const path = join(temporaryDirectory(), "store.db");
  expect(isOpenElsewhere(path)).toBe(false);
  const writer = new Client(path);
  writer.run("PRAGMA journal_mode=WAL");
  writer.run("CREATE TABLE pets (id)");
  expect(isOpenElsewhere(path)).toBe(true);
  const reader = new Client(path, { readonly: true });
  reader.run("SELECT id FROM pets");
  writer.close(true);
  expect(isOpenElsewhere(path)).toBe(true);
  reader.close(true);
  expect(isOpenElsewhere(path)).toBe(false);
});

test("a damaged file does not count as open elsewhere", () => {
  const path = join(temporaryDirectory(), "store.db");
  writeFileSync(path, "x".repeat(8192));
  expect(isOpenElsewhere(path)).toBe(false);
});

/** Another process that holds the write lock until it is killed. */
const lockedBy = async (path: string) => {
  const script = `const { Database } = require("bun:sqlite"); const db = new Database(process.argv.at(-1)); db.run("BEGIN IMMEDIATE"); console.log("locked"); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script, "--", path], { stdout: "pipe" });
  atEnd(() => child.kill("SIGKILL"));
  for await (const _line of child.stdout) break;
  return child;
};

const until = async (is: () => boolean) => {
  while (!is()) await Bun.sleep(5);
};

test.if(process.platform === "linux")(
  "the process that holds the write lock is named, and what to do if it is suspended",
  async () => {
    const path = `${temporaryDirectory()}/store.db`;
    const database = openDatabase(path);
    atEnd(() => database.close());
    expect(lockHolder(path)).toBe("another process");
    const { pid } = await lockedBy(path);
    expect(lockHolder(path)).toMatch(new RegExp(`^process ${pid} \\(bun[\\w.-]*\\)$`));
    process.kill(pid, "SIGSTOP");
    await until(() => lockHolder(path).includes("suspended"));
    expect(lockHolder(path)).toContain(`kill -CONT ${pid}`);
    process.kill(pid, "SIGCONT");
  },
);

test("no lock holder is named for a database without a lock, or in memory", () => {
  expect(lockHolder(":memory:")).toBe("another process");
  const path = `${temporaryDirectory()}/other.db`;
  new Client(path, { create: true }).close();
  expect(lockHolder(path)).toBe("another process");
});
