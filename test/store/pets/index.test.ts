import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { type Database, openDatabase } from "../../../src/data/db/open.ts";
import type { Connection } from "../../../src/data/db/statement.ts";
import { importIndexing, petIndex } from "../../../src/data/db/pet-index.ts";
import type { Pet, PetStatus } from "../../../src/store/pets/pet.ts";
import { petRepository } from "../../../src/store/pets/repository.ts";
import { openInMemory, openOwnDatabase } from "../../support/database.ts";
import { addPet, atEnd, openStore, runInCommit, temporaryDirectory } from "../../support/store.ts";
import { eventsOf, expectDerived, expectEvents } from "./derived.ts";

const ACT = { actor: { kind: "operator" }, now: 3 * 86_400_000 } as const;
const ALL = {
  status: undefined,
  categoryId: undefined,
  ids: undefined,
  q: undefined,
  after: undefined,
  limit: 999,
};

const anyPet = fc.record(
  {
    name: fc.constantFrom("Bella", "Zoë", "Łukasz Öl", "max 7", "🐶", "Straße"),
    categoryId: fc.constantFrom(1n, 2n, -(2n ** 63n)),
    status: fc.constantFrom<PetStatus>("available", "sold"),
  },
  { requiredKeys: ["name", "categoryId"] },
);
/** Counted from the newest of the turn before, so that many are not indexed. */
const anyAge = fc.integer({ min: -2, max: 6 });
const anyChange = fc.record({
  age: anyAge,
  change: fc.record(
    {
      name: fc.constantFrom("Luna", "Ångström"),
      categoryId: fc.constantFrom(1n, 5n),
      status: fc.constantFrom<PetStatus | null>("pending", null),
    },
    { requiredKeys: [] },
  ),
});

/** The writes of a turn share a transaction. */
const anyTurn = fc.record({
  writes: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: anyPet }) },
      { weight: 2, arbitrary: fc.record({ changes: fc.array(anyChange, { maxLength: 3 }) }) },
      { weight: 1, arbitrary: fc.record({ remove: anyAge }) },
      { weight: 1, arbitrary: fc.record({ rows: fc.array(anyPet, { maxLength: 3 }) }) },
    ),
    { maxLength: 6 },
  ),
  afterwards: fc.constantFrom("nothing", "nothing", "catch up", "tidy", "search"),
});

/** Adds animals as an import does. */
const importer = ({ commit }: Database) => {
  const insert = `INSERT INTO pets (name, category_id, status, created_at)
    SELECT value ->> 0, value ->> 1, value ->> 2, 0 FROM json_each(?)`;
  return (rows: readonly Omit<Pet, "id">[]) => {
    const json = JSON.stringify(
      rows.map(({ name, categoryId, status = null }) => [name, JSON.rawJSON(String(categoryId)), status]),
    );
    const query = { all: (connection: Connection) => connection.prepare(insert).all(json) };
    return commit([{ query, values: {} }, ...importIndexing(rows.length)]);
  };
};

/** Records the changes of animals, row by row. */
const recordRows = (client: Client) => {
  client.run("CREATE TEMP TABLE log (kind, pet_id)");
  for (const [kind, when, row] of [
    ["added", "INSERT ON", "new"],
    ["deleted", "DELETE ON", "old"],
    ["changed", "UPDATE OF name, category_id, status ON", "new"],
  ])
    client.run(
      `CREATE TEMP TRIGGER log_${kind} AFTER ${when} main.pets ${kind === "changed" ? "WHEN (old.name, old.category_id, old.status) IS NOT (new.name, new.category_id, new.status)" : ""}
       BEGIN INSERT INTO log VALUES ('${kind}', ${row}.id); END`,
    );
  return () => client.query("SELECT kind, pet_id FROM log ORDER BY rowid").values() as [string, number][];
};

test("the derived tables are those of the rows, regardless of the order of writes and indexing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { maxLength: 12 }), async (turns) => {
      const database = openInMemory();
      const recorded = recordRows(database.client);
      const pets = petRepository(database);
      const index = petIndex(database);
      const addRows = importer(database);
      for (const { writes, afterwards } of turns) {
        const newest =
          database.client.query<{ id: number }, []>("SELECT max(id) AS id FROM pets").get()?.id ?? 0;
        await Promise.all(
          writes.map((write): Promise<unknown> => {
            if ("add" in write) return pets.add(write.add, ACT);
            if ("rows" in write) return addRows(write.rows);
            if ("remove" in write) return pets.remove(newest - write.remove, ACT);
            return pets.changeMany(
              write.changes.map(({ age, change }) => ({ id: newest - age, change })),
              ACT,
            );
          }),
        );
        if (afterwards === "catch up") await index.catchUp();
        if (afterwards === "tidy") await index.tidy();
        if (afterwards === "search") {
          const all = await pets.list({ ...ALL, sort: "-id" });
          const found = await pets.list({ ...ALL, q: "bell", sort: "-id" });
          expect(found).toEqual(all.filter(({ name }) => name === "Bella"));
          expect(await pets.list({ ...ALL, sort: "name" })).toHaveLength(all.length);
        }
      }
      await index.catchUp();
      expectDerived(database.client);
      expect(eventsOf(database.client)).toEqual(recorded());
      await database.close();
    }),
    { numRuns: 60 },
  );
}, 60_000);

/** A process that writes without a pause. */
const writer = (path: string, prefix: string) => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "index-writer.ts"), path, prefix], {
    stdout: "pipe",
    stderr: "inherit",
  });
  atEnd(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return child;
};

async function* linesOf(stream: ReadableStream<Uint8Array>) {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

test("after a writer was killed at any moment, the derived tables are those of the rows", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  await openDatabase(path).close();
  for (const after of [1, 40, 90, 170]) {
    const child = writer(path, `r${after}r`);
    let stored = 0;
    for await (const _ of linesOf(child.stdout)) if (++stored === after) child.kill("SIGKILL");
    await child.exited;
    expect(stored).toBeGreaterThanOrEqual(after);
    const database = openDatabase(path);
    await petIndex(database).catchUp();
    expectDerived(database.client);
    expectEvents(database.client);
    await database.close();
  }
}, 60_000);

test("a search finds the animals that another process stored before it, while both write", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ embedded: "anotherProgram", path });
  const child = writer(path, "f");
  let stored = 0;
  const isFound = async (name: string) => {
    const response = await store.call("GET", `/v1/pets?q=${encodeURIComponent(name)}`);
    expect(response.status).toBe(200);
    const found = (await response.json()) as { name: string }[];
    return found.some((pet) => pet.name === name);
  };
  for await (const name of linesOf(child.stdout)) {
    // The first of each round may be renamed or deleted by now.
    if (name.includes("x0 ")) continue;
    const own = `own${stored}`;
    await addPet(store, { name: own });
    expect(await Promise.all([isFound(name), isFound(own)])).toEqual([true, true]);
    if (++stored === 40) break;
  }
}, 60_000);

test.each([true, false])(
  "a process that does not write lets another index, which does: %p",
  async (isAccepted) => {
    const path = `${temporaryDirectory()}/store.db`;
    const store = await openStore({ embedded: "workers", path });
    const reader = await openOwnDatabase(path, { embedded: "workers" });
    atEnd(() => reader.close());
    reader.client.run("PRAGMA query_only=ON");
    const requestIndex = async () => isAccepted && petIndex(store.database).index();
    const pets = petRepository(reader, { requestIndex });
    for (const id of [1, 2]) {
      await addPet(store, { name: "Zoë" });
      await reader.fresh();
      expect(await pets.list({ ...ALL, q: "zoe", sort: "name" })).toHaveLength(id);
    }
    expect(reader.client.query("SELECT indexed_to FROM pets_indexed").values()).toEqual([
      [isAccepted ? 2 : 0],
    ]);
  },
);

test("the background index changes no version, so that cached pages and counts stay", async () => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  const { database } = store;
  await addPet(store, { name: "Zoë" });
  const version = database.version();
  await petIndex(database).tidy();
  await database.fresh();
  expect(database.version()).toBe(version);
  expect(database.client.query("SELECT indexed_to FROM pets_indexed").values()).toEqual([[1]]);
});

test("the background index shows an animal that another program added without counting it", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ embedded: "anotherProgram", path });
  const total = async () =>
    ((await (await store.call("GET", "/v1/statistics")).json()) as { total: number }).total;
  using other = new Client(path);
  other.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Zoë', 1, 0)");
  expect(await total()).toBe(0);
  await petIndex(store.database).tidy();
  expect(await total()).toBe(1);
});

test("the background index merges after each of its steps, also after one that follows the last merge", async () => {
  const store = await openStore();
  let commits = 0;
  const commit: Database["commit"] = async (...write) => {
    const rows = await store.database.commit(...write);
    if (++commits === 1) await addPet(store, {});
    return rows;
  };
  const index = petIndex({ ...store.database, commit });
  const commitsOfTidy = async () => {
    const before = commits;
    await index.tidy();
    return commits - before;
  };
  // A merge; a step and a merge; nothing more to do.
  expect([await commitsOfTidy(), await commitsOfTidy(), await commitsOfTidy()]).toEqual([1, 2, 0]);
});

test("an order placed for an animal that is not indexed is found by the animal's name", async () => {
  const store = await openStore();
  const { id } = await addPet(store, { name: "Zoë", status: "available" });
  const json = { petId: id, adopter: { name: "Ada", email: "ada@example.org" } };
  expect((await store.call("POST", "/v1/store/orders", { json })).status).toBe(201);
  const found = await store.call("GET", "/v1/store/orders?q=zoe");
  expect(await found.json()).toHaveLength(1);
});

const SEARCHES: [string, string][] = [
  ["?q=bel", "3,5"],
  ["?q=bel&sort=-id", "5,3"],
  ["?q=bel&sort=name", "3,5"],
  ["?sort=name", "4,3,5,2,1"],
  ["?sort=-name", "1,2,5,3,4"],
  ["?q=bel&limit=1", "3"],
  ["?q=4", "4"],
  ["?q=bel&ids=1,5,4", "5"],
  ["?q=bel&status=sold", "5"],
];

const REFUSALS = {
  "the storage is full": (store: Database) => {
    store.writer.run("PRAGMA query_only=ON");
    return () => store.writer.run("PRAGMA query_only=OFF");
  },
  "another process holds the lock": (store: Database) => {
    const other = new Client(store.client.filename);
    other.run("BEGIN IMMEDIATE");
    return () => other.close();
  },
};

test.each(Object.entries(REFUSALS))("while %s, searches find earlier writes", async (_name, refuse) => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  await addPet(store, { name: "Luna" });
  await addPet(store, { name: "Lola" });
  await addPet(store, { name: "Bella" });
  await store.call("GET", "/v1/pets?q=luna");
  await addPet(store, { name: "Ángel", categoryId: 2 });
  await addPet(store, { name: "Bella", status: "sold" });
  const accept = refuse(store.database);
  for (const [query, ids] of SEARCHES) {
    const found = (await (await store.call("GET", `/v1/pets${query}`)).json()) as { id: number }[];
    expect(`${query}: ${found.map(({ id }) => id).join()}`).toBe(`${query}: ${ids}`);
  }
  const totalOf = async (query: string) =>
    ((await (await store.call("GET", `/v1/statistics?${query}`)).json()) as { total: number }).total;
  expect([await totalOf("q=bel"), await totalOf("q=4"), await totalOf("q=bel&categoryId=2")]).toEqual([
    2, 1, 0,
  ]);
  accept();
  await addPet(store, { name: "Bell" });
  expect(await totalOf("q=bel")).toBe(3);
});

test("an animal of a rare category that is not indexed is counted once", async () => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  for (let at = 0; at < 60; at++) await addPet(store, { name: "Bella", categoryId: at === 0 ? 2 : 1 });
  await store.call("GET", "/v1/pets?q=bella");
  await addPet(store, { name: "Bella", categoryId: 2 });
  REFUSALS["the storage is full"](store.database);
  const response = await store.call("GET", "/v1/statistics?q=bella&categoryId=2");
  expect(await response.json()).toMatchObject({ total: 2 });
});

test("an animal that is not indexed is counted once if its id was typed and its name has that word", async () => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  await addPet(store, { name: "Luna" });
  await store.call("GET", "/v1/pets?q=luna");
  await addPet(store, { name: "Bella 2" });
  REFUSALS["the storage is full"](store.database);
  expect(await (await store.call("GET", "/v1/statistics?q=2")).json()).toMatchObject({ total: 1 });
});

test("ids that no animal has are indexed quickly", async () => {
  const { database } = await openStore();
  await runInCommit(
    database,
    "INSERT INTO pets (id, name, category_id, created_at) VALUES (1, 'Bella', 1, 0), (1000000, 'Luna', 1, 0)",
  );
  let commits = 0;
  const commit: Database["commit"] = (...write) => {
    commits++;
    return database.commit(...write);
  };
  await petIndex({ ...database, commit }).catchUp();
  expect(commits).toBe(1);
  expectDerived(database.client);
});

test("a long tail is indexed in slices that let other requests run", async () => {
  const store = await openStore();
  await runInCommit(
    store.database,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
     INSERT INTO pets (name, category_id, created_at) SELECT iif(i = 2500, 'Luna', 'Bella'), 1, 0 FROM n`,
  );
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const found = await store.call("GET", "/v1/pets?q=luna&sort=-id&limit=1");
  clearInterval(timer);
  expect(((await found.json()) as { id: number }[]).map(({ id }) => id)).toEqual([2500]);
  expect(turns).toBeGreaterThan(2);
});
