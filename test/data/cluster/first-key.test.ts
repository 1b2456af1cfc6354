import { expect, test } from "bun:test";
import { openKeys } from "../../../src/access/keys/service.ts";
import { memoryCluster } from "../../support/cluster.ts";
import { contextOf } from "../../support/store.ts";

test("a node that starts from a snapshot without keys leaves its file of the first key alone", async () => {
  const { open } = await memoryCluster();
  const saved: string[] = [];
  let removals = 0;
  const file = {
    save: async (secret: string) => void saved.push(secret),
    remove: async () => void removals++,
  };
  const keysOf = async () => {
    const { database } = await open();
    return openKeys(contextOf(database));
  };
  const first = await keysOf();
  expect((await first.createFirst(file))?.name).toBe("admin");
  const again = await keysOf();
  expect(await again.createFirst(file)).toBeUndefined();
  expect(saved).toHaveLength(1);
  expect(removals).toBe(0);
});
