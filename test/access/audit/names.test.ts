import { expect, test } from "bun:test";
import type { Scope } from "../../../src/http/scopes.ts";
import { openProject } from "../../platform/domains/projects.ts";
import { signedIn } from "../people/visitor.ts";
import { type Store, addPet } from "../../support/store.ts";

const KEY_NAME = "Rosa's laptop";
const PERSON_NAME = "Grace Hopper";

/** Everything that has a history, each changed by a key and by a person. */
const openChangedStore = async (): Promise<Store> => {
  const { store, add } = await openProject();
  const key = await store.createKey({ name: KEY_NAME });
  const grace = await signedIn(store, { name: PERSON_NAME, role: "administrator" });
  await add("docs.example.org");
  const change = async (method: string, path: string, json: object) => {
    expect((await store.call(method, path, { key, json })).ok).toBe(true);
  };
  const changeAsPerson = async (method: string, path: string, json?: object) => {
    const response = await grace.send(method, `/console/api${path}`, json ? { json } : {});
    expect(response.ok).toBe(true);
  };
  await addPet(store, { name: "Bella", status: "available" });
  await change("PATCH", "/v1/pets/1", { name: "Bela" });
  await changeAsPerson("PATCH", "/v1/pets/1", { name: "Bella" });
  await change("POST", "/v1/categories", { name: "Dogs" });
  await changeAsPerson("PATCH", "/v1/categories/1", { name: "Cats" });
  await change("POST", "/v1/store/orders", { petId: 1, adopter: { name: "Jo", email: "jo@example.org" } });
  await changeAsPerson("POST", "/v1/store/orders/1/approve", {});
  await change("PATCH", "/platform/projects/docs", { name: "Handbook" });
  await changeAsPerson("PATCH", "/platform/projects/docs", { name: "Manual" });
  await change("POST", "/platform/keys/1/rotate", { graceSeconds: 3600 });
  await changeAsPerson("POST", "/platform/keys/1/rotate", { graceSeconds: 3600 });
  await change("PATCH", "/platform/people/1", { role: "administrator", name: PERSON_NAME.toUpperCase() });
  await change("PATCH", "/platform/people/1", { name: "G. H." });
  await changeAsPerson("POST", "/platform/projects/docs/domains/docs.example.org/verify");
  await change("DELETE", "/platform/projects/docs/domains/docs.example.org", {});
  return store;
};

interface Named {
  kind?: string;
  id?: number;
  name?: string;
}

const actorsAt = async (store: Store, path: string, scopes: Scope[]): Promise<Named[]> => {
  const key = await store.createKey({ name: "reader", scopes });
  const response = await store.call("GET", path, { key });
  expect(response.status).toBe(200);
  return ((await response.json()) as { actor: Named }[]).map(({ actor }) => actor);
};

test.each<[of: string, path: string, scopes: Scope[]]>([
  ["an animal", "/v1/pets/1/history", ["pets:read", "orders:read"]],
  ["a category", "/v1/categories/1/history", ["pets:read"]],
  ["an order", "/v1/store/orders/1/history", ["orders:read"]],
  ["a project", "/platform/projects/docs/history", ["platform:read"]],
  ["a key", "/platform/keys/1/history", ["keys:admin"]],
  ["a person", "/platform/people/1/history", ["people:admin"]],
])("the history of %s names keys and people only to callers with audit:read", async (_, path, scopes) => {
  const store = await openChangedStore();
  const hidden = await actorsAt(store, path, scopes);
  const named = await actorsAt(store, path, [...scopes, "audit:read"]);
  expect(hidden).toEqual(named.map(({ kind }) => ({ kind: kind ?? "" })));
  expect(named).toContainEqual({ kind: "key", id: expect.any(Number) as number, name: KEY_NAME });
});

test("the history of a domain names keys and people only to callers with audit:read", async () => {
  const store = await openChangedStore();
  const path = "/platform/projects/docs/domains/docs.example.org/history";
  const read = async (scopes: Scope[]) => {
    const response = await store.call("GET", path, { key: await store.createKey({ scopes }) });
    return (await response.json()) as Record<string, unknown>[];
  };
  const named = await read(["platform:read", "audit:read"]);
  expect(named).toContainEqual(expect.objectContaining({ actor: "key", name: KEY_NAME }));
  const hidden = await read(["platform:read"]);
  const names = new Set(["key", "person", "name"]);
  expect(hidden).toEqual(
    named.map((event) => Object.fromEntries(Object.entries(event).filter(([field]) => !names.has(field)))),
  );
});

test("no response to a reader without audit:read contains the name of a key or person that acted", async () => {
  const store = await openChangedStore();
  const key = await store.createKey({
    name: "reader",
    scopes: ["pets:read", "orders:read", "platform:read", "metrics:read"],
  });
  for (const path of [
    "/v1/pets",
    "/v1/pets/1",
    "/v1/pets/1/history",
    "/v1/categories",
    "/v1/store/orders",
    "/v1/store/orders/1",
    "/v1/store/orders/1/history",
    "/platform/projects",
    "/platform/projects/docs",
    "/platform/projects/docs/history",
    "/platform/projects/docs/deploys",
    "/platform/projects/docs/domains",
    "/platform/projects/docs/domains/docs.example.org/history",
    "/metrics",
  ]) {
    const response = await store.call("GET", path, { key });
    expect([path, response.status]).toEqual([path, 200]);
    const text = await response.text();
    for (const name of [KEY_NAME, PERSON_NAME]) expect(text).not.toContain(name);
  }
});

test("the console shows a volunteer no name of a key or another person that acted", async () => {
  const store = await openChangedStore();
  const key = await store.createKey({});
  const administrated: Store = {
    ...store,
    call: (method, path, call) => store.call(method, path, { key, ...call }),
  };
  const volunteer = await signedIn(administrated, {
    name: "Vera",
    email: "vera@example.org",
    role: "volunteer",
  });
  for (const path of [
    "/pets/1/history",
    "/categories/1/history",
    "/store/orders/1/history",
    "/store/orders",
  ]) {
    const response = await volunteer.send("GET", `/console/api/v1${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    const text = await response.text();
    for (const name of [KEY_NAME, PERSON_NAME]) expect(text).not.toContain(name);
  }
});

test("the event stream of animals names no key or person", async () => {
  const store = await openChangedStore();
  const response = await store.call("GET", "/v1/pets/events", { headers: { "last-event-id": "0" } });
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.match(/^event: changed$/gm)?.length === 3) break;
  }
  expect(text).not.toContain(KEY_NAME);
  expect(text).not.toMatch(/actor|person|key/);
});
