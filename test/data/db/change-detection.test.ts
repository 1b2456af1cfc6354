import { describe, expect, test } from "bun:test";
import { detectChanges } from "../../../src/data/db/change-detection.ts";
import { type Database, openDatabase } from "../../../src/data/db/open.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

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
      writeDerived: () =>
        database.commit([{ query: { all: () => statement.all() }, values: {} }], undefined, {
          isDerived: true,
        }),
      /** Another program, without group commit. */
      writeBeside: () => void statement.all(),
    };
  };
  return [open(), open()] as const;
};

const foreignOf = async (database: Pick<Database, "fresh" | "foreignVersion">) => {
  await database.fresh();
  return database.foreignVersion();
};

describe("a write of another connection", () => {
  test("is seen by every later check", async () => {
    const [ours, other] = pair();
    const seen = new Set([await foreignOf(ours)]);
    for (let at = 0; at < 100; at++) {
      other.writeBeside();
      seen.add(await foreignOf(ours));
    }
    expect(seen.size).toBe(101);
  });

  test("is also seen when it comes between writes of this connection", async () => {
    const [ours, other] = pair();
    for (let at = 0; at < 50; at++) {
      const before = await foreignOf(ours);
      const own = [ours.write, ours.writeNothing, ours.writeDerived][at % 3]?.();
      other.writeBeside();
      await own;
      if (at % 4 === 0) other.writeBeside();
      expect(await foreignOf(ours)).toBeGreaterThan(before);
    }
  });
});

test("calls of fresh in one turn all see a write that came after the first of them", async () => {
  const [ours, other] = pair();
  const before = await foreignOf(ours);
  const first = ours.fresh();
  other.writeBeside();
  await Promise.all([first, ours.fresh()]);
  expect(ours.foreignVersion()).toBeGreaterThan(before);
});

describe("a write of this connection", () => {
  test("changes the version, and not the version of foreign writes", async () => {
    const [ours] = pair();
    const [foreign, version] = [await foreignOf(ours), ours.version()];
    await ours.write();
    await ours.write();
    expect(await foreignOf(ours)).toBe(foreign);
    expect(ours.version()).toBeGreaterThan(version);
  });

  test("that is derived leaves the version as it is, unless it shares a transaction with another", async () => {
    const [ours] = pair();
    const version = ours.version();
    await Promise.all([ours.writeDerived(), ours.writeDerived()]);
    expect([await foreignOf(ours), ours.version()]).toEqual([0, version]);
    await Promise.all([ours.writeDerived(), ours.write()]);
    expect(ours.version()).toBeGreaterThan(version);
  });

  test("that writes no page does not hide a foreign write right behind it", () => {
    const [ours, other] = pair();
    const changes = detectChanges(ours.client);
    ours.client.run("BEGIN IMMEDIATE");
    changes.beginOwn();
    // It counts as a changed row, although there is nothing to merge.
    ours.client.run("INSERT INTO pets_words (pets_words, rank) VALUES ('merge', 1)");
    ours.client.run("COMMIT");
    other.writeBeside();
    changes.endOwn();
    expect(changes.foreign()).toBe(1);
  });

  test("that changes no row does not hide a foreign write", async () => {
    const [ours, other] = pair();
    const before = await foreignOf(ours);
    await ours.writeNothing();
    expect(await foreignOf(ours)).toBe(before);
    other.writeBeside();
    expect(await foreignOf(ours)).toBeGreaterThan(before);
  });
});

test("a checkpoint of another connection does not count as a write, and later writes are seen", async () => {
  const [ours, other] = pair();
  other.writeBeside();
  const before = await foreignOf(ours);
  other.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  other.writeBeside();
  expect(await foreignOf(ours)).toBeGreaterThan(before);
});
