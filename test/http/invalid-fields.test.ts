import { expect, test } from "bun:test";
import { parseInvalidFields } from "../../src/client/invalid-fields.ts";
import { FIELD_RULES } from "../../src/lib/field-problems.ts";
import { type Store, addPet, openOnce, openStore } from "../support/store.ts";

const shared = openOnce(() => openStore({ env: { STRICT_CATEGORIES: "true" } }));

const ADOPTER = { name: "Ada", email: "ada@example.org" };
const ANIMAL = { name: "Bella", categoryId: 1 };
const KEY = { name: "shop", scopes: ["pets:read"] };

const post = (path: string, json: unknown) => (store: Store) => store.call("POST", path, { json });
const get = (path: string) => (store: Store) => store.call("GET", path);

const LONG = "x".repeat(201);

const pet = (fields: object) => post("/v1/pets", { ...ANIMAL, ...fields });
const key = (fields: object) => post("/platform/keys", { ...KEY, ...fields });
const order = (fields: object) => post("/v1/store/orders", { petId: 1, adopter: ADOPTER, ...fields });
const project = (slug: string) => post("/platform/projects", { slug, name: "A" });
const INVISIBLE = '"name";rule=format;reason=invisible';

test.each<[what: string, send: (store: Store) => Promise<Response>, header: string, status?: number]>([
  ["a missing field", post("/v1/pets", { categoryId: 1 }), '"name";rule=required'],
  [
    "two fields",
    pet({ name: LONG, categoryId: "1" }),
    '"name";rule=too_long;max=200, "categoryId";rule=type',
  ],
  ["an empty text", pet({ name: "" }), '"name";rule=too_short;min=1'],
  ["white space", pet({ name: "  " }), '"name";rule=blank'],
  ["a control character", pet({ name: "a\tb" }), '"name";rule=format'],
  ["an invisible character", pet({ name: "Be\u200blla" }), INVISIBLE],
  ["a number instead of a text", pet({ name: 5 }), '"name";rule=type'],
  ["a fraction instead of an integer", pet({ categoryId: 1.5 }), '"categoryId";rule=type'],
  ["an unknown word", pet({ status: "lost" }), '"status";rule=not_one_of'],
  ["an unknown field", pet({ age: 3 }), '"age";rule=unknown'],
  ["a body that is no object", post("/v1/pets", [1]), '"";rule=type'],
  ["a field inside a field", order({ adopter: { ...ADOPTER, email: "ada" } }), '"adopter.email";rule=format'],
  ["an id below 1", order({ petId: 0 }), '"petId";rule=minimum;min=1'],
  ["an empty list", key({ scopes: [] }), '"scopes";rule=too_short;min=1'],
  ["an item of a list", key({ scopes: ["pets:eat"] }), '"scopes.0";rule=not_one_of'],
  ["an item that is given twice", key({ scopes: ["pets:read", "pets:read"] }), '"scopes";rule=duplicate'],
  ["a malformed time", key({ expiresAt: "tomorrow" }), '"expiresAt";rule=format'],
  ["a time in the past", key({ expiresAt: "2020-01-01T00:00:00Z" }), '"expiresAt";rule=minimum'],
  ["a parameter that is too large", get("/v1/pets?limit=101"), '"limit";rule=maximum;max=100'],
  ["a parameter that is too small", get("/v1/pets?limit=0"), '"limit";rule=minimum;min=1'],
  ["a parameter that is no integer", get("/v1/pets?limit=ten"), '"limit";rule=type'],
  ["an integer beyond 64 bits", get(`/v1/pets?categoryId=${2n ** 63n}`), '"categoryId";rule=maximum'],
  ["a parameter that is given twice", get("/v1/pets?limit=1&limit=2"), '"limit";rule=duplicate'],
  ["an unknown parameter", get("/v1/pets?colour=red"), '"colour";rule=unknown'],
  ["a cursor of another list", get("/v1/pets?cursor=abc"), '"cursor";rule=format'],
  [
    "a request header",
    (store) => store.call("POST", "/v1/pets", { json: ANIMAL, headers: { "idempotency-key": "a b" } }),
    '"Idempotency-Key";rule=format',
  ],
  ["an unknown category", pet({}), '"categoryId";rule=not_found', 404],
  ["an unknown animal", order({ petId: 999 }), '"petId";rule=not_found', 404],
  ["a slug of the wrong form", project("A b"), '"slug";rule=format'],
  ["an empty slug", project(""), '"slug";rule=too_short;min=1'],
  ["a slug that is too long", project("a".repeat(64)), '"slug";rule=too_long;max=63'],
  ["a reserved slug", project("www"), '"slug";rule=reserved'],
])("%s is named in Invalid-Fields", async (_what, send, header, status = 400) => {
  const response = await send(await shared());
  expect([response.status, response.headers.get("invalid-fields")]).toEqual([status, header]);
  for (const { rule } of parseInvalidFields(header)) expect(Object.keys(FIELD_RULES)).toContain(rule);
});

test("Invalid-Fields names a taken name, a taken slug and a taken animal", async () => {
  const store = await openStore();
  const twice = async (path: string, json: unknown) => {
    await store.call("POST", path, { json });
    return (await store.call("POST", path, { json })).headers.get("invalid-fields");
  };
  expect(await twice("/v1/categories", { name: "Dogs" })).toBe('"name";rule=taken');
  expect(await twice("/platform/projects", { slug: "docs", name: "Docs" })).toBe('"slug";rule=taken');
  const { id } = await addPet(store, { status: "available" });
  expect(await twice("/v1/store/orders", { petId: id, adopter: ADOPTER })).toBe('"petId";rule=conflict');
});

test("Invalid-Fields names a host name with the reason", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs", plan: "pro" } });
  const add = async (hostname: string) =>
    (await store.call("POST", "/platform/projects/docs/domains", { json: { hostname } })).headers.get(
      "invalid-fields",
    );
  expect(await add("docs.*.example.org")).toBe('"hostname";rule=format;reason=wildcard');
  expect(await add("*.example.org")).toBe('"hostname";rule=conflict;reason=wildcard_unsupported');
  expect(await add("co.uk")).toBe('"hostname";rule=reserved;reason=public_suffix');
  expect(await add("docs.invalid")).toBe('"hostname";rule=reserved;reason=special_use');
  expect(await add(" ")).toBe('"hostname";rule=blank;reason=empty');
  expect(await add("")).toBe('"hostname";rule=too_short;min=1');
});

test("Invalid-Fields has the path of every fault of the mapping of domains", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs", plan: "pro" } });
  const json = { domains: { primary: "docs.example.org", redirects: [5] }, version: 1 };
  const response = await store.call("PUT", "/platform/projects/docs/config", { json });
  expect(response.headers.get("invalid-fields")).toBe(
    '"version";rule=unknown, "domains.primary";rule=not_found, "domains.redirects[0]";rule=type',
  );
});

test("Invalid-Fields names a scope that the key does not have", async () => {
  const store = await openStore();
  const key = await store.createKey({ scopes: ["keys:admin"] });
  const response = await store.call("POST", "/platform/keys", { key, json: KEY });
  expect([response.status, response.headers.get("invalid-fields")]).toEqual([403, '"scopes";rule=forbidden']);
});

test("an error about no field has no Invalid-Fields", async () => {
  const store = await shared();
  for (const path of ["/v1/pets/999", "/nothing"])
    expect((await store.call("GET", path)).headers.has("invalid-fields")).toBe(false);
  const malformed = await store.call("POST", "/v1/pets", {
    body: "{",
    headers: { "content-type": "application/json" },
  });
  expect([malformed.status, malformed.headers.has("invalid-fields")]).toEqual([400, false]);
});

test("a body of 90 unknown fields has a short header, and a message of five", async () => {
  const store = await shared();
  const json = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [`é"${"\u0000".repeat(90)}${index}`, index]),
  );
  const response = await store.call("POST", "/v1/pets", { json });
  const header = response.headers.get("invalid-fields") ?? "";
  expect(header).toMatch(/^[\x20-\x7e]{100,1024}$/);
  expect(parseInvalidFields(header).length).toBeGreaterThan(0);
  const { message } = (await response.json()) as { message: string };
  expect(message.split("; ")).toHaveLength(5);
});

test("pages of other origins may read Invalid-Fields", async () => {
  const store = await openStore({ env: { CORS_ORIGINS: "https://shop.example" } });
  const response = await store.call("POST", "/v1/pets", {
    json: {},
    headers: { origin: "https://shop.example" },
  });
  expect(response.headers.get("access-control-expose-headers")).toContain("Invalid-Fields");
});

test.each([
  ["/openapi.json", "/pets", "404"],
  ["/openapi.json", "/categories", "409"],
  ["/platform/openapi.json", "/platform/people", "409"],
  ["/platform/openapi.json", "/platform/projects", "409"],
])("in %s, POST %s documents Invalid-Fields for a %s about a field", async (document, path, status) => {
  const { paths } = (await (await (await shared()).call("GET", document)).json()) as {
    paths: Record<string, { post: { responses: Record<string, { headers: object }> } }>;
  };
  expect(Object.keys(paths[path]?.post.responses[status]?.headers ?? {})).toContain("Invalid-Fields");
});
