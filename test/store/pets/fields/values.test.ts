import { expect, test } from "bun:test";
import { countHolders, findHolders } from "../../../../src/store/pets/fields/value-queries.ts";
import { addPet, faultOf, openStore, type Store } from "../../../support/store.ts";

const COAT = { name: "coat", label: "Coat", kind: "choice", choices: ["long", "short"], public: true };
const VET = { name: "vet", label: "Vet", kind: "text" };

const add = async (store: Store, json: object): Promise<Response> =>
  store.call("POST", "/v1/fields", { json });

const withFields = async (...fields: object[]): Promise<Store> => {
  const store = await openStore();
  for (const field of fields) expect((await add(store, field)).status).toBe(201);
  return store;
};

const profile = (id: number) => `/v1/pets/${id}/profile`;

/** Adds animals with these custom values. */
const addPets = async (store: Store, ...values: object[]): Promise<void> => {
  for (const [index, custom] of values.entries()) {
    await addPet(store, { name: `Pet ${index}` });
    expect((await store.call("PUT", profile(index + 1), { json: { custom } })).status).toBe(200);
  }
};

const customOf = async (store: Store, id: number): Promise<unknown> =>
  ((await (await store.call("GET", profile(id))).json()) as { custom?: unknown }).custom;

const list = async (store: Store) => (await (await store.call("GET", "/v1/fields")).json()) as object[];

test.each([
  ["text", "Dr. Who\nSecond line", "x".repeat(2001)],
  ["number", -2.5, "2"],
  ["number", 123456.789, null],
  ["boolean", false, "false"],
  ["date", "2024-02-29", "2023-02-29"],
  ["choice", "short", "Short"],
])("a field of the kind %s takes %j, and refuses %j", async (kind, good, bad) => {
  const store = await withFields({ ...VET, kind, ...(kind === "choice" && { choices: ["long", "short"] }) });
  await addPets(store, { vet: good });
  expect(await customOf(store, 1)).toEqual({ vet: good });
  const refused = await store.call("PUT", profile(1), { json: { custom: { vet: bad } } });
  expect(await faultOf(refused)).toBe("400 invalid_request");
  expect(refused.headers.get("invalid-fields")).toStartWith('"custom.vet";');
});

test("a number that a double cannot hold is refused", async () => {
  const store = await withFields({ ...VET, kind: "number" });
  await addPets(store, {});
  for (const number of ["9007199254740993", "1e400"]) {
    const refused = await store.call("PATCH", profile(1), {
      body: `{"custom":{"vet":${number}}}`,
      headers: { "content-type": "application/json" },
    });
    expect(await faultOf(refused)).toBe("400 invalid_request");
  }
});

test("a merge patch changes and removes single values", async () => {
  const store = await withFields(COAT, VET);
  await addPets(store, { coat: "long", vet: "Who" });
  await store.call("PATCH", profile(1), { json: { custom: { coat: "short", vet: null } } });
  expect(await customOf(store, 1)).toEqual({ coat: "short" });
  await store.call("PATCH", profile(1), { json: { custom: { coat: null } } });
  expect(await customOf(store, 1)).toBeUndefined();
});

test("a renamed field keeps its values, under the new name", async () => {
  const store = await withFields(COAT, VET);
  await addPets(store, { coat: "long", vet: "Who" });
  const renamed = await store.call("PATCH", "/v1/fields/1", { json: { name: "fur", position: 9 } });
  expect(await renamed.json()).toEqual({ id: 1, ...COAT, name: "fur", position: 9 });
  expect(await customOf(store, 1)).toEqual({ fur: "long", vet: "Who" });
  expect((await add(store, { ...COAT, choices: ["red"] })).status).toBe(201);
  expect(await customOf(store, 1)).toEqual({ fur: "long", vet: "Who" });
});

test("a choice can be removed only while no animal has it", async () => {
  const store = await withFields(COAT);
  await addPets(store, { coat: "long" }, { coat: "long" }, {});
  const change = async (choices: string[]) => store.call("PATCH", "/v1/fields/1", { json: { choices } });
  const refused = await change(["short", "curly"]);
  expect(refused.headers.get("invalid-fields")).toBe('"choices";rule=conflict');
  expect(await refused.json()).toMatchObject({
    code: "choice_in_use",
    message: expect.stringContaining("2 animals"),
  });
  expect((await change(["curly", "long"])).status).toBe(200);
  expect(await list(store)).toMatchObject([{ choices: ["curly", "long"] }]);
});

test("a deletion needs the number of animals that lose their value", async () => {
  const store = await withFields(COAT, VET);
  await addPets(store, { coat: "long", vet: "Who" }, { coat: "short" }, { vet: "Who" });
  const remove = (query: string) => store.call("DELETE", `/v1/fields/1${query}`);
  for (const [query, rule] of [
    ["", "required"],
    ["?confirm=1", "conflict"],
    ["?confirm=3", "conflict"],
  ] as const) {
    const refused = await remove(query);
    expect(refused.headers.get("invalid-fields")).toBe(`"confirm";rule=${rule};min=2;max=2`);
    expect(await refused.json()).toMatchObject({
      code: "confirmation_required",
      message: expect.stringContaining("DELETE /v1/fields/1?confirm=2"),
    });
  }
  expect(await customOf(store, 1)).toEqual({ coat: "long", vet: "Who" });
  expect((await remove("?confirm=2")).status).toBe(204);
  expect(await Promise.all([1, 2, 3].map((id) => customOf(store, id)))).toEqual([
    { vet: "Who" },
    undefined,
    { vet: "Who" },
  ]);
  expect(await list(store)).toMatchObject([VET]);
});

const sweep = async ({ sweepRows }: Store) => sweepRows(new AbortController().signal);

const storedIn = ({ database }: Store): unknown[] =>
  database.client
    .query<{ data: string }, []>("SELECT data FROM pet_profiles ORDER BY pet_id")
    .all()
    .map(({ data }) => JSON.parse(data));

test("a new field never shows the values of a deleted one, before and after a sweep removes them", async () => {
  const store = await withFields(COAT, VET);
  await addPets(store, { coat: "long", vet: "Who" }, { coat: "short" });
  await sweep(store);
  expect((await store.call("DELETE", "/v1/fields/1?confirm=2")).status).toBe(204);
  await add(store, COAT);
  const tag = (await store.call("GET", profile(1))).headers.get("etag");
  expect(storedIn(store)).toEqual([{ custom: { 1: "long", 2: "Who" } }, { custom: { 1: "short" } }]);
  expect([await customOf(store, 1), await customOf(store, 2)]).toEqual([{ vet: "Who" }, undefined]);
  expect((await store.call("DELETE", "/v1/fields/3?confirm=0")).status).toBe(204);
  await sweep(store);
  expect(storedIn(store)).toEqual([{ custom: { 2: "Who" } }, { custom: {} }]);
  expect((await store.call("GET", profile(1))).headers.get("etag")).toBe(tag);
});

test("a sweep after a start removes the values that an earlier run left", async () => {
  const store = await withFields(VET);
  await addPets(store, { vet: "Who" });
  expect((await store.call("DELETE", "/v1/fields/1?confirm=1")).status).toBe(204);
  await sweep(await openStore({ database: store.database }));
  expect(storedIn(store)).toEqual([{ custom: {} }]);
});

/** Gives many animals the same stored profile. */
const addProfiles = ({ database }: Store, count: number, data: object): void => {
  const json = JSON.stringify(data);
  database.client.run(
    "INSERT INTO pets (name, category_id, status, created_at) SELECT 'Rex', 1, NULL, 0 FROM json_each(?)",
    [JSON.stringify(Array(count).fill(0))],
  );
  database.client.run(
    "INSERT INTO pet_profiles (pet_id, data) SELECT id, ? FROM pets ORDER BY id DESC LIMIT ?",
    [json, count],
  );
};

test("a value that is given while others are counted is counted, too", async () => {
  const store = await withFields(VET);
  await addPets(store, { vet: "Who" }, { vet: "Who" }, {}, { vet: "Who" });
  const holders = await findHolders(store.database, 1);
  await store.call("PATCH", profile(1), { json: { custom: { vet: null } } });
  await store.call("DELETE", "/v1/pets/2");
  await store.call("PATCH", profile(3), { json: { custom: { vet: "Who" } } });
  await addPet(store, { name: "New" });
  await store.call("PUT", profile(5), { json: { custom: { vet: "Who" } } });
  // An import writes no events of the profiles of its new animals.
  addProfiles(store, 1, { custom: { 1: "Who" } });
  expect(countHolders(store.database.client, 1, [], holders)).toBe(4);
  expect(countHolders(store.database.client, 1)).toBe(4);
});

test("other requests are served while the values of many animals are counted and removed", async () => {
  const store = await withFields(VET);
  addProfiles(store, 20_000, { description: "x".repeat(500), custom: { 1: "Who" } });
  let turns: number | undefined = 0;
  const turn = () => {
    if (turns === undefined) return;
    turns++;
    setImmediate(turn);
  };
  turn();
  expect(await (await store.call("DELETE", "/v1/fields/1")).json()).toMatchObject({
    message: expect.stringContaining("20000 animals"),
  });
  expect(turns).toBeGreaterThan(90);
  expect((await store.call("DELETE", "/v1/fields/1?confirm=20000")).status).toBe(204);
  turns = 0;
  await sweep(store);
  expect(turns).toBeGreaterThan(90);
  turns = undefined;
  expect(
    storedIn(store).filter((data) => Bun.deepEquals((data as { custom: object }).custom, {})),
  ).toHaveLength(20_000);
});

test("a damaged profile stops neither the count nor the deletion of values", async () => {
  const store = await withFields(COAT);
  await addPets(store, { coat: "long" }, { coat: "long" });
  store.database.client.run("UPDATE pet_profiles SET data = '{\"custom\":' WHERE pet_id = 1");
  expect((await store.call("DELETE", "/v1/fields/1?confirm=1")).status).toBe(204);
  expect(await customOf(store, 2)).toBeUndefined();
});
