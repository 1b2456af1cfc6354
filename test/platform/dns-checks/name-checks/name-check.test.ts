import { expect, test } from "bun:test";
import type { Inspection } from "../../../../src/platform/dns-checks/inspect.ts";
import { dnsServer } from "../../../support/dns.ts";
import { faultOf, messageOf, openOnce, openStore, type StoreSettings } from "../../../support/store.ts";
import { ISSUER, TARGETS, zonesOf } from "../cases.ts";
import { makeProject, openFakeDns } from "../../domains/projects.ts";

interface WireCheck {
  hostname: string;
  unicode: string;
  verdict: string;
  message: string;
  record?: { type: string; name: string; value: string; terraform: string; proof?: object };
  guide?: { provider: string; steps: string[] };
  findings: { kind: string; message: string; [field: string]: unknown }[];
  trace: { target: string; zone?: string; questions: { command?: string; name: string; outcome: string }[] };
}

const ZONES = {
  ...zonesOf(TARGETS),
  "cloud.test": ["cloud.test NS ada.ns.cloudflare.com"],
  "cloudflare.com": ["cloudflare.com NS ada.ns.cloudflare.com", "ada.ns.cloudflare.com A 127.0.0.1"],
  "mine.test": [
    "mine.test NS ns.mine.test",
    "ns.mine.test A 127.0.0.1",
    "a.mine.test A 203.0.113.7",
    "elsewhere.mine.test CNAME sites.other.test",
    "here.mine.test CNAME k3v.pages.test",
    "hostile.mine.test CNAME $(reboot).mine.test",
  ],
};

/** The service over name servers on loopback. */
const openChecks = async (settings: StoreSettings = {}) => {
  const authority = await dnsServer({ zones: ZONES });
  const resolver = await dnsServer({ zones: ZONES, cache: { zones: {}, names: [] } });
  const env = {
    DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
    DNS_PORT: String(authority.server.port),
    DNS_PRIVATE: "yes",
    CAA_ISSUERS: ISSUER,
    PLATFORM_CNAME_TARGET: "pages.test",
  };
  const store = await openStore({ ...settings, env: { ...env, ...settings.env } });
  const send = (json: object) => store.call("POST", "/platform/domain-checks", { json });
  const check = async (hostname: string, target?: string) =>
    (await (await send({ hostname, ...(target !== undefined && { target }) })).json()) as WireCheck;
  return { store, authority, resolver, send, check };
};

const shared = openOnce(openChecks);

const USUAL = TARGETS.usual;

test.each([
  ["right.example.test", "right", []],
  ["docs.example.test", "missing", ["no_record"]],
  ["blocked.example.test", "wrong", ["conflicting_record"]],
  ["wrong.example.test", "wrong", ["wrong_target"]],
  ["flat.test", "right", []],
  ["docs.nowhere.test", "unregistered", ["registration_expired"]],
  ["docs.proxied.test", "wrong", ["proxied"]],
  ["docs.wild.test", "wrong", ["wildcard_record"]],
  ["docs.slow.test", "right", ["long_ttl"]],
  ["docs.strict.example.test", "blocked", ["caa_forbids"]],
  ["mailed.example.test", "wrong", ["conflicting_record", "conflicting_record"]],
  ["away.example.test", "wrong", ["delegated_away"]],
])("with a target %s is %s", async (hostname, verdict, kinds) => {
  const found = await shared().check(hostname, USUAL);
  expect({ verdict: found.verdict, kinds: found.findings.map(({ kind }) => kind) }).toEqual({
    verdict,
    kinds,
  });
  expect(found.record).toMatchObject({ value: USUAL });
});

test("with a target the response has the record, the zone, and a command for each query", async () => {
  const { record, trace, message } = await shared().check("Docs.example.test.", USUAL);
  expect(record).toMatchObject({ type: "CNAME", name: "docs", value: USUAL });
  expect(trace).toMatchObject({ target: USUAL, zone: "example.test" });
  expect(message).toStartWith("docs.example.test does not have its records yet");
  expect(trace.questions.map(({ command }) => command)).toContain(
    `dig @127.0.0.1 -p ${shared().authority.server.port} docs.example.test. CNAME +norecurse +noadflag +nocookie`,
  );
});

test("with a target an apex gets the TXT record too", async () => {
  const { record } = await shared().check("example.test", USUAL);
  expect(record).toMatchObject({ type: "ALIAS", name: "@", proof: { type: "TXT", value: USUAL } });
});

test("with a target the record comes with the steps and the Terraform block of the zone's provider", async () => {
  const { guide, record } = await shared().check("docs.cloud.test", USUAL);
  expect(guide?.provider).toBe("Cloudflare");
  expect(guide?.steps).toContain("Enter docs in the field Name.");
  expect(record?.terraform).toStartWith('resource "cloudflare_dns_record" "docs_cloud_test"');
  expect(await shared().check("docs.example.test", USUAL)).not.toHaveProperty("guide");
});

test("with a target a name that only some servers have is spreading", async () => {
  const { fakeDns, inspect } = openFakeDns();
  fakeDns.findings = [{ kind: "not_propagated", name: "docs.example.org", server: "192.0.2.53" }];
  const store = await openStore({ inspect });
  const answer = await store.call("POST", "/platform/domain-checks", {
    json: { hostname: "docs.example.org", target: "k3v.cname.example.net" },
  });
  expect(await answer.json()).toMatchObject({ verdict: "spreading" });
});

test.each([
  ["free.mine.test", "free", []],
  ["a.mine.test", "in_use", ["conflicting_record"]],
  ["elsewhere.mine.test", "in_use", ["wrong_target"]],
  ["here.mine.test", "points_here", []],
  ["flat.test", "in_use", ["wrong_target"]],
  ["mine.test", "free", []],
  ["docs.strict.example.test", "points_here", ["caa_forbids"]],
  ["new.strict.example.test", "blocked", ["caa_forbids"]],
  ["docs.nowhere.test", "unregistered", ["registration_expired"]],
  ["docs.proxied.test", "in_use", ["proxied"]],
  ["docs.wild.test", "in_use", ["wildcard_record"]],
  ["texted.example.test", "in_use", ["conflicting_record"]],
  ["away.example.test", "wrong", ["delegated_away"]],
])("without a target %s is %s", async (hostname, verdict, kinds) => {
  const found = await shared().check(hostname);
  expect({ verdict: found.verdict, kinds: found.findings.map(({ kind }) => kind) }).toEqual({
    verdict,
    kinds,
  });
  expect(found).not.toHaveProperty("record");
});

test("without a target a finding names the existing record, and no value that is not known yet", async () => {
  const { findings } = await shared().check("a.mine.test");
  expect(findings).toEqual([
    {
      kind: "conflicting_record",
      name: "a.mine.test",
      type: "A",
      found: ["203.0.113.7"],
      isHint: false,
      title: "An A record of a.mine.test is in the way",
      message: "a.mine.test has an A record (203.0.113.7): replace it with the CNAME.",
      responsible: "holder",
    },
  ]);
  const [text] = (await shared().check("texted.example.test")).findings;
  expect(text?.message).toBe(
    "texted.example.test has a TXT record (site-verification=1): replace it with the CNAME. If another service still uses this record, choose another name for the site.",
  );
  const [apex] = (await shared().check("flat.test")).findings;
  expect(apex).toMatchObject({ found: ["192.0.2.81", "2001:db8::80"] });
  expect(apex).not.toHaveProperty("expected");
});

test("a name whose servers are silent is unknown, which is no failure of the name", async () => {
  const { fakeDns, inspect } = openFakeDns("unreachable");
  const store = await openStore({ inspect });
  for (const target of [undefined, "k3v.cname.example.net"]) {
    const json = { hostname: "docs.example.org", ...(target !== undefined && { target }) };
    const answer = await store.call("POST", "/platform/domain-checks", { json });
    expect(await answer.json()).toMatchObject({ verdict: "unknown", findings: [{ kind: "unreachable" }] });
  }
  expect(fakeDns.asked.length).toBe(2);
});

test("a hostile name in the DNS gets no command", async () => {
  const { trace } = await shared().check("hostile.mine.test");
  const hostile = trace.questions.filter(({ name }) => name.includes("$"));
  expect(hostile.length).toBeGreaterThan(0);
  expect(hostile.every(({ command }) => command === undefined)).toBe(true);
  for (const { command = "" } of trace.questions) expect(command).toMatch(/^[a-zA-Z0-9 @.:_+-]*$/);
});

test.each([
  [{ hostname: "192.0.2.1" }, "hostname: is an IP address"],
  [{ hostname: "*.example.org" }, "hostname: has a *"],
  [{ hostname: "co.uk" }, "hostname: is a public suffix"],
  [{ hostname: "x.pages.test" }, "hostname: is one of this service's own names"],
  [{ hostname: "printer.local" }, "hostname: is a special-use name"],
  [{ hostname: "$(reboot).example.org" }, "hostname: is not a host name"],
  [{ hostname: "docs.example.org", target: "127.0.0.1" }, "target: is an IP address"],
  [{ hostname: "docs.example.org", target: "-f/etc/passwd" }, "target: is not a host name"],
  [{ hostname: "docs.example.org", target: "DOCS.example.org." }, "target: is the name itself"],
  [{ hostname: "docs.example.org", target: null }, "target: must be a string"],
  [{ hostname: "" }, "hostname: must be a string of 1 to 1000 characters"],
  [{}, "hostname: is required"],
  [{ hostname: "docs.example.org", project: "docs" }, "project"],
])("%j is refused: %s", async (json, says) => {
  const { send } = shared();
  const answer = await send(json);
  expect(answer.status).toBe(400);
  expect(await messageOf(answer)).toContain(says);
});

test("a domain that was checked has the guide of its zone too", async () => {
  const { store } = await openChecks();
  await makeProject(store, "docs");
  const path = "/platform/projects/docs/domains";
  const added = await store.call("POST", path, { json: { hostname: "docs.cloud.test" } });
  expect(await added.json()).not.toHaveProperty("guide");
  const verified = await store.call("POST", `${path}/docs.cloud.test/verify`);
  expect(await verified.json()).toMatchObject({
    guide: { provider: "Cloudflare" },
    record: { terraform: expect.stringContaining("cloudflare_dns_record") },
    trace: {
      questions: expect.arrayContaining(
        [{ command: expect.stringMatching(/^dig @/) }].map(expect.objectContaining),
      ),
    },
  });
});

test("a check needs platform:read, and stores nothing", async () => {
  const { store, check } = await openChecks();
  const changes = () => store.database.client.query("SELECT total_changes() AS n").get();
  const reader = await store.createKey({ scopes: ["platform:read"] });
  const other = await store.createKey({ scopes: ["pets:read"] });
  const json = { hostname: "docs.example.test" };
  const path = "/platform/domain-checks";
  expect((await store.call("POST", path, { json, key: other })).status).toBe(403);
  expect((await store.call("POST", path, { json, key: false })).status).toBe(401);
  const before = changes();
  const answer = await store.call("POST", path, { json, key: reader });
  expect([answer.status, answer.headers.get("x-stability")]).toEqual([200, "beta"]);
  await check("docs.example.test", USUAL);
  expect(changes()).toEqual(before);
});

test("the servers of a zone at private addresses get no query", async () => {
  const { authority, check } = await openChecks({ env: { DNS_PRIVATE: "no" } });
  for (const [name, target] of [
    ["right.example.test", USUAL],
    ["flat.test", USUAL],
    ["flat.test"],
    ["docs.nowhere.test"],
  ] as const) {
    const { findings, trace } = await check(name, target);
    if (name !== "docs.nowhere.test")
      expect(findings.map(({ message }) => message).join()).toContain("not a public address");
    expect(trace.questions.length).toBeGreaterThan(5);
  }
  expect(authority.questions).toEqual([]);
});

test("the servers of a zone get queries for at most 30 checks of a registered domain a minute, regardless of the name below it", async () => {
  const { fakeDns, inspect } = openFakeDns();
  const { send } = await openChecks({ inspect });
  const results: number[] = [];
  for (let at = 0; at < 32; at++) results.push((await send({ hostname: `n${at}.example.org` })).status);
  expect(results).toEqual([...Array(30).fill(200), 429, 429]);
  expect(fakeDns.asked.length).toBe(30);
  expect(await faultOf(await send({ hostname: "example.org" }))).toBe("429 rate_limited");
  expect((await send({ hostname: "example.net" })).status).toBe(200);
});

test("the servers of a zone get one query for concurrent checks of the same name and target", async () => {
  const { fakeDns, inspect } = openFakeDns();
  const { promise, resolve } = Promise.withResolvers<void>();
  fakeDns.delay = () => promise;
  const { send } = await openChecks({ inspect });
  const same = Array.from({ length: 5 }, () => send({ hostname: "docs.example.org" }));
  const other = send({ hostname: "docs.example.org", target: USUAL });
  while (fakeDns.asked.length < 2) await Bun.sleep(1);
  resolve();
  const statuses = (await Promise.all([...same, other])).map(({ status }) => status);
  expect([statuses, fakeDns.asked.length]).toEqual([Array(6).fill(200), 2]);
});

test("the servers of a zone get queries for 16 checks at a time, and further checks are refused", async () => {
  const { fakeDns, inspect } = openFakeDns();
  const { promise, resolve } = Promise.withResolvers<void>();
  fakeDns.delay = () => promise;
  const { send } = await openChecks({ inspect });
  const running = Array.from({ length: 16 }, (_, index) => send({ hostname: `docs.example${index}.org` }));
  while (fakeDns.asked.length < 16) await Bun.sleep(1);
  const refused = await send({ hostname: "docs.example.net" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  resolve();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect((await send({ hostname: "docs.example.net" })).status).toBe(200);
});

test("findings of a check without a target keep the other findings of the inspection", async () => {
  const { fakeDns, inspect } = openFakeDns("records_wrong");
  const odd = { kind: "caa_forbids", name: "example.org", found: ['0 issue ";"'], expected: ["ca.test"] };
  fakeDns.findings = [odd] as Inspection["findings"];
  const store = await openStore({ inspect });
  const answer = await store.call("POST", "/platform/domain-checks", {
    json: { hostname: "docs.example.org" },
  });
  expect(await answer.json()).toMatchObject({ verdict: "wrong", findings: [odd] });
});
