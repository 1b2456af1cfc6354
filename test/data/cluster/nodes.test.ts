import { expect, test } from "bun:test";
import { announceNode, type NodeEntry, readNodes } from "../../../src/data/cluster/nodes.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { onOneNode } from "../../../src/data/cluster/on-one-node.ts";
import { type Poller, repeat } from "../../../src/lib/poller.ts";

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

test("a node updates its entry", async () => {
  const { engine, node } = open();
  let position = 1;
  const one = node("a", () => entry("a", { position }));
  await one.tick();
  position = 2;
  await one.tick();
  expect(await readNodes(engine.open())).toMatchObject([{ position: 2 }]);
});

test("a node that stops is gone immediately", async () => {
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

test("while the engine is unreachable, the last list of nodes stays, and no error is reported", async () => {
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

test("a second server with the same id, as of a copied DATA_DIR, is reported once", async () => {
  const { node, taken } = open();
  await node("a").tick();
  const copy = node("a");
  await copy.tick();
  await copy.tick();
  expect(taken).toEqual(["a"]);
});

test("a value that is not an entry is left out", async () => {
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

const HOUR_MS = 3_600_000;

const rethrow = (error: unknown) => {
  throw error;
};

/** A node whose work takes until its signal aborts. */
const nodeOf = (engine: MemoryEngine, node: string, log = engine.open()) => {
  const events: string[] = [];
  const work = repeat(
    HOUR_MS,
    async (signal) => {
      events.push("begun");
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      await promise;
      events.push("ended");
    },
    { firstMs: 0, onError: rethrow },
  );
  const errors: unknown[] = [];
  const poller: Poller = onOneNode([work], log, {
    name: "work",
    node,
    onChange: (isHolder) => void events.push(isHolder ? "holds" : "lost"),
    onError: (error) => void errors.push(error),
    retryMs: HOUR_MS,
  });
  return { poller, log, events, errors };
};

/** Two nodes, of which the first has the claim. */
const openNodes = async () => {
  const engine = new MemoryEngine();
  const [one, other] = [nodeOf(engine, "one"), nodeOf(engine, "other")];
  await one.poller.tick();
  await other.poller.tick();
  return { engine, one, other };
};

test("the node that has the claim works, and no other does", async () => {
  const { engine, one, other } = await openNodes();
  expect([one.events, other.events]).toEqual([["begun", "holds"], []]);
  expect(await engine.open().claims("")).toEqual(new Map([["work", "one"]]));
  await Promise.all([one.poller.stop(), other.poller.stop()]);
});

test("a node that stops gives the work to another, once its own has ended", async () => {
  const { one, other } = await openNodes();
  const stopping = one.poller.stop();
  await other.poller.tick();
  expect(other.events).toEqual([]);
  await stopping;
  expect(one.events).toEqual(["begun", "holds", "ended"]);
  await other.poller.tick();
  expect(other.events).toEqual(["begun", "holds"]);
  await other.poller.stop();
});

test("a node that loses its claim stops its work, and another takes it over; it may have it again later", async () => {
  const { engine, one, other } = await openNodes();
  engine.expireLeases();
  await other.poller.tick();
  expect(one.events).toEqual(["begun", "holds", "lost", "ended"]);
  expect(other.events).toEqual(["begun", "holds"]);
  await one.poller.tick();
  await other.poller.stop();
  await one.poller.tick();
  expect(one.events).toEqual(["begun", "holds", "lost", "ended", "begun", "holds"]);
  await one.poller.stop();
});

test("while the engine is unreachable, a node retries without a report; the work begins when it is reachable again", async () => {
  const engine = new MemoryEngine();
  engine.isAvailable = false;
  const { poller, events, errors } = nodeOf(engine, "one");
  await poller.tick();
  expect([events, errors]).toEqual([[], []]);
  engine.isAvailable = true;
  await poller.tick();
  expect(events).toEqual(["begun", "holds"]);
  await poller.stop();
});

test("a claim that is won during a stop is released immediately", async () => {
  const engine = new MemoryEngine();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const log = engine.open();
  const slow = {
    ...log,
    async claim(...values: Parameters<typeof log.claim>) {
      await gate;
      return log.claim(...values);
    },
  };
  const { poller, events } = nodeOf(engine, "one", slow);
  const ticking = poller.tick();
  const stopping = poller.stop();
  open();
  await Promise.all([ticking, stopping]);
  expect(events).toEqual([]);
  expect(await log.claims("")).toEqual(new Map());
});
