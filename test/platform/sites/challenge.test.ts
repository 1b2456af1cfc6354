import { expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { type SiteService, siteService } from "../../../src/platform/sites/service.ts";
import { addDomain, addSite } from "../../edge/projects.ts";
import { openStore } from "../../support/store.ts";

const ADDRESSES = [
  "/.well-known/acme-challenge/token",
  "/.well-known/acme-challenge/",
  "/.well-known/acme-challenge",
  "/.Well-Known/ACME-CHALLENGE/token",
  "/%2ewell-known/acme-challenge/token",
  "/.well-known/%61cme-challenge/token",
  "/.well-known%2Facme-challenge%2ftoken",
  "/.well-known//acme-challenge/token",
  "//.well-known/acme-challenge/token",
  "/.well-known/./acme-challenge/token",
  "/.well-known/x/../acme-challenge/token",
  "/x/%2e%2e/.well-known/acme-challenge/token",
  "/.well-%E2%84%AAnown/acme-challenge/token",
];

/** A site with a file at every path, such as one deployed before files at challenge paths were refused. */
const everywhere: SiteService = siteService(
  { config: readConfig({ flags: {}, env: {}, isTerminal: false }) },
  {
    names: {
      bySlug: () => ({ kind: "site", projectId: 1, deployId: 1, manifest: "" }),
      byHostname: () => ({ kind: "redirect", to: "elsewhere.example.org", permanent: true }),
    },
    sites: { open: () => ({ respond: () => new Response("of the site") }) },
  },
);

const request = (path: string) => ({
  method: "GET",
  scheme: "http:",
  port: "",
  path,
  query: "",
  headers: new Headers(),
  inParts: false,
});

test.each(ADDRESSES)("%s gets 404, from a site and from a redirect", async (path) => {
  for (const name of [
    { kind: "project", slug: "docs" },
    { kind: "custom", hostname: "docs.example.org" },
  ] as const) {
    const response = await everywhere.respond(name, request(path));
    expect(response?.status).toBe(404);
    expect(await response?.text()).toBe("No challenge is pending here.\n");
  }
});

test.each([
  "/",
  "/acme-challenge/token",
  "/.well-known/security.txt",
  "/.well-known/acme-challenges",
  "/%zz",
])("%s reaches the site", async (path) => {
  const response = await everywhere.respond({ kind: "project", slug: "docs" }, request(path));
  expect(await response?.text()).toBe("of the site");
});

test("a challenge path gets neither the site's own 404 page nor a redirect to the primary domain", async () => {
  const store = await openStore();
  await addSite(store, "docs", { "index.html": "home", "404.html": "the site's own" });
  const visit = async (path: string) => {
    const response = await store.visit(`http://docs.localhost${path}`);
    return `${response.status} ${await response.text()}`;
  };
  const challenge = "/.well-known/acme-challenge/token";
  expect(await visit("/nothing")).toBe("404 the site's own");
  expect(await visit(challenge)).toBe("404 No challenge is pending here.\n");
  addDomain(store, "docs", "docs.example.org", { role: "primary" });
  await store.call("PATCH", "/platform/projects/docs", { json: { name: "Docs" } });
  expect(await visit("/nothing")).toBe("302 ");
  expect(await visit(challenge)).toBe("404 No challenge is pending here.\n");
});
