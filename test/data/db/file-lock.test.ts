import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLocked, takeLock } from "../../../src/data/db/file-lock.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { asUser, giveToUser } from "../../support/user.ts";

const lockIn = (directory = temporaryDirectory()) => join(directory, "server.lock");

describe("a lock", () => {
  test("excludes all others until it is released, and leaves an empty file", () => {
    const path = lockIn();
    const lock = takeLock(path);
    expect([takeLock(path), isLocked(path)]).toEqual([undefined, true]);
    lock?.release();
    expect(isLocked(path)).toBe(false);
    takeLock(path)?.release();
    expect([readdirSync(join(path, "..")), statSync(path).size]).toEqual([["server.lock"], 0]);
  });

  test("excludes another process", async () => {
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

  test("is not taken if its file cannot be written, because it would exclude nobody", async () => {
    const directory = temporaryDirectory();
    const path = lockIn(directory);
    writeFileSync(path, "");
    giveToUser(directory, path);
    chmodSync(path, 0o444);
    const statement = `try { takeLock(${JSON.stringify(path)}); console.log("taken"); } catch ({ code }) { console.log(code); }`;
    expect(await asUser({ "data/db/file-lock.ts": "takeLock" }, statement)).toBe("SQLITE_READONLY");
  });

  test("that nobody holds is free, and checking it creates no file", () => {
    const path = lockIn();
    expect([isLocked(path), existsSync(path)]).toEqual([false, false]);
  });
});
