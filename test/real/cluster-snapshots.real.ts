import { expect } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { EngineUnavailable } from "../../src/lib/storage-errors.ts";
import type { Log } from "../../src/data/cluster/log.ts";
import { makeSnapshot, snapshotPoller } from "../../src/data/cluster/snapshot-schedule.ts";
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { openReplica, type Replica } from "../../src/data/cluster/replica.ts";
import { parseReference } from "../../src/data/cluster/snapshot-files.ts";
import { startReplica } from "../../src/data/cluster/membership.ts";
import { OPERATOR } from "../../src/lib/actor.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { petRepository } from "../../src/store/pets/repository.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { POSTGRES, startPostgres } from "./postgres.ts";
import { directory, real } from "./support.ts";

const withEtcd = real(...ETCD);
const withPostgres = real(...POSTGRES);

/** A run with 1,000,000 takes many minutes. */
const ACTS = Number(process.env["SNAPSHOT_ACTS"] ?? 20_000);
const WRITERS = 256;
const MAX_BYTES = 512 * 2 ** 20;
const MAX_RETURN_MS = 60_000;
/** Few acts make no snapshot by themselves. */
const IS_SMALL = ACTS < 500_000;

const openNode = async (path: string, log: Log): Promise<Replica> => {
  await startReplica(path, log);
  return openReplica(path, log, { node: path.replaceAll(/\W/g, "-").slice(-20) });
};

/** It does not compress well. */
const nameOf = (act: number): string => `Bella ${Bun.hash(String(act)).toString(36)}`;

/** Every second act adds an animal, the others change one. */
const carryOut = async ({ database }: Replica, acts: number, onEvery: () => Promise<void>): Promise<void> => {
  const pets = petRepository(database);
  let next = 0;
  const write = async (): Promise<void> => {
    for (let act = next++; act < acts; act = next++) {
      const now = Date.now();
      if (act % 2 === 0)
        await pets.add({ name: nameOf(act), categoryId: BigInt(act % 7) }, { actor: OPERATOR, now });
      else
        await pets.change(1 + (act % Math.max(1, act >> 2)), { name: nameOf(act) }, { actor: OPERATOR, now });
      if (act % 10_000 === 0) await onEvery();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
};

/** A request waits for 5 s at most. */
const caughtUp = async ({ database }: Replica): Promise<void> => {
  for (const end = performance.now() + 5 * MAX_RETURN_MS; ;)
    try {
      return await database.fresh();
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || performance.now() > end) throw error;
    }
};

const seconds = (since: number): number => Math.round((performance.now() - since) / 100) / 10;

const measure = async (engine: string, url: string): Promise<void> => {
  const place = directory();
  const open = () => openLog(parseDatabaseUrl(url));
  const [log, otherLog] = [await open(), await open()];
  const [path, away] = [join(place, "a.db"), join(place, "b.db")];
  const node = await openNode(path, log);
  const other = await openNode(away, otherLog);
  await other.database.close();

  const made: { position: number; seconds: number; compressed: number }[] = [];
  const errors: unknown[] = [];
  const share = IS_SMALL ? ACTS / 1_000_000 : 1;
  const state = () => {
    const actual = node.cluster.state();
    return { ...actual, recordBytes: actual.recordBytes / share };
  };
  const poller = snapshotPoller(
    path,
    { log, node: "a", state, fail: (error) => void errors.push(error) },
    {
      checkMs: IS_SMALL ? 100 : 10_000,
      onMade: ({ position, reference }, took) =>
        made.push({ position, seconds: took, compressed: parseReference(reference).compressed }),
      onError: (error) => errors.push(error),
    },
  );
  poller.start();
  let largest = 0;
  const start = performance.now();
  await carryOut(node, ACTS, async () => {
    largest = Math.max(largest, (await log.health()).bytes ?? 0);
  });
  const actSeconds = seconds(start);
  await poller.stop();
  largest = Math.max(largest, (await log.health()).bytes ?? 0);

  const returning = performance.now();
  const returned = await openNode(away, otherLog);
  await caughtUp(returned);
  const returnSeconds = seconds(returning);
  const count = ({ database }: Replica) =>
    database.client.query("SELECT count(*) AS pets, max(id) AS last FROM pets").get();
  expect(count(returned)).toEqual(count(node));
  console.log(
    JSON.stringify({
      engine,
      acts: ACTS,
      actSeconds,
      largest,
      returnSeconds,
      made,
      state: node.cluster.state(),
    }),
  );
  await Promise.all([returned.database.close(), node.database.close()]);
  await Promise.all([log.close(), otherLog.close()]);

  expect(errors).toEqual([]);
  expect(made.length).toBeGreaterThan(0);
  expect(largest).toBeLessThanOrEqual(MAX_BYTES);
  expect(returnSeconds * 1000).toBeLessThanOrEqual(MAX_RETURN_MS);
};

const PROMISE = `after ${ACTS} acts the engine holds at most 512 MiB, and a node that was down meanwhile returns by snapshot within a minute`;
const TIMEOUT_MS = Math.max(240_000, ACTS * 5);

withEtcd(
  `${PROMISE}: etcd`,
  async () => {
    await using etcd = await startEtcd(1);
    await measure("etcd", etcd.url("snapshots"));
  },
  TIMEOUT_MS,
);

withPostgres(
  `${PROMISE}: PostgreSQL`,
  async () => {
    await using postgres = await startPostgres();
    await measure("PostgreSQL", postgres.url("snapshots"));
  },
  TIMEOUT_MS,
);

const KILLS = Number(process.env["CRASH_ROUNDS"] ?? 20);
const MAX_RUN_MS = 700;

withEtcd(
  `after each of ${KILLS} kills of the node that makes snapshots, a new node starts, and in the end no file is left`,
  async () => {
    const place = directory();
    await using etcd = await startEtcd(1);
    const url = etcd.url("kills");
    const log = await openLog(parseDatabaseUrl(url));
    const path = join(place, "maker", "a.db");
    mkdirSync(join(place, "maker"));
    const script = join(import.meta.dir, "cluster", "snapshot-maker.ts");
    let made = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const maker = Bun.spawn([process.execPath, script, path, url], { stdout: "pipe", stderr: "inherit" });
      const lines = maker.stdout.text();
      await Bun.sleep(300 + Math.random() * MAX_RUN_MS);
      maker.kill("SIGKILL");
      await maker.exited;
      made += (await lines).split("\n").length - 1;
      const started = await openNode(join(place, `new-${kill}.db`), log);
      await caughtUp(started);
      await started.database.close();
    }
    expect(made).toBeGreaterThan(0);

    const last = await openNode(path, log);
    await carryOut(last, 1, async () => {});
    expect(await makeSnapshot(path, log, { node: "maker" })).toBeDefined();
    await last.database.close();
    expect(readdirSync(join(place, "maker")).filter((name) => name.startsWith("a.db."))).toEqual([]);
    const snapshots = new Set(
      (await log.files.list("snapshots/")).map((name) => name.slice(0, name.lastIndexOf("/"))),
    );
    expect(snapshots.size).toBe(2);
    await log.close();
  },
);
