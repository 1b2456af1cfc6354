import { expect, test } from "bun:test";
import type { WriteLease } from "../../../src/data/cluster/log.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";
import { atEnd } from "../../support/ends.ts";

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
  expect(await released).toBe("no write is queued");
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
