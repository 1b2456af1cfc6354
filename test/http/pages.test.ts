import { expect, test } from "bun:test";
import { makeProject, openFakeDns } from "../platform/domains/projects.ts";
import { operationsOf, pathWith } from "../support/operations.ts";
import { addPet, openStore } from "../support/store.ts";

const ADA = { name: "Ada", email: "ada@example.org" };

/** A store with at least two entries in each list. */
const openFull = async () => {
  const store = await openStore({ inspect: openFakeDns("records_right").inspect });
  for (const name of ["Dogs", "Cats"]) await store.call("POST", "/v1/categories", { json: { name } });
  for (const petId of [1, 2]) {
    await addPet(store, { status: "available" });
    await store.call("POST", "/v1/store/orders", { json: { petId, adopter: ADA } });
  }
  await makeProject(store, "docs");
  await makeProject(store, "other");
  for (const hostname of ["docs.example.org", "www.example.org"])
    await store.call("POST", "/platform/projects/docs/domains", { json: { hostname } });
  await store.call("POST", "/platform/projects/docs/domains/docs.example.org/verify");
  await store.call("POST", "/platform/projects/docs/deploys", {
    body: "no archive",
    headers: { "content-type": "application/zip" },
  });
  await store.createKey({});
  for (const email of ["a@example.org", "b@example.org"])
    await store.call("POST", "/platform/people", { json: { name: "Ada", email, role: "staff" } });
  // A second entry in the history of each thing.
  await store.call("PATCH", "/v1/pets/2", { json: { name: "Milo" } });
  await store.call("PATCH", "/v1/categories/2", { json: { name: "Hamsters" } });
  await store.call("POST", "/v1/store/orders/2/approve");
  await store.call("POST", "/platform/keys/2/rotate", { json: {} });
  await store.call("PATCH", "/platform/people/2", { json: { role: "volunteer" } });
  return store;
};

const store = await openFull();
const { operations } = await operationsOf(store);
const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === "cursor"));
/** Other parameters are ids: the second of each kind has a history of two entries. */
const PRESENT: Record<string, string> = { slug: "docs", hostname: "docs.example.org" };

test("both documents have lists", () => {
  expect(lists.length).toBeGreaterThan(7);
});

test.each(lists.map((list) => [list.operationId, list] as const))(
  "%s names the next page in Link and its cursor in Next-Cursor, and neither on the last page",
  async (_name, list) => {
    const path = pathWith(list, (name) => PRESENT[name] ?? "2");
    // A slash at the end does not change the address of the next page, also not in the cache.
    const slash = await store.call("GET", `${path}/?limit=1`);
    const first = await store.call("GET", `${path}?limit=1`);
    expect(slash.headers.get("link")).toBe(first.headers.get("link"));
    const cursor = first.headers.get("next-cursor") ?? "";
    expect(first.headers.get("link")).toBe(`<${path}?limit=1&cursor=${cursor}>; rel="next"`);
    const second = await store.call("GET", `${path}?limit=1&cursor=${cursor}`);
    expect(await second.json()).not.toEqual(await first.json());
    const { headers } = await store.call("GET", `${path}?limit=100`);
    expect([headers.get("link"), headers.get("next-cursor")]).toEqual([null, null]);
    const { 200: success } = list.raw["responses"] as Record<string, { headers: object }>;
    expect(Object.keys(success?.headers ?? {})).toContainValues(["Link", "Next-Cursor"]);
  },
);
