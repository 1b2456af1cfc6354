import { Database as Client } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { StorageUnavailable } from "../../../src/lib/storage-errors.ts";
import { act, addNamed, contentOf, memoryCluster, namesOf } from "../../support/cluster.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** A node whose next COMMIT fails with each of the `codes`, and a second node without faults. */
const clusterWithBadDisk = async () => {
  const { engine, open } = await memoryCluster();
  const codes: string[] = [];
  const { prepare } = Client.prototype;
  const spy = spyOn(Client.prototype, "prepare").mockImplementation(function (this: Client, sql: string) {
    const statement = prepare.call(this, sql);
    if (sql !== "COMMIT") return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const code = codes.shift();
      if (code !== undefined) throw Object.assign(new Error("the disk failed"), { code });
      return run();
    };
    return statement;
  } as typeof prepare);
  // The statements are prepared before its first await.
  const opening = open();
  spy.mockRestore();
  return { engine, codes, node: await opening, other: await open() };
};

test.each(["SQLITE_FULL", "SQLITE_IOERR_FSYNC"])(
  "a write whose record is in the log is done, although its COMMIT fails with %s, and is there once",
  async (code) => {
    const { engine, codes, node, other } = await clusterWithBadDisk();
    codes.push(code);
    const ids = await Promise.all(["a", "b"].map(async (name) => addNamed(node, name)));
    expect([ids, namesOf(node), codes]).toEqual([[1, 2], [], []]);
    await node.database.fresh();
    expect(namesOf(node)).toEqual(["a", "b"]);
    expect(await addNamed(node, "c")).toBe(3);
    await other.database.fresh();
    expect(namesOf(other)).toEqual(["a", "b", "c"]);
    expect(contentOf(node)).toEqual(contentOf(other));
    expect(engine.records).toHaveLength(2);
  },
);

test("a COMMIT that finds the file locked is repeated, also of a record of the log", async () => {
  const { codes, node, other } = await clusterWithBadDisk();
  codes.push("SQLITE_BUSY", "SQLITE_BUSY");
  await addNamed(node, "a");
  await node.database.fresh();
  expect([namesOf(node), codes]).toEqual([["a"], []]);
  await other.database.fresh();
  expect(contentOf(node)).toEqual(contentOf(other));
});

test("a write behind one whose COMMIT failed sees it", async () => {
  const { codes, node } = await clusterWithBadDisk();
  codes.push("SQLITE_FULL");
  await addNamed(node, "a");
  await act(node.database, "UPDATE pets SET name = name || ? WHERE name = 'a'", "b");
  expect(namesOf(node)).toEqual(["ab"]);
});

test("nothing is read and nothing written while the file cannot take what the log has", async () => {
  const { engine, codes, node, other } = await clusterWithBadDisk();
  codes.push(...Array.from({ length: 1000 }, () => "SQLITE_FULL"));
  await addNamed(node, "a");
  expect(await outcomeOf(addNamed(node, "b"))).toThrow(StorageUnavailable);
  await other.database.fresh();
  expect(namesOf(other)).toEqual(["a"]);
  let isAnswered = false;
  const reading = node.database.fresh().then(() => (isAnswered = true));
  expect(await outcomeOf(addNamed(node, "c"))).toThrow(StorageUnavailable);
  expect([isAnswered, engine.records.length]).toEqual([false, 1]);
  codes.length = 0;
  await reading;
  expect(namesOf(node)).toEqual(["a"]);
});
