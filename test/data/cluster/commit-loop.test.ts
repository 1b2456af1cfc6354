import { expect, test } from "bun:test";
import { commitLoop } from "../../../src/data/cluster/commit-loop.ts";
import { logGrowth, writeLease } from "../../../src/data/cluster/parts.ts";

test("groups of writes that wait for no engine let other events run between them", async () => {
  const lease = writeLease({ writeLease: () => Promise.reject(new Error("unexpected")) });
  let groups = 0;
  let groupsBeforeEvent: number | undefined;
  const write = () => loop.commit([], undefined, { isDerived: true });
  const loop = commitLoop(
    { lease, growth: logGrowth() },
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
