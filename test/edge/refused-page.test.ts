import { expect, test } from "bun:test";
import { openStore } from "../support/store.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const visit = async (host: string, accept = BROWSER, path = "/") => {
  const store = await openStore({ env: { PLATFORM_DOMAIN: "sites.example.org" } });
  return store.visit(`http://localhost${path}`, { headers: { host, accept } });
};

test("a browser that meets an unknown host gets a page that names the host and the settings, with the same status", async () => {
  const response = await visit("adopt.example.org");
  expect([response.status, response.headers.get("content-type")]).toEqual([421, "text/html; charset=utf-8"]);
  const page = await response.text();
  for (const text of [
    "adopt.example.org",
    "BASE_URL=https://adopt.example.org",
    "API_HOSTS=adopt.example.org",
    "domains add adopt.example.org",
  ])
    expect(page).toContain(text);
});

test("a browser that meets an unknown host gets the port that it used", async () => {
  expect(await (await visit("nas.example.org:3000")).text()).toContain(
    "BASE_URL=http://nas.example.org:3000",
  );
  const store = await openStore();
  const headers = { host: "nas.example.org:8443", accept: BROWSER, "x-forwarded-proto": "https" };
  expect(await (await store.visit("http://localhost/", { headers })).text()).toContain(
    "BASE_URL=https://nas.example.org:8443",
  );
});

test("a browser that meets the host of a project without a site learns how to publish one", async () => {
  const page = await (await visit("new.sites.example.org")).text();
  expect(page).toContain("deploy DIRECTORY --project new --create");
  expect(page).toContain("BASE_URL=https://new.sites.example.org");
  expect(page).not.toContain("domains add");
  expect(await (await visit("a.new.sites.example.org")).text()).not.toContain("--project");
});

test("a browser that meets an unknown host gets a page that loads, runs and frames nothing, and is not cached", async () => {
  const response = await visit("adopt.example.org");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-store",
    vary: "Accept",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  const page = await response.text();
  expect(page).not.toMatch(/<script| style=| src=| on\w+=/);
  const [, style = ""] = /<style>([^]*)<\/style>/.exec(page) ?? [];
  const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  expect(policy).toContain(`'sha256-${hash}'`);
});

test.each([
  `<script>alert(1)</script>`,
  `"onload=x.example`,
  "a'b.example",
  "a&b.example",
  "%3Cb%3E.example",
])("no response repeats the Host %s", async (host) => {
  const response = await visit(host, BROWSER, "/<b>%3Cb%3E?<i>");
  expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/json"]);
  expect(await response.text()).not.toContain(host);
});

test.each([
  ["no Accept", ""],
  ["fetch", "*/*"],
  ["a client of the API", "application/json"],
  ["a client that prefers JSON", "application/json, text/html;q=0.9"],
  ["a client that refuses HTML", "text/html;q=0, */*"],
])("%s gets an Error that names the settings", async (_, accept) => {
  const response = await visit("adopt.example.org", accept);
  expect([response.status, response.headers.get("content-type")]).toEqual([421, "application/json"]);
  const body = (await response.json()) as object;
  expect(Object.keys(body)).toEqual(["code", "message", "status"]);
  expect(body).toMatchObject({
    code: "misdirected",
    message: expect.stringMatching(/BASE_URL.*API_HOSTS/),
  });
});
