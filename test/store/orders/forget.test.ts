import { expect, test } from "bun:test";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { vacuum } from "../../../src/data/db/vacuum.ts";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import { type Store, openStore, temporaryDirectory } from "../../support/store.ts";
import { ADA, addAvailablePet, place, statusOf, take } from "./orders.ts";

const BOB = { name: "Bob", email: "bob@example.org" };

const order = async (store: Store, adopter: { name: string; email: string }, note?: string) => {
  const placed = await place(store, await addAvailablePet(store), { adopter, ...(note && { note }) });
  expect(placed.status).toBe(201);
  return ((await placed.json()) as { id: number }).id;
};

const closedOrder = async (store: Store, adopter: { name: string; email: string }, note?: string) => {
  const id = await order(store, adopter, note);
  expect((await take(store, "cancel", id)).status).toBe(200);
  return id;
};

const storeResponse = (store: Store, body: string, idempotencyKey: string = crypto.randomUUID()) =>
  store.database.client.run(
    "INSERT INTO answers (caller, idempotency_key, fingerprint, status, headers, body, created_at) VALUES ('key:1', ?, 'f', 201, '{}', ?, 1)",
    [idempotencyKey, body],
  );

const countStoredResponses = (store: Store) =>
  (store.database.client.query("SELECT count(*) AS n FROM answers").get() as { n: number }).n;

const fetchOrders = async (store: Store) =>
  (await (await store.call("GET", "/v1/store/orders")).json()) as Record<string, unknown>[];

const forget = (store: Store, email: string, cancelling = false) =>
  adopterRepository(store.database).forget(email, cancelling, {
    actor: OPERATOR,
    now: store.clock.now(),
  });

test("forgetting an adopter erases name, address and note of all their closed orders, in any case, and of no other adopter", async () => {
  const store = await openStore();
  await closedOrder(store, ADA, "Has a garden.");
  await closedOrder(store, BOB, "Has none.");
  await closedOrder(store, { name: "A. Byron", email: "Ada@Example.ORG" });
  expect(await forget(store, "ADA@example.org")).toEqual({ open: [], orders: 2, responses: 0 });
  const [first, second, third] = await fetchOrders(store);
  for (const one of [first, third]) {
    expect(one).toMatchObject({ status: "cancelled" });
    expect(one).not.toHaveProperty("adopter");
    expect(one).not.toHaveProperty("note");
  }
  expect(second).toMatchObject({ adopter: BOB, note: "Has none." });
  expect(await forget(store, ADA.email)).toEqual({ open: [], orders: 0, responses: 0 });
});

test("forgetting an adopter finds an address beyond ASCII in every case of its letters", async () => {
  const store = await openStore();
  await closedOrder(store, { name: "Ö", email: "ÖRSTED@Exämple.org" });
  await closedOrder(store, { name: "Ö", email: "o\u0308rsted@exÄmple.org" });
  await closedOrder(store, { name: "O", email: "orsted@example.org" });
  expect(await forget(store, "Örsted@exämple.ORG")).toEqual({ open: [], orders: 2, responses: 0 });
  expect((await fetchOrders(store))[2]).toMatchObject({ adopter: { name: "O" } });
});

test.each([
  ["ada@kelvin.org", "ADA@\u212aelvin.org"],
  ["ada@\u212aelvin.org", "ada@Kelvin.org"],
  ["ASS@example.org", "a\u017fs@example.org"],
  ["ΝΙΚΟΣ@example.gr", "νικοσ@example.gr"],
])("forgetting %s also finds the adopter who wrote %s", async (address, written) => {
  const store = await openStore();
  await closedOrder(store, { name: "One", email: written });
  storeResponse(store, JSON.stringify({ adopter: { name: "One", email: written } }));
  expect(await adopterRepository(store.database).find(address)).toHaveLength(1);
  expect(await forget(store, address)).toEqual({ open: [], orders: 1, responses: 1 });
});

test("forgetting an adopter keeps an address that is spelled with other letters", async () => {
  const store = await openStore();
  for (const email of ["straße@example.org", "ädа@example.org", "ada@example.org.uk"])
    await closedOrder(store, { name: "Other", email });
  for (const address of ["strasse@example.org", "ada@example.org", "äda@example.org"])
    expect(await forget(store, address)).toEqual({ open: [], orders: 0, responses: 0 });
});

test("forgetting an adopter erases nothing while one of the orders is open", async () => {
  const store = await openStore();
  await closedOrder(store, ADA);
  await order(store, ADA);
  await take(store, "approve", await order(store, ADA));
  storeResponse(store, JSON.stringify({ adopter: ADA }));
  const before = await fetchOrders(store);
  expect(await forget(store, ADA.email)).toEqual({
    open: [
      { id: 2, status: "placed" },
      { id: 3, status: "approved" },
    ],
    orders: 0,
    responses: 0,
  });
  expect([await fetchOrders(store), countStoredResponses(store)]).toEqual([before, 1]);
});

test("forgetting an adopter with cancelOpen cancels open orders, and makes their animals available", async () => {
  const store = await openStore();
  await order(store, ADA);
  await order(store, BOB);
  await order(store, ADA);
  store.database.client.run("UPDATE pets SET status = 'sold' WHERE id = 3");
  expect(await forget(store, ADA.email, true)).toMatchObject({ orders: 2, open: [{ id: 1 }, { id: 3 }] });
  expect(await fetchOrders(store)).toMatchObject([
    { status: "cancelled" },
    { status: "placed", adopter: BOB },
    { status: "cancelled" },
  ]);
  expect([await statusOf(store, 1), await statusOf(store, 2), await statusOf(store, 3)]).toEqual([
    "available",
    "pending",
    "sold",
  ]);
});

test("forgetting an adopter deletes the stored responses that contain the address, and no others", async () => {
  const store = await openStore();
  const odd = { name: "Odd", email: 'a"\\b@example.org' };
  storeResponse(store, JSON.stringify({ adopter: { ...ADA, email: "ADA@example.org" } }));
  storeResponse(store, "{}", `order of ${ADA.email}`);
  storeResponse(store, JSON.stringify({ adopter: BOB }));
  storeResponse(store, JSON.stringify({ adopter: odd }));
  expect(await forget(store, ADA.email)).toEqual({ open: [], orders: 0, responses: 2 });
  expect(countStoredResponses(store)).toBe(2);
  expect(await forget(store, odd.email)).toEqual({ open: [], orders: 0, responses: 1 });
});

test("forgetting an adopter keeps the stored responses of an adopter whose address ends in the erased one", async () => {
  const store = await openStore();
  const maria = { name: "Maria", email: "maria@x.org" };
  const petId = await addAvailablePet(store);
  const ask = () =>
    store.call("POST", "/v1/store/orders", {
      json: { petId, adopter: maria, note: 'She is "email":"a@x.org" to friends.' },
      headers: { "idempotency-key": "maria@x.org-1" },
    });
  expect((await ask()).status).toBe(201);
  expect(await forget(store, "a@x.org")).toEqual({ open: [], orders: 0, responses: 0 });
  const again = await ask();
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
});

test.each([
  "a@x.org",
  "a@x.org-1",
  "order of A@X.org.",
  "order-a@x.org",
  "pets:a@x.org:7",
  "from maria@x.org to a@x.org",
])(
  "forgetting an adopter deletes a response under the key %p, which has the address as a word",
  async (key) => {
    const store = await openStore();
    storeResponse(store, "{}", key);
    expect(await forget(store, "a@x.org")).toEqual({ open: [], orders: 0, responses: 1 });
  },
);

test.each(["maria@x.org-1", "m.a@x.org", "maria+a@x.org", "a@x.org.uk", "a@x.organic", "a@x_org"])(
  "forgetting an adopter keeps a response under the key %p, which does not have the address as a word",
  async (key) => {
    const store = await openStore();
    storeResponse(store, "{}", key);
    expect(await forget(store, "a@x.org")).toEqual({ open: [], orders: 0, responses: 0 });
  },
);

test("an address in a key is taken for that of the adopter in its response", async () => {
  const store = await openStore();
  const adopterOf = (email: string) => JSON.stringify({ adopter: { name: "x", email } });
  storeResponse(store, adopterOf("anna-a@x.org"), "anna-a@x.org-1");
  storeResponse(store, adopterOf("b@x.org"), "a@x.org for b@x.org");
  storeResponse(store, adopterOf("g@x.org"), "joerg@x.org");
  expect(await forget(store, "a@x.org")).toEqual({ open: [], orders: 0, responses: 1 });
  expect(await forget(store, "joerg@x.org")).toEqual({ open: [], orders: 0, responses: 1 });
  expect(countStoredResponses(store)).toBe(1);
});

test("forgetting an adopter treats characters of patterns in an address as plain text", async () => {
  const store = await openStore();
  for (const key of ["[*]?@x.org", "ab@x.org", "[ab]c@x.org"]) storeResponse(store, "{}", key);
  storeResponse(store, "no JSON");
  expect(await forget(store, "[*]?@x.org")).toEqual({ open: [], orders: 0, responses: 1 });
  expect(await forget(store, "*@x.org")).toEqual({ open: [], orders: 0, responses: 0 });
});

/** The files of a directory that contain a text, in any case. */
const holding = (directory: string, text: string) =>
  readdirSync(directory)
    .filter((name) => readFileSync(join(directory, name)).toString("latin1").toLowerCase().includes(text))
    .toSorted();

test("no byte of an erased address is left in the files of the database, even if another process has them open", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "store.db");
  const server = await openStore({ path });
  for (let at = 0; at < 30; at++) {
    const id = await closedOrder(server, at % 2 ? BOB : ADA, `Write to ${at % 2 ? BOB.email : ADA.email}.`);
    storeResponse(server, JSON.stringify({ id, adopter: at % 2 ? BOB : ADA }));
  }
  server.database.client.run("PRAGMA wal_checkpoint(FULL)");
  await closedOrder(server, ADA);
  expect(holding(directory, ADA.email)).toEqual(["store.db", "store.db-wal"]);
  const operator = await openStore({ path });
  expect(await forget(operator, ADA.email)).toEqual({ open: [], orders: 16, responses: 15 });
  expect(holding(directory, ADA.email)).not.toEqual([]);
  await vacuum(operator.database.client.filename);
  expect(holding(directory, ADA.email)).toEqual([]);
  expect(holding(directory, "ada byron")).toEqual([]);
  expect(holding(directory, BOB.email)).not.toEqual([]);
  // The other process continues to work.
  expect(await closedOrder(server, BOB)).toBe(32);
  expect((await server.call("GET", "/v1/store/orders?limit=100")).status).toBe(200);
});

const findWords = async (store: Store, q: string) =>
  ((await (await store.call("GET", `/v1/store/orders?limit=100&q=${q}`)).json()) as unknown[]).length;

const totalOf = async (store: Store, q: string) =>
  ((await (await store.call("GET", `/v1/store/statistics?q=${q}`)).json()) as { total: number }).total;

test("a search no longer finds an erased adopter, and still finds the animal", async () => {
  const store = await openStore();
  await closedOrder(store, ADA);
  await closedOrder(store, BOB);
  expect([await findWords(store, "byron"), await findWords(store, "example")]).toEqual([1, 2]);
  await forget(store, ADA.email);
  for (const word of ["ada", "byron"]) {
    expect([await findWords(store, word), await totalOf(store, word)]).toEqual([0, 0]);
  }
  expect([await findWords(store, "bob"), await findWords(store, "bella")]).toEqual([1, 2]);
});

/** All words in the index of a search, as they are in its pages. */
const indexedWords = ({ database: { client } }: Store) => {
  client.run("CREATE VIRTUAL TABLE temp.found_words USING fts5vocab('main', 'orders_words', 'row')");
  const words = client.query<{ term: string }, []>("SELECT term FROM found_words").all();
  client.run("DROP TABLE temp.found_words");
  return words.map(({ term }) => term);
};

test("no word of an erased adopter is left in the index or in the free pages of its file", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "store.db");
  const server = await openStore({ path });
  // No other word has a letter of theirs in common, so the index stores each in one piece.
  const xiq = { name: "Xiqvuzk Qywzxuvk", email: "zwqjkxvy@qkwvyzxj.example" };
  const parts = ["iqvuzk", "ywzxuvk", "wqjkxvy", "kwvyzxj"];
  for (let at = 0; at < 40; at++) await closedOrder(server, at % 4 ? BOB : xiq);
  server.database.client.run("PRAGMA wal_checkpoint(FULL)");
  for (const part of parts) expect(holding(directory, part)).toContain("store.db");
  const operator = await openStore({ path });
  expect(await forget(operator, xiq.email)).toMatchObject({ orders: 10 });
  // The server's own connection sees it too.
  expect([await findWords(server, "xiqvuzk"), await findWords(server, "bob")]).toEqual([0, 30]);
  expect(indexedWords(operator)).not.toContain("xiqvuzk");
  await vacuum(operator.database.client.filename);
  for (const part of parts) expect(holding(directory, part)).toEqual([]);
  expect(indexedWords(operator)).toContain("bob");
  // The index works on.
  await closedOrder(server, { name: "Xiqvuzk", email: "new@example.org" });
  expect(await findWords(server, "xiqvuzk")).toBe(1);
});
