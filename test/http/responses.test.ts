import { expect, test } from "bun:test";
import { operationsOf } from "../support/operations.ts";
import { addPet, faultOf, openStore, openOnce } from "../support/store.ts";
import { words } from "../support/words.ts";

const shared = openOnce(openStore);
const withPet = openOnce(async () => {
  const store = await openStore();
  await addPet(store, {});
  return store;
});

const GET_PATHS = words(
  "/v1/pets /v1/pets/1 /v1/pets/9 /v1/none /none /livez /docs /openapi.json /platform/keys",
);

test.each([
  ...GET_PATHS.map((path) => ["GET", path]),
  ["PUT", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["OPTIONS", "/v1/pets"],
  ["HEAD", "/v1/pets"],
  ["DELETE", "/platform/keys/1"],
])("every response to %s %s has its request id, nosniff and no-referrer", async (method = "", path = "") => {
  const store = withPet();
  const { headers } = await store.call(method, path);
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test.each(["/v1/pets", "/v1/pets/9", "/v1/none", "/platform/keys", "/metrics"])(
  "every response to %s with a key is private and varies by Authorization",
  async (path) => {
    const { headers } = await shared().call("GET", path);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("vary")).toBe("Authorization");
  },
);

test.each(["abc", "a-b_c.d:9", "x".repeat(128)])("every response echoes the request id %p", async (id) => {
  const { headers } = await shared().call("GET", "/v1/pets", { headers: { "x-request-id": id } });
  expect(headers.get("x-request-id")).toBe(id);
});

test.each(["", "a b", "x".repeat(129), "<script>", 'a"b'])(
  "every response replaces the request id %p",
  async (id) => {
    const { headers } = await shared().call("GET", "/v1/pets", { headers: { "x-request-id": id } });
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test("every response from the page cache has its own request id too", async () => {
  const store = await openStore();
  const ids = [await store.call("GET", "/v1/pets"), await store.call("GET", "/v1/pets")].map(({ headers }) =>
    headers.get("x-request-id"),
  );
  expect(ids[0]).not.toBe(ids[1]);
});

test.each([
  ["/platform/keys", "beta"],
  ["/livez", "beta"],
  ["/readyz", "beta"],
  ["/metrics", "beta"],
  ["/v1/pets", null],
])("the stability of %s is %p", async (path, stability) => {
  expect((await shared().call("GET", path)).headers.get("x-stability")).toBe(stability);
});

test.each([
  ["/v1/pets", "GET, HEAD, OPTIONS, POST"],
  ["/v1/pets/1", "DELETE, GET, HEAD, OPTIONS, PATCH"],
  ["/v1/pets/", "GET, HEAD, OPTIONS, POST"],
  ["/v1/pets/events", "GET, HEAD, OPTIONS"],
  ["/livez", "GET, HEAD, OPTIONS"],
  ["/platform/keys/1", "DELETE, GET, HEAD, OPTIONS"],
])("OPTIONS %s without a key gets 204 with Allow", async (path, allow) => {
  const response = await shared().call("OPTIONS", path, { key: false });
  expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([204, allow, ""]);
});

const BOTH = "application/json, application/merge-patch+json";

test.each([
  ["/v1/pets/1", BOTH],
  ["/v1/categories/1", BOTH],
  ["/platform/projects/docs", "application/json"],
])(
  "a PATCH of %s with an unsupported type or encoding gets 415 with Accept-Patch, as OPTIONS does",
  async (path, types) => {
    const store = shared();
    for (const headers of [
      { "content-type": "text/css" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ]) {
      const refused = await store.call("PATCH", path, { body: "x", headers });
      expect([refused.status, refused.headers.get("accept-patch")]).toEqual([415, types]);
    }
    expect((await store.call("OPTIONS", path, { key: false })).headers.get("accept-patch")).toBe(types);
  },
);

test("a path without PATCH has no Accept-Patch", async () => {
  const store = await openStore();
  for (const path of ["/v1/pets", "/livez"])
    expect((await store.call("OPTIONS", path, { key: false })).headers.has("accept-patch")).toBe(false);
  const refused = await store.call("POST", "/v1/pets", {
    body: "x",
    headers: { "content-type": "text/css" },
  });
  expect([refused.status, refused.headers.has("accept-patch")]).toEqual([415, false]);
});

test.each([
  ["PUT", "/v1/pets"],
  ["DELETE", "/v1/pets"],
  ["PUT", "/v1/pets/1"],
  ["POST", "/v1/pets/1"],
  ["PATCH", "/v1/pets/events"],
  ["DELETE", "/v1/pets/events"],
  ["POST", "/docs"],
  ["PURGE", "/v1/pets"],
  ["TRACE", "/v1/pets"],
])("%s %s gets 405 with Allow", async (method, path) => {
  const response = await shared().call(method, path);
  const options = await shared().call("OPTIONS", path, { key: false });
  expect(response.headers.get("allow")).toBe(options.headers.get("allow"));
  expect(response.headers.get("allow")).toContain("GET, HEAD, OPTIONS");
  expect(await faultOf(response)).toBe("405 method_not_allowed");
});

test.each(["/v1/pets", "/v1/pets/1", "/v1/pets/9", "/livez", "/docs", "/metrics", "/platform/keys"])(
  "HEAD %s gets the response of GET without the body",
  async (path) => {
    const store = withPet();
    const [head, get] = [await store.call("HEAD", path), await store.call("GET", path)];
    expect(head.status).toBe(get.status);
    expect(await head.text()).toBe("");
    expect(Object.keys(head.headers.toJSON()).filter((name) => name !== "content-length")).toEqual(
      Object.keys(get.headers.toJSON()),
    );
    if (path !== "/metrics")
      expect(head.headers.get("content-length")).toBe(String((await get.bytes()).length));
  },
);

test("OPTIONS of an unknown path gets 404", async () => {
  expect(await faultOf(await shared().call("OPTIONS", "/v1/none", { key: false }))).toBe("404 not_found");
});

test.each(["/v1/pets/", "/v1/pets/1/"])("%s works with a trailing slash", async (path) => {
  const store = withPet();
  expect((await store.call("GET", path)).status).toBe(200);
});

test.each(["/v1//pets", "/%761/pets", "/v1/pets/1/x", "/V1/pets", "/v1/Pets", "/v1/pets%2F1", "/../v1/none"])(
  "%s gets 404",
  async (path) => {
    expect(await faultOf(await shared().call("GET", path))).toBe("404 not_found");
  },
);

test.each([
  "http://pi/v1/pets",
  "http://a/v1/pets",
  "http://[::1]:3000/v1/pets",
  "http://store.example.org/v1/pets",
])("%s is served, regardless of its host", async (url) => {
  const store = shared();
  const headers = { authorization: `Bearer ${store.key}` };
  expect((await store.app.handle(new Request(url, { headers }))).status).toBe(200);
});

test("/ redirects to the manual", async () => {
  const response = await shared().call("GET", "/", { key: false });
  expect([response.status, response.headers.get("location")]).toEqual([302, "/manual"]);
});

const origin = "https://app.example.org";

test("CORS is off by default", async () => {
  const { headers } = await shared().call("GET", "/v1/pets", { headers: { origin } });
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("vary")).toBe("Authorization");
});

test("CORS allows the origins in CORS_ORIGINS, and no others", async () => {
  const store = await openStore({ env: { CORS_ORIGINS: `https://other.example.org, ${origin}` } });
  const from = async (sent: string) =>
    (await store.call("GET", "/v1/pets", { headers: { origin: sent } })).headers;
  expect((await from(origin)).get("access-control-allow-origin")).toBe(origin);
  expect((await from(origin)).get("access-control-expose-headers")).toContain("Link");
  expect((await from(origin)).get("vary")).toBe("Authorization, Origin");
  for (const other of ["https://evil.example.org", `${origin}.evil.org`, "null", "http://app.example.org"])
    expect((await from(other)).get("access-control-allow-origin")).toBeNull();
  expect((await from("https://evil.example.org")).get("vary")).toContain("Origin");
});

test("CORS responds to preflights without a key", async () => {
  const store = await openStore({ env: { CORS_ORIGINS: origin } });
  const preflight = { key: false as const, headers: { origin, "access-control-request-method": "POST" } };
  const { status, headers } = await store.call("OPTIONS", "/v1/pets", preflight);
  expect(status).toBe(204);
  expect(headers.get("access-control-allow-origin")).toBe(origin);
  expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS, POST");
  expect(headers.get("access-control-allow-headers")).toContain("Authorization");
});

test("CORS lets pages send every request header and read every response header of the API", async () => {
  const store = await openStore({ env: { CORS_ORIGINS: origin } });
  const { operations } = await operationsOf(store);
  const namesIn = (text: string | null) => (text ?? "").toLowerCase().split(", ").toSorted();
  const { headers } = await store.call("OPTIONS", "/v1/pets", { key: false, headers: { origin } });
  const { headers: received } = await store.call("GET", "/v1/pets", { headers: { origin } });
  const sent = operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === "header"));
  const read = operations.flatMap(({ raw }) =>
    Object.values(raw["responses"] as Record<string, { headers?: object }>).flatMap((response) =>
      Object.keys(response.headers ?? {}),
    ),
  );
  expect(sent.length).toBeGreaterThan(0);
  expect(read.length).toBeGreaterThan(0);
  expect(namesIn(headers.get("access-control-allow-headers"))).toEqual(
    expect.arrayContaining(sent.map(({ name }) => name.toLowerCase())),
  );
  // Pages may always read these (https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name).
  const safe = ["cache-control", "content-type"];
  expect([...namesIn(received.get("access-control-expose-headers")), ...safe]).toEqual(
    expect.arrayContaining(read.map((name) => name.toLowerCase())),
  );
});
