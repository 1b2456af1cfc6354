import { expect, test } from "bun:test";
import fc from "fast-check";
import { openDatabase } from "../../../src/data/db/open.ts";
import { petIndex } from "../../../src/data/db/pet-index.ts";
import { foldLetters } from "../../../src/lib/letter-folds.ts";
import { petsByIdOrder } from "../../../src/store/pets/id-order-queries.ts";
import { petsByKeyOrder } from "../../../src/store/pets/key-order-queries.ts";
import {
  hasKeys,
  PET_SORTS,
  type PetFilters,
  type PetSort,
  type SortKey,
  sortKeyOf,
} from "../../../src/store/pets/pet.ts";
import { type ListedPet } from "../../../src/store/pets/queries.ts";
import { type Store, addPet, faultOf, openOnce, openStore } from "../../support/store.ts";

const NAMES = ["rex", "Bella", "Émile", "eva", "BELLA", "Łucja", "Luna", "bélla", "Zoë", "犬", "Lukas"];

const shelter = openOnce(async () => {
  const store = await openStore();
  for (const [at, name] of NAMES.entries())
    await addPet(store, { name, categoryId: at % 2, status: at % 3 ? "sold" : "available" });
  return store;
});

const list = (store: Store, query: Record<string, string>) =>
  store.call("GET", `/v1/pets?${new URLSearchParams(query)}`);

const namesOf = async (response: Response) =>
  ((await response.json()) as { name: string }[]).map(({ name }) => name);

/** Follows rel="next" to the end. */
const walk = async (store: Store, query: Record<string, string>): Promise<string[]> => {
  const names: string[] = [];
  for (let next: string | undefined = `/v1/pets?${new URLSearchParams(query)}`; next !== undefined;) {
    const response: Response = await store.call("GET", next);
    expect(response.status).toBe(200);
    names.push(...(await namesOf(response)));
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
    if (names.length > 100) throw new Error("the pages do not end");
  }
  return names;
};

const compareText = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

const BY_NAME = ["Bella", "BELLA", "bélla", "Émile", "eva", "Łucja", "Lukas", "Luna", "rex", "Zoë", "犬"];

test.each([
  ["id", NAMES],
  ["-id", NAMES.toReversed()],
  ["name", BY_NAME],
  ["-name", BY_NAME.toReversed()],
])("a list of animals with sort=%s is in this order, on one page and over many", async (sort, names) => {
  expect(await namesOf(await list(shelter(), { sort }))).toEqual(names);
  expect(await walk(shelter(), { sort, limit: "2" })).toEqual(names);
});

test("a list of animals without sort, and with sort=id, has the same bytes and the same cursors", async () => {
  const [plain, byId] = [
    await list(shelter(), { limit: "2" }),
    await list(shelter(), { limit: "2", sort: "id" }),
  ];
  expect(await byId.text()).toBe(await plain.text());
  for (const name of ["link", "next-cursor", "etag"])
    expect(byId.headers.get(name)).toBe(plain.headers.get(name));
  expect(plain.headers.get("link")).toBe('</v1/pets?limit=2&cursor=MjpwZXRzOg>; rel="next"');
});

test("animals are in the order of the times at which they were added, or last changed in any way", async () => {
  const store = await openStore();
  for (const name of ["Anna", "Bella", "Cara", "Dana"]) {
    await addPet(store, { name, status: "available" });
    store.clock.advance(1000);
  }
  const since = new Date(store.clock.now()).toISOString();
  await store.call("POST", "/v1/store/orders", {
    json: { petId: 3, adopter: { name: "Ada", email: "ada@example.org" } },
  });
  store.clock.advance(1000);
  await store.call("PATCH", "/v1/pets/1", { json: { status: "sold" } });
  const orders = {
    createdAt: ["Anna", "Bella", "Cara", "Dana"],
    updatedAt: ["Bella", "Dana", "Cara", "Anna"],
  };
  for (const [sort, names] of Object.entries(orders)) {
    expect(await walk(store, { sort, limit: "1" })).toEqual(names);
    expect(await walk(store, { sort: `-${sort}`, limit: "3" })).toEqual(names.toReversed());
  }
  for (const sort of PET_SORTS) {
    const names = await walk(store, { sort, updatedSince: since, limit: "1" });
    expect([sort, names.toSorted()]).toEqual([sort, ["Anna", "Cara"]]);
  }
  expect(await namesOf(await list(store, { sort: "-updatedAt", updatedSince: since }))).toEqual([
    "Anna",
    "Cara",
  ]);
});

test("a cursor of an order by time that has no time is refused", async () => {
  const page = await list(shelter(), { sort: "createdAt", limit: "1" });
  const [id = "", ...scope] = Buffer.from(page.headers.get("next-cursor") ?? "", "base64url")
    .toString()
    .split(":");
  for (const time of ["", "x", "1.5", "1e400"]) {
    const cursor = Buffer.from([id, ...scope.slice(0, -1), time].join(":")).toString("base64url");
    expect(await faultOf(await list(shelter(), { sort: "createdAt", cursor }))).toBe("400 invalid_cursor");
  }
});

test("a list of animals by ids, too, is in the order of sort, with its tags", async () => {
  const response = await list(shelter(), { ids: "1,2,3", sort: "-name" });
  const tags = response.headers.get("item-etags")?.split(", ");
  expect(await namesOf(response)).toEqual(["rex", "Émile", "Bella"]);
  expect(tags?.[0]).toBe((await shelter().call("GET", "/v1/pets/1")).headers.get("etag") ?? "");
});

test("a sorted list of animals follows a new name immediately", async () => {
  const store = await openStore();
  for (const name of ["Anna", "Bella"]) await addPet(store, { name });
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Çelik" } });
  expect(await namesOf(await list(store, { sort: "name" }))).toEqual(["Bella", "Çelik"]);
  await store.call("DELETE", "/v1/pets/2");
  expect(await namesOf(await list(store, { sort: "name" }))).toEqual(["Çelik"]);
});

test("a list of animals continues after an animal that was deleted or renamed in the meantime", async () => {
  const store = await openStore();
  for (const name of ["Anna", "Bella", "Cara", "Dana"]) await addPet(store, { name });
  const page = await list(store, { sort: "name", limit: "2" });
  await store.call("DELETE", "/v1/pets/2");
  const cursor = page.headers.get("next-cursor") ?? "";
  expect(await namesOf(await list(store, { sort: "name", cursor }))).toEqual(["Cara", "Dana"]);
});

test("a list of animals with names of 200 characters has cursors that are accepted", async () => {
  const store = await openStore();
  const names = ["犬", "\u{1f415}"].flatMap((letter) =>
    ["c", "a", "b"].map((end) => letter.repeat(199) + end),
  );
  for (const name of names) await addPet(store, { name });
  const sorted = names.toSorted(compareText);
  expect(await walk(store, { sort: "name", limit: "1" })).toEqual(sorted);
  expect(await walk(store, { sort: "-name", limit: "1" })).toEqual(sorted.toReversed());
});

test("a list of animals refuses a cursor of another order or other filters, and another order", async () => {
  const cursorOf = async (query: Record<string, string>) =>
    (await list(shelter(), { ...query, limit: "1" })).headers.get("next-cursor") ?? "";
  for (const sort of PET_SORTS) {
    const cursor = await cursorOf({ sort });
    for (const other of PET_SORTS.filter((one) => one !== sort))
      expect(await faultOf(await list(shelter(), { sort: other, cursor }))).toBe("400 invalid_cursor");
    expect(await faultOf(await list(shelter(), { sort, q: "l", cursor }))).toBe("400 invalid_cursor");
  }
  for (const sort of ["", "ID", "name,id", "-status", "created"])
    expect(await faultOf(await list(shelter(), { sort }))).toBe("400 invalid_request");
});

interface Animal {
  id: number;
  createdAt: number;
  updatedAt: number | null;
  name: string;
  categoryId: number;
  status: string | null;
}

/** Its words, and the beginnings that a search looks for. */
const wordsOf = (text: string): string[] => foldLetters(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const hasWords = (name: string, q: string): boolean =>
  wordsOf(q).every((beginning) => wordsOf(name).some((word) => word.startsWith(beginning)));

const expectedIds = (
  animals: readonly Animal[],
  sort: PetSort,
  { status, categoryId, q, ids, updatedSince = -Infinity }: PetFilters,
) => {
  const changedAt = ({ createdAt, updatedAt }: Animal) => updatedAt ?? createdAt;
  const compareBy: Record<SortKey, (a: Animal, b: Animal) => number> = {
    id: () => 0,
    name: (a, b) => compareText(foldLetters(a.name), foldLetters(b.name)),
    createdAt: (a, b) => a.createdAt - b.createdAt,
    updatedAt: (a, b) => changedAt(a) - changedAt(b),
  };
  const sign = sort.startsWith("-") ? -1 : 1;
  return animals
    .filter(
      (one) =>
        changedAt(one) >= updatedSince &&
        (status === undefined || one.status === status) &&
        (categoryId === undefined || one.categoryId === Number(categoryId)) &&
        (ids === undefined || ids.includes(one.id)) &&
        (q === undefined || hasWords(one.name, q) || String(one.id) === q),
    )
    .toSorted((a, b) => sign * (compareBy[sortKeyOf(sort)](a, b) || a.id - b.id))
    .map(({ id }) => id);
};

const anyAnimals = fc.array(
  fc.record({
    name: fc.constantFrom(
      "Bella",
      "bélla",
      "Łucja",
      "lucja",
      "Luna",
      "犬",
      "zoe",
      "Zoë",
      "7",
      "Ｚoe",
      "\u{1f415}",
      "Bella Luna",
      "luna-zoe \u{1f415}",
      "犬 Bella's Łuna",
    ),
    createdAt: fc.constantFrom(0, 3, 5),
    updatedAt: fc.constantFrom(null, 5, 6, 9),
    categoryId: fc.constantFrom(1, 2),
    status: fc.constantFrom("available", "sold", null),
  }),
  { maxLength: 40 },
);
const anyFilters: fc.Arbitrary<PetFilters> = fc.record({
  status: fc.constantFrom("available", "sold", undefined),
  categoryId: fc.constantFrom(1n, undefined),
  q: fc.constantFrom("b", "lu", "Ł", "7", "ZOE", "luna b", "be lu zo", "犬", undefined),
  updatedSince: fc.constantFrom(undefined, undefined, 0, 5, 6, 10),
  ids: fc.constantFrom([1, 2, 3, 5, 8, 13, 21], undefined),
});

test("every order holds each animal that matches once, regardless of how it is cut into pages, slices and sorts", async () => {
  const database = openDatabase(":memory:");
  await fc.assert(
    fc.asyncProperty(
      anyAnimals,
      anyFilters,
      fc.constantFrom(...PET_SORTS),
      fc.record({
        limit: fc.integer({ min: 1, max: 7 }),
        few: fc.constantFrom(0, 3, 200),
        maxSorted: fc.integer({ min: 0, max: 9 }),
        sliceKeys: fc.integer({ min: 1, max: 9 }),
        probedIds: fc.integer({ min: 1, max: 9 }),
        rowCost: fc.constantFrom(0, 1, 2, 25),
        maxFtsIds: fc.constantFrom(0, 10, 1000),
      }),
      async (some, filters, sort, { limit, ...slices }) => {
        database.client.run("DELETE FROM pets");
        database.client.run("UPDATE pets_indexed SET counted_to = 0, indexed_to = 0");
        const animals = some.map((one, at) => ({ id: at + 1, ...one }));
        const insert = database.client.query(
          "INSERT INTO pets (id, name, category_id, status, created_at) VALUES (?, ?, ?, ?, ?)",
        );
        for (const { id, name, categoryId, status, createdAt } of animals)
          insert.run(id, name, categoryId, status, createdAt);
        await petIndex(database).catchUp();
        const change = database.client.query("UPDATE pets SET updated_at = ? WHERE id = ?");
        for (const { id, updatedAt } of animals) change.run(updatedAt, id);
        const byId = petsByIdOrder(database, slices);
        const lists = !hasKeys({ sort, ...filters }) ? byId : petsByKeyOrder(database, byId, slices);
        const found: number[] = [];
        for (let after: ListedPet | undefined; ;) {
          const page: ListedPet[] = await lists({ ...filters, sort, after, limit });
          found.push(...page.map(({ id }) => id));
          after = page.at(-1);
          if (page.length < limit) break;
        }
        expect(found).toEqual(expectedIds(animals, sort, filters));
      },
    ),
    { numRuns: 200 },
  );
  await database.close();
});
