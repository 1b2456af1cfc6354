import { expect, test } from "bun:test";
import { openReplica } from "../../src/cluster/replica.ts";
import { addNamed, memoryCluster, namesOf } from "../support/cluster.ts";
import { atEnd } from "../support/ends.ts";

test("a node that waits for its turn at writing applies what others write, for its reads", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const [a, log] = [await open(), engine.open()];
  const { promise: turn, resolve: startTurn } = Promise.withResolvers<AsyncDisposable>();
  const b = await openReplica(newFile(), { ...log, turn: () => turn }, { node: "waiting" });
  atEnd(b.database.close);
  // It learns that another node waits, and waits for its turn from then on.
  const other = await engine.open().turn();
  await addNamed(b, "one");
  const last = addNamed(b, "last");
  // Otherwise its write comes too late, and waits for a turn too.
  await a.database.fresh();
  await addNamed(a, "two");
  await b.database.fresh();
  expect(namesOf(b)).toEqual(["one", "two"]);
  await other[Symbol.asyncDispose]();
  startTurn({ [Symbol.asyncDispose]: async () => {} });
  await last;
  expect(namesOf(b)).toEqual(["one", "two", "last"]);
});
