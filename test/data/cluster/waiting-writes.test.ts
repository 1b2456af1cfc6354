import { expect, test } from "bun:test";
import type { WriteLease } from "../../../src/data/cluster/log.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
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
  grantLease({ release: async () => {} });
  await last;
  expect(namesOf(b)).toEqual(["one", "two", "last"]);
});
