import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { OutcomeUnknown, StorageUnavailable } from "../../../src/lib/storage-errors.ts";
import { transactions } from "../../../src/data/db/commit.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

/** A client whose next COMMITs fail with these result codes. */
const failingClient = (path: string, codes: string[]): Client => {
  const client = new Client(path, { create: true });
  atEnd(() => client.close());
  const prepare = client.prepare.bind(client);
  client.prepare = ((sql: string) => {
    const statement = prepare(sql);
    if (sql !== "COMMIT") return statement;
    const run = () => {
      const code = codes.shift();
      if (code !== undefined) throw Object.assign(new Error("disk I/O error"), { code });
      return statement.run();
    };
    return Object.assign(Object.create(statement) as object, { run });
  }) as typeof client.prepare;
  return client;
};

const open = (path = ":memory:") => {
  const codes: string[] = [];
  const client = failingClient(path, codes);
  client.run("PRAGMA journal_mode=WAL");
  client.run("CREATE TABLE IF NOT EXISTS things (name TEXT) STRICT");
  const written = () => client.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
  const rows = () => client.query<{ n: number }, []>("SELECT count(*) AS n FROM things").get()?.n;
  const all = transactions(client);
  const add = () => all.run(() => client.run("INSERT INTO things VALUES ('x')"));
  return { ...all, client, codes, written, rows, add };
};

const errorOf = (result: { state: string; error?: unknown }) => result.error;

test("a COMMIT that fails when its frames may be complete in the log is overwritten there, so that certainly nothing is written", () => {
  const { codes, add, written, rows } = open();
  const before = written();
  codes.push("SQLITE_IOERR_FSYNC");
  const error = errorOf(add());
  expect(error).toBeInstanceOf(StorageUnavailable);
  expect(error).not.toBeInstanceOf(OutcomeUnknown);
  expect([rows(), written()]).toEqual([0, (before ?? 0) + 1]);
});

test("a COMMIT that fails when its frames may be complete in the log has an unknown outcome if it cannot be overwritten", () => {
  const { codes, add, rows } = open();
  codes.push("SQLITE_IOERR_FSYNC", "SQLITE_IOERR_FSYNC");
  expect(errorOf(add())).toBeInstanceOf(OutcomeUnknown);
  expect(add().state).toBe("committed");
  expect(rows()).toBe(1);
});

test.each(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_READONLY"])(
  "a COMMIT that fails with %s before the last frame is certain without another write",
  (code) => {
    const { codes, add, written } = open();
    const before = written();
    codes.push(code);
    const error = errorOf(add());
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    expect(written()).toBe(before);
  },
);

test("a probe writes a new value each time, and does not count as a write", () => {
  const { probe, written, counts } = open(`${temporaryDirectory()}/things.db`);
  const transactionsBefore = counts.visible;
  const seen = [written(), probe().state && written(), probe().state && written()];
  expect(new Set(seen).size).toBe(3);
  expect(counts.visible).toBe(transactionsBefore);
});

test("the result of the last transaction stays until the next one writes", () => {
  const { codes, add, last, run } = open();
  codes.push("SQLITE_FULL");
  add();
  expect(last().error).toMatchObject({ code: "SQLITE_FULL" });
  run(() => {});
  expect(last().error).toBeDefined();
  add();
  expect(last().error).toBeUndefined();
});

test("a transaction that was left open does not stop the next one", () => {
  const { client, add } = open();
  client.run("BEGIN");
  expect(add().state).toBe("committed");
});

test("a lock of another process is reported from the first refusal to its end", () => {
  const path = `${temporaryDirectory()}/things.db`;
  const { add, lockedSince, canLock } = open(path);
  const other = new Client(path);
  atEnd(() => other.close());
  other.run("BEGIN IMMEDIATE");
  expect(lockedSince()).toBeUndefined();
  expect(add().state).toBe("locked");
  const since = lockedSince();
  expect(since).toBeNumber();
  expect([add().state, canLock(), lockedSince()]).toEqual(["locked", false, since]);
  other.run("ROLLBACK");
  expect([canLock(), lockedSince()]).toEqual([true, undefined]);
});
