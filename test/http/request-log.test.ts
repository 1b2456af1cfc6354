import { expect, test } from "bun:test";
import { loggedPath } from "../../src/lib/log.ts";
import { addSite } from "../edge/projects.ts";
import { openStore } from "../support/store.ts";

test("the log has a line for each request, with its id, route, status, time and key", async () => {
  const store = await openStore();
  await store.call("GET", "/v1/pets/5", { headers: { "x-request-id": "mine" } });
  expect(store.log).toHaveLength(1);
  expect(store.log[0]).toMatchObject({
    msg: "request",
    requestId: "mine",
    method: "GET",
    route: "/v1/pets/:petId",
    status: 404,
    keyId: 1,
  });
  expect(store.log[0]?.["ms"]).toBeNumber();
});

test("the log has the path of a 404 and a 405, and no wildcard", async () => {
  const store = await openStore();
  const shown = async (method: string, path: string): Promise<unknown> => {
    await store.call(method, path);
    const { route, path: logged, status } = store.log.at(-1) ?? {};
    return { route, path: logged, status };
  };
  expect(await shown("GET", "/wp-login.php")).toEqual({ path: "/wp-login.php", status: 404 });
  expect(await shown("GET", "/v1/cats")).toEqual({ path: "/v1/cats", status: 404 });
  expect(await shown("OPTIONS", "/v1/dogs")).toEqual({ route: "", path: "/v1/dogs", status: 404 });
  expect(await shown("PUT", "/v1/pets")).toEqual({ path: "/v1/pets", status: 405 });
  expect(await shown("GET", "/v1/pets/6")).toEqual({ route: "/v1/pets/:petId", status: 404 });
  expect(await shown("GET", "/v1/pets")).toEqual({ route: "/v1/pets", status: 200 });
});

test("the log has the path of a page that a site does not have", async () => {
  const store = await openStore({ env: { PLATFORM_DOMAIN: "sites.example.org" } });
  await addSite(store, "shop");
  const url = "http://shop.sites.example.org/old/page?ref=hidden";
  await store.fetch(new Request(url, { headers: { host: "shop.sites.example.org" } }));
  expect(store.log.at(-1)).toMatchObject({ route: "site", path: "/old/page", status: 404 });
});

test("the log omits the secrets of a response that violates its schema", async () => {
  const store = await openStore();
  store.database.client.run("UPDATE keys SET name = ''");
  expect(await (await store.call("GET", "/platform/keys")).json()).toEqual([]);
  expect((await store.call("POST", "/platform/keys/1/rotate", { json: {} })).status).toBe(500);
  const errors = JSON.stringify(store.log.filter(({ level }) => Number(level) >= 50));
  expect(errors).toMatch(/"id":1,"violations":"name: must be a string.*internal_error/);
  expect(errors).not.toContain("aas_");
});

test("the log omits secrets, regardless of where a request contains them", async () => {
  const store = await openStore();
  const cookie = "session=hidden-cookie";
  await store.call("GET", "/v1/pets?limit=hidden-query", { headers: { cookie } });
  await store.call("GET", "/v1/pets", { key: "aas_hidden-key" });
  await store.call("GET", `/v1/nothing/${store.key}?q=query-text`);
  await store.call("POST", "/v1/pets", { json: { name: "hidden-body" } });
  const secrets = `hidden-|query-text|${store.key.slice(8)}`;
  expect(JSON.stringify(store.log)).not.toMatch(new RegExp(secrets));
});

const key = `aas_${"A1b2C3".repeat(6)}`;
test.each([
  ["http://localhost:3000/a/b?c=d", "/a/b"],
  ["https://pets.example.org/a#b", "/a"],
  ["https://pets.example.org", ""],
  ["pets.example.org:443", ""],
  ["http://localhost/a\u001b[2J\n\u202eb", String.raw`/a\u001b[2J\u000a\u202eb`],
  [`http://localhost/v1/${key}/x`, "/v1/[hidden]/x"],
  ["http://localhost/people/ada%40example.org", "/people/[hidden]"],
  [`http://localhost/${"9Zx_-4".repeat(7)}`, "/[hidden]"],
  ["http://localhost/how-to-adopt-a-dog-when-you-have-2-cats", "/how-to-adopt-a-dog-when-you-have-2-cats"],
])("the logged path of a URL of %j is %j", (url, path) => {
  expect(loggedPath(url)).toBe(path);
});

test("the logged path of a URL has at most 300 characters", () => {
  expect(loggedPath(`http://localhost/${"a/".repeat(4000)}`)).toHaveLength(300);
});
