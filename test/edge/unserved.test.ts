import { expect, test } from "bun:test";
import { STORED_STAGES, isServed } from "../../src/platform/domains/stage.ts";
import { openIssuing } from "../platform/certificates/issuing.ts";
import { openStore } from "../support/store.ts";
import { addDomain, addSite } from "./projects.ts";

const NAME = "docs.example.org";

const open = async (domains: Record<string, (typeof STORED_STAGES)[number]>) => {
  const store = await openStore();
  await addSite(store, "docs");
  await addSite(store, "other");
  for (const [hostname, stage] of Object.entries(domains)) addDomain(store, "docs", hostname, { stage });
  return store;
};

const textAt = async (store: Awaited<ReturnType<typeof open>>, hostname: string) =>
  (await store.visit(`http://${hostname}/`)).text();

test.each([
  ["suspended", "is suspended", null],
  ["verified", "is nearly ready", "60"],
  ["issuing", "is nearly ready", "60"],
  ["issue_failed", "is not ready yet", "60"],
  ["awaiting_dns", "is not ready yet", "60"],
  ["dns_conflict", "is not ready yet", "60"],
] as const)(
  "the page of a domain in stage %s reports that it %s, with a Retry-After header",
  async (stage, state, retryAfter) => {
    const store = await open({ [NAME]: stage });
    const response = await store.visit(`http://${NAME}/guide?page=2`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, retryAfter]);
    const page = await response.text();
    expect(page).toContain(`<h1>${NAME} ${state}</h1>`);
    expect(page).not.toMatch(/\b(plan|pro|pay|price|home of docs)\b/i);
  },
);

test("every stage of a domain that is not served has a page", async () => {
  for (const stage of STORED_STAGES) {
    const store = await open({ [NAME]: stage });
    expect([stage, (await store.visit(`http://${NAME}/`)).status]).toEqual([
      stage,
      isServed(stage) ? 200 : 503,
    ]);
  }
});

test("the page of a domain that is not served is neither indexed nor cached, and loads, runs and frames nothing", async () => {
  const store = await open({ [NAME]: "suspended" });
  const response = await store.visit(`http://${NAME}/`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  });
});

test("the page of a domain that is not served is no error in the log, but a failure of a site is one", async () => {
  const store = await open({ [NAME]: "suspended" });
  const levelOf = async (hostname: string) => {
    const { status } = await store.visit(`http://${hostname}/`);
    const { msg, route, level } = store.log.at(-1) ?? {};
    return { status, msg, route, level };
  };
  const line = { msg: "request", route: "site" };
  expect(await levelOf(NAME)).toEqual({ ...line, status: 503, level: 30 });
  store.database.client.run("ALTER TABLE deploys RENAME TO lost");
  await store.createKey({ name: "a write" });
  expect(await levelOf("docs.localhost")).toEqual({ ...line, status: 500, level: 50 });
});

test("the page of a domain that is not served is not the response to a CA", async () => {
  const store = await open({ [NAME]: "verified" });
  const response = await store.visit(`http://${NAME}/.well-known/acme-challenge/token`);
  expect(response.status).toBe(404);
});

test("the page of a domain that is not served belongs to the names of projects: other names are refused, and only they are reported", async () => {
  const store = await open({ [NAME]: "awaiting_dns" });
  expect((await store.visit(`http://${NAME}/`)).status).toBe(503);
  expect((await store.visit("http://else.example.org/")).status).toBe(421);
  expect(store.refusedHosts.list().map(({ host }) => host)).toEqual(["else.example.org"]);
});

test("the page of a domain that is not served belongs to the holder of the name, before projects that wait for it and its wildcard", async () => {
  const store = await open({});
  addDomain(store, "other", NAME, { stage: "awaiting_dns" });
  addDomain(store, "docs", NAME, { stage: "suspended" });
  addDomain(store, "docs", "*.example.org", { stage: "verified" });
  expect(await textAt(store, NAME)).toContain("is suspended");
  expect(await textAt(store, "else.example.org")).toContain("else.example.org is nearly ready");
  expect((await store.visit("http://a.else.example.org/")).status).toBe(421);
});

test("the page of a domain that is not served ends as soon as the domain is live", async () => {
  const store = await open({ [NAME]: "issuing" });
  expect((await store.visit(`http://${NAME}/`)).status).toBe(503);
  store.database.client.run("UPDATE domains SET stage = 'live'");
  await store.createKey({ name: "a write" });
  expect(await textAt(store, NAME)).toBe("home of docs");
});

const suspend = async () => {
  const room = await openIssuing();
  await room.verified(NAME);
  await room.pass();
  const { certificates } = room.https;
  const live = certificates.find(NAME);
  await room.api("PATCH", "", { json: { plan: "free" } });
  return { ...room, live, certificatesInUse: certificates };
};

test("a suspended domain keeps its certificate and its connections, and its visitors see the page over HTTPS", async () => {
  const { store, stageOf, live, certificatesInUse } = await suspend();
  expect(await stageOf(NAME)).toBe("suspended");
  expect(live).toBeDefined();
  expect(certificatesInUse.find(NAME)).toBe(live);
  const dropped: string[] = [];
  certificatesInUse.attach({ serverNames: () => [NAME], drop: (name) => void dropped.push(name) });
  certificatesInUse.withdraw();
  expect(dropped).toEqual([]);
  const redirect = await store.visit(`http://${NAME}/a`, { redirect: "manual" });
  expect(redirect.headers.get("location")).toBe(`https://${NAME}:8443/a`);
  const page = await store.visit(`https://${NAME}/a`);
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("is suspended")]);
});

test("a suspended domain loses its certificate when it is removed", async () => {
  const { api, certificatesInUse } = await suspend();
  await api("DELETE", `/domains/${NAME}`);
  expect(certificatesInUse.find(NAME)).toBeUndefined();
});

test("a suspended domain that waits for its certificate has none, and no redirect to HTTPS", async () => {
  const { store, verified, https } = await openIssuing();
  await verified(NAME);
  expect(https.certificates.find(NAME)).toBeUndefined();
  expect((await store.visit(`http://${NAME}/`)).status).toBe(503);
});
