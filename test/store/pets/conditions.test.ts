import { describe, expect, test } from "bun:test";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { petRepository } from "../../../src/store/pets/repository.ts";
import { type Store, addPet, faultOf, openStore } from "../../support/store.ts";

const ACT = { actor: OPERATOR, now: 0 };

const PATH = "/v1/pets/1";

const withBella = async (env: Record<string, string> = {}) => {
  const store = await openStore({ env });
  await addPet(store, { status: "available" });
  return store;
};

const get = (store: Store, path: string, known?: string) =>
  store.call("GET", path, { headers: known === undefined ? {} : { "if-none-match": known } });

const tagAt = async (store: Store, path: string): Promise<string> =>
  (await get(store, path)).headers.get("etag") ?? "";

const patch = (store: Store, json: object, headers: Record<string, string>) =>
  store.call("PATCH", PATH, { json, headers });

test("the ETag of an animal is strong, and the same in the responses to POST, PATCH, GET and HEAD", async () => {
  const store = await openStore();
  const added = await store.call("POST", "/v1/pets", { json: { name: "Bella", categoryId: 1 } });
  expect(added.headers.get("etag")).toMatch(/^"[\w-]+"$/);
  expect(await tagAt(store, PATH)).toBe(added.headers.get("etag") ?? "");
  const changed = await patch(store, { name: "Luna" }, {});
  expect(changed.headers.get("etag")).not.toBe(added.headers.get("etag"));
  expect(await tagAt(store, PATH)).toBe(changed.headers.get("etag") ?? "");
  expect((await store.call("HEAD", PATH)).headers.get("etag")).toBe(changed.headers.get("etag"));
});

test.each(["name", "categoryId", "status"])("the ETag of an animal changes with its %s", async (field) => {
  const store = await withBella();
  const before = await tagAt(store, PATH);
  await patch(store, { [field]: { name: "Luna", categoryId: 2, status: null }[field] }, {});
  expect(await tagAt(store, PATH)).not.toBe(before);
});

describe.each([PATH, "/v1/pets", "/v1/pets?status=available&limit=1"])("If-None-Match at %s", (path) => {
  test.each([
    ["its tag", (tag: string) => tag],
    ["the weak form of its tag", (tag: string) => `W/${tag}`],
    ["a list with it", (tag: string) => `"other" , ${tag}`],
    ["*", () => "*"],
  ])(
    "If-None-Match with %s gets 304, with the tag and the headers for caches, without a body",
    async (_name, header) => {
      const store = await withBella();
      const whole = await get(store, path);
      // Requested twice: the second list comes from the cache.
      for (let time = 0; time < 2; time++) {
        const response = await get(store, path, header(whole.headers.get("etag") ?? ""));
        expect([response.status, await response.text()]).toEqual([304, ""]);
        for (const name of ["etag", "cache-control", "vary", "x-content-type-options", "deprecation"])
          expect([name, response.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
    },
  );

  test("If-None-Match with another tag, or a malformed one, gets the whole response", async () => {
    const store = await withBella();
    const tag = await tagAt(store, path);
    for (const header of ['"other"', tag.replaceAll('"', ""), ""])
      expect((await get(store, path, header)).status).toBe(200);
  });

  test("If-None-Match with the tag from before a change gets the whole response", async () => {
    const store = await withBella();
    const tag = await tagAt(store, path);
    await patch(store, { name: "Luna" }, {});
    expect((await get(store, path, tag)).status).toBe(200);
  });
});

test("a last page gets another ETag once a page follows it, though its animals are the same", async () => {
  const store = await withBella();
  const tag = await tagAt(store, "/v1/pets?limit=1");
  await addPet(store, {});
  const response = await get(store, "/v1/pets?limit=1", tag);
  expect(response.status).toBe(200);
  expect(response.headers.get("link")).toContain('rel="next"');
});

describe.each(["PATCH", "DELETE"])("%s with If-Match", (method) => {
  const send = (store: Store, headers: Record<string, string>, path = PATH) =>
    store.call(method, path, { headers, ...(method === "PATCH" && { json: { name: "Luna" } }) });
  const done = method === "PATCH" ? 200 : 204;

  test.each([
    ["its tag", (tag: string) => tag],
    ["a list with it", (tag: string) => `"other",${tag}`],
    ["*", () => "*"],
  ])("If-Match that is %s succeeds", async (_name, header) => {
    const store = await withBella();
    expect((await send(store, { "if-match": header(await tagAt(store, PATH)) })).status).toBe(done);
  });

  test.each([
    ["another tag", () => '"other"'],
    ["the weak form of its tag", (tag: string) => `W/${tag}`],
  ])("If-Match that is %s gets 412, and nothing changes", async (_name, header) => {
    const store = await withBella();
    const tag = await tagAt(store, PATH);
    expect(await faultOf(await send(store, { "if-match": header(tag) }))).toBe("412 precondition_failed");
    expect(await tagAt(store, PATH)).toBe(tag);
  });

  test.each(["Bella", "", '"a" "b"'])("If-Match that is %p gets 400", async (header) => {
    expect(await faultOf(await send(await withBella(), { "if-match": header }))).toBe("400 invalid_request");
  });

  test("If-Match on an animal that does not exist gets 404", async () => {
    const store = await withBella();
    for (const header of ["*", '"other"'])
      expect(await faultOf(await send(store, { "if-match": header }, "/v1/pets/2"))).toBe("404 not_found");
  });

  test("If-Match and an If-None-Match that names the animal, or *, get 412", async () => {
    const store = await withBella();
    for (const header of ["*", await tagAt(store, PATH)])
      expect(await faultOf(await send(store, { "if-none-match": header }))).toBe("412 precondition_failed");
    expect((await send(store, { "if-none-match": '"other"' })).status).toBe(done);
  });
});

test("of many clients that change the same animal concurrently one succeeds, and the others get 412", async () => {
  const store = await withBella();
  for (let round = 0; round < 10; round++) {
    const tag = await tagAt(store, PATH);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        patch(store, { name: `Editor ${round} ${index}` }, { "if-match": tag }),
      ),
    );
    const winner = responses.findIndex(({ status }) => status === 200);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(49).fill(412)]);
    expect(await (await get(store, PATH)).json()).toMatchObject({ name: `Editor ${round} ${winner}` });
  }
});

test("many clients that delete the same animal after one has changed it all get 412", async () => {
  const store = await withBella();
  const headers = { "if-match": await tagAt(store, PATH) };
  const [changed, deleted] = await Promise.all([
    patch(store, { name: "Luna" }, headers),
    store.call("DELETE", PATH, { headers }),
  ]);
  // Whichever comes first, the other gets 412.
  expect(["200 412", "404 204"]).toContain(`${changed.status} ${deleted.status}`);
});

test("a client cannot write if the animal changes between the check and the write", async () => {
  const store = await withBella();
  const pets = petRepository(store.database);
  const seen = await pets.find(1);
  await patch(store, { status: null }, {});
  expect(await pets.remove(1, ACT, seen)).toEqual({ refused: "precondition_failed" });
  expect(await pets.change(1, { name: "Luna" }, ACT, seen)).toEqual({ refused: "precondition_failed" });
  expect(await pets.remove(1, ACT, await pets.find(1))).toEqual({
    pet: { id: 1, name: "Bella", categoryId: 1n },
  });
});

test("CORS lets browsers send conditions and read the ETag", async () => {
  const store = await withBella({ CORS_ORIGINS: "https://shelter.example" });
  const headers = { origin: "https://shelter.example" };
  expect((await store.call("GET", PATH, { headers })).headers.get("access-control-expose-headers")).toMatch(
    /\bETag\b/,
  );
  const allowed = (await store.call("OPTIONS", PATH, { headers })).headers.get(
    "access-control-allow-headers",
  );
  expect(allowed).toContain("If-Match, If-None-Match");
});
