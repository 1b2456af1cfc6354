import { expect, test } from "bun:test";
import {
  addPet,
  faultOf,
  messageOf,
  openStore,
  openOnce,
  temporaryDirectory,
  type Store,
} from "../../support/store.ts";

const namesOf = async (response: Response) =>
  ((await response.json()) as { name: string }[]).map(({ name }) => name);

const addMany = async (store: Store, count: number, fields: Record<string, unknown> = {}) => {
  for (let at = 1; at <= count; at++) await addPet(store, { name: `Animal ${at}`, ...fields });
};

/** Follows rel="next" to the end. @returns the names of every page */
const walk = async (store: Store, path: string): Promise<string[][]> => {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const response: Response = await store.call("GET", next);
    pages.push(await namesOf(response));
    next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
    if (pages.length > 50) throw new Error("the pages do not end");
  }
  return pages;
};

const empty = openOnce(openStore);

test("GET /v1/pets responds with an empty array and no Link if the store is empty", async () => {
  const response = await empty().call("GET", "/v1/pets");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("link")).toBeNull();
  expect(await response.text()).toBe("[]");
});

test("GET /v1/pets lists animals in ascending order of id, 20 without a limit", async () => {
  const store = await openStore();
  await addMany(store, 21);
  const names = await namesOf(await store.call("GET", "/v1/pets"));
  expect(names).toHaveLength(20);
  expect(names.slice(0, 2)).toEqual(["Animal 1", "Animal 2"]);
});

test.each([1, 2, 7, 100])("with limit=%d the pages hold every animal once, in order", async (limit) => {
  const store = await openStore();
  await addMany(store, 14);
  const pages = await walk(store, `/v1/pets?limit=${limit}`);
  expect(pages).toHaveLength(Math.ceil(14 / limit));
  expect(pages.flat()).toEqual(Array.from({ length: 14 }, (_, index) => `Animal ${index + 1}`));
});

test("the status filter selects its animals over all pages, and never those without a status", async () => {
  const store = await openStore();
  for (const status of ["available", "sold", undefined, "sold", "pending", "sold"])
    await addPet(store, { name: String(status), ...(status && { status }) });
  expect((await walk(store, "/v1/pets?status=sold&limit=2")).map((page) => page.length)).toEqual([2, 1]);
  expect((await walk(store, "/v1/pets?status=pending")).flat()).toEqual(["pending"]);
  expect((await walk(store, "/v1/pets")).flat()).toHaveLength(6);
});

test("the next link names limit, filter and cursor", async () => {
  const store = await openStore();
  await addMany(store, 2, { status: "sold" });
  const link = (await store.call("GET", "/v1/pets?status=sold&limit=1")).headers.get("link");
  expect(link).toMatch(/^<\/v1\/pets\?limit=1&status=sold&cursor=[\w-]+>; rel="next"$/);
});

test.each(["0", "101", "-1", "1.5", "1e1", "0x10", "+5", " 5", "5 ", "05", "", "abc", "9".repeat(30)])(
  "limit=%p is refused and named",
  async (limit) => {
    const response = await empty().call("GET", `/v1/pets?limit=${encodeURIComponent(limit)}`);
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toContain("limit: must be an integer from 1 to 100");
  },
);

test.each(["", "Available", "dead", "available,sold", "null"])(
  "status=%p is refused and named",
  async (status) => {
    const response = await empty().call("GET", `/v1/pets?status=${status}`);
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toContain("status: must be one of available, pending, sold");
  },
);

test("GET /v1/pets refuses an unknown parameter with its name and the names of the known ones", async () => {
  const response = await empty().call("GET", "/v1/pets?colour=red");
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toBe(
    "colour: is not a known query parameter (known: limit, status, cursor, categoryId, q, ids, sort, updatedSince, sex, size, tag, reference, arrivedSince, include)",
  );
});

test.each(["limit=1&limit=2", "limit=5&limit=5", "status=sold&li%6Dit=3&limit=3"])(
  "the repeated parameter in %p is refused and named",
  async (query) => {
    const response = await empty().call("GET", `/v1/pets?${query}`);
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toBe('"limit": is given twice');
  },
);

test("GET /v1/pets accepts a cursor with its own filter only, and no other text", async () => {
  const store = await openStore();
  await addMany(store, 3, { status: "sold" });
  const link = (await store.call("GET", "/v1/pets?limit=1&status=sold")).headers.get("link") ?? "";
  const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
  expect((await store.call("GET", `/v1/pets?status=sold&cursor=${cursor}`)).status).toBe(200);
  for (const query of [
    `cursor=${cursor}`,
    `status=pending&cursor=${cursor}`,
    `status=sold&cursor=${cursor}A`,
    "cursor=!",
    "cursor=MA",
  ])
    expect(await faultOf(await store.call("GET", `/v1/pets?${query}`))).toBe("400 invalid_cursor");
});

test("GET /v1/pets refuses a cursor that imitates the cache key of another query", async () => {
  const store = await openStore();
  await addMany(store, 3, {});
  expect((await store.call("GET", "/v1/pets?categoryId=20")).status).toBe(200);
  for (const cursor of ["%2020%20%20", "20%20%20", "filtered%2020%20%20%2020%20%20"])
    expect(await faultOf(await store.call("GET", `/v1/pets?cursor=${cursor}`))).toBe("400 invalid_cursor");
});

test("a page is never older than the last acknowledged write of this process", async () => {
  const store = await openStore();
  for (let count = 0; count < 50; count++) {
    expect(await namesOf(await store.call("GET", "/v1/pets?limit=100"))).toHaveLength(count);
    await addPet(store, {});
  }
});

test("a page is never older than the last acknowledged write of another process on the same file", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const [reader, writer] = [await openStore({ path }), await openStore({ path })];
  for (let count = 0; count < 50; count++) {
    expect(await namesOf(await reader.call("GET", "/v1/pets?limit=100"))).toHaveLength(count);
    await addPet(writer, {});
  }
});
