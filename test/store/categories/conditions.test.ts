import { expect, test } from "bun:test";
import { faultOf, openStore } from "../../support/store.ts";

const PATH = "/v1/categories/1";

const withDogs = async () => {
  const store = await openStore();
  const added = await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  return { store, tag: added.headers.get("etag") ?? "" };
};

test("the ETag of a category is the same in the responses to POST and GET, and changes with its name", async () => {
  const { store, tag } = await withDogs();
  expect(tag).toMatch(/^"[\w-]+"$/);
  expect((await store.call("GET", PATH)).headers.get("etag")).toBe(tag);
  const renamed = await store.call("PATCH", PATH, { json: { name: "Hounds" }, headers: { "if-match": tag } });
  expect(renamed.status).toBe(200);
  expect(renamed.headers.get("etag")).not.toBe(tag);
  expect((await store.call("GET", PATH)).headers.get("etag")).toBe(renamed.headers.get("etag"));
});

test("a client that has a category already gets 304", async () => {
  const { store, tag } = await withDogs();
  const known = await store.call("GET", PATH, { headers: { "if-none-match": tag } });
  expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", tag]);
});

test.each(["PATCH", "DELETE"])(
  "of two clients that have read the same category, the second to %s gets 412",
  async (method) => {
    const { store, tag } = await withDogs();
    const json = method === "PATCH" ? { json: { name: "Cats" } } : {};
    await store.call("PATCH", PATH, { json: { name: "Hounds" } });
    const late = await store.call(method, PATH, { ...json, headers: { "if-match": tag } });
    expect(await faultOf(late)).toBe("412 precondition_failed");
    expect(await (await store.call("GET", PATH)).json()).toEqual({ id: 1, name: "Hounds" });
    expect((await store.call(method, PATH, { ...json, headers: { "if-match": "*" } })).ok).toBe(true);
  },
);

test("of 20 clients that have read the same category, one renames it", async () => {
  const { store, tag } = await withDogs();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      store.call("PATCH", PATH, { json: { name: `Dogs ${index}` }, headers: { "if-match": tag } }),
    ),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(412)]);
});

test("a conditional request for a category that does not exist gets 404", async () => {
  const { store } = await withDogs();
  const response = await store.call("DELETE", "/v1/categories/2", { headers: { "if-match": '"x"' } });
  expect(await faultOf(response)).toBe("404 not_found");
});
