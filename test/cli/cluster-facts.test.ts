import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { clusterText } from "../../src/cli/cluster.ts";
import { clusterFindings, findingsOf } from "../../src/cli/doctor.ts";
import { readConfig } from "../../src/config/config.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { openDatabase } from "../../src/data/db/open.ts";
import { markReplica } from "../../src/data/db/replica-mark.ts";
import { temporaryDirectory } from "../support/store.ts";
import { inProcess } from "./program.ts";

const MARK = { log: "00000000-0000-4000-8000-000000000000", position: 3, id: "last", checksum: "c" };

const dataDirWith = async ({ isReplica }: { isReplica: boolean }) => {
  const dataDir = temporaryDirectory();
  mkdirSync(dataDir, { recursive: true });
  const database = openDatabase(databasePath(dataDir));
  if (isReplica) markReplica(database.client, MARK);
  await database.close();
  return dataDir;
};

const configOf = (env: Record<string, string>) => readConfig({ flags: {}, env, isTerminal: false });

test("doctor has no finding about clusters for a standalone store", async () => {
  const DATA_DIR = await dataDirWith({ isReplica: false });
  expect(await clusterFindings(configOf({ DATA_DIR }))).toEqual([]);
});

test("doctor and status report that the replica of a node needs DATABASE_URL", async () => {
  const DATA_DIR = await dataDirWith({ isReplica: true });
  expect(await clusterFindings(configOf({ DATA_DIR }))).toMatchObject([
    { check: "cluster", level: "failed", detail: expect.stringContaining("DATABASE_URL is not set") },
  ]);
  const { out } = await inProcess(["status"], { env: { DATA_DIR } });
  expect(out).toContain(
    "The cluster: this DATA_DIR belongs to a node of a cluster, and DATABASE_URL is not set",
  );
});

test("cluster join and leave name the next command when the engine refuses them", async () => {
  const DATA_DIR = await dataDirWith({ isReplica: true });
  await using engine = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ message: "etcdserver: permission denied" }, { status: 403 }),
  });
  const DATABASE_URL = `etcd://127.0.0.1:${engine.port}/shelter`;
  for (const command of ["join", "leave"]) {
    const { error, code } = await inProcess(["cluster", command], { env: { DATA_DIR, DATABASE_URL } });
    expect(error).toContain(
      `DATABASE_URL: ${DATABASE_URL} cannot be used (etcd: etcdserver: permission denied`,
    );
    expect(error).toContain("adoption-store cluster status shows details");
    expect(code).toBe(1);
  }
});

test("doctor has a finding for each problem of a cluster, or one that it has none", () => {
  const facts = { url: "etcd://a:2379/shelter", nodes: 3, position: 9 };
  expect(findingsOf({ ...facts, problems: [] })).toEqual([
    { check: "cluster", level: "ok", ok: true, detail: "3 nodes of etcd://a:2379/shelter, at position 9" },
  ]);
  const problems = [
    { isFailure: true, text: "The engine is unreachable" },
    { isFailure: false, text: "A member is down" },
  ];
  expect(findingsOf({ ...facts, problems })).toEqual([
    { check: "cluster", level: "failed", ok: false, detail: "The engine is unreachable" },
    { check: "cluster", level: "warning", ok: true, detail: "A member is down" },
  ]);
});

test("a cluster in short is its nodes, its address and the end of its log", () => {
  const url = "etcd://a:2379/shelter";
  expect(clusterText({ url, nodes: 1, position: 12_345, problems: [] })).toBe(
    "1 node of etcd://a:2379/shelter, at position 12,345",
  );
  expect(clusterText({ url, nodes: 0, position: undefined, problems: [] })).toBe(
    "0 nodes of etcd://a:2379/shelter, without a log",
  );
  expect(clusterText({ url, nodes: undefined, position: undefined, problems: [] })).toBe(
    "etcd://a:2379/shelter cannot be used",
  );
});
