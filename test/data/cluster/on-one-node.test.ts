import { expect, test } from "bun:test";
import { onOneNode } from "../../../src/data/cluster/on-one-node.ts";
import type { Poller } from "../../../src/lib/poller.ts";
import { repeat } from "../../../src/lib/poller.ts";
import { MemoryEngine } from "../../support/memory-log.ts";

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

test("while the engine is away, a node goes on trying without a report; the work begins when it is back", async () => {
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

test("a claim that is won during a stop is given back at once", async () => {
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
