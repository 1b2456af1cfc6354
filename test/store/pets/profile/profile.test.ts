import { expect, test } from "bun:test";
import { addPet, faultOf, openOnce, openStore, type Store } from "../../../support/store.ts";

const PATH = "/v1/pets/1/profile";

const FULL = {
  description: "Bella likes *long* walks.\nShe swims.",
  sex: "female",
  birthDate: "2024-05",
  birthDateEstimated: true,
  breeds: ["Beagle", "Mixed"],
  colour: "Black / White",
  size: "extra_large",
  weightGrams: 12_400,
  neutered: true,
  vaccinated: false,
  microchip: "276098100000001",
  goodWith: { children: "yes", dogs: "no", cats: "unknown" },
  specialNeeds: "Eye drops\ntwice a day.",
  fee: { amount: 15_000, currency: "EUR" },
  location: "Kennel 4",
  arrivedOn: "2026-10-02",
  reference: "A-0173",
  notes: "Found at the station.",
  tags: ["playful", "calm"],
};

const withBella = async (): Promise<Store> => {
  const store = await openStore();
  await addPet(store, { name: "Bella", status: "available" });
  return store;
};

const send = async (store: Store, method: string, json: unknown, headers: Record<string, string> = {}) => {
  const response = await store.call(method, PATH, { json, headers });
  return { status: response.status, etag: response.headers.get("etag") ?? "", body: await response.json() };
};

const get = async (store: Store, path = PATH) => {
  const response = await store.call("GET", path);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};

test("a profile that was put is returned member by member", async () => {
  const store = await withBella();
  store.clock.advance(1000);
  const times = { createdAt: "2026-11-20T00:00:00.000Z", updatedAt: "2026-11-20T00:00:01.000Z" };
  const put = await send(store, "PUT", FULL);
  expect([put.status, put.body]).toEqual([200, { ...times, ...FULL }]);
  expect(await get(store)).toEqual({ ...times, ...FULL });
});

test("an animal without a profile has only the times of the animal", async () => {
  const store = await withBella();
  const time = "2026-11-20T00:00:00.000Z";
  expect(await get(store)).toEqual({ createdAt: time, updatedAt: time });
  store.clock.advance(5000);
  await store.call("PATCH", "/v1/pets/1", { json: { name: "Luna" } });
  expect(await get(store)).toEqual({ createdAt: time, updatedAt: "2026-11-20T00:00:05.000Z" });
});

test.each([
  ["GET", undefined],
  ["PUT", { sex: "male" }],
  ["PATCH", { sex: "male" }],
])("%s of the profile of an unknown animal gets 404", async (method, json) => {
  const store = await withBella();
  const response = await store.call(method, "/v1/pets/2/profile", { json });
  expect(await faultOf(response)).toBe("404 not_found");
});

test("PUT removes the members that the body lacks", async () => {
  const store = await withBella();
  await send(store, "PUT", FULL);
  await send(store, "PUT", { sex: "male" });
  expect(Object.keys(await get(store))).toEqual(["createdAt", "updatedAt", "sex"]);
});

test("a response to GET can be sent back, and then nothing is written", async () => {
  const store = await withBella();
  await send(store, "PUT", FULL);
  const before = { profile: await get(store), rows: rowsOf(store) };
  store.clock.advance(1000);
  for (const method of ["PUT", "PATCH"]) expect((await send(store, method, before.profile)).status).toBe(200);
  expect({ profile: await get(store), rows: rowsOf(store) }).toEqual(before);
});

test("a merge patch changes and removes members, also those of objects", async () => {
  const store = await withBella();
  await send(store, "PUT", FULL);
  const { body } = await send(
    store,
    "PATCH",
    { sex: null, colour: "Brown", goodWith: { dogs: null, cats: "yes" }, fee: { amount: 0 }, tags: ["calm"] },
    { "content-type": "application/merge-patch+json" },
  );
  const { sex: _sex, ...rest } = FULL;
  const changed = {
    ...rest,
    colour: "Brown",
    goodWith: { children: "yes", cats: "yes" },
    fee: { amount: 0, currency: "EUR" },
    tags: ["calm"],
  };
  expect(body).toMatchObject(changed);
  expect(body).not.toHaveProperty("sex");
  expect(body).not.toHaveProperty("goodWith.dogs");
});

test("empty lists and objects are the same as absent members", async () => {
  const store = await withBella();
  const { body } = await send(store, "PUT", { breeds: [], tags: [], goodWith: {}, custom: {} });
  expect(Object.keys(body as object)).toEqual(["createdAt", "updatedAt"]);
});

// Shared, because no request changes it.
const unchanged = openOnce(withBella);

test.each([
  ["birthDate", "2024-13"],
  ["birthDate", "2023-02-29"],
  ["birthDate", "2028"],
  ["birthDate", "24"],
  ["birthDate", "1899"],
  ["arrivedOn", "2024-05"],
  ["arrivedOn", "2027-11-22"],
  ["breeds", ["a", "b", "c", "d", "e"]],
  ["breeds.0", ["x".repeat(81)]],
  ["breeds", ["Beagle", "Beagle"]],
  ["tags.1", ["calm", " "]],
  ["colour", "x".repeat(101)],
  ["colour", "two\nlines"],
  ["description", "x".repeat(10_001)],
  ["notes", "x".repeat(4001)],
  ["specialNeeds", "x".repeat(2001)],
  ["microchip", "1".repeat(41)],
  ["weightGrams", 0],
  ["weightGrams", 2_000_001],
  ["weightGrams", 1.5],
  ["weightGrams", "12"],
  ["neutered", "true"],
  ["sex", "Female"],
  ["size", "xl"],
  ["goodWith.dogs", { dogs: true }],
  ["goodWith.birds", { birds: "yes" }],
  ["fee.amount", { amount: -1, currency: "EUR" }],
  ["fee.currency", { amount: 1, currency: "eur" }],
  ["fee.currency", { amount: 1, currency: "ZZQ" }],
  ["fee.currency", { amount: 1 }],
  ["reference", ""],
  ["reference", 1.5],
  ["reference", "x".repeat(101)],
  ["custom", []],
  ["custom.coat", { coat: "long" }],
  ["color", "Black"],
])("PUT and PATCH refuse a wrong %s, and name it: %j", async (field, value) => {
  const store = unchanged();
  const member = field.split(".")[0] ?? "";
  for (const method of ["PUT", "PATCH"]) {
    const response = await store.call(method, PATH, { json: { [member]: value } });
    expect(await faultOf(response)).toBe("400 invalid_request");
    expect(response.headers.get("invalid-fields")).toStartWith(`"${field}";`);
  }
  expect(Object.keys(await get(store))).toEqual(["createdAt", "updatedAt"]);
});

test("texts of the greatest length, in characters beyond the basic plane, are stored", async () => {
  const store = await withBella();
  const texts = { notes: "🐕".repeat(4000), colour: "🐕".repeat(100), breeds: ["𝔅".repeat(80)] };
  expect((await send(store, "PUT", texts)).body).toMatchObject(texts);
});

test("a key such as __proto__ is an unknown member", async () => {
  const store = await withBella();
  for (const body of ['{"__proto__":{"sex":"male"}}', '{"custom":{"__proto__":{"a":1}}}']) {
    const headers = { "content-type": "application/json" };
    expect((await store.call("PATCH", PATH, { body, headers })).status).toBe(400);
  }
});

test("a reference may be an integer, and is returned as a text", async () => {
  const store = await withBella();
  for (const reference of ["173", "9223372036854775808"]) {
    const headers = { "content-type": "application/json" };
    for (const method of ["PUT", "PATCH"]) {
      const response = await store.call(method, PATH, { body: `{"reference":${reference}}`, headers });
      expect(await response.json()).toMatchObject({ reference });
    }
  }
});

test("a reference belongs to one animal, which the error names", async () => {
  const store = await withBella();
  await addPet(store, { name: "Luna" });
  await send(store, "PUT", { reference: 173 });
  const path = "/v1/pets/2/profile";
  for (const method of ["PUT", "PATCH"]) {
    const refused = await store.call(method, path, { json: { reference: "173", sex: "male" } });
    expect(refused.status).toBe(409);
    expect(refused.headers.get("invalid-fields")).toBe('"reference";rule=taken');
    expect(await refused.json()).toMatchObject({
      code: "reference_taken",
      message: expect.stringContaining("Animal 1 "),
    });
  }
  expect(await get(store, path)).not.toHaveProperty("sex");
  await send(store, "PATCH", { reference: null });
  expect((await store.call("PUT", path, { json: { reference: "173" } })).status).toBe(200);
});

test("concurrent patches of different members lose none", async () => {
  const store = await withBella();
  await Promise.all(
    Object.entries(FULL).map(([name, value]) => store.call("PATCH", PATH, { json: { [name]: value } })),
  );
  expect(await get(store)).toMatchObject(FULL);
});

/** Everything that a write of a profile may write. */
const rowsOf = (store: Store) => {
  const all = (text: string) => store.database.client.query(text).all();
  return {
    events: all("SELECT kind, pet_id, name, category_id, status, part FROM pet_events ORDER BY id"),
    entries: all("SELECT action, resource_id, label, changes FROM audit_entries ORDER BY id"),
    pets: all("SELECT * FROM pets"),
    profiles: all("SELECT * FROM pet_profiles"),
  };
};

test("a change has an event with the animal, and an audit entry without values", async () => {
  const store = await withBella();
  await send(store, "PUT", { notes: "A secret.", sex: "male", tags: ["calm"] });
  store.clock.advance(1000);
  await send(store, "PATCH", { notes: "Another secret.", sex: "male", microchip: "900", tags: null });
  const { events, entries } = rowsOf(store);
  const animal = { pet_id: 1, name: "Bella", category_id: 1, status: "available" };
  const changed = { ...animal, kind: "changed", part: "profile" };
  expect(events).toEqual([{ ...animal, kind: "added", part: null }, changed, changed]);
  expect(entries.slice(-1)).toEqual([
    {
      action: "pet.profile_changed",
      resource_id: "1",
      label: "Bella",
      changes: '[["members",null,"notes, tags, microchip"]]',
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain("secret");
});

test("the event of an animal's addition comes before the change of its profile in the same transaction", async () => {
  const store = await withBella();
  await Promise.all([
    addPet(store, { name: "Luna" }),
    store.call("PUT", "/v1/pets/2/profile", { json: FULL }),
  ]);
  const kinds = rowsOf(store).events as { kind: string; pet_id: number }[];
  expect(kinds.filter(({ pet_id }) => pet_id === 2).map(({ kind }) => kind)).toEqual(["added", "changed"]);
});

test("a change of the profile leaves the entity tag of the animal alone", async () => {
  const store = await withBella();
  const tag = (await store.call("GET", "/v1/pets/1")).headers.get("etag") ?? "";
  const [, renamed] = await Promise.all([
    send(store, "PUT", FULL),
    store.call("PATCH", "/v1/pets/1", { json: { name: "Luna" }, headers: { "if-match": tag } }),
  ]);
  expect(renamed.status).toBe(200);
});

test("deleting an animal deletes its profile", async () => {
  const store = await withBella();
  await send(store, "PUT", FULL);
  await store.call("DELETE", "/v1/pets/1");
  expect(rowsOf(store).profiles).toEqual([]);
});

test("the tag of a profile is the same in the responses to PUT, PATCH and GET, and If-None-Match with it gets 304", async () => {
  const store = await withBella();
  const tags = [(await send(store, "PUT", FULL)).etag, (await send(store, "PATCH", {})).etag];
  const response = await store.call("GET", PATH, { headers: { "if-none-match": tags[0] ?? "" } });
  expect([response.status, ...tags]).toEqual([304, tags[1] ?? "", response.headers.get("etag") ?? ""]);
});

test.each(["PUT", "PATCH"])("%s with an outdated If-Match gets 412 and changes nothing", async (method) => {
  const store = await withBella();
  const { etag } = await send(store, "PUT", { sex: "male" });
  expect((await send(store, method, { sex: "female" }, { "if-match": etag })).status).toBe(200);
  const late = await send(store, method, { sex: "unknown" }, { "if-match": etag });
  expect([late.status, late.body]).toMatchObject([412, { code: "precondition_failed" }]);
  expect(await get(store)).toMatchObject({ sex: "female" });
});

test.each([
  ["PUT", { custom: { none: 1 } }],
  ["PATCH", { sex: "none" }],
  ["PATCH", { birthDate: "2999" }],
])("%s with the invalid profile %j gets 400, also with an outdated If-Match", async (method, json) => {
  const store = await withBella();
  expect((await send(store, method, json, { "if-match": '"outdated"' })).status).toBe(400);
});

test("of two changes with the same If-Match at the same time, one gets 412", async () => {
  const store = await withBella();
  const { etag } = await send(store, "PUT", { sex: "male" });
  const sexes = ["female", "unknown"];
  const replies = await Promise.all(sexes.map((sex) => send(store, "PATCH", { sex }, { "if-match": etag })));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412]);
});

test.each(['{"sex":"ma', "3", "null", '["sex"]', ""])(
  "a damaged profile gets an error with the remedy, which is PUT: %p",
  async (data) => {
    const store = await withBella();
    await send(store, "PUT", { sex: "male" });
    store.database.client.query("UPDATE pet_profiles SET data = ?").run(data);
    for (const response of [
      await store.call("GET", PATH),
      await store.call("PATCH", PATH, { json: { sex: "female" } }),
    ]) {
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({
        code: "internal_error",
        message: expect.stringContaining("replace it with PUT /pets/1/profile"),
      });
    }
    expect((await send(store, "PUT", {})).status).toBe(200);
    expect(Object.keys(await get(store))).toEqual(["createdAt", "updatedAt"]);
  },
);

test("a key without pets:write reads every member, and changes none", async () => {
  const store = await withBella();
  await send(store, "PUT", FULL);
  const key = await store.createKey({ name: "reader", scopes: ["pets:read"] });
  expect(await (await store.call("GET", PATH, { key })).json()).toMatchObject(FULL);
  for (const method of ["PUT", "PATCH"])
    expect((await store.call(method, PATH, { key, json: { sex: "male" } })).status).toBe(403);
});
