import { expect, test } from "bun:test";
import { memoryCluster } from "../../support/cluster.ts";
import { openStore } from "../../support/store.ts";

test("a request whose write is too large for the log gets 413 with what to do, and writes nothing", async () => {
  const { engine, open } = await memoryCluster();
  const { database } = await open();
  const { call, log } = await openStore({ database });
  const add = async () => call("POST", "/v1/pets", { json: { name: "Bella", categoryId: 3 } });
  engine.maxRecordBytes = 100;
  const refused = await add();
  expect([refused.status, await refused.json()]).toEqual([
    413,
    {
      code: "payload_too_large",
      status: 413,
      message: expect.stringMatching(
        /^This change takes \d+ bytes in the cluster's log, and at most 100 are allowed: nothing was written\. Make it in smaller parts\.$/,
      ),
    },
  ]);
  expect(log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  engine.maxRecordBytes = Infinity;
  expect((await add()).status).toBe(201);
  expect(await (await call("GET", "/v1/pets")).json()).toHaveLength(1);
});
