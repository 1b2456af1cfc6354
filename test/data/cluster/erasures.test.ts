import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import {
  announceErasure,
  erasurePoller,
  readErasures,
  removeOldErasures,
} from "../../../src/data/cluster/erasures.ts";
import type { Log } from "../../../src/data/cluster/log.ts";
import { openReplica, type Replica } from "../../../src/data/cluster/replica.ts";
import { snapshotPoller } from "../../../src/data/cluster/snapshot-schedule.ts";
import { startReplica } from "../../../src/data/cluster/membership.ts";

import { vacuum } from "../../../src/data/db/vacuum.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

const NAME = "Grace Brewster Hopper";
const EMAIL = "grace@example.org";

const fail = (error: unknown) => {
  throw error;
};

const startNode = async (engine: MemoryEngine, name: string) => {
  const directory = temporaryDirectory();
  const path = join(directory, "adoption-store.db");
  const log = engine.open();
  await startReplica(path, log);
  const replica = await openReplica(path, log, { node: name });
  atEnd(replica.database.close);
  const makeSnapshots = snapshotPoller(path, replica.cluster, { onMade: () => {}, onError: fail });
  const erase = erasurePoller(replica.cluster, { rewrite: () => vacuum(path), onError: fail });
  return { directory, log, replica, makeSnapshots, erase };
};

const run = ({ database }: Replica, sql: string, ...values: (string | number)[]) =>
  database.commit([{ query: { all: (connection) => connection.prepare(sql).all(...values) }, values: {} }]);

const addOrder = (replica: Replica) =>
  run(
    replica,
    "INSERT INTO orders (pet_id, adopter_name, adopter_email, note, status, created_at, updated_at) VALUES (1, ?, ?, ?, 'cancelled', 0, 0) RETURNING id",
    NAME,
    EMAIL,
    `Call ${NAME}`,
  );

const forget = (replica: Replica) =>
  adopterRepository(replica.database).forget(EMAIL, false, { actor: OPERATOR, now: 1 });

const includesPerson = (bytes: Uint8Array) => {
  const text = Buffer.from(bytes).toString("latin1").toLowerCase();
  return text.includes("hopper") || text.includes(EMAIL);
};

/** What the engine holds, without compression. */
const engineHolds = async ({ records }: MemoryEngine, { files }: Log): Promise<boolean> => {
  const snapshots = await Promise.all((await files.list("snapshots/")).map((name) => files.get(name)));
  const pages = snapshots.map((part) => Bun.zstdDecompressSync(part ?? new Uint8Array()));
  const bodies = records.map(({ record }) => Bun.zstdDecompressSync(record.subarray(1)));
  return [...pages, ...bodies].some(includesPerson);
};

const directoryHolds = (directory: string) =>
  readdirSync(directory).some((name) => includesPerson(readFileSync(join(directory, name))));

test("of an erased person nothing is left in the log, in snapshots and in the files of nodes", async () => {
  const engine = new MemoryEngine();
  const [a, b] = [await startNode(engine, "a"), await startNode(engine, "b")];
  for (let at = 0; at < 50; at++) await addOrder(a.replica);
  await run(a.replica, "UPDATE pets SET name = name");
  await b.replica.database.fresh();
  expect(await engineHolds(engine, a.log)).toBe(true);
  expect([a, b].map(({ directory }) => directoryHolds(directory))).toEqual([true, true]);

  expect(await forget(a.replica)).toMatchObject({ orders: 50 });
  await announceErasure(a.log, a.replica.cluster.state().position);
  await b.replica.database.fresh();
  await b.makeSnapshots.tick();
  await Promise.all([a.erase.tick(), b.erase.tick()]);
  expect(await engineHolds(engine, a.log)).toBe(false);
  expect([a, b].map(({ directory }) => directoryHolds(directory))).toEqual([false, false]);

  await addOrder(b.replica);
  await a.replica.database.fresh();
  expect(a.replica.database.client.query("SELECT count(*) AS count FROM orders").get()).toEqual({
    count: 51,
  });
});

test("the snapshot that is there already is enough if it has the erasure", async () => {
  const engine = new MemoryEngine();
  const { log, replica, makeSnapshots } = await startNode(engine, "a");
  await addOrder(replica);
  await forget(replica);
  await announceErasure(log, replica.cluster.state().position);
  await makeSnapshots.tick();
  const snapshot = await log.snapshot();
  await announceErasure(log, 1);
  await makeSnapshots.tick();
  expect(await log.snapshot()).toEqual(snapshot);
});

test("an erasure of a log that was replaced makes no snapshot of the next log due", async () => {
  const engine = new MemoryEngine();
  const { log, replica, makeSnapshots } = await startNode(engine, "a");
  await addOrder(replica);
  await announceErasure(log, 1_000_000);
  await makeSnapshots.tick();
  expect(await log.snapshot()).toMatchObject({ position: 0 });
});

test("all nodes keep erasures for a day", async () => {
  const log = new MemoryEngine().open();
  await announceErasure(log, 7);
  const [erasure] = await readErasures(log);
  expect(erasure).toMatchObject({ position: 7 });
  await removeOldErasures(log, await readErasures(log), Date.now() + 86_000_000);
  expect(await readErasures(log)).toHaveLength(1);
  await removeOldErasures(log, await readErasures(log), Date.now() + 87_000_000);
  expect(await readErasures(log)).toEqual([]);
});
