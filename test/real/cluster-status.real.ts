import { expect } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { directory, expectRefusal, kept, real, store, until } from "./support.ts";

const test = real(...ETCD);

/** A cluster of two nodes over this many members, and the commands of its operator. */
const cluster = async (members: number) => {
  const etcd = kept(await startEtcd(members));
  const place = directory();
  const url = etcd.url("shelter");
  const env = { DATABASE_URL: url };
  const nodes = ["one", "two"].map((name) => kept(node({ place: join(place, name), env })));
  const status = (...flags: string[]) => store(["cluster", "status", ...flags], { env, cwd: place });
  return {
    etcd,
    place,
    env,
    nodes,
    status,
  };
};

test("cluster status shows the nodes, the engine and the log, without a DATA_DIR", async () => {
  const service = await cluster(3);
  const empty = await service.status();
  expect(empty.stdout).toContain("There is no log yet");
  expect(empty.code).toBe(1);
  for (const one of service.nodes) await one.start();
  const { stdout, code } = await service.status();
  expect(stdout).toMatch(/^engine +etcd [\d.]+, etcd:\/\/127\.0\.0\.1:\d+,.+\/shelter, .+ stored$/m);
  expect(stdout.match(/\(leader\)/g)).toHaveLength(1);
  expect(stdout).toMatch(/^log +[0-9a-f-]{36} at position \d+$/m);
  expect(stdout).toMatch(/^snapshot +position \d+, \d+ records? behind the log, made .+ in the engine$/m);
  for (const { port } of service.nodes) expect(stdout).toContain(`:${port}`);
  expect(code).toBe(0);
  const report = JSON.parse((await service.status("--json")).stdout) as {
    log: { nodes: unknown[] };
    problems: unknown[];
  };
  expect(report).toMatchObject({ problems: [] });
  expect(report.log.nodes).toHaveLength(2);
});

test("cluster status names a member that is down; without a majority it reports that, and exits with 1", async () => {
  const service = await cluster(3);
  const [one] = service.nodes;
  await one?.start();
  const [first, second] = service.etcd.members;
  await first?.kill();
  const minority = await service.status();
  expect(minority.stdout).toContain(`The engine's member ${first?.address} cannot be used`);
  expect(minority.stdout).toContain("the cluster works on, but repair it before another one fails");
  expect(minority.code).toBe(1);
  await second?.kill();
  const majority = await service.status();
  expect(majority.stdout).toMatch(
    /^FAILED +The engine cannot be used .+: which nodes run is unknown, and none can read or write; sites continue for STALE_LIMIT/m,
  );
  expect(majority.code).toBe(1);
  const readiness = () => fetch(`${one?.url}/readyz`).then((response) => response.text());
  await until("the node reports the fault", async () =>
    (await readiness()).includes("cluster cannot be reached"),
  );
  expect((await fetch(`${one?.url}/livez`)).status).toBe(200);
});

test("a declared node that does not run is named by cluster status, the metrics and the warnings of /readyz", async () => {
  const etcd = kept(await startEtcd(1));
  const place = directory();
  const env = { DATABASE_URL: etcd.url("shelter"), CLUSTER_NODES: "one,two,three" };
  const [one, two] = ["one", "two"].map((name) =>
    kept(node({ place: join(place, name), env: { ...env, NODE_NAME: name } })),
  ) as [Node, Node];
  await one.start();
  await two.start();
  const status = () => store(["cluster", "status"], { env, cwd: place });
  const text = "Node three of CLUSTER_NODES is not running (running: one, two)";
  const { stdout, code } = await status();
  expect(stdout).toContain(text);
  expect(stdout).toMatch(/^one +/m);
  expect(code).toBe(1);
  const headers = { authorization: `Bearer ${one.adminKey()}` };
  const read = (path: string) => fetch(`${two.url}${path}`, { headers }).then((response) => response.text());
  await until("the warning", async () => (await read("/readyz")).includes(text), 20_000);
  const metrics = await read("/metrics");
  for (const [name, value] of [
    ["declared", 3],
    ["live", 2],
  ])
    expect(metrics).toMatch(new RegExp(`^cluster_${name}_nodes ${value}$`, "m"));

  // A restart of the engine that takes longer than the leases of the nodes.
  const [member] = etcd.members;
  await member?.kill();
  expect((await status()).stdout).toMatch(/^nodes +unknown$/m);
  await Bun.sleep(11_000);
  await member?.restart();
  const seen = [];
  for (const end = performance.now() + 12_000; performance.now() < end;) seen.push((await status()).stdout);
  expect(seen.filter((output) => output.includes("No node runs"))).toEqual([]);
  // A node announces itself again when its lease from before the restart has ended.
  await until("both nodes are announced", async () => (await status()).stdout.includes(text));
  console.log(`cluster status: 0 of ${seen.length} reports during a restart of etcd say that no node runs`);
}, 120_000);

test("the password of DATABASE_URL is in no output of an operator's commands", async () => {
  const service = await cluster(1);
  const env = {
    ...service.env,
    DATABASE_URL: service.env.DATABASE_URL.replace("://", "://root:s3cret-word@"),
  };
  for (const argv of [
    ["cluster", "status"],
    ["cluster", "status", "--json"],
    ["doctor"],
    ["status"],
    ["config", "show"],
  ]) {
    const { stdout, stderr } = await store(argv, { env, cwd: service.place });
    expect([argv, (stdout + stderr).includes("s3cret")]).toEqual([argv, false]);
  }
});

test("commands on a node's DATA_DIR find DATABASE_URL in its configuration file, and refuse without it", async () => {
  const service = await cluster(1);
  const [one] = service.nodes;
  await one?.start();
  const cwd = one?.place ?? "";
  expectRefusal(await store(["keys", "list"], { cwd }), 1, /DATABASE_URL/);
  const file = join(cwd, "data/adoption-store.toml");
  writeFileSync(file, `database_url = "${service.env.DATABASE_URL}"\n`, { mode: 0o600 });
  expect((await store(["keys", "list"], { cwd })).code).toBe(0);
  const { stdout } = await store(["status"], { cwd });
  expect(stdout).toMatch(/^cluster +1 node of etcd:/m);
  rmSync(file);
});

test("a server and a command name an unreachable engine, and what to check", async () => {
  const service = await cluster(1);
  const [one] = service.nodes;
  await one?.start();
  await one?.kill();
  await service.etcd.members[0]?.kill();
  const says = /DATABASE_URL: etcd:\/\/127\.0\.0\.1:\d+\/shelter cannot be used \(.+\): check the address/;
  const at = { env: service.env, cwd: one?.place ?? "" };
  const { code, stderr } = await store(["serve", "--port", "0"], at);
  expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
  expectRefusal(await store(["keys", "list"], at), 1, says);
});

test("a first start with an unreachable bucket names BLOBS_URL, without its key", async () => {
  const service = await cluster(1);
  const BLOBS_URL = "s3://key:s3cret-word@bucket/sites?endpoint=http://127.0.0.1:9";
  const at = { env: { ...service.env, BLOBS_URL }, cwd: service.place };
  const { code, stderr } = await store(["serve", "--port", "0"], at);
  const says = /BLOBS_URL: the object store .+ cannot be used: .+: check the address, the keys/;
  expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
  expect(stderr).not.toContain("s3cret");
});
