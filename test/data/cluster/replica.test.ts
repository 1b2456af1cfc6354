import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { AppendUnknown, EngineUnavailable, RecordTooLarge } from "../../../src/data/cluster/log.ts";
import { makeRecord, RecordTooNew } from "../../../src/data/cluster/record.ts";
import { isOpenElsewhere } from "../../../src/data/db/other-processes.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { petIndex } from "../../../src/data/db/pet-index.ts";
import { replicaMark } from "../../../src/data/db/replica-mark.ts";
import { act, addNamed, contentOf, FIRST, memoryCluster, namesOf } from "../../support/cluster.ts";
import { inspect } from "../../support/replica-file.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { replicaProgress } from "../../../src/data/cluster/parts.ts";
import { faultOf } from "../../../src/lib/errors.ts";
import { heapStats } from "bun:jsc";
import { MAX_LOG_BYTES } from "../../../src/data/db/pragmas.ts";
import { logSize } from "../../../src/data/db/wal.ts";
import { openStore } from "../../support/store.ts";

const RENAME = "UPDATE pets SET name = ? WHERE id = ? RETURNING id";

test("a closed replica holds no lock", async () => {
  const { newFile, open } = await memoryCluster();
  const path = newFile();
  const node = await open({ path });
  await addNamed(node, "Bella");
  expect(namesOf(node)).toEqual(["Bella"]);
  await node.database.close();
  expect(isOpenElsewhere(path)).toBe(false);
});

test("a write is read by every other node that asks after it", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await addNamed(a, "Bella");
  await b.database.fresh();
  expect(namesOf(b)).toEqual(["Bella"]);
  await addNamed(b, "Max");
  await a.database.fresh();
  expect(namesOf(a)).toEqual(["Bella", "Max"]);
});

test("concurrent writes of three nodes have the same order on all of them", async () => {
  const { open } = await memoryCluster();
  const nodes = await Promise.all([open(), open(), open()]);
  const ids = await Promise.all(
    nodes.flatMap((node, at) => Array.from({ length: 50 }, async (_, i) => addNamed(node, `${at}-${i}`))),
  );
  expect(new Set(ids).size).toBe(150);
  await Promise.all(nodes.map(async ({ database }) => database.fresh()));
  const [one, ...others] = nodes.map(contentOf);
  expect(one?.get("pets")).toHaveLength(150);
  for (const other of others) expect(other).toEqual(one ?? new Map());
});

test("a write depends on what other nodes wrote before it", async () => {
  const { engine, open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await addNamed(a, "Bella");
  const add =
    "INSERT INTO categories (name, folded) SELECT ?1, ?1 WHERE NOT EXISTS (SELECT 1 FROM categories WHERE name = ?1)";
  engine.onAppend = async () => {
    engine.onAppend = () => {};
    await act(b.database, add, "otters");
  };
  await act(a.database, add, "otters");
  expect(a.cluster.state().lostAppends).toBe(1);
  expect(engine.records).toHaveLength(2);
});

test("a write that changes nothing is not recorded, takes no id, and returns the newest rows", async () => {
  const { engine, open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  const id = await addNamed(a, "Bella");
  expect(await act(b.database, RENAME, "Max", id)).toEqual([{ id }]);
  expect(await act(b.database, RENAME, "Max", id + 1)).toEqual([]);
  expect(await act(b.database, "DELETE FROM pets WHERE id = ?", id + 1)).toEqual([]);
  expect(engine.records).toHaveLength(2);
  const insert = "INSERT INTO categories (name, folded) VALUES (?1, ?1) ON CONFLICT DO NOTHING RETURNING id";
  expect(await act(a.database, insert, "otters")).toEqual([{ id: 1 }]);
  expect(await act(a.database, insert, "otters")).toEqual([]);
  expect(engine.records).toHaveLength(3);
  expect(await act(b.database, insert, "seals")).toEqual([{ id: 2 }]);
});

test("a write that breaks a constraint fails alone, and no other node receives it", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  const insert = "INSERT INTO categories (id, name, folded) VALUES (?1, ?2, ?2)";
  const results = await Promise.all([
    outcomeOf(act(a.database, insert, 900, "x")),
    outcomeOf(act(a.database, insert, 900, "y")),
    outcomeOf(act(a.database, insert, 901, "z")),
  ]);
  expect(results[1]).toThrow("UNIQUE constraint failed");
  await b.database.fresh();
  const found = b.database.client.query("SELECT name FROM categories WHERE id >= 900").values();
  expect(found).toEqual([["x"], ["z"]]);
});

test("a write with values of every kind is the same on other nodes", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  const [big, negative] = [9_007_199_254_740_993n, -9_223_372_036_854_775_808n];
  await act(
    a.database,
    "INSERT INTO pets (name, category_id, created_at) VALUES (?, ?, ?)",
    "Zoë 🐈",
    big,
    1e15,
  );
  await act(
    a.database,
    "INSERT INTO pets (name, category_id, created_at) VALUES (?, ?, 0)",
    "\u0000",
    negative,
  );
  await b.database.fresh();
  const text = "SELECT name, CAST(category_id AS TEXT), created_at FROM pets ORDER BY id";
  expect(b.database.client.query(text).values()).toEqual([
    ["Zoë 🐈", String(big), 1e15],
    ["\u0000", String(negative), 0],
  ]);
  expect(contentOf(b)).toEqual(contentOf(a));
});

test("a write whose rows come in another order on another node, by another plan of SQLite, is no difference", async () => {
  const { open, newFile } = await memoryCluster();
  const openWith = async (order: string) => {
    const path = newFile();
    inspect(path, (client) => client.run(`CREATE INDEX plan ON pets (name ${order})`));
    return open({ path });
  };
  const [a, b] = [await openWith("ASC"), await openWith("DESC")];
  for (const name of ["Bella", "Max", "Zoë"]) await addNamed(a, name);
  const copy =
    "INSERT INTO acme_accounts (authority, key) SELECT name, '' FROM pets INDEXED BY plan WHERE name > '' RETURNING authority";
  expect(await act(a.database, copy)).toEqual([
    { authority: "Bella" },
    { authority: "Max" },
    { authority: "Zoë" },
  ]);
  await b.database.fresh();
  expect(await act(b.database, "DELETE FROM acme_accounts RETURNING authority")).toEqual([
    { authority: "Zoë" },
    { authority: "Max" },
    { authority: "Bella" },
  ]);
  await a.database.fresh();
  expect(contentOf(a)).toEqual(contentOf(b));
});

test("a write that other nodes would carry out differently is refused", async () => {
  const { engine, open } = await memoryCluster();
  const { database } = await open();
  for (const value of [
    "random()",
    "unixepoch()",
    "CURRENT_TIMESTAMP",
    "(SELECT indexed_to FROM pets_indexed)",
  ])
    expect(
      await outcomeOf(
        act(database, `INSERT INTO pets (name, category_id, created_at) VALUES ('x', 1, ${value})`),
      ),
    ).toThrow("is different on every node");
  expect(engine.records).toEqual([]);
});

test("a write too large for the engine is refused alone", async () => {
  const { engine, open } = await memoryCluster();
  engine.maxRecordBytes = 2000;
  const a = await open();
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(4000))).toString("hex");
  const results = await Promise.all(["a", noise, "c", "d"].map(async (name) => outcomeOf(addNamed(a, name))));
  expect(results[1]).toThrow(RecordTooLarge);
  expect(namesOf(a)).toEqual(["a", "c", "d"]);
  expect(engine.records.length).toBeLessThan(4);
});

test("when the engine loses a response, the write is refused as unknown and the node learns whether it was stored", async () => {
  const { engine, open } = await memoryCluster();
  const a = await open();
  for (const [when, isStored] of [
    ["after", true],
    ["before", false],
  ] as const) {
    engine.losesNextAppend = when;
    expect(await outcomeOf(addNamed(a, when))).toThrow(AppendUnknown);
    await addNamed(a, "next");
    expect(namesOf(a).includes(when)).toBe(isStored);
  }
});

test("when the engine is unreachable, writes and fresh reads are refused until it is reachable again", async () => {
  const { engine, open } = await memoryCluster();
  const { database, cluster } = await open();
  await addNamed({ database }, "Bella");
  engine.isAvailable = false;
  expect(await outcomeOf(addNamed({ database }, "Max"))).toThrow(EngineUnavailable);
  expect(await outcomeOf(database.fresh())).toThrow(EngineUnavailable);
  expect(cluster.state().problem).toContain("not available");
  engine.isAvailable = true;
  await database.fresh();
  await addNamed({ database }, "Rocky");
  expect(cluster.state().problem).toBeUndefined();
  expect(namesOf({ database })).toEqual(["Bella", "Rocky"]);
});

test("when the engine is unreachable, sites can be read until the limit, and not longer", async () => {
  const { engine, open } = await memoryCluster();
  const [long, none] = [await open({ staleMs: 1e9 }), await open({ staleMs: 0 })];
  await Promise.all([long.database.fresh(), none.database.fresh()]);
  engine.isAvailable = false;
  await long.database.recent();
  expect(await outcomeOf(none.database.recent())).toThrow(EngineUnavailable);
});

test("when the engine has another record at the same position, the replica is outdated and serves nothing", async () => {
  const { engine, open } = await memoryCluster();
  const a = await open();
  await addNamed(a, "Bella");
  engine.replaceLast("other", new Uint8Array([1]));
  expect(await outcomeOf(a.database.fresh())).toThrow("is not the replica's");
  expect((await a.cluster.outdated).message).toContain("record 1");
  expect(await outcomeOf(addNamed(a, "Max"))).toThrow("the replica is not served");
  expect(await outcomeOf(a.database.recent())).toThrow("the replica is not served");
});

test("when the engine has removed records that the replica lacks, the replica is outdated", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const path = newFile();
  const a = await open();
  await addNamed(a, "Bella");
  const log = engine.open();
  const { position, id } =
    a.cluster.state().position === 1 ? { position: 1, id: engine.records[0]?.id ?? "" } : FIRST;
  await log.announce({ ...FIRST, position, id });
  await log.trim(1);
  const late = await open({ path });
  expect(await outcomeOf(late.database.fresh())).toThrow("were removed");
  expect((await late.cluster.outdated).message).toContain("were removed");
});

test("a replica that was changed from outside detects that with the next record that shows it", async () => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  const [a, b] = [await open(), await open({ path })];
  const id = await addNamed(a, "Bella");
  await b.database.fresh();
  using other = new Client(path);
  other.run("DELETE FROM pets");
  expect(await act(a.database, RENAME, "Max", id)).toEqual([{ id }]);
  expect(await outcomeOf(b.database.fresh())).toThrow("the file is damaged");
  expect((await b.cluster.outdated).message).toContain("pets (0 rows instead of 1)");
  expect(replicaMark(other)?.position).toBe(1);
});

test("of a record that two nodes cannot reproduce, its author is blamed, and they serve on", async () => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  const [a, b, c] = [await open({ path }), await open(), await open()] as const;
  const id = await addNamed(a, "Charlie");
  using disk = new Client(path);
  disk.run("UPDATE pets SET name = 'Clarlie'");
  const change = "UPDATE pets SET status = 'pending' WHERE id = ? RETURNING name";
  expect(await act(a.database, change, id)).toEqual([{ name: "Clarlie" }]);
  for (const { database, cluster } of [b, c]) {
    await database.fresh();
    expect(cluster.state().blames).toMatchObject([{ node: path, position: 2 }]);
  }
  await addNamed(b, "Max");
  await c.database.fresh();
  expect(namesOf(c)).toEqual(["Charlie", "Max"]);
  expect(c.cluster.contents()).toEqual(b.cluster.contents());
});

test("a replica that cannot apply records reports the reason, and continues when it can", async () => {
  const { open } = await memoryCluster();
  const [a, b] = [await open(), await open({ applyMs: 100 })];
  b.database.writer.run("PRAGMA max_page_count=1");
  await addNamed(a, "x".repeat(2 ** 20));
  expect(await outcomeOf(b.database.fresh())).toThrow("database or disk is full");
  b.database.writer.run("PRAGMA max_page_count=100000");
  await b.database.fresh();
  expect(namesOf(b)).toEqual(namesOf(a));
});

test("a replica that was killed continues from the position of its file", async () => {
  const { open, newFile } = await memoryCluster();
  const path = newFile();
  const a = await open();
  // It is not closed, and a second one opens the same file.
  const killed = await open({ path });
  await addNamed(killed, "Bella");
  await addNamed(a, "Max");
  const again = await open({ path });
  await again.database.fresh();
  expect(namesOf(again)).toEqual(["Bella", "Max"]);
});

test("a replica and a concurrent command write to the same file", async () => {
  const { open, newFile, engine } = await memoryCluster();
  const path = newFile();
  const [server, command] = [await open({ path }), await open({ path })];
  const version = server.database.version();
  await Promise.all(["a", "b", "c"].flatMap((name) => [addNamed(server, name), addNamed(command, name)]));
  await server.database.fresh();
  expect(namesOf(server)).toHaveLength(6);
  expect(server.database.foreignVersion()).toBeGreaterThan(0);
  expect(server.database.version()).toBeGreaterThan(version);
  expect(replicaMark(server.database.client)?.position).toBe(engine.records.length);
});

test("a replica makes its own index, which is neither recorded nor a new version", async () => {
  const { engine, open } = await memoryCluster();
  const [a, b] = [await open(), await open()];
  await addNamed(a, "Bella");
  const version = a.database.version();
  await petIndex(a.database).tidy();
  expect(a.database.version()).toBe(version);
  expect(engine.records).toHaveLength(1);
  await act(a.database, RENAME, "Max", 1);
  await b.database.fresh();
  expect(b.cluster.state().problem).toBeUndefined();
  await petIndex(b.database).tidy();
  const words = "SELECT rowid FROM pets_words WHERE pets_words MATCH 'max'";
  expect([a, b].map(({ database }) => database.client.query(words).values())).toEqual([[[1]], [[1]]]);
});

test("a replica of an older schema is brought up to date by one record, and so are the others", async () => {
  const { engine, open } = await memoryCluster(migrations.slice(0, -1));
  const [a, b] = await Promise.all([open({ migrates: true }), open({ migrates: true })] as const);
  expect(engine.records).toHaveLength(1);
  await addNamed(a, "Bella");
  await b.database.fresh();
  expect(contentOf(b)).toEqual(contentOf(a));
  // A command does not migrate, and takes what the log has.
  expect(namesOf(await open())).toEqual(["Bella"]);
});

test("a replica of an older schema is brought up to date although another node writes all the time", async () => {
  const { engine, open } = await memoryCluster(migrations.slice(0, -1));
  const other = engine.open();
  const statements = [
    { sql: "UPDATE pets SET name = name WHERE id = ?", method: "all", values: [0] },
  ] as const;
  let mark = FIRST;
  let written = 0;
  engine.onAppend = async (id) => {
    if (id === mark.id) return;
    const { record, next } = makeRecord(mark, { kind: "writes", statements }, ["0 []"], "other");
    const before = mark;
    mark = { ...FIRST, ...next };
    if (++written > 20) throw new Error("the other node never waits");
    const { isAwaited } = await other.append(before, next.id, record);
    // From then on, the other node waits for its turn.
    if (isAwaited) engine.onAppend = () => {};
  };
  await addNamed(await open({ migrates: true }), "Bella");
  expect(written).toBe(1);
});

test("a replica of an older schema is refused by a command that finds no newer one in the log", async () => {
  const { open } = await memoryCluster(migrations.slice(0, -1));
  expect(await outcomeOf(open())).toThrow("the database is older than this program");
});

test("a replica serves nothing once a newer program has migrated the others, and names the remedy", async () => {
  const { engine, open } = await memoryCluster();
  const a = await open();
  const content = {
    kind: "migrations",
    migrations: [{ tag: "9999_newer", hash: "x" }],
    appliedAt: 1,
  } as const;
  const { record, next } = makeRecord(FIRST, content, [], "other");
  await engine.open().append(FIRST, next.id, record);
  expect(await outcomeOf(a.database.fresh())).toThrow("9999_newer: upgrade the program");
  expect(await outcomeOf(addNamed(a, "Bella"))).toThrow("upgrade the program");
});

const MARK = { log: "log-1", position: 0, id: "first", checksum: "" };

const faultOfUse = ({ assertUsable }: ReturnType<typeof replicaProgress>) => {
  try {
    return assertUsable();
  } catch (error) {
    return faultOf(error);
  }
};

test("clients of a node that cannot go on are sent to another, not to its disk", () => {
  const progress = replicaProgress(MARK);
  expect(faultOfUse(progress)).toBeUndefined();
  progress.fail(new RecordTooNew("a newer program made it: upgrade the program"));
  const fault = faultOfUse(progress);
  expect(fault?.code).toBe("storage_unavailable");
  expect(fault?.message).toContain("/readyz");
});

const promises = (): number => {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Promise"] ?? 0;
};

test("reads that gave up leave nothing in memory, however long records cannot be applied", async () => {
  const progress = replicaProgress(FIRST);
  const before = promises();
  const reads = await Promise.allSettled(Array.from({ length: 10_000 }, () => progress.reach(1, 1)));
  expect(reads.filter(({ status }) => status === "rejected")).toHaveLength(10_000);
  reads.length = 0;
  expect(promises() - before).toBeLessThan(1000);
  progress.advance({ ...FIRST, position: 1 });
});

test("a node writes again after the engine lost a record that the node only saw as the end of the log", async () => {
  const { engine, open } = await memoryCluster();
  const node = await open({ applyMs: 20, lockWait: 300 });
  await addNamed(node, "Bella");
  engine.unconfirmedHead = { log: FIRST.log, position: 2, id: "unconfirmed" };
  expect(await outcomeOf(node.database.fresh())).toThrow("this node did not apply the records that it lacks");
  engine.unconfirmedHead = undefined;
  await addNamed(node, "Max");
  expect(engine.records).toHaveLength(2);
});

test("a log that has grown is truncated after the write that waits for the engine", async () => {
  const { engine, newFile, open } = await memoryCluster();
  const path = newFile();
  const node = await open({ path });
  using reader = new Client(path, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM pets").get();
  while (logSize(path) <= MAX_LOG_BYTES) await addNamed(node, "x".repeat(2 ** 20));
  reader.run("COMMIT");
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  const { promise: sent, resolve: onSent } = Promise.withResolvers<void>();
  engine.onAppend = async () => {
    onSent();
    await response;
  };
  const written = addNamed(node, "Bella");
  await sent;
  await node.database.shrinkLog();
  respond();
  await written;
  await node.database.shrinkLog();
  expect(logSize(path)).toBe(0);
  expect(namesOf(node).at(-1)).toBe("Bella");
});

test("a request whose write is too large for the log gets 413 with what to do, and writes nothing", async () => {
  const { engine, open } = await memoryCluster();
  const { database } = await open();
  const { call, log } = await openStore({ database });
  const add = async () => call("POST", "/v1/pets", { json: { name: "Bella", categoryId: 3 } });
  engine.maxRecordBytes = 100;
  const refused = await add();
  expect([refused.status, await refused.json()]).toEqual([
    413,
    {
      code: "payload_too_large",
      status: 413,
      message: expect.stringMatching(
        /^This change takes \d+ bytes in the cluster's log, and at most 100 are allowed: nothing was written\. Make it in smaller parts\.$/,
      ),
    },
  ]);
  expect(log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  engine.maxRecordBytes = Infinity;
  expect((await add()).status).toBe(201);
  expect(await (await call("GET", "/v1/pets")).json()).toHaveLength(1);
});
