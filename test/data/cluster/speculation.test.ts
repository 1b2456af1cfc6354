import { expect, test } from "bun:test";
import { openReplica, type Replica } from "../../../src/data/cluster/replica.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";
import { atEnd } from "../../support/ends.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** Does something outside of the request that asks for it, as another process does. */
const elsewhere = (act: () => Promise<unknown>) => {
  const asked = Promise.withResolvers<void>();
  const done = asked.promise.then(act);
  return () => {
    asked.resolve();
    return done;
  };
};

/** A request that reads the names, waits, and then adds one. @returns the names of each run */
const request = async (node: Replica, name: string, meanwhile: () => Promise<unknown> = async () => {}) => {
  const seen: unknown[][] = [];
  await node.cluster.speculate(async () => {
    await node.database.fresh();
    seen.push(namesOf(node));
    if (seen.length === 1) await meanwhile();
    await addNamed(node, name);
  });
  return seen;
};

test("a request that writes does not ask for the end of the log", async () => {
  const { engine, open } = await memoryCluster();
  const node = await open();
  const before = engine.heads;
  expect(await request(node, "Bella")).toEqual([[]]);
  expect([engine.heads - before, engine.records.length]).toEqual([0, 1]);
});

test("a request whose reads another node changed before its write runs again, and writes once", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  expect(
    await request(
      a,
      "Max",
      elsewhere(() => addNamed(b, "Bella")),
    ),
  ).toEqual([[], ["Bella"]]);
  expect(namesOf(a)).toEqual(["Bella", "Max"]);
});

test("a request that writes nothing runs again if its reads were old", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await addNamed(b, "Bella");
  const find = () =>
    a.cluster.speculate(async () => {
      await a.database.fresh();
      return namesOf(a);
    });
  expect((await find()).result).toEqual(["Bella"]);
});

test("a request reads this node's record that other nodes see before this one", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const respond = Promise.withResolvers<void>();
  const log = engine.open();
  const slow: typeof log = {
    ...log,
    watch() {},
    async append(...record) {
      const result = await log.append(...record);
      await respond.promise;
      return result;
    },
  };
  const a = await openReplica(newFile(), slow, { node: "a" });
  atEnd(a.database.close);
  const b = await open();
  const adding = addNamed(a, "Bella");
  while (engine.records.length === 0) await Bun.sleep(1);
  await b.database.fresh();
  expect(namesOf(b)).toEqual(["Bella"]);
  const found = a.cluster.speculate(async () => {
    await a.database.fresh();
    return namesOf(a);
  });
  await Bun.sleep(20);
  respond.resolve();
  expect((await found).result).toEqual(["Bella"]);
  await adding;
});

test("while another node writes, a request asks for the end of the log first", async () => {
  const { engine, open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await addNamed(b, "Bella");
  await a.database.fresh();
  const before = engine.heads;
  let asked = 0;
  const seen = await request(a, "Max", async () => {
    asked = engine.heads - before;
  });
  // The polls of both nodes also ask.
  expect([seen, asked > 0]).toEqual([[["Bella"]], true]);
});

test("a request whose write may be in the log does not run again", async () => {
  const { engine, open } = await memoryCluster();
  const node = await open();
  engine.losesNextAppend = "after";
  let runs = 0;
  const write = () =>
    node.cluster.speculate(async () => {
      runs++;
      await addNamed(node, "Bella");
    });
  expect(await outcomeOf(write())).toThrow();
  await node.database.fresh();
  expect([runs, namesOf(node)]).toEqual([1, ["Bella"]]);
});

test("after its write, a request reads what other nodes have written", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  const { result } = await a.cluster.speculate(async () => {
    await addNamed(a, "Bella");
    await addNamed(b, "Max");
    await a.database.fresh();
    return namesOf(a);
  });
  expect(result).toEqual(["Bella", "Max"]);
});

test("a second write of a request does not depend on what other nodes wrote after the first", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  let runs = 0;
  await a.cluster.speculate(async () => {
    runs++;
    await addNamed(a, "Bella");
    await addNamed(b, "Max");
    await addNamed(a, "Luna");
  });
  expect([runs, namesOf(a)]).toEqual([1, ["Bella", "Max", "Luna"]]);
});

test("without the engine, a request is refused and has written nothing", async () => {
  const { engine, open } = await memoryCluster();
  const node = await open();
  engine.isAvailable = false;
  expect(await outcomeOf(request(node, "Bella"))).toThrow("not available");
  engine.isAvailable = true;
  await node.database.fresh();
  expect(namesOf(node)).toEqual([]);
});
