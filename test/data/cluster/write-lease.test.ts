import { expect, test } from "bun:test";
import { MemoryEngine } from "../../support/memory-log.ts";

const opened = () => {
  const engine = new MemoryEngine();
  const decisions: string[] = [];
  const open = (name: string) =>
    engine.open(({ reason }, decision) => void decisions.push(`${name} ${decision}: ${reason}`));
  return { engine, open, decisions };
};

test("each decision about the write lease is logged with its reason, in the order of the line", async () => {
  const { open, decisions } = opened();
  const [a, b, c] = [open("a"), open("b"), open("c")];
  const first = await a.writeLease();
  const second = b.writeLease();
  const third = c.writeLease();
  await first.release("handed over after 60 ms");
  await (await second).release("no write is queued");
  await (await third).release("the migrations are done");
  expect(decisions.map((line) => line.replace(/\d+ ms$/, "N ms"))).toEqual([
    "a took the write lease: first in line after N ms",
    "a released the write lease: handed over after N ms",
    "b took the write lease: first in line after N ms",
    "b released the write lease: no write is queued",
    "c took the write lease: first in line after N ms",
    "c released the write lease: the migrations are done",
  ]);
});

test("without an engine, a node writes without the lease", async () => {
  const { engine, open, decisions } = opened();
  engine.isAvailable = false;
  const lease = await open("a").writeLease();
  await lease.release("no write is queued");
  expect(decisions).toEqual(["a writes without the write lease: the engine in memory is not available"]);
});

test("a node that is not first for a few seconds writes without the lease, and leaves the line", async () => {
  const { open, decisions } = opened();
  const first = await open("a").writeLease();
  const refused = await open("b").writeLease();
  await refused.release("no write is queued");
  expect(decisions.at(-1)).toBe("b writes without the write lease: other nodes held it for 3500 ms");
  await first.release("done");
  await open("c").writeLease();
  expect(decisions.at(-1)).toStartWith("c took the write lease");
});

test("a holder whose lease the engine has ended loses it, and the next node in line has it", async () => {
  const { engine, open, decisions } = opened();
  await open("a").writeLease();
  const next = open("b").writeLease();
  engine.expireLeases();
  await next;
  expect(decisions.at(-1)).toStartWith("b took the write lease");
  while (decisions.length < 3) await Bun.sleep(50);
  expect(decisions.at(-1)).toBe("a lost the write lease: the engine ended it");
});

test("a node whose place in the line expires continues without the lease", async () => {
  const { engine, open, decisions } = opened();
  await open("a").writeLease();
  const waiting = open("b").writeLease();
  await Bun.sleep(10);
  engine.expireLeases();
  engine.expireLeases();
  await waiting;
  expect(decisions.at(-1)).toBe("b writes without the write lease: its place in the line expired");
});

test("the next node in line has the lease as soon as it is released", async () => {
  const { open } = opened();
  const nodes = [open("a"), open("b")] as const;
  const times: number[] = [];
  let held = await nodes[0].writeLease();
  for (const node of [nodes[1], nodes[0], nodes[1], nodes[0]]) {
    const next = node.writeLease();
    await Bun.sleep(10);
    const since = performance.now();
    await held.release("done");
    held = await next;
    times.push(performance.now() - since);
  }
  // Without a notification, a node looks four times a second.
  expect(Math.min(...times)).toBeLessThan(100);
});

test("a node that waits in line when it closes its log continues without the lease", async () => {
  const { open, decisions } = opened();
  await open("a").writeLease();
  const b = open("b");
  const waiting = b.writeLease();
  await Bun.sleep(10);
  await b.close();
  await waiting;
  expect(decisions.at(-1)).toBe("b writes without the write lease: the log was closed");
});
