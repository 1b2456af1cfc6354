import { expect, test } from "bun:test";
import { dispatcher } from "../../src/edge/dispatch.ts";
import { watchCertificates } from "../../src/edge/certificate-store.ts";
import { hostParser } from "../../src/edge/hosts.ts";
import { faultOf, faultResponse } from "../../src/lib/errors.ts";
import { EngineUnavailable } from "../../src/lib/storage-errors.ts";

const AWAY = new EngineUnavailable("etcd at 192.0.2.1:2379 does not respond");
const BROWSER = { accept: "text/html,*/*;q=0.8" };

/** A dispatcher whose sites and API name themselves, and whose `recent` fails while the engine is unreachable. */
const edge = () => {
  const logged: unknown[] = [];
  const state = { isAway: true };
  const fetch = dispatcher({
    parseHost: hostParser({ platformDomain: "sites.example.org", api: new Set(["api.example.org"]) }),
    api: () => new Response("api"),
    sites: { respond: () => new Response("site") },
    respondToChallenge: ({ url }) =>
      url.includes("/.well-known/") ? Promise.resolve(new Response("challenge")) : undefined,
    httpsOnly: ({ url }) => (url.includes("redirected") ? new Response(null, { status: 308 }) : undefined),
    recent: async () => {
      if (state.isAway) throw AWAY;
    },
    finishRequest: (response) => response,
    refuse: () => new Response(null, { status: 421 }),
    log: { error: (fields: unknown) => logged.push(fields) } as never,
  });
  const visit = async (url: string, host: string, headers: Record<string, string> = {}) => {
    const response = await fetch(new Request(url, { headers: { host, ...headers } }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { state, logged, visit };
};

const SITES = [
  ["a custom domain over HTTPS", "https://www.example.net/", "www.example.net"],
  ["a custom domain over HTTP", "http://www.example.net/redirected", "www.example.net"],
  ["a project", "http://localhost/", "shop.sites.example.org"],
] as const;

test.each(SITES)(
  "while a node may be out of date, a browser gets a page instead of %s, and other clients get an Error",
  async (_, url, host) => {
    const page = await edge().visit(url, host, BROWSER);
    const error = await edge().visit(url, host);
    for (const { status, headers, text } of [page, error]) {
      expect([status, headers.get("retry-after"), headers.get("cache-control")]).toEqual([
        503,
        "1",
        text === page.text ? "no-store" : null,
      ]);
      expect(text).not.toContain("192.0.2.1");
    }
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain("This site is not available right now");
    expect(JSON.parse(error.text)).toMatchObject({ code: "storage_unavailable", status: 503 });
  },
);

test("a preview that cannot be shown stays out of search engines", async () => {
  const { headers } = await edge().visit("http://localhost/", "004--shop.sites.example.org", BROWSER);
  expect(headers.get("x-robots-tag")).toBe("noindex");
});

test("the API and challenges are reached over HTTP and HTTPS while a node may be out of date", async () => {
  const { visit } = edge();
  for (const scheme of ["http", "https"]) {
    expect((await visit(`${scheme}://api.example.org/livez`, "api.example.org")).text).toBe("api");
    expect((await visit(`${scheme}://a.example.net/.well-known/x`, "a.example.net")).text).toBe("challenge");
  }
});

test("sites are served again as soon as the node is up to date", async () => {
  const { state, visit } = edge();
  expect((await visit("https://www.example.net/", "www.example.net")).status).toBe(503);
  state.isAway = false;
  expect((await visit("https://www.example.net/", "www.example.net")).text).toBe("site");
});

test("an unreachable engine is not logged with each request", async () => {
  const { visit, logged } = edge();
  for (const [, url, host] of SITES) await visit(url, host);
  expect(logged).toEqual([]);
});

test("the API's Error reports that nothing was written, and omits the address of the engine", async () => {
  const response = faultResponse(faultOf(AWAY));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  const { code, message } = (await response.json()) as { code: string; message: string };
  expect(code).toBe("storage_unavailable");
  expect(message).toMatch(/engine of its cluster.+nothing was written/);
  expect(message).not.toContain("192.0.2.1");
});

test("certificates are brought up to date after the engine was unreachable, which is not reported 20 times a second", async () => {
  const errors: unknown[] = [];
  const withdrawn: string[] = [];
  const state: { error: Error | undefined; version: number } = { error: AWAY, version: 1 };
  const watch = watchCertificates(
    { withdraw: () => withdrawn.push("withdrawn"), clear: () => withdrawn.push("cleared") },
    {
      recent: async () => {
        if (state.error) throw state.error;
      },
      version: () => state.version,
      foreignVersion: () => state.version,
    },
    (error) => errors.push(error),
  );
  state.version = 2;
  await watch.tick();
  expect([errors, withdrawn]).toEqual([[], []]);
  state.error = undefined;
  await watch.tick();
  expect(withdrawn).toEqual(["withdrawn", "cleared"]);
  state.error = new Error("the disk fails");
  await watch.tick();
  expect(errors).toEqual([state.error]);
});
