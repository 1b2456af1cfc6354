import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { heldKeys, keepLease } from "../../../src/data/cluster/engines/engine.ts";
import { MemoryEngine } from "../../support/memory-log.ts";

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

  test("is lost at once, if the engine has ended it", async () => {
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
  const hold = (name: string, isRenewed: boolean) =>
    keys.hold(async () => ({ renew: async () => isRenewed, release: async () => released.push(name) }), 60);
  const lost = await hold("lost", false);
  await hold("kept", true);
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
