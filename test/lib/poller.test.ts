import { expect, test } from "bun:test";
import { poller } from "../../src/lib/poller.ts";
import { testClock } from "../support/store.ts";

test("what is found to be due while it stops is not begun any more", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string[]>();
  const dealt: string[] = [];
  const kept = poller({
    due: () => found,
    idOf: (item) => item,
    process: async (item) => void dealt.push(item),
    maxPerTick: 10,
    maxConcurrent: 10,
    clock: testClock(),
    failed: (error) => {
      throw error;
    },
  });
  const ticking = kept.tick();
  await kept.stop();
  find(["a", "b"]);
  await ticking;
  await kept.tick();
  expect(dealt).toEqual([]);
});
