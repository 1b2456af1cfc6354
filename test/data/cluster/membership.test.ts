import { expect, test } from "bun:test";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { markKept, markOutdated } from "../../../src/data/cluster/load-snapshot.ts";
import type { Log } from "../../../src/data/cluster/log.ts";
import {
  inspectLeaving,
  joinCluster,
  makeEmbedded,
  startReplica,
} from "../../../src/data/cluster/membership.ts";
import { openReplica } from "../../../src/data/cluster/replica.ts";
import { createDatabase, openDatabase } from "../../../src/data/db/open.ts";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { MemoryEngine } from "../../support/memory-log.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { inspect, markAt, newPath, startNode, writeAsNode } from "../../support/replica-file.ts";
import { atEnd, contextOf, temporaryDirectory } from "../../support/store.ts";
import { announceNode } from "../../../src/data/cluster/nodes.ts";
import { openKeys } from "../../../src/access/keys/service.ts";
import { addNamed, memoryCluster, namesOf } from "../../support/cluster.ts";
import { nodeIdOf } from "../../../src/data/cluster/open-replica.ts";
import { nodeIdPath } from "../../../src/data/data-dir/paths.ts";

const storeAt = (path: string) => inspect(path, storeIdOf);

/** Appends records without meaning. */
const append = async (log: Log, count: number) => {
  for (let at = 0; at < count; at++) {
    const head = await log.head();
    if (head) await log.append(head, crypto.randomUUID(), new Uint8Array(10));
  }
};

test("the start of a replica begins a log with an empty database where there is none", async () => {
  const { log, path } = await startNode();
  const head = await log.head();
  expect(head?.position).toBe(0);
  expect(markAt(path)).toMatchObject({ ...head });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
});

test("the start of a replica takes the database of the node that was first, even if all start together", async () => {
  const engine = new MemoryEngine();
  const paths = [newPath(), newPath(), newPath()];
  await Promise.all(paths.map((path) => startReplica(path, engine.open())));
  expect(new Set(paths.map(storeAt)).size).toBe(1);
  expect(new Set(paths.map((path) => markAt(path)?.log)).size).toBe(1);
  const log = engine.open();
  const { name } = JSON.parse((await log.snapshot())?.reference ?? "") as { name: string };
  const parts = await log.files.list("");
  expect(parts.every((part) => part.startsWith(`${name}/`))).toBe(true);
});

test("the start of a replica reports the load of a snapshot, which may take minutes, before it begins", async () => {
  const engine = new MemoryEngine();
  const calls: string[] = [];
  const start = async (path: string) => {
    const onLoad = async () => void calls.push(`${path} exists: ${existsSync(path)}`);
    await startReplica(path, engine.open(), { onLoad });
  };
  const [first, other] = [newPath(), newPath()];
  await start(first);
  expect(calls).toEqual([]);
  await start(other);
  await start(other);
  expect(calls).toEqual([`${other} exists: false`]);
  await markOutdated(other, "a test");
  await start(other);
  expect(calls).toHaveLength(2);
});

test("the start of a replica keeps a replica that the log continues", async () => {
  const { log, path } = await startNode();
  await append(log, 3);
  const { ino } = statSync(path);
  await startReplica(path, log);
  expect(statSync(path).ino).toBe(ino);
});

test("the start of a replica keeps a replica while the engine is unreachable", async () => {
  const { engine, path } = await startNode();
  engine.isAvailable = false;
  const { ino } = statSync(path);
  await startReplica(path, engine.open());
  expect(statSync(path).ino).toBe(ino);
  expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("not available");
});

test("the start of a replica loads the snapshot again if the replica is marked as outdated, and removes the mark and the old log", async () => {
  const { log, path } = await startNode();
  truncateSync(path, 5000);
  writeFileSync(`${path}-wal`, "of the old database");
  await markOutdated(path, "its checksum differs");
  await startReplica(path, log);
  expect(readdirSync(join(path, ".."))).toEqual(["adoption-store.db"]);
  expect(markAt(path)).toMatchObject({ ...(await log.head()) });
});

test("the start of a replica with a changed bit in a row keeps the file aside, and loads the snapshot", async () => {
  const { log, path } = await startNode();
  const before = await openReplica(path, log, { node: "a" });
  await addNamed(before, "Charlie");
  await before.database.close();
  const content = readFileSync(path);
  content.write("l", content.indexOf("Charlie") + 1);
  writeFileSync(path, content);
  const steps: string[] = [];
  await startReplica(path, log, { onStep: (step) => steps.push(step) });
  expect(steps).toEqual([
    expect.stringMatching(/the file is damaged: .* in pets; it is kept as .*\.db\.damaged/),
  ]);
  expect(readdirSync(join(path, "..")).sort()).toEqual(["adoption-store.db", "adoption-store.db.damaged"]);
  const again = await openReplica(path, log, { node: "a" });
  atEnd(again.database.close);
  await again.database.fresh();
  expect(namesOf(again)).toEqual(["Charlie"]);
});

test.each(["contents", "replica"])(
  "the start of a replica with a damaged column of %s keeps the file aside, and loads the snapshot",
  async (table) => {
    const { log, path } = await startNode();
    const before = await openReplica(path, log, { node: "a" });
    await addNamed(before, "Charlie");
    await before.database.close();
    const content = readFileSync(path);
    const schema = content.toString("latin1").search(new RegExp(`CREATE TABLE "?${table}\\b`));
    content.write("positiom", content.indexOf("position", schema));
    writeFileSync(path, content);
    await startReplica(path, log);
    expect(existsSync(`${path}.damaged`)).toBe(true);
  },
);

test("the start of a replica with a damaged trigger keeps the file aside, and loads the snapshot", async () => {
  const { log, path } = await startNode();
  await (await openReplica(path, log, { node: "a" })).database.close();
  const content = readFileSync(path);
  content.write("pendimg", content.indexOf("pending", content.indexOf("CREATE TRIGGER `pets_moved`")));
  writeFileSync(path, content);
  const steps: string[] = [];
  await startReplica(path, log, { onStep: (step) => steps.push(step) });
  expect(steps).toEqual([expect.stringMatching(/damaged: its trigger "pets_moved" differs from that of/)]);
});

test("the start of a replica with a damaged id of its store keeps the file aside, and loads the snapshot", async () => {
  const { log, path } = await startNode();
  await (await openReplica(path, log, { node: "a" })).database.close();
  const content = readFileSync(path);
  const id = storeAt(path) ?? "";
  content.write("0damaged", content.indexOf(id));
  writeFileSync(path, content);
  await startReplica(path, log);
  expect(readdirSync(join(path, "..")).sort()).toEqual(["adoption-store.db", "adoption-store.db.damaged"]);
});

test("the start of a replica loads the snapshot if the log does not continue the replica", async () => {
  const { log, path } = await startNode();
  inspect(path, (client) => client.run("UPDATE replica SET position = 1, id = 'lost'"));
  await startReplica(path, log);
  expect(markAt(path)?.position).toBe(0);
  await append(log, 1);
  inspect(path, (client) => client.run("UPDATE replica SET position = 1, id = 'lost'"));
  await startReplica(path, log);
  expect(markAt(path)?.position).toBe(0);
  inspect(path, (client) => client.run("UPDATE replica SET log = 'another'"));
  await startReplica(path, log);
  expect(markAt(path)).toMatchObject({ log: (await log.head())?.log ?? "" });
});

test("a replica with a record that the engine lost is kept when it is made again, and can replace the cluster's store", async () => {
  const { engine, log, path } = await startNode();
  const lost = { position: 1, id: "lost" };
  inspect(path, (client) => client.run("UPDATE replica SET position = 1, id = 'lost'"));
  const steps: string[] = [];
  await startReplica(path, log, { onStep: (step) => void steps.push(step) });
  const kept = `${path}.newer`;
  expect(steps.join()).toContain(`a record that the engine lost; it is kept as ${kept}`);
  expect([markAt(path)?.position, markAt(kept)]).toEqual([0, expect.objectContaining(lost)]);
  renameSync(kept, path);
  expect(await outcomeOf(joinCluster(path, log, { replace: false }))).toThrow("--replace");
  expect(markAt(path)).toMatchObject(lost);
  expect(await joinCluster(path, log, { replace: true })).toMatchObject({ isNew: true });
  const other = newPath();
  await startReplica(other, engine.open());
  expect(markAt(other)).toEqual(markAt(path));
});

test("a kept replica that a crash separated from its log gets the log at the next start", async () => {
  const { log, path } = await startNode();
  await markKept(path, "newer", "a test");
  renameSync(path, `${path}.newer`);
  writeFileSync(`${path}-wal`, "the newest writes");
  await startReplica(path, log);
  expect(markAt(path)?.position).toBe(0);
  expect(readFileSync(`${path}.newer-wal`, "utf8")).toBe("the newest writes");
});

test("the start of a replica refuses an embedded store and leaves it as it is", async () => {
  const path = newPath();
  await openDatabase(path).close();
  const id = storeAt(path);
  expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("cluster join");
  expect([storeAt(path), markAt(path)]).toEqual([id, undefined]);
});

test("the start of a replica refuses to replace a replica of another store", async () => {
  const [{ log, path }, other] = [await startNode(), await startNode()];
  expect(await outcomeOf(startReplica(path, other.log))).toThrow("another store");
  expect(markAt(path)?.log).toBe((await log.head())?.log ?? "");
  expect(existsSync(`${path}.outdated`)).toBe(false);
});

test("the start of a replica refuses to start another log where the engine has lost the one of the replica", async () => {
  const { path } = await startNode();
  expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("the engine has no log");
  await markOutdated(path, "a test");
  expect(await outcomeOf(startReplica(path, new MemoryEngine().open()))).toThrow("the engine has no log");
});

test.each([
  ["is missing", (log: Log, parts: string[]) => log.files.remove(parts.slice(0, 1)), "is missing"],
  ["is damaged", (log: Log, [part = ""]: string[]) => log.files.put(part, new Uint8Array(9)), "is damaged"],
  [
    "has another content",
    (log: Log, [part = ""]: string[]) => log.files.put(part, Bun.zstdCompressSync(new Uint8Array(4096))),
    "another size",
  ],
  [
    "would fill the memory",
    (log: Log, [part = ""]: string[]) => log.files.put(part, Bun.zstdCompressSync(new Uint8Array(2e7))),
    "is damaged",
  ],
])("the start of a replica refuses a snapshot of which a part %s", async (_how, spoil, message) => {
  const { log } = await startNode();
  await spoil(log, await log.files.list(""));
  const path = newPath();
  expect(await outcomeOf(startReplica(path, log))).toThrow(message);
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("the start of a replica uses object storage for the snapshot where there is some", async () => {
  const engine = new MemoryEngine();
  const objects = new MemoryEngine().open().files;
  await startReplica(newPath(), engine.open(), { objects });
  expect(await engine.open().files.list("")).toEqual([]);
  const path = newPath();
  await startReplica(path, engine.open(), { objects });
  expect(markAt(path)?.position).toBe(0);
  expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("BLOBS_URL");
});

test("a node whose snapshot is damaged names the way to make another", async () => {
  const { engine, log } = await startNode();
  for (const part of await log.files.list("")) await log.files.put(part, new Uint8Array(10));
  expect(await outcomeOf(startReplica(newPath(), engine.open()))).toThrow("cluster join --replace");
});

const newStore = () => {
  const path = newPath();
  createDatabase(path);
  return path;
};

test("an embedded store that joins a cluster becomes the store that other nodes start from", async () => {
  const engine = new MemoryEngine();
  const path = newStore();
  expect(await joinCluster(path, engine.open(), { replace: false })).toMatchObject({ isNew: true });
  const other = newPath();
  await startReplica(other, engine.open());
  expect(storeAt(other)).toBe(storeAt(path));
  expect(markAt(other)).toEqual(markAt(path));
  await startReplica(path, engine.open());
});

test("an embedded store that joins a cluster stays in it when it joins again, also after other nodes wrote", async () => {
  const engine = new MemoryEngine();
  const [path, other] = [newStore(), newPath()];
  const { log } = await joinCluster(path, engine.open(), { replace: false });
  await startReplica(other, engine.open());
  await writeAsNode(engine.open(), other, "DELETE FROM categories");
  expect(await joinCluster(path, engine.open(), { replace: false })).toEqual({ log, isNew: false });
});

test("an embedded store that joins a cluster is refused where the engine has a log, and stays as it is", async () => {
  const { engine } = await startNode();
  const path = newStore();
  expect(await outcomeOf(joinCluster(path, engine.open(), { replace: false }))).toThrow("--replace");
  expect(markAt(path)).toBeUndefined();
});

test("an embedded store that joins a cluster replaces a log with --replace, whose nodes then start from it", async () => {
  const engine = new MemoryEngine();
  const [path, node] = [newStore(), newPath()];
  await joinCluster(path, engine.open(), { replace: false });
  await startReplica(node, engine.open());
  await writeAsNode(engine.open(), node, "DELETE FROM categories");
  // As a restored backup: the same store without the mark.
  inspect(path, (client) => client.run("DROP TABLE replica"));
  const before = await engine.open().head();
  const { log } = await joinCluster(path, engine.open(), { replace: true });
  expect(log).not.toBe(before?.log ?? "");
  expect(engine.records).toEqual([]);
  await startReplica(node, engine.open());
  expect(markAt(node)).toEqual(markAt(path));
});

test("an embedded store that joins a cluster begins another log after a crash before the first one was created", async () => {
  const engine = new MemoryEngine();
  const path = newStore();
  const crash = () => {
    throw new Error("killed");
  };
  expect(await outcomeOf(joinCluster(path, engine.open(), { replace: false, onProgress: crash }))).toThrow(
    "killed",
  );
  expect(await joinCluster(path, engine.open(), { replace: false })).toMatchObject({ isNew: true });
  await startReplica(newPath(), engine.open());
});

test("an embedded store that joins a cluster stays unchanged when another node is first", async () => {
  const engine = new MemoryEngine();
  const path = newStore();
  const log = engine.open();
  const create: typeof log.create = async (first, replaces) => {
    await startReplica(newPath(), engine.open());
    return log.create(first, replaces);
  };
  expect(await outcomeOf(joinCluster(path, { ...log, create }, { replace: false }))).toThrow(
    "run this again",
  );
  expect(markAt(path)).toBeUndefined();
  expect((await log.files.list("")).length).toBe(1);
});

test("an embedded store that joins a cluster puts its parts again if a node of the log that it replaces removed them", async () => {
  const { engine } = await startNode();
  const path = newStore();
  const log = engine.open();
  const create: typeof log.create = async (first, replaces) => {
    await log.files.remove(await log.files.list(""));
    return log.create(first, replaces);
  };
  await joinCluster(path, { ...log, create }, { replace: true });
  await startReplica(newPath(), engine.open());
});

test("an embedded store that joins a cluster is refused if it is damaged or of another version", async () => {
  const path = newStore();
  inspect(path, (client) => client.run("CREATE TABLE foreign_one (a)"));
  expect(await outcomeOf(joinCluster(path, new MemoryEngine().open(), { replace: false }))).toThrow(
    "is not part of adoption-store",
  );
});

const newMember = async (engine = new MemoryEngine()) => {
  const path = newStore();
  await joinCluster(path, engine.open(), { replace: true });
  return { engine, path };
};

test("a replica cannot be opened as an embedded store", async () => {
  const { path } = await newMember();
  expect(() => openDatabase(path)).toThrow("the database is a replica of a cluster: set DATABASE_URL");
  makeEmbedded(path);
  await openDatabase(path).close();
});

test("a node that leaves the cluster sees which nodes continue", async () => {
  const { engine, path } = await newMember();
  expect(await inspectLeaving(path, engine.open())).toEqual({ log: "current", running: [] });
  const entry = {
    id: "b",
    name: "bert",
    version: "1",
    format: 1,
    position: 0,
    address: "",
    since: 0,
    now: 0,
  };
  const nodes = announceNode(engine.open(), () => entry, { onError: () => {}, onTaken: () => {} });
  atEnd(nodes.stop);
  await nodes.tick();
  expect(await inspectLeaving(path, engine.open())).toEqual({ log: "current", running: ["bert"] });
});

test("a node that leaves the cluster sees that its log is lost or was replaced", async () => {
  const { engine, path } = await newMember();
  expect(await inspectLeaving(path, new MemoryEngine().open())).toMatchObject({ log: "lost" });
  await newMember(engine);
  expect(await inspectLeaving(path, engine.open())).toMatchObject({ log: "replaced" });
});

test("a node that leaves the cluster is an embedded store afterwards, also when it leaves again", async () => {
  const { engine, path } = await newMember();
  makeEmbedded(path);
  expect(markAt(path)).toBeUndefined();
  makeEmbedded(path);
  expect(await inspectLeaving(path, engine.open())).toEqual({ log: "none", running: [] });
});

test("a node that starts from a snapshot without keys leaves its file of the first key alone", async () => {
  const { open } = await memoryCluster();
  const saved: string[] = [];
  let removals = 0;
  const file = {
    save: async (secret: string) => void saved.push(secret),
    remove: async () => void removals++,
  };
  const keysOf = async () => {
    const { database } = await open();
    return openKeys(contextOf(database));
  };
  const first = await keysOf();
  expect((await first.createFirst(file))?.name).toBe("admin");
  const again = await keysOf();
  expect(await again.createFirst(file)).toBeUndefined();
  expect(saved).toHaveLength(1);
  expect(removals).toBe(0);
});

const SRC = join(import.meta.dir, "../../../src");

/** Starts a server without DATABASE_URL, and prints which modules it has loaded. */
const SCRIPT = `
import { startServer } from ${JSON.stringify(`${SRC}/app/server.ts`)};
import { readConfig } from ${JSON.stringify(`${SRC}/config/config.ts`)};
const env = { DATA_DIR: process.argv[2], PORT: "0" };
const server = await startServer(readConfig({ flags: {}, env, isTerminal: false }));
await Bun.write(process.argv[3], JSON.stringify(Object.keys(require.cache)));
await server.stop();
process.exit();
`;

test("a server without DATABASE_URL loads nothing of the cluster", async () => {
  const place = temporaryDirectory();
  const [script, list] = [join(place, "script.ts"), join(place, "modules.json")];
  await Bun.write(script, SCRIPT);
  await Bun.spawn([process.execPath, script, join(place, "data"), list], {
    stdout: "ignore",
    stderr: "ignore",
  }).exited;
  const modules = (await Bun.file(list).json()) as string[];
  expect(modules).toContain(join(SRC, "data/db/open.ts"));
  expect(modules.filter((path) => path.startsWith(join(SRC, "data/cluster/")))).toEqual([]);
});

test("a node keeps its id, in a file for its user alone", () => {
  const dataDir = temporaryDirectory();
  const id = nodeIdOf(dataDir);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(nodeIdOf(dataDir)).toBe(id);
  expect(statSync(nodeIdPath(dataDir)).mode & 0o777).toBe(0o600);
});

test("two nodes have different ids", () => {
  expect(nodeIdOf(temporaryDirectory())).not.toBe(nodeIdOf(temporaryDirectory()));
});

test("a damaged file is replaced, for its user alone", () => {
  const dataDir = temporaryDirectory();
  writeFileSync(nodeIdPath(dataDir), "x", { mode: 0o644 });
  const id = nodeIdOf(dataDir);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(nodeIdOf(dataDir)).toBe(id);
  expect(statSync(nodeIdPath(dataDir)).mode & 0o777).toBe(0o600);
});
