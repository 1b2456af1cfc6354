import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { publishedNames } from "../../src/platform/sites/repository.ts";
import { STORED_STAGES } from "../../src/platform/domains/stage.ts";
import { logQueries } from "../support/query-log.ts";
import { type Store, faultOf, openStore, temporaryDirectory } from "../support/store.ts";
import { addDomain, addSite, deploy } from "./projects.ts";
import { words } from "../support/words.ts";

const env = {
  PLATFORM_DOMAIN: "sites.example.org",
  BASE_URL: "https://adopt.example.org",
  API_HOSTS: "api.example.org",
};

const METHODS = words("GET HEAD POST PUT PATCH DELETE OPTIONS");

const open = async (): Promise<Store> => {
  const store = await openStore({ env });
  await addSite(store, "docs");
  return store;
};

const body = async (store: Store, address: string) => (await store.visit(address)).text();

/** `200 text`, `302 location`, `421 code`, or `503 title` for a domain that is not served. */
const outcome = async (store: Store, address: string, init: RequestInit = {}): Promise<string> => {
  const response = await store.visit(address, { redirect: "manual", ...init } as RequestInit & {
    headers?: Record<string, string>;
  });
  if (response.headers.get("content-type")?.startsWith("text/html") && response.status === 503)
    return `503 ${/<title>(.*)<\/title>/.exec(await response.text())?.[1]}`;
  if (response.status === 200) return `200 ${await response.text()}`;
  return response.status < 400 ? `${response.status} ${response.headers.get("location")}` : faultOf(response);
};

test.each(words("localhost 127.0.0.1:3000 [::1]:3000 pi pi.local adopt.example.org api.example.org:8080"))(
  "the API responds under %s",
  async (host) => {
    const store = await open();
    expect((await store.visit(`http://${host}/livez`)).status).toBe(200);
    const listed = await store.visit(`http://${host}/v1/pets`, {
      headers: { authorization: `Bearer ${store.key}` },
    });
    expect([listed.status, listed.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
  },
);

test("the API responds without a Host, as in HTTP/1.0", async () => {
  const store = await open();
  expect((await store.visit("http://localhost/livez", { headers: { host: "" } })).status).toBe(200);
});

test("the API responds under no other name, regardless of the key and the path", async () => {
  const store = await open();
  const headers = { authorization: `Bearer ${store.key}` };
  const hosts =
    "evil.example sites.example.org none.sites.example.org docs.localhost a.docs.sites.example.org";
  const addresses = words(hosts).flatMap((host) =>
    ["/", "/v1/pets", "/livez", "/docs", "/metrics"].map((path) => `http://${host}${path}`),
  );
  for (const address of addresses)
    expect([address, await outcome(store, address, { headers })]).toEqual([address, "421 misdirected"]);
});

test("a rejected host gets an Error, a request id and the standing headers, and counts under no route", async () => {
  const store = await open();
  for (const [host, status, code] of [
    ["evil.example", 421, "misdirected"],
    ["me@docs.sites.example.org", 400, "invalid_request"],
  ] as const) {
    const response = await store.visit("http://localhost/", { headers: { host, "x-request-id": "mine" } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "x-request-id": "mine",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(await response.json()).toEqual({ code, status, message: expect.any(String) });
    expect(store.log.at(-1)).toMatchObject({ requestId: "mine", route: "", status });
  }
});

test("a project's own name serves its site to everyone, with a request id, and is logged and counted as a site", async () => {
  const store = await open();
  for (const _ of ["made", "kept"]) {
    const response = await store.visit("http://DOCS.sites.example.org:3000/?q", {
      headers: { "x-request-id": "mine", origin: "https://adopt.example.org" },
    });
    expect([response.status, await response.text()]).toEqual([200, "home of docs"]);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "cache-control": "public, max-age=0, must-revalidate",
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "x-request-id": "mine",
    });
    expect(Object.keys(headers)).not.toContainAnyValues([
      "strict-transport-security",
      "access-control-allow-origin",
      "referrer-policy",
    ]);
    expect(store.log.at(-1)).toMatchObject({
      method: "GET",
      route: "site",
      status: 200,
      requestId: "mine",
    });
  }
  const metrics = await (await store.call("GET", "/metrics")).text();
  expect(metrics).toMatch(
    /_count\{http_request_method="GET",http_route="site",http_response_status_code="200"\} 2/,
  );
});

test("a project's own name serves a new deploy, or the one rolled back to, as soon as that is acknowledged", async () => {
  const store = await open();
  const address = "http://docs.sites.example.org/";
  expect(await body(store, address)).toBe("home of docs");
  const second = await deploy(store, "docs", { "index.html": "second" });
  expect(await body(store, address)).toBe("second");
  await store.call("POST", `/platform/projects/docs/deploys/${second - 1}/activate`);
  expect(await body(store, address)).toBe("home of docs");
  await store.call("DELETE", "/platform/projects/docs");
  expect(await outcome(store, address)).toBe("421 misdirected");
});

test("a project's own name serves nothing before the first deploy", async () => {
  const store = await openStore({ env });
  await store.call("POST", "/platform/projects", { json: { slug: "new", name: "New" } });
  expect(await outcome(store, "http://new.sites.example.org/")).toBe("421 misdirected");
});

test("a project's own name redirects temporarily to its primary domain while that is live, for every method", async () => {
  const store = await open();
  addDomain(store, "docs", "docs.example.com", { role: "primary" });
  const address = "http://docs.sites.example.org:3000/a%20b?q=1&r";
  for (const method of METHODS) {
    const { status, headers } = await store.visit(address, { method });
    expect([method, status, headers.get("location"), headers.get("cache-control")]).toEqual([
      method,
      302,
      "https://docs.example.com:3000/a%20b?q=1&r",
      "no-store",
    ]);
  }
  store.database.client.run("update domains set stage = 'awaiting_dns'");
  await bump(store);
  expect((await store.visit("http://docs.sites.example.org/")).status).toBe(200);
});

/** A write by this process, the only one that can write to an in-memory database. */
const bump = (store: Store) => store.createKey({ name: "bump" });

test.each(STORED_STAGES)(
  "a custom domain in stage %s is served only if that stage is live",
  async (stage) => {
    const store = await open();
    for (const role of ["primary", "served", "redirect"] as const)
      addDomain(store, "docs", `${role}.example.com`, { stage, role });
    const isLive = stage === "live";
    for (const [name, live] of [
      ["primary", "200 home of docs"],
      ["served", "200 home of docs"],
      ["redirect", "301 https://primary.example.com/"],
    ] as const)
      expect(await outcome(store, `http://${name}.example.com/`)).toEqual(
        isLive ? live : expect.stringContaining(`503 ${name}.example.com is `),
      );
    expect(await outcome(store, "http://docs.sites.example.org/")).toBe(
      isLive ? "302 https://primary.example.com/" : "200 home of docs",
    );
  },
);

test("a custom domain of a project whose plan has no custom domains is not served in any stage", async () => {
  const store = await open();
  addDomain(store, "docs", "docs.example.com", { role: "primary" });
  expect(await outcome(store, "http://docs.example.com/")).toBe("200 home of docs");
  store.database.client.run("update projects set plan = 'free'");
  await bump(store);
  expect(await outcome(store, "http://docs.example.com/")).toBe("421 misdirected");
  expect(await outcome(store, "http://docs.sites.example.org/")).toBe("200 home of docs");
});

test("a custom domain that another project also waits for serves the site of its holder", async () => {
  const store = await open();
  await addSite(store, "other");
  addDomain(store, "other", "docs.example.com", { stage: "awaiting_dns", role: "primary" });
  addDomain(store, "docs", "docs.example.com");
  expect(await outcome(store, "http://docs.example.com/")).toBe("200 home of docs");
});

test("a custom domain that redirects keeps the path, query and port as sent, for every method", async () => {
  const store = await open();
  addDomain(store, "docs", "docs.example.com", { role: "primary" });
  addDomain(store, "docs", "old.example.com", { role: "redirect" });
  for (const method of METHODS) {
    const response = await store.visit("http://old.example.com:3000/a%2Fb//c?x=%zz&x=1?", {
      method,
      ...(method.startsWith("P") && { body: "x" }),
    });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      301,
      "https://docs.example.com:3000/a%2Fb//c?x=%zz&x=1?",
      "",
    ]);
  }
  for (const path of ["/", "//evil.example/", "/?", "/%0d%0aset-cookie:x", "/\\evil.example"]) {
    const location = (await store.visit(`http://old.example.com${path}`)).headers.get("location") ?? "";
    expect(new URL(location).host).toBe("docs.example.com");
    expect(location).toStartWith("https://docs.example.com/");
  }
});

test("a custom domain that redirects serves the site while the primary domain is not live", async () => {
  const store = await open();
  addDomain(store, "docs", "docs.example.com", { role: "primary", stage: "awaiting_dns" });
  addDomain(store, "docs", "old.example.com", { role: "redirect" });
  expect(await outcome(store, "http://old.example.com/")).toBe("200 home of docs");
});

test("a custom domain and a project are found by an index", async () => {
  const store = await open();
  const { client } = store.database;
  const { client: logging, queries } = logQueries(client);
  const names = publishedNames({ client: logging });
  expect(names.byHostname("docs.example.com")).toBeUndefined();
  expect(names.bySlug("docs")).toMatchObject({ kind: "site" });
  const plans = queries.map((query) =>
    client
      .query<{ detail: string }, []>(`explain query plan ${query}`)
      .all()
      .map(({ detail }) => detail),
  );
  // The name itself, the wildcard above it, both again for unserved domains, and the project.
  expect(plans.length).toBe(4);
  expect(plans.flat().filter((step) => step.startsWith("SCAN") && !step.includes("CONSTANT"))).toEqual([]);
  for (const plan of plans.slice(0, 2)) expect(plan.join()).toContain("domains_held");
  expect(plans[2]?.join()).toContain("domains_by_name");
});

test("a site whose files are missing gets 500, and a log line for each missing file, small or large", async () => {
  const store = await open();
  const files = { "index.html": "small", "large.bin": "x".repeat(100_000) };
  await deploy(store, "docs", files);
  const site = "http://docs.sites.example.org";
  expect((await store.visit(`${site}/nothing`)).status).toBe(404);
  const blobs = join(store.config.dataDir, "blobs");
  rmSync(blobs, { recursive: true });
  for (const [path, init, isFirst] of [
    ["/", {}, true],
    ["/large.bin", {}, true],
    ["/large.bin", { headers: { range: "bytes=0-9" } }, false],
    ["/large.bin", { method: "HEAD" }, false],
  ] as const) {
    const before = store.log.length;
    const response = await store.visit(site + path, init);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: "damaged_file",
      message: expect.not.stringContaining(blobs),
    });
    const requestId = response.headers.get("x-request-id");
    expect(store.log.slice(before)).toMatchObject([
      ...(isFirst ? [{ level: 50, blob: expect.any(String), problem: "is missing" }] : []),
      { msg: "request", requestId, route: "site", status: 500 },
    ]);
  }
  const other = await openStore({ env });
  await addSite(other, "docs");
  rmSync(join(other.config.dataDir, "blobs"), { recursive: true });
  expect(await outcome(other, `${site}/`)).toBe("500 damaged_file");
});

test("a change by another process shows in the next request", async () => {
  const path = join(temporaryDirectory(), "adoption-store.db");
  const store = await openStore({ path, env });
  await addSite(store, "docs");
  using other = new Database(path);
  other.run("PRAGMA busy_timeout = 5000");
  for (let round = 0; round < 20; round++) {
    expect((await store.visit("http://docs.example.com/")).status).toBe(421);
    other.run(
      "insert into domains (project_id, hostname, stage, role, created_at, waiting_since, findings) values (1, 'docs.example.com', 'live', 'served', 0, 0, '[]')",
    );
    expect((await store.visit("http://docs.example.com/")).status).toBe(200);
    other.run("delete from domains");
  }
});
