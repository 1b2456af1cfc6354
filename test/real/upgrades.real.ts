import { Database as Client } from "bun:sqlite";
import { expect } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/data/db/migrations.ts";
import { seeded } from "../support/random.ts";
import { ANIMALS, adminSecret, columnsOf, makeEarlier, nameOf, tablesOf } from "./earlier.ts";
import { type Server, directory, launch, real, serve } from "./support.ts";

const test = real();

const KILLS = Number(process.env["UPGRADE_KILLS"] ?? 10);
const SEED = Number(process.env["UPGRADE_SEED"] ?? Date.now() % 1_000_000);
const NEWEST = migrations.length;
/** A kill counts if it happens during the upgrade. */
const MAX_TRIES = 10;

/** Tables that a migration has removed with what was in them. */
const REMOVED = new Set(["released_names"]);
/**
 * What a server adds to soon after its start: the reference of its API, the id of the store, the notices that it opens, and
 * the index of animals.
 */
const ADDED_TO = new Set([
  "projects",
  "deploys",
  "migrations",
  "store_identity",
  "notices",
  "audit_entries",
  "pet_names",
  "pet_times",
]);
/** What its requests and its index change. */
const CHANGED = new Set(["keys.last_used_at", "pets_indexed.indexed_to"]);
/** Where the value of a removed column is now. */
const MOVED: Readonly<Record<string, string>> = {
  "answers.key_id": "cast(substr(caller, length('key:') + 1) as integer)",
};

type Contents = Map<string, { columns: string[]; rows: string[] }>;

/** Every row of every table, as text. */
const contentsOf = (client: Client, like?: Contents): Contents =>
  new Map(
    tablesOf(client).map((table) => {
      const columns =
        like?.get(table)?.columns ??
        columnsOf(client, table).filter((column) => !CHANGED.has(`${table}.${column}`));
      const present = new Set(columnsOf(client, table));
      const list = columns
        .map((column) => (present.has(column) ? `"${column}"` : (MOVED[`${table}.${column}`] ?? column)))
        .join(", ");
      const rows = client.query(`SELECT ${list} FROM "${table}"`).values();
      return [table, { columns, rows: rows.map((row) => JSON.stringify(row)).toSorted() }];
    }),
  );

/** The greatest id that each table has given. */
const sequencesOf = (client: Client): Map<string, number> =>
  new Map(
    client
      .query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence")
      .all()
      .map(({ name, seq }) => [name, seq]),
  );

const read = <Result>(path: string, look: (client: Client) => Result): Result => {
  const client = new Client(path, { readwrite: true });
  try {
    return look(client);
  } finally {
    client.close();
  }
};

/** How many migrations a database has; what a kill left is looked at in a copy, for looking would recover it. */
const appliedTo = (data: string): number => {
  const place = directory();
  for (const end of ["", "-wal"])
    if (existsSync(join(data, `adoption-store.db${end}`)))
      copyFileSync(join(data, `adoption-store.db${end}`), join(place, `copy.db${end}`));
  return read(join(place, "copy.db"), (client) => {
    expect(client.query("PRAGMA quick_check(1)").all()).toEqual([{ quick_check: "ok" }]);
    expect(client.query("SELECT count(*) AS animals FROM pets").all()).toEqual([{ animals: ANIMALS - 10 }]);
    return (
      client.query<{ applied: number }, []>("SELECT count(*) AS applied FROM migrations").get()?.applied ?? 0
    );
  });
};

/** Fails unless all that was in a database is in the one that it became. */
const expectIntact = (before: Contents, after: Contents): void => {
  for (const [table, { rows }] of before) {
    const found = after.get(table);
    if (!found && REMOVED.has(table)) continue;
    const there = new Set(found?.rows);
    expect([table, rows.filter((row) => !there.has(row)).slice(0, 3)]).toEqual([table, []]);
    if (!ADDED_TO.has(table)) expect([table, found?.rows.length]).toEqual([table, rows.length]);
  }
};

/** Fails unless the API lists every animal, finds one by each kind of word, and gives a new id to the next. */
const expectServed = async (server: Server): Promise<void> => {
  const pets: { id: number; name: string }[] = [];
  for (let path: string | undefined = "/v1/pets?limit=100"; path;) {
    const response = await server.call(path);
    expect(response.status).toBe(200);
    pets.push(...((await response.json()) as typeof pets));
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  expect(pets.length).toBe(ANIMALS - 10);
  expect(pets.filter(({ id, name }) => name !== nameOf(id))).toEqual([]);
  for (const [words, id] of [
    ["number17", 17],
    ["zoe muller number7", 7],
    ["donaudampfschifffahrts number5", 5],
  ] as const) {
    const found = await server.call(`/v1/pets?limit=1&q=${encodeURIComponent(words)}`);
    expect(await found.json()).toEqual([expect.objectContaining({ id, name: nameOf(id) })]);
  }
  expect(await (await server.add("new")).json()).toMatchObject({ id: ANIMALS + 1 });
};

for (const [at, { tag }] of migrations.slice(0, -1).entries())
  test(`a database of ${tag} is upgraded with everything intact, killed ${KILLS} times at random moments`, async () => {
    const random = seeded(SEED + at);
    const place = directory();
    const data = join(place, "data");
    const database = join(data, "adoption-store.db");
    const source = join(place, "source.db");
    const applied = migrations.slice(0, at + 1);
    makeEarlier(source, applied, Date.now());
    const [before, sequences] = read(source, (client) => [contentsOf(client), sequencesOf(client)] as const);
    /** DATA_DIR as the earlier program left it. */
    const begin = () => {
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data, { mode: 0o700 });
      copyFileSync(source, database);
      writeFileSync(join(data, "admin.key"), `${adminSecret}\n`, { mode: 0o600 });
    };

    begin();
    const start = performance.now();
    const first = await serve({ cwd: place });
    const whole = performance.now() - start;
    await first.stop();

    begin();
    const kills = { "before it began": 0, "while it went on": 0, "behind its end": 0 };
    const missing = () => KILLS - kills["while it went on"];
    let span = whole;
    for (let tries = 0; missing() > 0; tries++) {
      expect(tries).toBeLessThan(MAX_TRIES * KILLS);
      await using process = launch({ cwd: place });
      await Bun.sleep(random.real() * span);
      process.kill();
      await process.exited;
      const found = appliedTo(data);
      // All of them, or none.
      expect([applied.length, NEWEST]).toContain(found);
      // The machine may be slower or faster than it was: the moments follow.
      if (found === NEWEST) {
        kills["behind its end"]++;
        span *= 0.9;
        begin();
      } else if (process.stdout().includes("older than this program")) kills["while it went on"]++;
      else {
        kills["before it began"]++;
        span *= 1.05;
      }
    }

    const server = await serve({ cwd: place });
    expect(server.key).toBe(adminSecret);
    const after = read(database, (client) => contentsOf(client, before));
    expectIntact(before, after);
    await expectServed(server);
    expect(await server.stop()).toBe(0);
    read(database, (client) => {
      expect(client.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      expect(client.query("PRAGMA foreign_key_check").all()).toEqual([]);
      for (const [table, seq] of sequencesOf(client))
        expect(seq).toBeGreaterThanOrEqual(sequences.get(table) ?? 0);
    });
    // The copy from before is the database as it was.
    const copies = readdirSync(data).filter((name) => name.startsWith("adoption-store.db.before-"));
    expect(copies).toEqual([`adoption-store.db.before-${migrations[at + 1]?.tag}`]);
    expect(read(join(data, copies[0] ?? ""), (client) => contentsOf(client))).toEqual(before);
    console.log(`    seed ${SEED}, ${Math.round(whole)} ms: killed ${JSON.stringify(kills)}`);
  });
