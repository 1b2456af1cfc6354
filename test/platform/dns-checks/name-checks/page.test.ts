import { describe, expect, test } from "bun:test";
import type { Inspection } from "../../../../src/platform/dns-checks/inspect.ts";
import { Fault } from "../../../../src/lib/errors.ts";
import type { NameCheck } from "../../../../src/platform/dns-checks/name-checks/name-check.ts";
import { CHECK_PATH, checkPage } from "../../../../src/platform/dns-checks/name-checks/page-routes.ts";
import {
  KEYED_LIMITS,
  nameCheckService,
} from "../../../../src/platform/dns-checks/name-checks/name-check.ts";
import { dnsServer } from "../../../support/dns.ts";
import { openOnce, openStore, type StoreSettings } from "../../../support/store.ts";
import { ISSUER, TARGETS, zonesOf } from "../cases.ts";
import { makeProject, openFakeDns } from "../../domains/projects.ts";

const FORM = "application/x-www-form-urlencoded";

const openPage = async ({ env, ...settings }: StoreSettings = {}) => {
  const { fakeDns, inspect } = openFakeDns();
  const store = await openStore({
    ...(!settings.dns && { inspect }),
    ...settings,
    env: { PUBLIC_DOMAIN_CHECK: "on", PLATFORM_CNAME_TARGET: "pages.test", ...env },
  });
  const get = (query = "") => store.visit(`http://localhost${CHECK_PATH}${query}`);
  const post = (
    body: string | Uint8Array<ArrayBuffer> | Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    store.visit(`http://localhost${CHECK_PATH}`, {
      method: "POST",
      headers: { "content-type": FORM, ...headers },
      body:
        body instanceof Uint8Array || typeof body === "string" ? body : new URLSearchParams(body).toString(),
    });
  return { store, fakeDns, get, post };
};

const shared = openOnce(openPage);

test("the public page is off by default", async () => {
  const store = await openStore();
  expect((await store.visit(`http://localhost${CHECK_PATH}`)).status).toBe(404);
  expect((await store.visit(`http://localhost${CHECK_PATH}`, { method: "POST" })).status).toBe(404);
});

test("the public page shows a form with the name from its address, and starts no check", async () => {
  const { get, fakeDns } = await openPage();
  const response = await get("?hostname=docs.example.org&target=k3v.pages.test&other=1");
  expect(response.status).toBe(200);
  const page = await response.text();
  expect(page).toContain('value="docs.example.org"');
  expect(page).toContain('value="k3v.pages.test"');
  expect(page).not.toContain('id="result"');
  expect(fakeDns.asked).toEqual([]);
});

test("the public page needs no key and no script, and is not stored, indexed or framed", async () => {
  const { get, post } = shared();
  for (const response of [await get(), await post({ hostname: "docs.example.org" }), await post({})]) {
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(response.headers.get("set-cookie")).toBeNull();
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const part of [
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src|unsafe/);
    const page = await response.text();
    expect(page).not.toMatch(/<script|\son\w+=|javascript:|https?:/i);
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
    expect(policy).toContain(`'sha256-${hash}'`);
  }
});

test("the public page shows the verdict, who must act, the record and the queries", async () => {
  const { post } = shared();
  const page = await (await post({ hostname: " Docs.Example.org ", target: "k3v.pages.test" })).text();
  for (const part of [
    "docs.example.org does not have its records yet",
    "Who must act: the holder of the domain, in its DNS records.",
    "<code>k3v.pages.test</code>",
    "<dd>CNAME</dd>",
    "<summary>",
    'value="Docs.Example.org"',
  ])
    expect(page).toContain(part);
});

test("the public page is not served on the sites of projects", async () => {
  const { store } = await openPage({ env: { PLATFORM_DOMAIN: "sites.test" } });
  await makeProject(store, "docs");
  const address = `http://docs.sites.test${CHECK_PATH}`;
  expect((await store.visit(address)).status).toBe(404);
  const body = new URLSearchParams({ hostname: "docs.example.org" }).toString();
  const posted = await store.visit(address, { method: "POST", headers: { "content-type": FORM }, body });
  expect(posted.status).toBe(405);
  expect((await store.visit(`http://nowhere.example.org${CHECK_PATH}`)).status).toBe(421);
});

describe("the page says what is wrong", () => {
  const FOREIGN = "The target is not a target of this service";
  const hostname = "docs.example.org";

  test.each([
    ["no name", { hostname: "" }, 400, "The domain is empty."],
    ["an address", { hostname: "192.0.2.1" }, 400, "The domain is an IP address: a domain name is needed."],
    ["a name of the service", { hostname: "x.pages.test" }, 400, "own names"],
    ["a name that is too long", { hostname: "a".repeat(1000) }, 400, "The domain is too long"],
    ["a target elsewhere", { hostname, target: "victim.example.net" }, 400, FOREIGN],
    ["a target that ends like ours", { hostname, target: "evilpages.test" }, 400, FOREIGN],
    ["the domain of our targets", { hostname, target: "pages.test" }, 400, FOREIGN],
    ["a large form", { hostname: "a".repeat(5000) }, 413, "larger than 4096 bytes"],
  ] as const)("a form with %s is refused with the reason", async (_name, fields, status, says) => {
    const { post, fakeDns } = await openPage();
    const response = await post(fields);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(says);
    expect(fakeDns.asked).toEqual([]);
  });

  test("a body that is not a form is refused", async () => {
    const { post } = shared();
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
      expect((await post('{"hostname":"docs.example.org"}', { "content-type": type })).status).toBe(415);
  });

  test("a name that is not valid text is refused", async () => {
    const response = await shared().post(new Uint8Array([...Buffer.from("hostname=a"), 0xff, 0x00]));
    expect(response.status).toBe(400);
  });
});

const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;

test("hostile text that was typed, or given in the address, is shown as text", async () => {
  const { get, post } = shared();
  const pages = [
    await get(`?hostname=${encodeURIComponent(HOSTILE)}&target=${encodeURIComponent(HOSTILE)}`),
    await post({ hostname: HOSTILE, target: HOSTILE }),
    await post({ hostname: "docs.example.org", target: HOSTILE }),
  ];
  for (const response of pages) {
    const page = await response.text();
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain("&lt;script&gt;");
  }
});

test("hostile text from name servers is shown as text", () => {
  const question = {
    server: HOSTILE,
    name: HOSTILE,
    type: HOSTILE,
    recursive: false,
    transport: "udp" as const,
    outcome: HOSTILE,
    detail: HOSTILE,
    records: [HOSTILE],
    milliseconds: 1,
    command: HOSTILE,
  };
  const record = {
    type: "CNAME",
    name: HOSTILE,
    value: HOSTILE,
    ttl: 3600,
    terraform: "",
    note: HOSTILE,
  } as const;
  const page = checkPage({
    hostname: HOSTILE,
    target: HOSTILE,
    problem: HOSTILE,
    result: {
      hostname: HOSTILE,
      unicode: HOSTILE,
      verdict: "wrong",
      message: HOSTILE,
      record,
      findings: [
        {
          kind: "no_record",
          name: HOSTILE,
          isHint: false,
          title: HOSTILE,
          message: HOSTILE,
          responsible: "holder",
        },
      ],
      trace: {
        target: HOSTILE,
        nameServers: [HOSTILE],
        chain: [HOSTILE],
        targetAddresses: [],
        caa: [HOSTILE],
        questions: [question],
      },
    },
  });
  expect(page).not.toMatch(/<script|<img/);
  // Quotes that could end an attribute are escaped too.
  expect(page.replaceAll(/<style>.*<\/style>/gs, "").match(/="[^"]*<[^"]*"/)).toBeNull();
});

test.each(["cross-site", "same-site", "none"])(
  "a check that a page of another site starts is refused: Sec-Fetch-Site %s",
  async (site) => {
    const { post, fakeDns } = await openPage();
    const response = await post({ hostname: "docs.example.org" }, { "sec-fetch-site": site });
    expect(response.status).toBe(403);
    expect(fakeDns.asked).toEqual([]);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  },
);

test("a check is allowed from the page itself, and without a browser", async () => {
  const { post, fakeDns } = await openPage();
  expect((await post({ hostname: "a.example.org" }, { "sec-fetch-site": "same-origin" })).status).toBe(200);
  expect((await post({ hostname: "b.example.org" })).status).toBe(200);
  expect(fakeDns.asked.length).toBe(2);
});

test("a client has 10 checks a minute, and a /64 of IPv6 is one client", async () => {
  let peer = "2001:db8:1:2::1";
  const { post } = await openPage({ peerOf: () => peer });
  const results: number[] = [];
  for (let at = 0; at < 11; at++) {
    peer = `2001:db8:1:2::${at + 1}`;
    const response = await post({ hostname: `docs.example${at}.org` });
    results.push(response.status);
    if (at === 10) {
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await response.text()).toContain("Too many checks: 10 in 60 s are allowed");
    }
  }
  expect(results).toEqual([...Array(10).fill(200), 429]);
  peer = "2001:db8:1:3::1";
  expect((await post({ hostname: "docs.example.net" })).status).toBe(200);
});

test("wrong names count for the client too", async () => {
  const { post } = await openPage();
  for (let at = 0; at < 10; at++) expect((await post({ hostname: "?" })).status).toBe(400);
  expect((await post({ hostname: "docs.example.org" })).status).toBe(429);
});

test("a client that uses up its checks of a registered domain leaves some to the others", async () => {
  let peer = "192.0.2.1";
  const { post } = await openPage({ peerOf: () => peer });
  for (let at = 0; at < 12; at++) await post({ hostname: `n${at}.shelter.org` });
  expect((await post({ hostname: "n12.shelter.org" })).status).toBe(429);
  peer = "192.0.2.2";
  expect((await post({ hostname: "n12.shelter.org" })).status).toBe(200);
});

test("checks beyond a client's share of a registered domain do not count against the domain", async () => {
  const asked: string[] = [];
  const checks = nameCheckService({
    check: async ({ hostname }) => {
      asked.push(hostname.ascii);
      return {} as NameCheck;
    },
    reservedNames: { zones: [], hosts: [] },
    limits: {
      ...KEYED_LIMITS,
      perDomain: { requests: 3, seconds: 600 },
      perDomainAndClient: { requests: 2, seconds: 600 },
    },
    isUrgent: false,
    clock: { now: () => 0 },
  });
  const outcomeFor = async (name: string, client: string): Promise<string> => {
    try {
      await checks.check({ hostname: `${name}.shelter.org`, target: undefined }, client);
      return "checked";
    } catch (error) {
      return error instanceof Fault ? error.message.replace(/;.*/, "") : String(error);
    }
  };
  const ofClient = "Too many checks of this domain: 2 in 600 s are allowed";
  const results: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) results.push(await outcomeFor(name, "greedy"));
  results.push(await outcomeFor("f", "other"), await outcomeFor("g", "third"));
  expect(results).toEqual([
    "checked",
    "checked",
    ofClient,
    ofClient,
    ofClient,
    "checked",
    "Too many checks of this domain: 3 in 600 s are allowed",
  ]);
  expect(asked).toEqual(["a.shelter.org", "b.shelter.org", "f.shelter.org"]);
});

test("the names below one registered domain have 60 checks in 10 minutes, for all clients together", async () => {
  let at = 0;
  const { post, fakeDns } = await openPage({ peerOf: () => `192.0.2.${at}` });
  const results: number[] = [];
  for (; at < 62; at++) results.push((await post({ hostname: `n${at}.victim.org` })).status);
  expect(results).toEqual([...Array(60).fill(200), 429, 429]);
  expect(fakeDns.asked.length).toBe(60);
});

test("all clients together have 60 checks a minute", async () => {
  let at = 0;
  const { post, fakeDns } = await openPage({ peerOf: () => `192.0.2.${at}` });
  const results: number[] = [];
  for (; at < 62; at++) results.push((await post({ hostname: `docs.example${at}.org` })).status);
  expect(results).toEqual([...Array(60).fill(200), 429, 429]);
  expect(fakeDns.asked.length).toBe(60);
});

test("4 checks run at a time, and further ones are refused", async () => {
  let at = 0;
  const { post, fakeDns } = await openPage({ peerOf: () => `192.0.2.${at}` });
  const { promise, resolve } = Promise.withResolvers<void>();
  fakeDns.delay = () => promise;
  const running: Promise<Response>[] = [];
  for (; at < 4; at++) {
    running.push(post({ hostname: `docs.example${at}.org` }));
    while (fakeDns.asked.length <= at) await Bun.sleep(1);
  }
  const refused = await post({ hostname: "docs.example.net" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  resolve();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(4).fill(200));
});

test("2 checks of one client run at a time, so that slow name servers of one do not keep the others out", async () => {
  let peer = "192.0.2.1";
  const { post, fakeDns } = await openPage({ peerOf: () => peer });
  const { promise, resolve } = Promise.withResolvers<void>();
  fakeDns.delay = () => promise;
  const running = [post({ hostname: "docs.slow1.org" }), post({ hostname: "docs.slow2.org" })];
  while (fakeDns.asked.length < 2) await Bun.sleep(1);
  expect((await post({ hostname: "docs.slow3.org" })).status).toBe(503);
  running.push(post({ hostname: "docs.slow1.org" }));
  peer = "192.0.2.2";
  running.push(post({ hostname: "docs.example.org" }));
  while (fakeDns.asked.length < 3) await Bun.sleep(1);
  resolve();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(4).fill(200));
});

test("a result is kept for 30 seconds, and requested only once in that time", async () => {
  const { post, store, fakeDns } = await openPage();
  const name = { hostname: "docs.example.org" };
  await post(name);
  store.clock.advance(29_000);
  await post({ hostname: "DOCS.example.org." });
  expect(fakeDns.asked.length).toBe(1);
  await post({ ...name, target: "k3v.pages.test" });
  expect(fakeDns.asked.length).toBe(2);
  store.clock.advance(1000);
  await post(name);
  expect(fakeDns.asked.length).toBe(3);
});

test("queries of the public page are never urgent, and those of a key are", async () => {
  const urgent: boolean[] = [];
  const { inspect } = openFakeDns();
  const { post, store } = await openPage({
    inspect: async (hostname, target, options): Promise<Inspection> => {
      urgent.push(options.isUrgent());
      return inspect(hostname, target, options);
    },
  });
  await post({ hostname: "docs.example.org" });
  await store.call("POST", "/platform/domain-checks", { json: { hostname: "docs.example.org" } });
  expect(urgent).toEqual([false, true]);
});

test("checks that hang delay no verification", async () => {
  const names = Array.from({ length: 4 }, (_, index) => `docs.hang${index}.test`);
  const targets = names.map((_, index) => `hang${index}.pages.test`);
  const zones = zonesOf(TARGETS);
  using dns = await dnsServer({ zones });
  using resolver = await dnsServer({ zones, cache: { zones: {}, names: [] } });
  for (const name of [...names, ...targets]) resolver.behaviours.set(name, "silent");
  const { store, post } = await openPage({
    dns: { timeoutMs: 3000, attempts: 1 },
    env: {
      DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
      DNS_PORT: String(dns.server.port),
      DNS_PRIVATE: "yes",
      CAA_ISSUERS: ISSUER,
    },
  });
  await makeProject(store, "docs");
  await store.call("POST", "/platform/projects/docs/domains", { json: { hostname: "right.example.test" } });
  const checks = names.map((hostname, at) => post({ hostname, target: targets[at] ?? "" }));
  const hanging = () => resolver.questions.filter(({ name }) => name.includes("hang")).length;
  while (hanging() < 5) await Bun.sleep(5);
  store.clock.advance(60_000);
  const startedAt = performance.now();
  await store.domainScheduler.tick();
  const path = "/platform/projects/docs/domains/right.example.test";
  const isChecked = async () => "checkedAt" in ((await (await store.call("GET", path)).json()) as object);
  while (!(await isChecked())) await Bun.sleep(10);
  expect(performance.now() - startedAt).toBeLessThan(2000);
  await Promise.all(checks);
}, 30_000);
