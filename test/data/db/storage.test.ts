import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { isOpenElsewhere } from "../../../src/data/db/other-processes.ts";
import { isStorageFailure } from "../../../src/lib/storage-errors.ts";
import { addPet, faultOf, openStore, type Store, temporaryDirectory } from "../../support/store.ts";
import { explainCode, explainFailure } from "../../../src/data/db/failures.ts";

const namesOf = async (store: Store) =>
  ((await (await store.call("GET", "/v1/pets?limit=100")).json()) as { name: string }[]).map(
    ({ name }) => name,
  );

const add = (store: Store, name: string) => store.call("POST", "/v1/pets", { json: { name, categoryId: 1 } });

const number = (store: Store, pragma: string) =>
  Object.values(store.database.client.query(`PRAGMA ${pragma}`).get() as Record<string, number>)[0] as number;

const LONG = "x".repeat(200);

const SITUATIONS: Record<string, { begin(store: Store): void; end(store: Store): void }> = {
  "the disk is full": {
    begin: ({ database }) => database.writer.run(`PRAGMA max_page_count=1`),
    end: ({ database }) => database.writer.run("PRAGMA max_page_count=1073741823"),
  },
  "the database is read-only": {
    begin: ({ database }) => database.writer.run("PRAGMA query_only=ON"),
    end: ({ database }) => database.writer.run("PRAGMA query_only=OFF"),
  },
};

describe.each(Object.entries(SITUATIONS))("while %s", (_name, { begin, end }) => {
  test("writes are 503 storage_unavailable, reads go on, and it recovers without a restart", async () => {
    const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
    const before: string[] = [];
    // Fill the last page, so that the next animals need a new one.
    for (let pages = number(store, "page_count"); number(store, "page_count") < pages + 2;)
      before.push((await addPet(store, { name: LONG })).name);
    begin(store);
    const responses = await Promise.all(Array.from({ length: 40 }, () => add(store, LONG)));
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expect(response.headers.get("retry-after")).toBe("1");
      expect(await faultOf(response)).toBe("503 storage_unavailable");
    }
    expect((await store.call("GET", "/v1/pets/1")).status).toBe(200);
    const written = before.length + responses.length - refused.length;
    expect(await namesOf(store)).toHaveLength(Math.min(100, written));
    end(store);
    expect((await add(store, "after")).status).toBe(201);
    expect(store.database.client.query("select count(*) as n from pets").get()).toEqual({ n: written + 1 });
  });
});

test("an id is never reused, not even the id of a deleted animal", async () => {
  const store = await openStore();
  await addPet(store, {});
  const { id } = await addPet(store, {});
  store.database.client.run("delete from pets where id = ?", [id]);
  expect((await addPet(store, {})).id).toBe(id + 1);
});

test("only errors of the storage count as storage failures", () => {
  const refused = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
  expect(isStorageFailure(refused)).toBe(true);
  expect(isStorageFailure(new Error("wrapped", { cause: refused }))).toBe(true);
  expect(isStorageFailure(Object.assign(new Error(), { code: "SQLITE_CONSTRAINT_UNIQUE" }))).toBe(false);
});

test("the database closes on a full disk", async () => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  await addPet(store, {});
  store.database.writer.run("PRAGMA query_only=ON");
  await store.database.close();
});

test("a closed database holds no lock", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  await addPet(store, {});
  await store.database.close();
  expect(isOpenElsewhere(path)).toBe(false);
});

test("a database file that was moved away is noticed", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  store.database.assertInPlace();
  rmSync(path);
  expect(() => store.database.assertInPlace()).toThrow("the database file was moved or deleted");
  expect(await faultOf(await store.call("GET", "/readyz", { key: false }))).toBe("503 not_ready");
});

/** https://sqlite.org/rescode.html, as of SQLite 3.51. */
const IOERR =
  "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE";
const CODES = [
  "SQLITE_IOERR",
  ...IOERR.split(" ").map((end) => `SQLITE_IOERR_${end}`),
  ..."CORRUPT CORRUPT_VTAB CORRUPT_SEQUENCE CORRUPT_INDEX NOTADB FULL NOMEM PERM PROTOCOL".split(" "),
  ..."READONLY READONLY_RECOVERY READONLY_CANTLOCK READONLY_ROLLBACK READONLY_DBMOVED".split(" "),
  ..."READONLY_CANTINIT READONLY_DIRECTORY BUSY BUSY_RECOVERY BUSY_SNAPSHOT BUSY_TIMEOUT LOCKED".split(" "),
  ..."CANTOPEN CANTOPEN_NOTEMPDIR CANTOPEN_ISDIR CANTOPEN_FULLPATH CANTOPEN_CONVPATH".split(" "),
  ..."ENOSPC EDQUOT EROFS EIO".split(" "),
].map((code) => (/^(SQLITE_|E[A-Z]+$)/.test(code) ? code : `SQLITE_${code}`));

test.each(CODES)("%s is explained in one line: the failure, then the advice", (code) => {
  const failure = Object.assign(new Error("refused"), { code });
  expect(isStorageFailure(failure)).toBe(true);
  expect(explainFailure(failure)).toMatch(/^[a-z][^\n]+: [^\n]+[^.\n]$/);
  // Doctor prints it too.
  expect(explainFailure(failure)).not.toMatch(/adoption-store doctor(?! --repair)/);
});

test("an input/output error is not explained as damage", () => {
  for (const code of ["SQLITE_IOERR_READ", "SQLITE_IOERR_CORRUPTFS", "SQLITE_IOERR_FSYNC", "EIO"]) {
    expect(explainCode(code)).toContain("input/output error");
    expect(explainCode(code)).toContain("may pass");
    expect(explainCode(code)).toContain("look at the system's log");
    expect(explainCode(code)).not.toContain("damaged");
  }
});

test("errors that are not of the storage, and missing permissions, are not explained", () => {
  for (const code of ["", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "EADDRINUSE", "EACCES", "EPERM"])
    expect(explainCode(code)).toBeUndefined();
});
