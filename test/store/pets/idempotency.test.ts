import { expect, test } from "bun:test";
import { readIdempotencyKey } from "../../../src/http/idempotency.ts";
import { keptResponseRepository } from "../../../src/data/db/kept-responses.ts";
import {
  type Store,
  addPet,
  faultOf,
  messageOf,
  openStore,
  temporaryDirectory,
} from "../../support/store.ts";

const DAY_MS = 86_400_000;
const BELLA = { name: "Bella", categoryId: 1 };

const add = (store: Store, idempotencyKey: string, json: unknown = BELLA, key = store.key) =>
  store.call("POST", "/v1/pets", { json, key, headers: { "idempotency-key": idempotencyKey } });

const count = (store: Store, table = "pets"): number =>
  store.database.client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1;

test("the same request with the same Idempotency-Key gets the stored response, byte by byte, and adds nothing", async () => {
  const store = await openStore();
  const body = { headers: { "content-type": "application/json", "idempotency-key": "a" } };
  const json = `{"name":"B\u00ebl\ud83d\ude00","categoryId":9223372036854775807,"status":"sold"}`;
  const first = await store.call("POST", "/v1/pets", { ...body, body: json });
  const again = await store.call("POST", "/v1/pets", { ...body, body: json });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.headers.get("content-type")).toBe("application/json");
  expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  const text = await first.text();
  expect(text).toContain("9223372036854775807");
  expect(await again.text()).toBe(text);
  expect(count(store)).toBe(1);
});

test("the same request with the same Idempotency-Key is recognized regardless of its white space and the spelling of its numbers", async () => {
  const store = await openStore();
  const send = (body: string) =>
    store.call("POST", "/v1/pets", {
      body,
      headers: { "content-type": "application/json", "idempotency-key": "a" },
    });
  await send('{"name":"Bella","categoryId":1}');
  expect((await send('{ "name": "Bella", "categoryId": 1.0 }')).status).toBe(201);
  expect(count(store)).toBe(1);
});

test("the same request with the same Idempotency-Key gets the stored response even after a restart", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const before = await openStore({ path });
  const text = await (await add(before, "a")).text();
  const key = before.key;
  await before.database.close();
  const after = await openStore({ path });
  expect(await (await add(after, "a", BELLA, key)).text()).toBe(text);
  expect(count(after)).toBe(1);
});

test("the same request with the same Idempotency-Key runs once if it is sent many times concurrently, and the others get 409 or the stored response", async () => {
  const store = await openStore();
  const responses = await Promise.all(Array.from({ length: 50 }, () => add(store, "a")));
  const seen = await Promise.all(
    responses.map(async (response) =>
      response.status === 409
        ? [await faultOf(response), response.headers.get("retry-after")]
        : response.status,
    ),
  );
  expect(seen.filter((one) => one === 201)).toHaveLength(1);
  expect(seen.filter((one) => one !== 201)).toEqual(
    Array.from({ length: 49 }, () => ["409 idempotency_in_flight", "1"]),
  );
  expect(count(store)).toBe(1);
  expect((await add(store, "a")).status).toBe(201);
  expect(count(store)).toBe(1);
});

test("the same request with the same Idempotency-Key is carried out once by two processes at the same time: one of them replays the other's response", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const one = await openStore({ path });
  const other = await openStore({ path });
  const requests = Array.from({ length: 20 }, (_, index) => `${index}`);
  for (const id of requests) {
    const responses = await Promise.all([add(one, id), add(other, id, BELLA, one.key)]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses.filter(({ headers }) => headers.has("idempotency-replayed"))).toHaveLength(1);
    const [text, ...texts] = await Promise.all(responses.map((response) => response.text()));
    expect(texts).toEqual([text ?? ""]);
  }
  expect(count(one)).toBe(requests.length);
});

test("both of two processes that can carry out a request only once respond with its result", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const one = await openStore({ path });
  const other = await openStore({ path });
  const { id: petId } = await addPet(one, { status: "available" });
  const order = (store: Store) =>
    store.call("POST", "/v1/store/orders", {
      key: one.key,
      json: { petId, adopter: { name: "Ada Byron", email: "ada@example.org" } },
      headers: { "idempotency-key": "a" },
    });
  const responses = await Promise.all([order(one), order(other)]);
  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(count(one, "orders")).toBe(1);
});

test("the same request with the same Idempotency-Key runs again after 24 hours, and with another API key", async () => {
  const store = await openStore();
  await add(store, "a");
  expect((await add(store, "a", BELLA, await store.createKey({}))).headers.has("idempotency-replayed")).toBe(
    false,
  );
  store.clock.advance(DAY_MS - 1);
  expect((await add(store, "a")).headers.has("idempotency-replayed")).toBe(true);
  store.clock.advance(1);
  expect((await add(store, "a")).headers.has("idempotency-replayed")).toBe(false);
  expect((await add(store, "a")).headers.has("idempotency-replayed")).toBe(true);
  expect(count(store)).toBe(3);
});

test("another body with the same Idempotency-Key gets 422, and adds nothing", async () => {
  const store = await openStore();
  await add(store, "a");
  expect(await faultOf(await add(store, "a", { ...BELLA, name: "Rex" }))).toBe("422 idempotency_mismatch");
  expect(await faultOf(await add(store, "a", { ...BELLA, categoryId: 2 }))).toBe("422 idempotency_mismatch");
  expect(count(store)).toBe(1);
});

test("a refused request is not stored, and succeeds with the same Idempotency-Key once it is corrected", async () => {
  const store = await openStore();
  expect(await faultOf(await add(store, "a", { name: "" }))).toBe("400 invalid_request");
  store.database.writer.run("PRAGMA query_only=ON");
  expect(await faultOf(await add(store, "a"))).toBe("503 storage_unavailable");
  store.database.writer.run("PRAGMA query_only=OFF");
  expect((await add(store, "a")).status).toBe(201);
  expect([count(store), count(store, "answers")]).toEqual([1, 1]);
});

test("an animal is not added if its response cannot be stored", async () => {
  const store = await openStore();
  store.database.client.run("DROP TABLE answers");
  expect((await add(store, "a")).status).toBe(500);
  expect(count(store)).toBe(0);
});

test("without an Idempotency-Key every request runs and nothing is stored", async () => {
  const store = await openStore();
  for (let at = 0; at < 2; at++) await store.call("POST", "/v1/pets", { json: BELLA });
  expect([count(store), count(store, "answers")]).toEqual([2, 0]);
});

test.each([
  ["a", "a"],
  ['"a"', "a"],
  ['"a b, c"', "a b, c"],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
  ["x".repeat(255), "x".repeat(255)],
])("the Idempotency-Key %s is %s", (header, key) => expect(readIdempotencyKey(header)).toBe(key));

test.each([
  "",
  '""',
  "a b",
  "a, b",
  '"a',
  '"a", "b"',
  '"a";q=1',
  String.raw`"\a"`,
  "\u00e9",
  "x".repeat(256),
])("the Idempotency-Key %j is refused", (header) =>
  expect(() => readIdempotencyKey(header)).toThrow(/^Idempotency-Key: must be 1 to 255/),
);

test("a malformed Idempotency-Key gets 400, and adds nothing", async () => {
  const store = await openStore();
  const response = await add(store, "a b");
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toStartWith("Idempotency-Key: must be");
  expect(count(store)).toBe(0);
});

const sweepAll = async (store: Store, before: number, most?: number) => {
  const responses = keptResponseRepository(store.database);
  while (await responses.sweep(before, most));
};

test("the sweep of stored responses removes responses older than 24 hours, and no others", async () => {
  const store = await openStore();
  for (let at = 0; at < 600; at++) await add(store, `old-${at}`);
  store.clock.advance(DAY_MS);
  for (let at = 0; at < 3; at++) await add(store, `new-${at}`);
  await sweepAll(store, store.clock.now() - DAY_MS);
  expect(count(store, "answers")).toBe(3);
  expect((await add(store, "new-0")).headers.has("idempotency-replayed")).toBe(true);
});

test("the sweep of stored responses keeps the newest of each API key, up to the limit", async () => {
  const store = await openStore();
  const other = await store.createKey({});
  await add(store, "a", BELLA, other);
  for (let at = 0; at < 10; at++) await add(store, `${at}`);
  await sweepAll(store, 0, 3);
  expect(count(store, "answers")).toBe(4);
  for (const [key, secret] of [
    ["9", store.key],
    ["7", store.key],
    ["a", other],
  ] as const)
    expect((await add(store, key, BELLA, secret)).headers.has("idempotency-replayed")).toBe(true);
  expect((await add(store, "6")).headers.has("idempotency-replayed")).toBe(false);
});
