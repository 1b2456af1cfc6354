import { expect, test } from "bun:test";
import { writeHolder } from "../../../src/data/cluster/write-holder.ts";
import { atEnd } from "../../support/ends.ts";
import { MemoryEngine } from "../../support/memory-log.ts";

/** Nodes that agree on a writer node. `down` has the tokens of unreachable ones. */
const nodes = async () => {
  const engine = new MemoryEngine();
  const down = new Set<string>();
  const reported: string[] = [];
  const node = (token: string) => {
    const holder = writeHolder(
      engine.open(),
      { node: token, url: `http://${token}.example.org:3000`, token },
      {
        isReachable: async (target) => !down.has(target.token),
        onUnreachable: (url) => reported.push(url),
        onError: (error) => {
          throw error;
        },
      },
    );
    atEnd(async () => void (await Promise.all(holder.pollers.map((poller) => poller.stop()))));
    return {
      ...holder,
      async tick() {
        for (const poller of holder.pollers) await poller.tick();
        return holder.target()?.token;
      },
    };
  };
  return { engine, down, reported, a: node("a"), b: node("b"), c: node("c") };
};

test("the first node is the writer, and remains it", async () => {
  const { a, b, c } = await nodes();
  for (let round = 0; round < 2; round++)
    expect([await a.tick(), await b.tick(), await c.tick()]).toEqual([undefined, "a", "a"]);
});

test("when it leaves, another node takes over, and it sends its writes there", async () => {
  const { a, b, c } = await nodes();
  for (const node of [a, b, c]) await node.tick();
  const { lost } = b.target() ?? {};
  await a.leave();
  expect([await c.tick(), await b.tick(), await a.pollers[1]?.tick()]).toEqual([undefined, "c", undefined]);
  // It still responds to the requests that it has.
  expect([a.target()?.token, lost?.aborted]).toEqual(["c", false]);
});

test("when its claim expires, another node takes over", async () => {
  const { engine, a, b } = await nodes();
  for (const node of [a, b]) await node.tick();
  engine.expireLeases();
  expect([await b.tick(), await a.tick()]).toEqual([undefined, "b"]);
});

test("while a node cannot reach it, that node handles writes locally, and reports it once", async () => {
  const { down, reported, a, b } = await nodes();
  for (const node of [a, b]) await node.tick();
  const { lost } = b.target() ?? {};
  down.add("a");
  expect([await b.tick(), lost?.aborted]).toEqual([undefined, false]);
  expect([await b.tick(), lost?.aborted]).toEqual([undefined, true]);
  await b.tick();
  expect(reported).toEqual(["http://a.example.org:3000"]);
  down.clear();
  expect(await b.tick()).toBe("a");
});

test("a node that loses the engine still sends writes to the other, as long as it reaches it", async () => {
  const { engine, down, a, b } = await nodes();
  for (const node of [a, b]) await node.tick();
  engine.isAvailable = false;
  expect(await b.tick()).toBe("a");
  down.add("a");
  expect(await b.tick()).toBeUndefined();
});
