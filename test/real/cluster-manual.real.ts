import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { shellQuoted } from "../../src/data/data-dir/shell.ts";
import { blocksOf } from "../pages/manual/blocks.ts";
import { MACHINE_PROGRAMS, startMachines } from "./cluster/machines.ts";
import { followOnMachines } from "./manual/on-machines.ts";
import { POSTGRES } from "./postgres.ts";
import { real } from "./support.ts";

const ROOT = resolve(import.meta.dir, "../..");
const SETUP = "src/pages/manual/how-to/cluster-setup.md";
const RECOVERY = "src/pages/manual/how-to/cluster-recovery.md";
const ADDRESSES = { node1: "10.0.0.1", node2: "10.0.0.2", node3: "10.0.0.3", balancer: "10.0.0.10" };

const NODES = ["node1", "node2", "node3"] as const;

type Node = (typeof NODES)[number];

type Machines = Awaited<ReturnType<typeof startMachines<keyof typeof ADDRESSES>>>;

const HEADING = /^(#{2,3}) (.+)$/;

/** The lines below a heading of a page. Other lines are empty, so that numbers of lines stay. */
const sectionOf = (page: string, title: string): string => {
  let level = 0;
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  return lines
    .map((line) => {
      const [, marks = "", text] = HEADING.exec(line) ?? [];
      if (text === title) level = marks.length;
      else if (marks !== "" && marks.length <= level) level = 0;
      return level > 0 ? line : "";
    })
    .join("\n");
};

const follow = async (machines: Machines, page: string, ...titles: string[]): Promise<void> => {
  for (const title of titles)
    if ((await followOnMachines(machines, page, blocksOf(sectionOf(page, title)))) === 0)
      throw new Error(`${page} has no commands below "${title}"`);
};

const PREPARED = ["Prepare the machines", "Certificates"];
const SERVED = ["The nodes", "The certificate of the load balancer"];

/** Calls the API of a node without the load balancer. */
const call = (machines: Machines, node: Node, key: string, ...more: string[]): Promise<string> => {
  const headers = ["Host: adopt.example.org", "X-Forwarded-Proto: https", `Authorization: Bearer ${key}`];
  const curl = ["curl", "--fail-with-body", ...headers.flatMap((header) => ["-H", header]), ...more];
  return machines[node].must([...curl, `http://${node}.example.org:3000/v1/pets`].map(shellQuoted).join(" "));
};

/** The names of all animals as each node lists them. */
const namesOnEach = (machines: Machines, key: string) =>
  Promise.all(
    NODES.map(async (node) =>
      (JSON.parse(await call(machines, node, key)) as { name: string }[]).map(({ name }) => name).join(" "),
    ),
  );

const add = (machines: Machines, node: Node, key: string, name: string) =>
  call(machines, node, key, "--json", JSON.stringify({ name, categoryId: 1 }));

const keyOf = async ({ node1 }: Machines): Promise<string> =>
  (await node1.must("cat /var/lib/adoption-store/admin.key")).trim();

/** Sends requests through the load balancer while a node restarts. @returns the statuses that clients got */
const statusesDuringRestart = async ({ balancer, node2 }: Machines): Promise<string[]> => {
  const url = "--resolve adopt.example.org:443:127.0.0.1 https://adopt.example.org/livez";
  const curl = `curl --silent --output /dev/null --write-out '%{http_code}\\n' --cacert /root/adopt.pem ${url}`;
  const asking = balancer.must(`until [ -e /run/enough ]; do ${curl} || true; sleep 0.02; done`);
  await node2.must("systemctl restart adoption-store");
  await balancer.must("touch /run/enough");
  return (await asking).trim().split("\n");
};

const expectNoFailure = (statuses: readonly string[]): void => {
  // On a busy machine, each takes a tenth of a second.
  expect(statuses.length).toBeGreaterThan(15);
  expect([...new Set(statuses)]).toEqual(["200"]);
};

/** Where the log ends in the copy that a node has saved. */
const savedPosition = async (machines: Machines, node: Node): Promise<number> => {
  const report = await machines[node].must("adoption-store backup --check /root/before-recovery.db");
  return Number(/at position ([0-9]+)/.exec(report)?.[1]);
};

const ETCD = [...MACHINE_PROGRAMS, "etcd", "etcdctl", "openssl"];
const withEtcd = real(...ETCD);
const withHaproxy = real(...ETCD, "haproxy");
const withPostgres = real(...MACHINE_PROGRAMS, ...POSTGRES, "caddy", "openssl");

withHaproxy("a reader who sets up etcd and HAProxy loses no animal with a machine", async () => {
  const machines = await startMachines(ADDRESSES);
  await follow(machines, SETUP, ...PREPARED, "etcd", ...SERVED, "HAProxy", "Check the cluster");
  expectNoFailure(await statusesDuringRestart(machines));
  await machines.node3.powerOff();
  await follow(machines, RECOVERY, "While a machine is off");
  await machines.node3.powerOn();
  await follow(machines, RECOVERY, "When the machine runs again");
  expect(await namesOnEach(machines, await keyOf(machines))).toEqual(Array(3).fill("Bella Max"));
});

/** Adds an animal that node3 lacks, loses the engine, and follows the page. */
const repairEngine = async (
  machines: Machines,
  { title, lose }: { title: string; lose: () => Promise<unknown> },
): Promise<void> => {
  const key = await keyOf(machines);
  await add(machines, "node2", key, "Bella");
  await machines.node3.must("systemctl stop adoption-store");
  await add(machines, "node1", key, "Luna");
  await lose();
  await follow(machines, RECOVERY, "Which node was last", title, "Start from the last node");
  expect(await savedPosition(machines, "node1")).toBeGreaterThan(await savedPosition(machines, "node3"));
  expect(await namesOnEach(machines, key)).toEqual(Array(3).fill("Bella Luna"));
};

withEtcd("a reader who has lost two of three etcd members starts again from the last node", async () => {
  const machines = await startMachines(ADDRESSES);
  await follow(machines, SETUP, ...PREPARED, "etcd", "The nodes");
  const lose = "systemctl kill --kill-whom=main --signal=KILL etcd; rm -r /var/lib/etcd/adoption-store";
  await repairEngine(machines, {
    title: "Rebuild etcd",
    lose: () => Promise.all([machines.node2.must(lose), machines.node3.must(lose)]),
  });
});

withPostgres("a reader who has lost PostgreSQL starts again from the last node", async () => {
  const machines = await startMachines(ADDRESSES);
  await follow(machines, SETUP, ...PREPARED, "PostgreSQL", "The nodes");
  const lose = "systemctl stop postgresql@15-main; rm -r /var/lib/postgresql/15/main";
  await repairEngine(machines, {
    title: "Rebuild PostgreSQL",
    lose: () => Promise.all(NODES.map((node) => machines[node].must(lose))),
  });
});

withPostgres("a reader who sets up PostgreSQL and Caddy loses no animal with the primary", async () => {
  const machines = await startMachines(ADDRESSES);
  await follow(machines, SETUP, ...PREPARED, "PostgreSQL", ...SERVED, "Caddy", "Check the cluster");
  const key = await keyOf(machines);
  await add(machines, "node3", key, "Max");
  expectNoFailure(await statusesDuringRestart(machines));

  await machines.node1.powerOff();
  await follow(machines, RECOVERY, "Which standby was last", "Promote the last standby");
  await add(machines, "node3", key, "Luna");
  await machines.node1.powerOn();
  await follow(machines, RECOVERY, "When the old primary runs again");
  expect(await namesOnEach(machines, key)).toEqual(Array(3).fill("Bella Max Luna"));
});

test("every block of the pages is below a heading that a test follows", () => {
  const followed = {
    [SETUP]: [...PREPARED, "etcd", "PostgreSQL", ...SERVED, "HAProxy", "Caddy", "Check the cluster"],
    [RECOVERY]: ["A machine fails", "The PostgreSQL primary fails", "The engine is lost"],
  };
  for (const [page, titles] of Object.entries(followed)) {
    const all = blocksOf(readFileSync(join(ROOT, page), "utf8"));
    expect(titles.flatMap((title) => blocksOf(sectionOf(page, title)))).toEqual(all);
  }
});
