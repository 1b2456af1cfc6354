import { expect, spyOn, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { checkReplica, differenceJudge } from "../../../src/data/cluster/check.ts";
import type { ReplicaDamaged } from "../../../src/data/cluster/log.ts";
import type { NodeEntry } from "../../../src/data/cluster/nodes.ts";
import { addNamed, memoryCluster } from "../../support/cluster.ts";

const entry = (id: string, digest: string, other: Partial<NodeEntry> = {}): NodeEntry => ({
  id,
  name: id,
  version: "1",
  format: 1,
  position: 7,
  address: "",
  since: 1000,
  now: 9000,
  contents: [{ position: 7, digest }],
  ...other,
});

/** What a node with a sound file decides when it sees these nodes. */
const decision = async (self: NodeEntry, ...others: NodeEntry[]) => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  await open({ path });
  const failures: string[] = [];
  const judge = differenceJudge(path, { fail: ({ message }: ReplicaDamaged) => void failures.push(message) });
  await judge.onNodes(self, [self, ...others]);
  return { failures, isDisputed: judge.isDisputed() };
};

test("a node with the contents of the others goes on", async () => {
  expect(await decision(entry("a", "x"), entry("b", "x"), entry("c", "x"))).toEqual({
    failures: [],
    isDisputed: false,
  });
  const ahead = entry("b", "y", { contents: [{ position: 8, digest: "y" }] });
  expect(await decision(entry("a", "x"), ahead)).toEqual({ failures: [], isDisputed: false });
});

test("a node that a majority contradicts makes its replica again, though its file seems sound", async () => {
  const { failures } = await decision(entry("a", "x"), entry("b", "y"), entry("c", "y"));
  expect(failures).toEqual(["2 other nodes have other contents than this one"]);
});

test("a node in the majority goes on, and makes no snapshot until the difference is settled", async () => {
  expect(await decision(entry("a", "x"), entry("b", "x"), entry("c", "y"))).toEqual({
    failures: [],
    isDisputed: true,
  });
});

test("of two nodes that differ, neither gives up, and neither makes a snapshot", async () => {
  expect(await decision(entry("a", "x"), entry("b", "y"))).toEqual({ failures: [], isDisputed: true });
});

test("a node whose record two others could not reproduce makes its replica again, but not for one from before its start", async () => {
  const blaming = (id: string, at: number) => {
    const blames = [{ node: "a", position: 6, at }];
    return entry(id, "y", { contents: [{ position: 8, digest: "y" }], blames });
  };
  const { failures } = await decision(entry("a", "x"), blaming("b", 5000), blaming("c", 5000));
  expect(failures).toHaveLength(1);
  expect(await decision(entry("a", "x"), blaming("b", 500), blaming("c", 500))).toEqual({
    failures: [],
    isDisputed: false,
  });
});

test("while a dispute lasts, the whole file is read every ten minutes, not at every report", async () => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  await addNamed(await open({ path }), "Charlie");
  const failures: string[] = [];
  const judge = differenceJudge(path, { fail: ({ message }: ReplicaDamaged) => void failures.push(message) });
  const report = () => judge.onNodes(entry("a", "x"), [entry("a", "x"), entry("b", "y")]);
  await report();
  using file = new Client(path);
  file.run("UPDATE pets SET name = 'Clarlie'");
  await report();
  expect(failures).toEqual([]);
  const later = performance.now() + 10 * 60_000;
  using _ = spyOn(performance, "now").mockReturnValue(later);
  await report();
  expect(failures).toEqual([expect.stringMatching(/in pet_events .*, pets$/)]);
});

test("the daily check of a file finds a row that has changed by itself", async () => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  const node = await open({ path });
  await addNamed(node, "Charlie");
  const check = () => checkReplica(path, node.cluster, new AbortController().signal, 0);
  await check();
  expect(node.cluster.state().problem).toBeUndefined();
  using disk = new Client(path);
  disk.run("UPDATE pets SET name = 'Clarlie'");
  await check();
  expect((await node.cluster.outdated).message).toMatch(/in pet_events .*, pets$/);
  expect(node.cluster.state().problem).toContain("damaged");
});
