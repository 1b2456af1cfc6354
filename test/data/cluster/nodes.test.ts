import { expect, test } from "bun:test";
import { type NodeEntry, announceNode, readNodes } from "../../../src/data/cluster/nodes.ts";
import { MemoryEngine } from "../../support/memory-log.ts";

const entry = (id: string, values: Partial<NodeEntry> = {}): NodeEntry => ({
  id,
  name: `host-${id}`,
  version: "1.0.0",
  format: 1,
  position: 5,
  address: "http://localhost:3000",
  since: 1000,
  now: 1000,
  ...values,
});

const open = () => {
  const engine = new MemoryEngine();
  const errors: unknown[] = [];
  const taken: string[] = [];
  const node = (id: string, self: () => NodeEntry = () => entry(id)) =>
    announceNode(engine.open(), self, {
      onError: (error) => errors.push(error),
      onTaken: () => taken.push(id),
      takenMs: 0,
    });
  return { engine, node, errors, taken };
};

test("each node knows all nodes that have announced themselves, the oldest first", async () => {
  const { engine, node } = open();
  const one = node("a", () => entry("a", { since: 2 }));
  const other = node("b", () => entry("b", { since: 1 }));
  await one.tick();
  await other.tick();
  await one.tick();
  expect(one.list().map(({ id }) => id)).toEqual(["b", "a"]);
  expect(one.count()).toBe(2);
  expect(await readNodes(engine.open())).toEqual([entry("b", { since: 1 }), entry("a", { since: 2 })]);
});

test("a node that has not announced itself counts as one", () => {
  expect(open().node("a").count()).toBe(1);
});

test("what a node tells is brought up to date", async () => {
  const { engine, node } = open();
  let position = 1;
  const one = node("a", () => entry("a", { position }));
  await one.tick();
  position = 2;
  await one.tick();
  expect(await readNodes(engine.open())).toMatchObject([{ position: 2 }]);
});

test("a node that stops is gone at once", async () => {
  const { engine, node } = open();
  const one = node("a");
  await one.tick();
  await one.stop();
  expect(await readNodes(engine.open())).toEqual([]);
});

test("a node whose lease has ended announces itself again", async () => {
  const { engine, node } = open();
  const one = node("a");
  await one.tick();
  engine.expireLeases();
  expect(await readNodes(engine.open())).toEqual([]);
  await one.tick();
  expect(await readNodes(engine.open())).toHaveLength(1);
});

test("while the engine is away the nodes are those of before, and nothing is reported", async () => {
  const { engine, node, errors } = open();
  const one = node("a");
  const other = node("b");
  await other.tick();
  await one.tick();
  engine.isAvailable = false;
  await one.tick();
  expect(one.count()).toBe(2);
  expect(errors).toEqual([]);
});

test("a second server with the same id, as of a copied DATA_DIR, is told once", async () => {
  const { node, taken } = open();
  await node("a").tick();
  const copy = node("a");
  await copy.tick();
  await copy.tick();
  expect(taken).toEqual(["a"]);
});

test("what is not an entry is left out", async () => {
  const { engine } = open();
  const log = engine.open();
  const { format: _, ...partial } = entry("c");
  for (const [id, value] of [
    ["a", "{"],
    ["b", "null"],
    ["c", JSON.stringify(partial)],
    ["d", JSON.stringify(entry("d"))],
  ])
    await log.claim(`node/${id}`, 1000, value);
  expect((await readNodes(log)).map(({ id }) => id)).toEqual(["d"]);
});
