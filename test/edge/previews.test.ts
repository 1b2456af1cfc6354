import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DOMAIN, WILDCARD, openDnsIssuing } from "../platform/certificates/dns-issuing.ts";
import { openIssuing } from "../platform/certificates/issuing.ts";
import { type Store, faultOf, openStore } from "../support/store.ts";
import { addDomain, addSite, deploy } from "./projects.ts";
import { words } from "../support/words.ts";

const env = { PLATFORM_DOMAIN: "sites.example.org", BASE_URL: "https://adopt.example.org" };

const FIRST = {
  "index.html": "first",
  "guide.html": "guide",
  "app-3f2a9c1b.js": "hashed",
  "404.html": "nothing",
  _redirects: "/old /guide\n",
  _headers:
    "/*\n  Cache-Control: public, max-age=3600\n  CDN-Cache-Control: max-age=3600\n  X-Robots-Tag: all\n",
};
const PREVIEW = "http://001--docs.sites.example.org";

/** A project with two deploys, of which it serves the second. */
const open = async (settings: Record<string, string> = {}): Promise<Store> => {
  const store = await openStore({ env: { ...env, ...settings } });
  await addSite(store, "docs", FIRST);
  await deploy(store, "docs", { "index.html": "second" });
  return store;
};

const visit = (
  store: Store,
  address: string,
  init: { method?: string; headers?: Record<string, string> } = {},
) => store.visit(address, { redirect: "manual", ...init });

const text = async (store: Store, address: string) => {
  const response = await visit(store, address);
  return response.status === 200 ? response.text() : faultOf(response);
};

/** Uploads an archive that cannot be deployed. */
const failDeploy = (store: Store) =>
  store.call("POST", "/platform/projects/docs/deploys", {
    body: Buffer.from("nonsense"),
    headers: { "content-type": "application/zip" },
  });

/** The address of the preview of a project's first deploy. */
const previewOf = async (store: Store): Promise<string> => {
  const deploys = await store.call("GET", "/platform/projects/site/deploys");
  const [{ preview } = { preview: "" }] = (await deploys.json()) as { preview: string }[];
  return preview;
};

test("a preview shows its deploy, regardless of the deploy that the project serves", async () => {
  const store = await open();
  expect(await text(store, `${PREVIEW}/`)).toBe("first");
  expect(await text(store, "http://002--docs.sites.example.org/")).toBe("second");
  const own = await visit(store, "http://docs.sites.example.org/");
  expect([await own.text(), own.headers.get("x-robots-tag")]).toEqual(["second", null]);
  await store.call("POST", "/platform/projects/docs/deploys/1/activate");
  expect(await text(store, "http://002--docs.sites.example.org/")).toBe("second");
});

test("the API names the preview of each deploy that succeeded", async () => {
  const store = await open();
  await failDeploy(store);
  const response = await store.call("GET", "/platform/projects/docs/deploys");
  const deploys = (await response.json()) as { id: number; preview?: string }[];
  expect(deploys.map(({ id, preview }) => [id, preview])).toEqual([
    [3, undefined],
    [2, "https://002--docs.sites.example.org/"],
    [1, "https://001--docs.sites.example.org/"],
  ]);
});

test("every response of a preview has noindex, and none is cached", async () => {
  const store = await open();
  const etag = (await visit(store, `${PREVIEW}/`)).headers.get("etag") ?? "";
  const seen = [];
  for (const [path, init] of [
    ["/", {}],
    ["/", {}],
    ["/", { method: "HEAD" }],
    ["/", { headers: { "if-none-match": etag } }],
    ["/", { headers: { range: "bytes=0-1" } }],
    ["/app-3f2a9c1b.js", {}],
    ["/old", {}],
    ["/guide.html", {}],
    ["/nothing", {}],
    ["/%zz", {}],
    ["/", { method: "POST" }],
    ["/.well-known/acme-challenge/x", {}],
  ] as const) {
    const { status, headers } = await visit(store, PREVIEW + path, init);
    expect([path, headers.get("x-robots-tag")]).toEqual([path, "noindex"]);
    expect(headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    expect(headers.get("cdn-cache-control")).toBeNull();
    seen.push(status);
  }
  expect(seen).toEqual([200, 200, 200, 304, 206, 200, 301, 308, 404, 400, 405, 404]);
  rmSync(join(store.config.dataDir, "blobs"), { recursive: true });
  const broken = await visit(store, "http://002--docs.sites.example.org/");
  expect([broken.status, broken.headers.get("x-robots-tag")]).toEqual([500, "noindex"]);
});

test("a preview never redirects to the primary domain", async () => {
  const store = await open();
  addDomain(store, "docs", "docs.example.com", { role: "primary" });
  expect((await visit(store, "http://docs.sites.example.org/")).status).toBe(302);
  expect(await text(store, `${PREVIEW}/`)).toBe("first");
});

test("a preview ends with its deploy and with its project", async () => {
  const store = await open();
  expect(await text(store, `${PREVIEW}/`)).toBe("first");
  await store.call("DELETE", "/platform/projects/docs/deploys/1");
  expect(await text(store, `${PREVIEW}/`)).toBe("421 misdirected");
  await store.call("DELETE", "/platform/projects/docs");
  expect(await text(store, "http://002--docs.sites.example.org/")).toBe("421 misdirected");
});

test("a preview exists only for deploys of its own project that succeeded, under one name", async () => {
  const store = await open();
  await addSite(store, "other");
  await failDeploy(store);
  for (const label of words("003--docs 004--docs 001--other 099--docs 1--docs 01--docs 0001--docs 001--none"))
    expect([label, await text(store, `http://${label}.sites.example.org/`)]).toEqual([
      label,
      "421 misdirected",
    ]);
  expect(await text(store, "http://004--other.sites.example.org/")).toBe("421 misdirected");
  expect(await text(store, "http://003--other.sites.example.org/")).toBe("home of other");
});

test("a preview yields to an older project that has its name as a slug", async () => {
  const store = await open();
  await addSite(store, "older");
  store.database.client.run("update projects set slug = '001--docs' where slug = 'older'");
  await store.createKey({ name: "bump" });
  const response = await visit(store, `${PREVIEW}/`);
  expect([await response.text(), response.headers.get("x-robots-tag")]).toEqual(["home of older", null]);
});

test("a deleted preview tells a browser nothing about a project with its name", async () => {
  const store = await open();
  const response = await visit(store, "http://009--docs.sites.example.org/", {
    headers: { accept: "text/html" },
  });
  expect(response.status).toBe(421);
  expect(await response.text()).not.toContain("--create");
});

test("no certificate is ordered for a preview", async () => {
  const store = await open({ HTTPS_PORT: "8443" });
  expect(await text(store, `${PREVIEW}/`)).toBe("first");
  const { tick } = store.https?.scheduler ?? {};
  await tick?.();
  const rows = store.database.client
    .query<{ hostname: string }, []>("select hostname from certificates")
    .all();
  const names = rows.map(({ hostname }) => hostname);
  expect(names.filter((name) => name.includes("--"))).toEqual([]);
  expect(names).toContain("docs.sites.example.org");
});

test("a preview with a certificate redirects to HTTPS, and has noindex there too", async () => {
  const { store, certificates, clock, pass } = await openIssuing(
    { ari: false },
    { env: { ...env, HTTP_PORT: "80" } },
  );
  await addSite(store, "site", FIRST);
  const preview = await previewOf(store);
  expect(preview).toStartWith("http://");
  const { hostname } = new URL(preview);
  await certificates.want([hostname], clock.now());
  await pass();
  const response = await visit(store, `http://${hostname}/a`);
  expect([response.status, response.headers.get("x-robots-tag")]).toEqual([301, "noindex"]);
  expect(await previewOf(store)).toBe(`https://${hostname}/`);
});

test("the platform's wildcard certificate is for previews too, and stays the only one", async () => {
  const { store, names, pass } = await openDnsIssuing(
    { ari: false },
    { env: { BASE_URL: "https://api.example.org" } },
  );
  await addSite(store, "site", FIRST);
  await pass();
  const preview = await previewOf(store);
  expect(preview).toMatch(/^https:\/\/\d{3}--site\.sites\.example\.net\/$/);
  expect((await visit(store, preview.replace("https:", "http:"))).headers.get("location")).toBe(preview);
  await pass();
  expect((await names()).filter((name) => name.endsWith(DOMAIN))).toEqual([WILDCARD]);
});
