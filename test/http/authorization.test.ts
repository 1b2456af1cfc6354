import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { bearerToken } from "../../src/http/authorization.ts";
import { type Call, faultOf, openStore, openOnce } from "../support/store.ts";

const PATHS = ["/v1/pets", "/v1/pets/1", "/v1/nothing", "/v1", "/platform/keys", "/platform/nothing"];

const shared = openOnce(openStore);

test.each(PATHS)(
  "a request to %s without a key gets 401 missing_api_key with the challenge of RFC 6750",
  async (path) => {
    const response = await shared().call("GET", path, { key: false });
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="adoption-store"');
    expect(await faultOf(response)).toBe("401 missing_api_key");
  },
);

test.each(PATHS)(
  "a request to %s with an invalid key gets 401 invalid_api_key with error=invalid_token",
  async (path) => {
    const response = await shared().call("GET", path, { key: "aas_wrong" });
    expect(response.headers.get("www-authenticate")).toBe(
      'Bearer realm="adoption-store", error="invalid_token"',
    );
    expect(await faultOf(response)).toBe("401 invalid_api_key");
  },
);

test("a request without a valid key gets 401 before the method, or the type, size or form of its body is checked", async () => {
  const store = await openStore();
  const calls: [method: string, path: string, call?: Call][] = [
    ["PUT", "/v1/pets"],
    ["PURGE", "/v1/pets"],
    ["MADEUP", "/v1/nothing"],
    ["POST", "/v1/pets", { body: "not json" }],
    ["POST", "/v1/pets", { body: "x".repeat(100_000), headers: { "content-type": "application/json" } }],
    ["GET", "/v1/pets?limit=abc"],
  ];
  for (const [method, path, call] of calls)
    expect(await faultOf(await store.call(method, path, { ...call, key: false }))).toBe(
      "401 missing_api_key",
    );
});

test("the body of a request without a valid key is never read", async () => {
  const store = await openStore();
  let pulled = 0;
  const body = new ReadableStream(
    {
      pull: (controller) => (pulled++ > 5 ? controller.close() : controller.enqueue(new Uint8Array(1024))),
    },
    { highWaterMark: 0 },
  );
  await store.call("POST", "/v1/pets", {
    key: false,
    body,
    headers: { "content-type": "application/json" },
  });
  expect(pulled).toBe(0);
});

test.each(["Bearer", "bearer", "BEARER", "bEaReR", "Bearer  "])(
  "the Authorization header accepts the scheme %p",
  async (scheme) => {
    const store = shared();
    const response = await store.call("GET", "/v1/pets", {
      key: false,
      headers: { authorization: `${scheme} ${store.key}` },
    });
    expect(response.status).toBe(200);
  },
);

test.each(["Bearer%", "Basic %", "Bearer, %", "%", "Bearer % x", "Bearer %,%", "Token %", "Bearer"])(
  "the Authorization header refuses the form %p",
  async (form) => {
    const store = shared();
    const authorization = form.replaceAll("%", store.key);
    expect(
      await faultOf(await store.call("GET", "/v1/pets", { key: false, headers: { authorization } })),
    ).toBe("401 invalid_api_key");
  },
);

test("the Authorization header is the only place where a key is accepted", async () => {
  const store = await openStore();
  const headers = { "x-api-key": store.key, cookie: `access_token=${store.key}` };
  expect(
    await faultOf(await store.call("GET", `/v1/pets?access_token=${store.key}`, { key: false, headers })),
  ).toBe("401 missing_api_key");
  const body = `access_token=${store.key}`;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  expect(await faultOf(await store.call("POST", "/v1/pets", { key: false, headers: form, body }))).toBe(
    "401 missing_api_key",
  );
});

test.each([" ", "=", "a=", "a "])(
  "the Authorization header with %p repeated 100,000 times is refused",
  (piece) => {
    expect(bearerToken(`Bearer ${piece.repeat(100_000)}!`)).toBe("");
  },
);

test.each([
  ["pets:read", "GET", "/v1/pets", 200],
  ["pets:read", "POST", "/v1/pets", 403],
  ["pets:write", "GET", "/v1/pets", 403],
  ["pets:write", "GET", "/v1/pets/1", 403],
  ["pets:read", "GET", "/metrics", 403],
  ["metrics:read", "GET", "/metrics", 200],
  ["pets:read", "GET", "/platform/keys", 403],
  ["keys:admin", "GET", "/platform/keys", 200],
  ["pets:read", "GET", "/v1/nothing", 404],
  ["pets:read", "PUT", "/v1/pets", 405],
] as const)("with a key of the scope %s, %s %s gets %d", async (scope, method, path, status) => {
  const store = shared();
  const response = await store.call(method, path, { key: await store.createKey({ scopes: [scope] }) });
  expect(response.status).toBe(status);
});

test("missing scopes are named in the message and the challenge", async () => {
  const store = await openStore();
  const response = await store.call("POST", "/v1/pets", {
    key: await store.createKey({ scopes: ["pets:read"] }),
  });
  expect(response.headers.get("www-authenticate")).toBe(
    'Bearer realm="adoption-store", error="insufficient_scope", scope="pets:write"',
  );
  expect(await faultOf(response)).toBe("403 insufficient_scope");
});

describe("limits", () => {
  afterEach(() => void setSystemTime());

  test("the limit of a key refuses requests beyond it until the next window, with RateLimit headers", async () => {
    const store = await openStore();
    const key = await store.createKey({ rate: { requests: 2, seconds: 60 } });
    const other = await store.createKey({ rate: { requests: 2, seconds: 60 } });
    setSystemTime(new Date("2026-11-20T00:00:00Z"));
    const first = await store.call("GET", "/v1/pets", { key });
    expect(first.status).toBe(200);
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=2;w=60');
    expect(first.headers.get("ratelimit")).toBe('"key";r=1;t=60');
    await store.call("GET", "/v1/pets", { key });
    const refused = await store.call("GET", "/v1/pets", { key });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("ratelimit")).toBe('"key";r=0;t=60');
    expect(await faultOf(refused)).toBe("429 rate_limited");
    expect((await store.call("GET", "/v1/pets", { key: other })).status).toBe(200);
    setSystemTime(new Date("2026-11-20T00:01:01Z"));
    expect((await store.call("GET", "/v1/pets", { key })).status).toBe(200);
  });

  test("the limit of failed authentications does not affect the client's valid key", async () => {
    const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "3" }, peerOf: () => "192.0.2.1" });
    for (let at = 0; at < 3; at++)
      expect((await store.call("GET", "/v1/pets", { key: "aas_wrong" })).status).toBe(401);
    const refused = await store.call("GET", "/v1/pets", { key: "aas_wrong" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await faultOf(refused)).toBe("429 rate_limited");
    expect((await store.call("GET", "/v1/pets")).status).toBe(200);
  });

  test("the limits count clients by X-Forwarded-For only if it comes from a trusted proxy", async () => {
    const attempt = async (trust: string) => {
      const env = { AUTH_FAILURES_PER_MINUTE: "1", TRUST_PROXY: trust };
      const store = await openStore({ env, peerOf: () => "192.0.2.1" });
      const from = (address: string) =>
        store.call("GET", "/v1/pets", { key: "aas_wrong", headers: { "x-forwarded-for": address } });
      return [await from("198.51.100.1"), await from("198.51.100.2")].map(({ status }) => status);
    };
    expect(await attempt("1")).toEqual([401, 401]);
    expect(await attempt("0")).toEqual([401, 429]);
  });
});
