import { expect, test } from "bun:test";
import { catchUp } from "../../../src/data/cluster/far-behind.ts";
import { EngineUnavailable } from "../../../src/lib/storage-errors.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";
import { outcomeOf } from "../../support/outcome.ts";

const away = () => Promise.reject(new EngineUnavailable("not within 5 s"));

test("a replica that is far behind catches up as long as it makes progress, and reports how much is left", async () => {
  let position = 0;
  const left: number[] = [];
  const fresh = () => (++position < 5 ? away() : Promise.resolve());
  const state = () => ({ position, head: 7 }) as never;
  await catchUp({ fresh }, { state }, (records) => left.push(records));
  expect(left).toEqual([6, 5, 4, 3]);
});

test("it ends when the replica does not get on, without another wait", async () => {
  let waits = 0;
  const fresh = () => (waits++, away());
  const outcome = await outcomeOf(catchUp({ fresh }, { state: () => ({ position: 7 }) as never }));
  expect(outcome).toThrow("not within 5 s");
  expect(waits).toBe(1);
});

test("a replica that lacks removed records reports the advice", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const a = await open();
  await addNamed(a, "Bella");
  const log = engine.open();
  const head = await log.head();
  if (head) await log.announce({ ...head, checksum: "", reference: "" });
  await log.trim(1);
  const late = await open({ path: newFile() });
  const outcome = await outcomeOf(catchUp(late.database, late.cluster));
  expect(outcome).toThrow(OperatorError);
  expect(outcome).toThrow("start the server of this node");
  expect(namesOf(late)).toEqual([]);
});
