import { expect, test } from "bun:test";
import { join } from "node:path";
import { Database as Client } from "bun:sqlite";
import { derivedDifferences } from "../../../src/data/db/derived.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { type Store, addPet, openOnce, openStore, temporaryDirectory } from "../../support/store.ts";

/** Names, each with searches that find it and no other. */
const NAMES: readonly (readonly [name: string, ...searches: string[]])[] = [
  ["हिन्दी", "हिन्दी", "हिन्", "हि"],
  ["தமிழ்", "தமிழ்", "தமி"],
  ["แมวดำ", "แมวดำ", "แมว", "ดำ"],
  ["東京犬", "東京犬", "東京", "東", "犬"],
  ["①Rex", "①rex", "1rex"],
  ["ﷺ", "ﷺ", "صلى", "وسلم"],
  ["ｶﾀｶﾅ", "カタカナ", "ｶﾀ"],
  ["မြန်မာ", "မြန်မာ", "မြန်"],
  ["ﬁdo", "fid", "ﬁdo"],
  ["Bella❤️Max", "max", "❤️ bella"],
];

const idsOf = async (store: Store, query: Record<string, string>) => {
  const response = await store.call("GET", `/v1/pets?${new URLSearchParams(query)}`);
  return ((await response.json()) as { id: number }[]).map(({ id }) => id);
};

const shelter = openOnce(async () => {
  const store = await openStore();
  for (const [name] of NAMES) await addPet(store, { name });
  return store;
});

const SEARCHES = NAMES.flatMap(([, ...searches], at) => searches.map((q) => [q, at + 1] as const));

test.each(SEARCHES)("the search %j finds animal %i, in every order, and counts it", async (q, id) => {
  for (const sort of ["id", "-id", "name"])
    expect([sort, await idsOf(shelter(), { q, sort })]).toEqual([sort, [id]]);
  expect(await idsOf(shelter(), { q, ids: "1,2,3,4,5,6,7,8,9,10" })).toEqual([id]);
  const counts = await shelter().call("GET", `/v1/statistics?${new URLSearchParams({ q })}`);
  expect(await counts.json()).toMatchObject({ total: 1 });
});

test("a search finds no animal by letters inside a word", async () => {
  for (const q of ["京", "न्दी", "มว", "rex"]) expect([q, await idsOf(shelter(), { q })]).toEqual([q, []]);
});

test("a new name has its own words, and a search finds it before and after it is indexed", async () => {
  const store = await openStore();
  await addPet(store, { name: "東京犬" });
  expect(await idsOf(store, { q: "犬" })).toEqual([1]);
  await store.call("PATCH", "/v1/pets/1", { json: { name: "黒猫" } });
  expect([await idsOf(store, { q: "犬" }), await idsOf(store, { q: "猫" })]).toEqual([[], [1]]);
  const changes = [{ id: 1, change: { name: "Kuro" } }];
  await store.call("POST", "/v1/pets/changes", { json: { changes } });
  expect([await idsOf(store, { q: "猫" }), await idsOf(store, { q: "kuro" })]).toEqual([[], [1]]);
});

test("after an upgrade, a search finds names that were stored before it", async () => {
  const path = join(temporaryDirectory(), "a.db");
  const before = migrations.findIndex(({ tag }) => tag.endsWith("_search_in_every_script"));
  using client = new Client(path);
  client.run("PRAGMA journal_mode=WAL");
  migrate(client, migrations.slice(0, before));
  const insert = client.query("INSERT INTO pets (name, category_id, created_at) VALUES (?, 1, 5)");
  for (const [name] of NAMES) insert.run(name);
  client.run("UPDATE pets_indexed SET counted_to = 7, indexed_to = 7");
  client.run(
    "INSERT INTO orders (pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (1, 'हरि', 'h@example.org', 'placed', 1, 1)",
  );
  migrate(client, migrations);
  expect(derivedDifferences(client)).toEqual([]);
  const store = await openStore({ database: await openDatabase(path) });
  for (const q of ["हिन्दी", "தமிழ்", "แมวดำ", "東京"])
    expect([q, await idsOf(store, { q })]).not.toEqual([q, []]);
  expect(await (await store.call("GET", "/v1/store/orders?q=हरि")).json()).toMatchObject([{ id: 1 }]);
  await store.sweepRows(new AbortController().signal);
  for (const [q, id] of SEARCHES) expect([q, await idsOf(store, { q })]).toEqual([q, [id]]);
  expect(derivedDifferences(client)).toEqual([]);
  expect(client.query("SELECT count(*) AS unmade FROM pet_search WHERE of_name IS NULL").get()).toEqual({
    unmade: 0,
  });
});
