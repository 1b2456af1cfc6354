import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { MemoryEngine } from "../../support/memory-log.ts";
import { heldKeys, keepLease } from "../../../src/data/cluster/engines/engine.ts";
import { commitLoop } from "../../../src/data/cluster/commit-loop.ts";
import { logGrowth, writeLease } from "../../../src/data/cluster/parts.ts";
import { writeOrigins } from "../../../src/data/cluster/speculation.ts";
import type { WriteLease } from "../../../src/data/cluster/log.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";
import { atEnd } from "../../support/ends.ts";

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

describe("a lease of 3 seconds", () => {
  let now = 0;
  const realNow = performance.now;
  beforeEach(() => {
    jest.useFakeTimers();
    now = 0;
    performance.now = () => now;
  });
  afterEach(() => {
    jest.useRealTimers();
    performance.now = realNow;
  });

  /** So much time passes, and the promises that it resolves run. */
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end;) {
      now += 100;
      jest.advanceTimersByTime(100);
      for (let n = 0; n < 5; n++) await Promise.resolve();
    }
  };

  const keep = (renew: () => Promise<boolean>) => keepLease({ ttlMs: 3000, since: 0, renew });

  test("is renewed each second, and is not lost meanwhile", async () => {
    const at: number[] = [];
    const lease = keep(async () => at.push(now) > 0);
    await pass(10_000);
    expect(at).toEqual(Array.from({ length: 10 }, (_, n) => (n + 1) * 1000));
    expect(lease.lost.aborted).toBe(false);
    lease.stop();
  });

  test("is lost before its time, if no renewal is answered", async () => {
    const { lost } = keep(() => new Promise(() => {}));
    await pass(2600);
    expect(lost.aborted).toBe(false);
    await pass(200);
    expect(lost.reason).toBe("no renewal was confirmed in time");
  });

  test("is tried again after a renewal that fails", async () => {
    let calls = 0;
    const { lost, stop } = keep(async () => {
      if (++calls < 3) throw new Error("away");
      return true;
    });
    await pass(4000);
    expect(lost.aborted).toBe(false);
    stop();
  });

  test("is lost immediately if the engine has ended it", async () => {
    const { lost } = keep(async () => false);
    await pass(1100);
    expect(lost.reason).toBe("the engine ended it");
  });

  test("lasts from when the renewal was sent, not from its response", async () => {
    let calls = 0;
    const { lost } = keep(async () => {
      if (++calls > 1) return new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return true;
    });
    // Sent after 1 s, answered after 2.5 s: it lasts until 4 s, without the margin of 0.3 s.
    await pass(3600);
    expect(lost.aborted).toBe(false);
    await pass(300);
    expect(lost.aborted).toBe(true);
  });

  test("is lost when its process was stopped for longer, before it is renewed again", async () => {
    let calls = 0;
    const { lost } = keep(async () => ++calls > 0);
    now = 5000;
    jest.advanceTimersByTime(1000);
    expect(lost.aborted).toBe(true);
    expect(calls).toBe(0);
  });

  test("is neither renewed nor lost after it was stopped", async () => {
    let calls = 0;
    const { lost, stop } = keep(async () => ++calls > 0);
    stop();
    await pass(6000);
    expect(calls).toBe(0);
    expect(lost.aborted).toBe(false);
  });
});

test("a key that is lost is not released again when the log is closed", async () => {
  const keys = heldKeys();
  const released: string[] = [];
  const hold = (name: string, ttl: number) =>
    keys.hold(
      async () => ({ renew: async () => name === "kept", release: async () => released.push(name) }),
      ttl,
    );
  const lost = await hold("lost", 60);
  await hold("kept", 60_000);
  while (!lost?.lost.aborted) await Bun.sleep(5);
  await keys.close();
  expect(released).toEqual(["kept"]);
});

test("a claim that was released is not lost", async () => {
  const log = new MemoryEngine().open();
  const claim = await log.claim("sweep", 60);
  await claim?.[Symbol.asyncDispose]();
  await Bun.sleep(100);
  expect(claim?.lost.aborted).toBe(false);
});

test("groups of writes that wait for no engine let other events run between them", async () => {
  const lease = writeLease({ writeLease: () => Promise.reject(new Error("unexpected")) });
  let groups = 0;
  let groupsBeforeEvent: number | undefined;
  const write = () => loop.commit([], undefined, { isDerived: true });
  const loop = commitLoop(
    { lease, growth: logGrowth(), origins: writeOrigins(() => 0) },
    {},
    {
      catchUp: async () => {},
      async commitGroup(writes) {
        for (const { resolve } of writes) resolve([]);
        if (++groups < 100) void write();
        setImmediate(() => (groupsBeforeEvent ??= groups));
      },
    },
  );
  await write();
  await loop.stop();
  expect(groups).toBe(100);
  expect(groupsBeforeEvent).toBeLessThan(3);
});

test("a node that waits for the write lease applies what others write, for its reads", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const [a, log] = [await open(), engine.open()];
  const { promise: lease, resolve: grantLease } = Promise.withResolvers<WriteLease>();
  const b = await openReplica(newFile(), { ...log, writeLease: () => lease }, { node: "waiting" });
  atEnd(b.database.close);
  // It learns that another node waits, and waits for the write lease from then on.
  const other = await engine.open().writeLease();
  await addNamed(b, "one");
  const last = addNamed(b, "last");
  // Otherwise its write comes too late, and waits for the lease too.
  await a.database.fresh();
  await addNamed(a, "two");
  await b.database.fresh();
  expect(namesOf(b)).toEqual(["one", "two"]);
  await other.release("done");
  const { promise: released, resolve: release } = Promise.withResolvers<string>();
  grantLease({ release: async (reason) => release(reason) });
  await last;
  expect(namesOf(b)).toEqual(["one", "two", "last"]);
  // On a slow machine, its write alone may take longer than a node holds the lease.
  expect(await released).toMatch(/^(no write is queued|handed over after \d+ ms)$/);
});

test("a node that writes all the time hands the write lease over after a moment", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const log = engine.open();
  const reasons: string[] = [];
  const lease = { release: async (reason: string) => void reasons.push(reason) };
  const busy = await openReplica(newFile(), { ...log, writeLease: async () => lease }, { node: "busy" });
  atEnd(busy.database.close);
  const waiting = await engine.open().writeLease();
  while (reasons.length === 0) await addNamed(busy, "Bella");
  expect(reasons[0]).toMatch(/^handed over after \d+ ms$/);
  await waiting.release("done");
  await addNamed(await open(), "of another node");
});

test("a node that migrates the cluster releases the write lease", async () => {
  const { engine, newFile } = await memoryCluster(migrations.slice(0, -1));
  const reasons: string[] = [];
  const writeLease = async () => ({ release: async (reason: string) => void reasons.push(reason) });
  const node = await openReplica(
    newFile(),
    { ...engine.open(), writeLease },
    { node: "new", migrates: true },
  );
  atEnd(node.database.close);
  expect(reasons).toEqual(["the migrations are done"]);
});
