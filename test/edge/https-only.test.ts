import { expect, test } from "bun:test";
import { openIssuing } from "../platform/certificates/issuing.ts";
import { type Store, faultOf, openOnce, openStore } from "../support/store.ts";
import { addDomain, addSite } from "./projects.ts";
import { words } from "../support/words.ts";

const STRANGER = "192.0.2.7";
const BY_ADDRESS = "http://198.51.100.1";

const env = { HTTPS_PORT: "8443" };

const open = (peer = STRANGER, more: Record<string, string> = {}) =>
  openStore({ env: { ...env, ...more }, peerOf: () => peer });

/** For requests that change nothing. */
const shared = openOnce(() => open());

/** `200`, `301 location`, or `403 code`. */
const outcome = async (
  store: Store,
  address: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<string> => {
  const response = await store.visit(address, { redirect: "manual", ...init });
  if (response.status < 300) return String(response.status);
  return response.status < 400 ? `${response.status} ${response.headers.get("location")}` : faultOf(response);
};

const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

const GET_PATHS = words(`
  /v1/pets /v1 /platform/keys /metrics /readyz /console /console/api/v1/pets /docs /nothing /v1/../livez /%6civez`);

test.each([
  ...GET_PATHS.map((path) => ["GET", path]),
  ["HEAD", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["DELETE", "/v1/pets/1"],
  ["OPTIONS", "/v1/pets"],
  ["POST", "/console/session"],
])(
  "with HTTPS, a request over HTTP from another machine, %s %s with a key, gets 403 https_required, whether the key is valid or not",
  async (method = "", path = "") => {
    const store = shared();
    for (const key of [store.key, "wrong"])
      expect(await outcome(store, BY_ADDRESS + path, { method, ...withKey(key) })).toBe("403 https_required");
  },
);

test("with HTTPS, a request over HTTP from another machine without a key gets 403 too, except for /livez and /readyz", async () => {
  const store = await open();
  for (const path of ["/v1/pets", "/console", "/console/session", "/docs", "/openapi.json", "/", "/nothing"])
    expect([path, await outcome(store, BY_ADDRESS + path)]).toEqual([path, "403 https_required"]);
  for (const path of ["/livez", "/readyz", "/readyz?verbose=1"])
    expect([path, await outcome(store, BY_ADDRESS + path)]).not.toEqual([path, "403 https_required"]);
  expect(await outcome(store, `${BY_ADDRESS}/livez`)).toBe("200");
});

test("with HTTPS, a request over HTTP from another machine gets an Error, a request id and a log line", async () => {
  const store = await open();
  const response = await store.visit(`${BY_ADDRESS}/v1/pets`, {
    headers: { authorization: `Bearer ${store.key}`, "x-request-id": "mine" },
  });
  expect(response.headers.get("x-request-id")).toBe("mine");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.json()).toEqual({
    code: "https_required",
    status: 403,
    message: expect.stringContaining("rotate"),
  });
  expect(store.log.at(-1)).toMatchObject({ requestId: "mine", status: 403 });
});

test("with HTTPS, a request over HTTP from another machine does not count as a failed authentication or as a use of the key", async () => {
  const store = await open(STRANGER, { AUTH_FAILURES_PER_MINUTE: "1" });
  for (let times = 0; times < 5; times++)
    expect(await outcome(store, `${BY_ADDRESS}/v1/pets`, withKey("wrong"))).toBe("403 https_required");
  expect(await outcome(store, `${BY_ADDRESS}/v1/pets`, withKey(store.key))).toBe("403 https_required");
  await store.keys.flush();
  const [key, ...others] = await store.keys.list({ after: 0, limit: 10 });
  expect([key?.lastUsedAt, others]).toEqual([undefined, []]);
  expect((await store.call("GET", "/v1/pets", { key: "wrong" })).status).toBe(401);
});

test("with HTTPS, a request over HTTP from another machine for a site is served", async () => {
  const store = await open();
  await addSite(store, "docs");
  addDomain(store, "docs", "docs.example.com");
  expect(await outcome(store, "http://docs.example.com/", withKey("any"))).toBe("200");
});

test.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])(
  "a request over HTTP is served to %s",
  async (peer) => {
    const store = await open(peer);
    expect(await outcome(store, "http://localhost/v1/pets", withKey(store.key))).toBe("200");
    expect(await outcome(store, "http://localhost/console")).toBe("200");
  },
);

test.each(["10.0.0.1", "::ffff:192.0.2.7", "", "1127.0.0.1", "::1:1"])(
  "a request over HTTP is not served to %p",
  async (peer) => {
    const store = await open(peer);
    expect(await outcome(store, "http://localhost/v1/pets", withKey(store.key))).toBe("403 https_required");
  },
);

test("a request over HTTP is served to every client if there is no HTTPS port", async () => {
  const store = await openStore({ peerOf: () => STRANGER });
  expect(await outcome(store, `${BY_ADDRESS}/v1/pets`, withKey(store.key))).toBe("200");
});

test.each([
  [STRANGER, "1", "https", "200"],
  [STRANGER, "1", "http", "403 https_required"],
  [STRANGER, "1", undefined, "403 https_required"],
  [STRANGER, "0", "https", "403 https_required"],
  // The proxy runs on this machine, and its client used plain HTTP.
  ["127.0.0.1", "1", "http", "403 https_required"],
  ["127.0.0.1", "1", "https", "200"],
  ["127.0.0.1", "1", undefined, "200"],
  ["127.0.0.1", "0", "http", "200"],
])(
  "a request over HTTP from %s with TRUST_PROXY=%s and X-Forwarded-Proto: %s gets %s",
  async (peer, hops, proto, expected) => {
    const store = await open(peer, { TRUST_PROXY: hops });
    const headers = { ...withKey(store.key).headers, ...(proto && { "x-forwarded-proto": proto }) };
    expect(await outcome(store, `${BY_ADDRESS}/v1/pets`, { headers })).toBe(expected);
  },
);

test.each([
  ["1", undefined, "403 https_required"],
  ["1", "https", "200"],
  // No proxy is trusted: the sender itself may have set the header.
  ["0", undefined, "200"],
])(
  "a request over HTTP with TRUST_PROXY=%s from a proxy on this machine that names its client and the scheme %s gets %s",
  async (hops, proto, expected) => {
    const store = await open("127.0.0.1", { TRUST_PROXY: hops });
    for (const client of [STRANGER, "unknown", "127.0.0.1"]) {
      const headers = {
        ...withKey(store.key).headers,
        "x-forwarded-for": client,
        ...(proto && { "x-forwarded-proto": proto }),
      };
      expect(await outcome(store, `${BY_ADDRESS}/v1/pets`, { headers })).toBe(expected);
    }
  },
);

const API = "adopt.example.org";
const openSecured = async (peer: string) => {
  const room = await openIssuing({ ari: false }, { env: { BASE_URL: `https://${API}` }, peerOf: () => peer });
  await room.pass();
  return room;
};

test("under a name with a certificate, pages redirect to HTTPS, and requests that may carry a key do not", async () => {
  const { store } = await openSecured(STRANGER);
  for (const path of ["/docs", "/console", "/", "/livez", "/openapi.json"])
    expect([path, await outcome(store, `http://${API}${path}`)]).toEqual([path, `301 https://${API}${path}`]);
  for (const path of ["/v1/pets", "/v1", "/platform/keys?limit=1", "/metrics", "/console/session"])
    expect([path, await outcome(store, `http://${API}${path}`)]).toEqual([path, "403 https_required"]);
  for (const path of ["/docs", "/console", "/v1/pets", "/livez"])
    for (const init of [withKey(store.key), { method: "POST" }])
      expect([path, await outcome(store, `http://${API}${path}`, init)]).toEqual([
        path,
        "403 https_required",
      ]);
});

test("under a name with a certificate, this machine is redirected from pages, and gets the API", async () => {
  const { store } = await openSecured("127.0.0.1");
  expect(await outcome(store, `http://${API}/docs`)).toBe(`301 https://${API}/docs`);
  expect(await outcome(store, `http://${API}/v1/pets`, withKey(store.key))).toBe("200");
});

test("under a name with a certificate, a CA gets the response to its challenge", async () => {
  expect((await openSecured(STRANGER)).asked).toContain(API);
});
