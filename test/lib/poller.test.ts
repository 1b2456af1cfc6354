import { expect, test } from "bun:test";
import { rounds } from "../../src/lib/poller.ts";
import { testClock } from "../support/store.ts";

test("what is found to be due while it stops is not begun any more", async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<string[]>();
  const dealt: string[] = [];
  const kept = rounds({
    due: () => found,
    idOf: (item) => item,
    deal: async (item) => void dealt.push(item),
    mostATick: 10,
    mostAtOnce: 10,
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
