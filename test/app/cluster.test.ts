import { expect, test } from "bun:test";
import { readNodes } from "../../src/data/cluster/nodes.ts";
import { repeat } from "../../src/lib/poller.ts";
import { EngineUnavailable } from "../../src/lib/storage-errors.ts";
import { StorageUnavailable } from "../../src/lib/storage-errors.ts";
import { clusterNode } from "../support/cluster-node.ts";
import { outcomeOf } from "../support/outcome.ts";

const BLOBS_URL = "s3://key:secret-word@bucket/sites?endpoint=http://localhost:9000";

test("a server announces its node, and counts the others", async () => {
  const { engine, node } = await clusterNode();
  expect(await readNodes(engine.open())).toMatchObject([
    { id: "node-1", position: 7, address: "http://192.0.2.1:3000" },
  ]);
  expect(node.liveNodes()).toBe(1);
  expect(node.describe()).toMatch(
    /^Node .+ of the cluster etcd:\/\/etcd\.example\.org:2379\/shelter: position 7, 1 node$/,
  );
});

test("the log of the node that has the claim reports that the work of one node begins there", async () => {
  const { engine, node, lines } = await clusterNode({ BLOBS_URL });
  const { claim } = engine.open();
  const other = await claim("work", 1000);
  let begun = 0;
  const work = repeat(60_000, () => void begun++, { firstMs: 0, onError: () => {} });
  const poller = node.onOneNode([work]);
  await poller.tick();
  expect([begun, lines]).toEqual([0, []]);
  await other?.[Symbol.asyncDispose]();
  await poller.tick();
  expect(begun).toBe(1);
  expect(lines).toMatchObject([{ msg: expect.stringContaining("this node now does the work") }]);
  await poller.stop();
});

test("neither the description nor the log has the password", async () => {
  const { node, lines, change } = await clusterNode();
  await change({ problem: "the engine cannot be reached" });
  expect(JSON.stringify([node.describe(), lines])).not.toContain("s3cret");
});

test("an unreachable engine is logged once, and so is its return", async () => {
  const { lines, change, clock, node } = await clusterNode();
  lines.length = 0;
  await change({ problem: "etcd does not respond" });
  await change({});
  clock.advance(12_000);
  expect(node.fault()).toEqual({ problem: "etcd does not respond", since: clock.now() - 12_000 });
  await change({ problem: undefined });
  await change({});
  expect(lines.map(({ level }) => level)).toEqual([40, 30]);
  expect(lines[1]).toMatchObject({ seconds: 12 });
  expect(node.fault()).toBeUndefined();
});

test("a start without BLOBS_URL warns that sites are on one node only", async () => {
  expect(JSON.stringify((await clusterNode()).lines)).toContain("BLOBS_URL is not set");
  expect((await clusterNode({ BLOBS_URL })).lines).toEqual([]);
});

test("a node that cannot bring itself up to date is not ready, and reports how far it lags, not where the engine is", async () => {
  const { node, change, clock } = await clusterNode();
  expect(await outcomeOf(node.assertReady(async () => {}))).not.toThrow();
  await change({ problem: "away" });
  const away = async () => {
    throw new EngineUnavailable("etcd at 192.0.2.7 does not respond");
  };
  expect(await outcomeOf(node.assertReady(away))).toThrow(
    `the engine of the cluster cannot be reached, since ${new Date(clock.now()).toISOString()}, 2 records behind`,
  );
});

test("a node that cannot apply the log is not ready, and strangers do not learn where its files are", async () => {
  const { node } = await clusterNode();
  const full = async () => {
    throw new StorageUnavailable("/srv/data is full");
  };
  expect(await outcomeOf(node.assertReady(full))).toThrow("this node cannot apply the log, 2 records behind");
});

test("the metrics are those of the replica", async () => {
  const { node, change } = await clusterNode();
  const values = () => [
    ...node.gauges.map(({ name, read }) => [name, read()]),
    ...node.counters.map(({ name, read }) => [name, [...read()][0]?.count]),
  ];
  expect(Object.fromEntries(values())).toEqual({
    cluster_engine_up: 1,
    cluster_live_nodes: 1,
    cluster_log_position: 7,
    cluster_log_lag: 2,
    cluster_forwarded_writes_total: 0,
    cluster_appends_total: 5,
    cluster_lost_appends_total: 2,
    cluster_append_seconds_total: 0.5,
    cluster_applied_records_total: 3,
  });
  await change({ problem: "away", position: 9 });
  expect(values()).toContainEqual(["cluster_engine_up", 0]);
  expect(values()).toContainEqual(["cluster_log_lag", 0]);
});
