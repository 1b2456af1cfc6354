import { beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { ORIGIN, visitor } from "../../access/people/visitor.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { type Store, type StoreSettings, faultOf, openStore } from "../../support/store.ts";
import { returnToOf } from "../../../src/pages/console/oidc-routes.ts";

/** A request without a session, as a listener hands it over. */
const ask = (store: Store, method: string, path: string, headers: Record<string, string> = {}) =>
  store.visit(`${ORIGIN}${path}`, { method, headers });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Sends the requests of a browser that is signed in with a key. */
const signedInWith = async (store: Store, key: string) => {
  const { send } = visitor(store);
  await send("POST", "/console/session", { headers: bearer(key) });
  return send;
};

const signIn = async (settings: StoreSettings = {}) => {
  const store = await openStore(settings);
  const browser = visitor(store);
  const response = await browser.signInWithKey();
  expect(response.status).toBe(201);
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const cookie = `adoption-store=${browser.cookies.get("adoption-store")}`;
  return { store, send: browser.send, csrfToken, cookie };
};

const ANIMAL = { name: "Bella", categoryId: 1 };

describe("signing in", () => {
  test("accepts an API key in the Authorization header, and sets a cookie that scripts cannot read", async () => {
    const store = await openStore();
    const response = await ask(store, "POST", "/console/session", bearer(store.key));
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^adoption-store=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(await response.text()).not.toContain("aas_");
    expect(cookie).not.toContain("aas_");
  });

  test("over HTTPS sets a cookie for HTTPS only that no other host can set", async () => {
    const store = await openStore({ env: { BASE_URL: "https://adopt.example.org" } });
    const cookie =
      (await ask(store, "POST", "/console/session", bearer(store.key))).headers.get("set-cookie") ?? "";
    expect(cookie).toStartWith("__Host-adoption-store=");
    expect(cookie).toEndWith("; Secure");
  });

  test("with a wrong key is refused and limited as in the API", async () => {
    const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "2" } });
    const attempt = () => ask(store, "POST", "/console/session", bearer("aas_wrong"));
    expect(await faultOf(await attempt())).toBe("401 invalid_api_key");
    await attempt();
    expect((await attempt()).status).toBe(429);
  });

  test("again ends the previous session", async () => {
    const { store, send, cookie } = await signIn();
    await ask(store, "POST", "/console/session", { ...bearer(store.key), cookie });
    expect(await faultOf(await send("GET", "/console/api/v1/pets"))).toBe("401 not_signed_in");
  });

  test("is visible in the state of the session", async () => {
    const { send, csrfToken, store } = await signIn();
    expect(await (await send("GET", "/console/session")).json()).toMatchObject({
      signedIn: true,
      csrfToken,
      storeId: storeIdOf(store.database.client) ?? "",
      key: { name: "all", scopes: ["*"] },
    });
    const signedOut = await ask(store, "GET", "/console/session");
    expect([signedOut.status, await signedOut.json()]).toEqual([200, { signedIn: false }]);
  });
});

test("a session shows the scopes, the expiry and the limit of its secret", async () => {
  const store = await openStore();
  const rate = { requests: 100, seconds: 60 };
  const { key, secret } = await store.keys.create({ name: "web", scopes: ["keys:admin"], rate }, OPERATOR);
  await store.keys.rotate(key.id, 60, OPERATOR);
  const response = await ask(store, "POST", "/console/session", bearer(secret));
  expect((await response.json()) as object).toMatchObject({
    key: { scopes: ["keys:admin"], expiresAt: "2026-11-20T00:01:00.000Z", rateLimit: "100/min" },
  });
});

describe("a call of the console", () => {
  test("reaches the API with the session's key instead of the cookie", async () => {
    const { send } = await signIn();
    const added = await send("POST", "/console/api/v1/pets", { json: ANIMAL });
    expect([added.status, await added.json()]).toEqual([201, { id: 1, ...ANIMAL }]);
    expect(await (await send("GET", "/console/api/v1/pets?limit=1")).json()).toEqual([{ id: 1, ...ANIMAL }]);
    expect((await send("GET", "/console/api/platform/projects")).status).toBe(200);
  });

  test("is limited to the scopes of its key", async () => {
    const store = await openStore();
    const send = await signedInWith(store, await store.createKey({ scopes: ["pets:read"] }));
    expect(await faultOf(await send("GET", "/console/api/platform/keys"))).toBe("403 insufficient_scope");
  });

  test("without a session is refused, even with an API key", async () => {
    const store = await openStore();
    for (const headers of [{}, bearer(store.key)]) {
      const response = await ask(store, "GET", "/console/api/v1/pets", headers);
      expect(await faultOf(response)).toBe("401 not_signed_in");
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
    }
  });

  test("that writes without the session's CSRF token is refused", async () => {
    const { send, store } = await signIn();
    for (const token of ["", "wrong", "x".repeat(43)])
      for (const [method, path] of [
        ["POST", "/console/api/v1/pets"],
        ["DELETE", "/console/api/platform/keys/1"],
        ["DELETE", "/console/session"],
      ] as const) {
        const response = await send(method, path, { headers: { "x-csrf-token": token }, json: ANIMAL });
        expect(await faultOf(response)).toBe("403 cross_site_request");
      }
    expect(await (await store.call("GET", "/v1/pets")).json()).toEqual([]);
  });

  test("from another site or a neighbouring host is refused, even if it only reads", async () => {
    const { send } = await signIn();
    for (const site of ["cross-site", "same-site", "none"])
      for (const method of ["GET", "POST"]) {
        const response = await send(method, "/console/api/v1/pets", {
          headers: { "sec-fetch-site": site },
          ...(method === "POST" && { json: ANIMAL }),
        });
        expect(await faultOf(response)).toBe("403 cross_site_request");
      }
  });

  test("reaches only the API, regardless of its path", async () => {
    const { send } = await signIn();
    for (const path of [
      "/console/api/metrics",
      "/console/api/console/session",
      "/console/api/",
      "/console/api//v1/pets",
    ])
      expect((await send("GET", path)).status).toBe(404);
    expect((await send("GET", "/v1/pets")).status).toBe(401);
  });

  test("with two session cookies is signed out: a page of another host may have set one", async () => {
    const { send, cookie, store } = await signIn();
    const other = visitor(store);
    await other.signInWithKey();
    const tossed = `adoption-store=${other.cookies.get("adoption-store")}`;
    for (const both of [`${tossed}; ${cookie}`, `${cookie}; ${tossed}`]) {
      const response = await send("GET", "/console/api/v1/pets", { headers: { cookie: both } });
      expect(await faultOf(response)).toBe("401 not_signed_in");
    }
  });

  test("is refused once its key is revoked or its session is closed", async () => {
    const { send, store } = await signIn();
    const sendRevoked = await signedInWith(store, await store.createKey({}));
    expect((await sendRevoked("GET", "/console/api/v1/pets")).status).toBe(200);
    expect((await store.call("DELETE", "/platform/keys/2")).status).toBe(204);
    expect(await faultOf(await sendRevoked("GET", "/console/api/v1/pets"))).toBe("401 invalid_api_key");
    expect(await (await sendRevoked("GET", "/console/session")).json()).toEqual({ signedIn: false });

    const ended = await send("DELETE", "/console/session");
    expect([ended.status, ended.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringContaining("Max-Age=0"),
    ]);
    expect(await faultOf(await send("GET", "/console/api/v1/pets"))).toBe("401 not_signed_in");
  });

  test("is logged under the API's route, with its key and without any secret", async () => {
    const { send, store, cookie, csrfToken } = await signIn();
    await send("GET", "/console/api/v1/pets");
    expect(store.log.at(-1)).toMatchObject({ route: "/v1/pets", keyId: 1, status: 200 });
    const log = JSON.stringify(store.log);
    for (const secret of [store.key, cookie.split("=")[1]!, csrfToken]) expect(log).not.toContain(secret);
  });
});

describe("the page", () => {
  // Its files are bundled at their first use, which takes seconds on a busy machine.
  beforeAll(() => import("../../../src/pages/console/assets.ts"), 60_000);

  test("is the same at every address below /console, under a strict policy", async () => {
    const store = await openStore();
    const pages = await Promise.all(
      ["/console", "/console/animals/new?status=sold", "/console/projects/docs/domains/a.example.org"].map(
        (path) => ask(store, "GET", path),
      ),
    );
    const texts = await Promise.all(pages.map((page) => page.text()));
    expect(new Set(texts).size).toBe(1);
    for (const page of pages) {
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain("unsafe");
    }
  });

  test("loads immutable files of this host only, below 96 KB with Brotli and 110 KB with gzip", async () => {
    const store = await openStore();
    const page = await (await ask(store, "GET", "/console")).text();
    const files = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, path]) => path as string);
    expect(files).toHaveLength(2);
    for (const [coding, limit] of [
      ["br", 96_000],
      ["gzip", 110_000],
    ] as const) {
      const sizes = files.map(async (path) => {
        const headers = { "accept-encoding": `deflate, ${coding}` };
        const file = await store.call("GET", path, { key: false, headers });
        expect(file.headers.get("content-encoding")).toBe(coding);
        return (await file.bytes()).length;
      });
      expect((await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes)).toBeLessThan(limit);
    }
    for (const path of files) {
      expect(path).toStartWith("/console/assets/");
      const file = await ask(store, "GET", path, { "accept-encoding": "gzip, br" });
      expect([file.status, file.headers.get("content-encoding")]).toEqual([200, "br"]);
      expect(file.headers.get("cache-control")).toContain("immutable");
      const compressed = await file.bytes();
      const plain = await ask(store, "GET", path, { "accept-encoding": "br;q=0" });
      expect(plain.headers.get("content-encoding")).toBeNull();
      const text = await plain.text();
      expect(text).not.toContain("sourceMappingURL");
      expect(compressed.length).toBe(brotliCompressSync(text).length);
      expect(brotliDecompressSync(compressed).toString()).toBe(text);
    }
    expect((await ask(store, "GET", "/console/assets/x/console.js")).status).toBe(404);
  });

  test("and everything below it is 404 with CONSOLE=off", async () => {
    const store = await openStore({ env: { CONSOLE: "off" } });
    for (const path of ["/console", "/console/animals", "/console/session", "/console/api/v1/pets"])
      expect((await ask(store, "GET", path)).status).toBe(404);
    expect((await ask(store, "POST", "/console/session", bearer(store.key))).status).toBe(404);
  });
});

test.each([
  "/console",
  "/console/adoptions",
  "/console?status=available&q=%C5%81ucja",
  "/console/animals/7?from=/console",
])("after signing in, %s is shown", (to) => {
  expect(returnToOf(to)).toBe(to);
});

test.each([
  undefined,
  "",
  "/",
  "/consolex",
  "/docs",
  "//evil.example",
  "https://evil.example",
  "/console//evil.example",
  "/console/..//evil.example",
  "/console/..\\evil.example",
  "/console\r\nset-cookie: a=b",
  "/console?x=\u0000",
  "/console#x",
  " /console",
  // Kept in memory until the visitor comes back, for as many visitors as there are.
  `/console?q=${"x".repeat(2000)}`,
])("after signing in, the first page is shown instead of %j", (to) => {
  expect(returnToOf(to)).toBe("/console");
});
