import { expect, test } from "bun:test";
import { faultOf, openStore, type Store } from "../../../support/store.ts";

const COAT = { name: "coat", label: "Coat", kind: "choice", choices: ["long", "short"], public: true };
const VET = { name: "vet", label: "Vet", kind: "text" };

const add = async (store: Store, json: object): Promise<Response> =>
  store.call("POST", "/v1/fields", { json });

const withFields = async (...fields: object[]): Promise<Store> => {
  const store = await openStore();
  for (const field of fields) expect((await add(store, field)).status).toBe(201);
  return store;
};

const list = async (store: Store) => (await (await store.call("GET", "/v1/fields")).json()) as object[];

test("a field is private and last unless it says otherwise", async () => {
  const store = await withFields({ ...COAT, position: 7 }, VET, { ...VET, name: "first", position: 0 });
  expect(await list(store)).toEqual([
    { id: 3, ...VET, name: "first", position: 0, public: false },
    { id: 1, ...COAT, position: 7 },
    { id: 2, ...VET, position: 8, public: false },
  ]);
});

test("the tag of a field is the same in the responses to POST, PATCH and GET", async () => {
  const store = await openStore();
  const added = await add(store, COAT);
  const same = await store.call("PATCH", "/v1/fields/1", { json: {} });
  const tags = (await store.call("GET", "/v1/fields")).headers.get("item-etags");
  expect([same.headers.get("etag"), tags]).toEqual([added.headers.get("etag"), added.headers.get("etag")]);
});

test("If-None-Match with the tag of the list gets 304 until a field changes", async () => {
  const store = await withFields(COAT);
  const headers = { "if-none-match": (await store.call("GET", "/v1/fields")).headers.get("etag") ?? "" };
  expect((await store.call("GET", "/v1/fields", { headers })).status).toBe(304);
  await store.call("PATCH", "/v1/fields/1", { json: { label: "Fur" } });
  expect((await store.call("GET", "/v1/fields", { headers })).status).toBe(200);
});

test.each(["PATCH", "DELETE"])(
  "%s with an outdated If-Match gets 412 and changes nothing",
  async (method) => {
    const store = await openStore();
    const headers = { "if-match": (await add(store, COAT)).headers.get("etag") ?? "" };
    await store.call("PATCH", "/v1/fields/1", { json: { label: "Fur" } });
    const late = await store.call(method, "/v1/fields/1?confirm=0".slice(0, method === "PATCH" ? 12 : 99), {
      json: { label: "Late" },
      headers,
    });
    expect(await faultOf(late)).toBe("412 precondition_failed");
    expect(await list(store)).toMatchObject([{ label: "Fur" }]);
  },
);

test("an invalid change gets 400, also with an outdated If-Match", async () => {
  const store = await withFields(VET);
  const headers = { "if-match": '"outdated"' };
  const refused = await store.call("PATCH", "/v1/fields/1", { json: { choices: ["a"] }, headers });
  expect(await faultOf(refused)).toBe("400 invalid_request");
});

test("of two changes with the same If-Match at the same time, one gets 412", async () => {
  const store = await openStore();
  const headers = { "if-match": (await add(store, COAT)).headers.get("etag") ?? "" };
  const change = async (label: string) =>
    (await store.call("PATCH", "/v1/fields/1", { json: { label }, headers })).status;
  expect((await Promise.all([change("Fur"), change("Hair")])).toSorted()).toEqual([200, 412]);
});

test("a change to the present values has no entry in the audit log", async () => {
  const store = await withFields(COAT);
  const { name: _name, kind: _kind, ...same } = COAT;
  await store.call("PATCH", "/v1/fields/1", { json: same });
  const history = store.database.client.query("SELECT revision FROM pet_fields").all();
  const actions = store.database.client.query("SELECT action FROM audit_entries").all();
  expect({ history, actions: actions.length }).toEqual({ history: [{ revision: 0 }], actions: 2 });
});

test("a repeated POST with the same Idempotency-Key adds one field", async () => {
  const store = await openStore();
  const headers = { "idempotency-key": "once" };
  const replies = [1, 2].map(() => store.call("POST", "/v1/fields", { json: COAT, headers }));
  for (const reply of await Promise.all(replies)) expect([201, 409]).toContain(reply.status);
  expect((await store.call("POST", "/v1/fields", { json: COAT, headers })).status).toBe(201);
  expect(await list(store)).toHaveLength(1);
});

test.each([
  ["name", { ...VET, name: "Vet" }],
  ["name", { ...VET, name: "a".repeat(41) }],
  ["name", { ...VET, name: "fóto" }],
  ["label", { ...VET, label: "x".repeat(81) }],
  ["kind", { ...VET, kind: "date-time" }],
  ["choices", { ...VET, choices: ["a"] }],
  ["choices", { ...VET, kind: "choice" }],
  ["choices", { ...COAT, choices: [] }],
  ["choices", { ...COAT, choices: ["a", "a"] }],
  ["choices", { ...COAT, choices: Array.from({ length: 51 }, (_, at) => `${at}`) }],
  ["choices.0", { ...COAT, choices: ["x".repeat(81)] }],
  ["public", { ...VET, public: 1 }],
  ["position", { ...VET, position: -1 }],
  ["position", { ...VET, position: 1001 }],
])("POST refuses a field with a wrong %s: %j", async (field, json) => {
  const response = await add(await openStore(), json);
  expect(await faultOf(response)).toBe("400 invalid_request");
  expect(response.headers.get("invalid-fields")).toStartWith(`"${field}";`);
});

test("the kind of a field never changes, and choices belong to the kind choice", async () => {
  const store = await withFields(VET);
  for (const json of [{ kind: "number" }, { choices: ["a"] }])
    expect(await faultOf(await store.call("PATCH", "/v1/fields/1", { json }))).toBe("400 invalid_request");
});

test("two fields cannot have the same name", async () => {
  const store = await withFields(COAT, VET);
  for (const response of [
    await add(store, { ...COAT, kind: "text", choices: undefined }),
    await store.call("PATCH", "/v1/fields/2", { json: { name: "coat" } }),
  ]) {
    expect(response.headers.get("invalid-fields")).toBe('"name";rule=taken');
    expect(await faultOf(response)).toBe("409 field_name_taken");
  }
});

test("a store has at most 40 fields", async () => {
  const store = await withFields(...Array.from({ length: 40 }, (_, at) => ({ ...VET, name: `field${at}` })));
  expect(await faultOf(await add(store, COAT))).toBe("409 field_limit_reached");
  await store.call("DELETE", "/v1/fields/1?confirm=0");
  expect((await add(store, COAT)).status).toBe(201);
});

test("an unknown field gets 404", async () => {
  const store = await openStore();
  expect(await faultOf(await store.call("PATCH", "/v1/fields/1", { json: {} }))).toBe("404 not_found");
  expect(await faultOf(await store.call("DELETE", "/v1/fields/1?confirm=0"))).toBe("404 not_found");
});

test("keys without pets:write read fields, and write none", async () => {
  const store = await withFields(COAT);
  const key = await store.createKey({ name: "reader", scopes: ["pets:read"] });
  expect((await store.call("GET", "/v1/fields", { key })).status).toBe(200);
  for (const [method, path] of [
    ["POST", "/v1/fields"],
    ["PATCH", "/v1/fields/1"],
    ["DELETE", "/v1/fields/1?confirm=0"],
  ] as const)
    expect((await store.call(method, path, { key, json: VET })).status).toBe(403);
});

test.each(["valueOf", "toString", "constructor"])(
  "the name %s, which every object of JavaScript has, is refused",
  async (name) => {
    const store = await withFields(VET);
    expect(await faultOf(await add(store, { ...VET, name }))).toBe("400 invalid_request");
    const renamed = await store.call("PATCH", "/v1/fields/1", { json: { name } });
    expect(await renamed.json()).toMatchObject({
      message: expect.stringContaining("not a name such as constructor"),
    });
  },
);
