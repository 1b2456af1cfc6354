import { expect, test } from "bun:test";
import { INDEXED_READS } from "../../../src/store/orders/repository.ts";
import { addPet, faultOf, messageOf, openStore, type Store } from "../../support/store.ts";
import { place, take } from "./orders.ts";

interface Row {
  animal: string;
  name: string;
  email: string;
}

const ROWS: Row[] = [
  { animal: "Milo", name: "Anna Kowalska", email: "anna.k@example.org" },
  { animal: "Bella", name: "Zoé von Bärenfels", email: "zoe@fels.example" },
  { animal: "Luna 12", name: "Ada Byron", email: "countess+ada@lovelace.example" },
  { animal: "Rex", name: "Łucja Wiśniewska", email: "lw@example.org" },
  { animal: "Anna", name: "Bob", email: "bob@example.org" },
  { animal: "AND OR NOT", name: "O'Neill-Smith", email: "x@y" },
];

const shelter = async (rows: readonly Row[] = ROWS) => {
  const store = await openStore();
  for (const { animal, ...adopter } of rows) {
    const { id } = await addPet(store, { name: animal, status: "available" });
    expect((await place(store, id, { adopter })).status).toBe(201);
  }
  return store;
};

const list = (store: Store, query: Record<string, string>, key = store.key) =>
  store.call("GET", `/v1/store/orders?${new URLSearchParams(query)}`, { key });

const idsOf = async (response: Response) => ((await response.json()) as { id: number }[]).map(({ id }) => id);

const count = async (store: Store, query: Record<string, string> = {}) =>
  (await store.call("GET", `/v1/store/statistics?${new URLSearchParams(query)}`)).json();

const totalOf = async (store: Store, query: Record<string, string>) =>
  ((await count(store, query)) as { total: number }).total;

const store = await shelter();

test.each([
  [{ q: "kowalska" }, [1]],
  [{ q: "KOWAL" }, [1]],
  [{ q: "owalska" }, []],
  [{ q: "anna" }, [1, 5]],
  [{ q: "anna kowalska" }, [1]],
  [{ q: "anna.k@example.org" }, [1]],
  [{ q: "anna milo" }, [1]],
  [{ q: "milo bella" }, []],
  [{ q: "example" }, [1, 2, 3, 4, 5]],
  [{ q: "barenfels" }, [2]],
  [{ q: "ZOE\u0301" }, [2]],
  [{ q: "lovelace" }, [3]],
  [{ q: "lucja wisniewska" }, [4]],
  [{ q: "ŁUCJA" }, [4]],
  [{ q: "łucja" }, [4]],
  [{ q: "kowalska \u{1f415}!" }, [1]],
  [{ q: "\u{1f415}" }, [1, 2, 3, 4, 5, 6]],
  [{ q: "o'neill" }, [6]],
  [{ q: "smith" }, [6]],
  [{ q: "AND OR NOT" }, [6]],
  [{ q: "4" }, [4]],
  [{ q: "#4" }, [4]],
  [{ q: "12" }, [3]],
  [{ q: "04" }, []],
  [{ q: "4 milo" }, []],
  [{ q: "" }, [1, 2, 3, 4, 5, 6]],
  [{ q: "!\u{1f415}" }, [1, 2, 3, 4, 5, 6]],
  [{ q: "999999999999999999999" }, []],
  [{ q: "example", sort: "-id" }, [5, 4, 3, 2, 1]],
  [{ q: "example", status: "approved" }, []],
  [{ q: "example", petId: "2" }, [2]],
  [{ q: "example", petId: "2", status: "placed", sort: "-id" }, [2]],
  [{ q: "2", petId: "2" }, [2]],
  [{ q: "2", petId: "3" }, []],
  [{ sort: "-id" }, [6, 5, 4, 3, 2, 1]],
  [{ sort: "id" }, [1, 2, 3, 4, 5, 6]],
  [{ sort: "-id", status: "placed" }, [6, 5, 4, 3, 2, 1]],
  [{ sort: "-id", petId: "3" }, [3]],
])("the search %j selects %j", async (query: Record<string, string>, ids) => {
  const response = await list(store, query);
  expect([response.status, await idsOf(response)]).toEqual([200, ids]);
  const { status, sort: _sort, ...counted } = query;
  if (status === undefined) expect(await totalOf(store, counted)).toBe(ids.length);
});

test.each([
  ["q", ["a".repeat(101), "a b c d e f g h i"]],
  ["sort", ["", "name", "+id", "-ID", "id,-id"]],
])("an invalid %s is refused", async (name, values) => {
  for (const value of values) {
    const response = await store.call("GET", `/v1/store/orders?${name}=${encodeURIComponent(value)}`);
    expect(await messageOf(response.clone() as Response)).toStartWith(`${name}: must be `);
    expect(await faultOf(response)).toBe("400 invalid_request");
  }
});

test.each(["*", '"', "name:bella", "bella*", "NEAR(a b)", "^a", "{a}: b", "-a", "a\u0000b", "x'--", "%"])(
  "%j is read as words, not as query syntax",
  async (q) => {
    expect([200, 400]).toContain((await list(store, { q })).status);
  },
);

test("the separate index follows the names of animals", async () => {
  const own = await shelter();
  await own.call("PATCH", "/v1/pets/1", { json: { name: "Findus" } });
  expect(await idsOf(await list(own, { q: "findus" }))).toEqual([1]);
  expect(await idsOf(await list(own, { q: "milo" }))).toEqual([]);
  expect(await idsOf(await list(own, { q: "kowalska" }))).toEqual([1]);
  await take(own, "cancel", 1);
  await own.call("DELETE", "/v1/pets/1");
  expect(await idsOf(await list(own, { q: "findus" }))).toEqual([]);
  expect(await idsOf(await list(own, { q: "kowalska" }))).toEqual([1]);
});

test("the separate index has each order once, regardless of its changes", async () => {
  const own = await shelter();
  for (const step of ["approve", "complete"] as const) await take(own, step, 2);
  expect(await idsOf(await list(own, { q: "zoe" }))).toEqual([2]);
  own.database.client.run("DELETE FROM orders WHERE id = 2");
  expect(await idsOf(await list(own, { q: "zoe" }))).toEqual([]);
  expect(await count(own)).toMatchObject({ total: 5, byStatus: { completed: 0 } });
});

test("a key without orders:read learns nothing from any search", async () => {
  const writer = await store.createKey({ scopes: ["orders:write", "pets:read", "pets:write"] });
  const bodies = new Set<string>();
  for (const path of ["orders", "statistics"])
    for (const q of ["kowalska", "nobody", "", "a b c d e f g h i"]) {
      const response = await store.call("GET", `/v1/store/${path}?q=${encodeURIComponent(q)}`, {
        key: writer,
      });
      expect(response.status).toBe(403);
      bodies.add(await response.text());
    }
  expect(bodies.size).toBe(1);
});

/** The ids of all pages. */
const follow = async (own: Store, query: Record<string, string>) => {
  const ids: number[] = [];
  let path: string | undefined = `/v1/store/orders?${new URLSearchParams(query)}`;
  let pages = 0;
  for (; path && pages < 100; pages++) {
    const response: Response = await own.call("GET", path);
    expect(response.status).toBe(200);
    ids.push(...(await idsOf(response.clone() as Response)));
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return { ids, pages };
};

const insertOrders = (own: Store, rows: readonly { id: number; name: string; status?: string }[]) => {
  const insert = own.database.client.query(
    "INSERT INTO orders (id, pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (?, ?, ?, 'x@y', ?, 1, 1)",
  );
  own.database.client.transaction(() => {
    for (const { id, name, status = "completed" } of rows) insert.run(id, (id % 7) + 1, name, status);
  })();
};

test.each(["id", "-id"])("the pages of a search sorted by %s have each order once", async (sort) => {
  const own = await openStore();
  // The ids are far apart: more than one slice of the index is searched. One order is found by its id.
  const ids = [1, 2, 30, 24_000, 24_001, 25_000, 25_001, 70_000, 70_001, 160_000, 260_000, 400_000];
  insertOrders(own, [...ids.map((id) => ({ id, name: "Jo 30 Two" })), { id: 31, name: "Mo" }]);
  insertOrders(own, [{ id: 300_000, name: "30 Other", status: "placed" }]);
  const found = [...ids, 300_000].toSorted((a, b) => (sort === "id" ? a - b : b - a));
  for (const limit of ["1", "2", "3", "5", "13", "14"])
    expect((await follow(own, { q: "30", sort, limit })).ids).toEqual(found);
  expect(await count(own, { q: "30" })).toEqual({
    total: 13,
    byStatus: { placed: 1, approved: 0, completed: 12, cancelled: 0, returned: 0 },
  });
  expect((await follow(own, { q: "30", sort, limit: "3", status: "placed" })).ids).toEqual([300_000]);
  const ofPet = found.filter((id) => id % 7 === 1);
  expect((await follow(own, { q: "jo", sort, limit: "1", petId: "2" })).ids).toEqual(
    ofPet.filter((id) => id !== 300_000),
  );
});

test.each(["id", "-id"])("pages sorted by %s continue where the previous page ended", async (sort) => {
  expect((await follow(store, { sort, limit: "2" })).ids).toEqual(
    sort === "id" ? [1, 2, 3, 4, 5, 6] : [6, 5, 4, 3, 2, 1],
  );
  expect((await follow(store, { sort, limit: "2" })).pages).toBe(3);
});

test("the order whose id is typed has its place among the others", async () => {
  const own = await openStore();
  insertOrders(own, [
    ...[1, 2, 5, 6].map((id) => ({ id, name: "4 Ever" })),
    { id: 4, name: "Mo" },
    { id: 3, name: "Mo" },
  ]);
  for (const limit of ["1", "2", "5"]) {
    expect((await follow(own, { q: "4", limit })).ids).toEqual([1, 2, 4, 5, 6]);
    expect((await follow(own, { q: "4", limit, sort: "-id" })).ids).toEqual([6, 5, 4, 2, 1]);
  }
});

test("a cursor is refused with another search, sort, status or animal, and the error names no adopter", async () => {
  const cursorOf = async (query: Record<string, string>) =>
    (await list(store, query)).headers.get("next-cursor") ?? "";
  const cursor = await cursorOf({ q: "example", limit: "1" });
  expect(Buffer.from(cursor, "base64url").toString()).not.toContain("example");
  for (const query of [
    {},
    { q: "exampl" },
    { q: "example", sort: "-id" },
    { q: "example", status: "placed" },
    { q: "example", petId: "1" },
  ])
    expect(await faultOf(await list(store, { ...query, cursor }))).toBe("400 invalid_cursor");
  expect((await list(store, { q: "example", cursor })).status).toBe(200);
  const newest = await cursorOf({ sort: "-id", limit: "1" });
  expect(await faultOf(await list(store, { cursor: newest }))).toBe("400 invalid_cursor");
});

test("statistics immediately count every acknowledged write", async () => {
  const own = await shelter();
  const counts = async (query = {}) =>
    ((await count(own, query)) as { byStatus: Record<string, number> }).byStatus;
  expect(await counts()).toEqual({ placed: 6, approved: 0, completed: 0, cancelled: 0, returned: 0 });
  await take(own, "approve", 1);
  await take(own, "approve", 2);
  expect(await counts()).toEqual({ placed: 4, approved: 2, completed: 0, cancelled: 0, returned: 0 });
  await take(own, "complete", 1);
  await take(own, "cancel", 3);
  expect(await counts()).toEqual({ placed: 3, approved: 1, completed: 1, cancelled: 1, returned: 0 });
  expect(await counts({ q: "example" })).toEqual({
    placed: 2,
    approved: 1,
    completed: 1,
    cancelled: 1,
    returned: 0,
  });
  expect(await counts({ petId: "3" })).toEqual({
    placed: 0,
    approved: 0,
    completed: 0,
    cancelled: 1,
    returned: 0,
  });
  await place(own, 3);
  expect(await counts({ petId: "3" })).toEqual({
    placed: 1,
    approved: 0,
    completed: 0,
    cancelled: 1,
    returned: 0,
  });
  expect(await counts({ petId: "3", q: "lovelace" })).toMatchObject({ placed: 0, cancelled: 1, returned: 0 });
  expect(await counts({ petId: "99" })).toEqual({
    placed: 0,
    approved: 0,
    completed: 0,
    cancelled: 0,
    returned: 0,
  });
});

test("the statistics of no adoptions are zero, and are beta", async () => {
  const own = await openStore();
  const response = await own.call("GET", "/v1/store/statistics");
  expect(response.headers.get("x-stability")).toBe("beta");
  expect(await response.json()).toEqual({
    total: 0,
    byStatus: { placed: 0, approved: 0, completed: 0, cancelled: 0, returned: 0 },
  });
});

const planOf = (text: string): string =>
  store.database.client
    .query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => detail)
    .join("; ");

test("the lists and counts of an animal's orders read the index of animals", () => {
  const ofPet = INDEXED_READS.filter(({ text }) => /AND \S?orders\.pet_id = /.test(text));
  expect(ofPet).toHaveLength(6);
  for (const { text } of ofPet) expect(planOf(text)).toContain("INDEX orders_by_pet (pet_id=?");
});

test("no list or count sorts or reads a whole table", () => {
  expect(INDEXED_READS.length).toBeGreaterThan(12);
  for (const { text } of INDEXED_READS) {
    const plan = planOf(text);
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN orders(?!_words)/);
    expect(plan).toMatch(/SEARCH orders USING/);
  }
});
