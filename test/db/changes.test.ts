import { describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/db/open.ts";
import { atEnd, temporaryDirectory } from "../support/store.ts";

const pair = () => {
  const path = `${temporaryDirectory()}/store.db`;
  const open = () => {
    const database = openDatabase(path);
    atEnd(() => database.close());
    const statement = database.client.prepare(
      "INSERT INTO keys (name, scopes, created_at) VALUES ('x', '*', 0) RETURNING id",
    );
    const none = database.client.prepare("DELETE FROM keys WHERE id = -1 RETURNING id");
    return {
      ...database,
      write: () => database.commit([{ query: { all: () => statement.all() }, values: {} }]),
      writeNothing: () => database.commit([{ query: { all: () => none.all() }, values: {} }]),
      /** Another program, which knows nothing of group commit. */
      writeBeside: () => void statement.all(),
    };
  };
  return [open(), open()] as const;
};

describe("a write of another connection", () => {
  test("is seen in the very same turn of the event loop, every time", () => {
    const [ours, other] = pair();
    const seen = new Set([ours.foreignVersion()]);
    for (let at = 0; at < 100; at++) {
      other.writeBeside();
      seen.add(ours.foreignVersion());
    }
    expect(seen.size).toBe(101);
  });

  test("is seen also when it comes between our own", async () => {
    const [ours, other] = pair();
    for (let at = 0; at < 50; at++) {
      const before = ours.foreignVersion();
      const own = at % 2 === 0 ? ours.write() : ours.writeNothing();
      other.writeBeside();
      await own;
      if (at % 3 === 0) other.writeBeside();
      expect(ours.foreignVersion()).toBeGreaterThan(before);
    }
  });
});

describe("a write of our own", () => {
  test("changes the version, and not that of others", async () => {
    const [ours] = pair();
    const [foreign, version] = [ours.foreignVersion(), ours.version()];
    await ours.write();
    await ours.write();
    expect(ours.foreignVersion()).toBe(foreign);
    expect(ours.version()).toBeGreaterThan(version);
  });

  test("that changed no row hides nobody else's", async () => {
    const [ours, other] = pair();
    const before = ours.foreignVersion();
    await ours.writeNothing();
    expect(ours.foreignVersion()).toBe(before);
    other.writeBeside();
    expect(ours.foreignVersion()).toBeGreaterThan(before);
  });
});

test("a checkpoint of another connection changes nothing, and what follows is seen", () => {
  const [ours, other] = pair();
  other.writeBeside();
  const before = ours.foreignVersion();
  other.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  other.writeBeside();
  expect(ours.foreignVersion()).toBeGreaterThan(before);
});
