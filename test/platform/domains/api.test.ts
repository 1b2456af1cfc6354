import { describe, expect, test } from "bun:test";
import { domainChecks } from "../../../src/platform/domains/checks.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { MAX_EVENTS } from "../../../src/platform/domains/repository.ts";
import { domainRepository } from "../../../src/platform/domains/repository.ts";
import { stageRepository } from "../../../src/platform/domains/stage-repository.ts";
import { MAX_DOMAINS, domainService } from "../../../src/platform/domains/service.ts";
import { rateLimiter } from "../../../src/lib/rate-limiter.ts";
import { faultOf, messageOf, openOnce, temporaryDirectory } from "../../support/store.ts";
import { type WireDomain, makeProject, openProject, openFakeDns } from "./projects.ts";

const TARGET = /^[a-z2-7]{20}\.cname\.localhost$/;

const shared = openOnce(openProject);

describe("a domain that is added", () => {
  test("waits, is the project's primary one, and says which record to create", async () => {
    const { add, show, store } = await openProject();
    const answer = await add("Docs.Example.ORG.");
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe("/platform/projects/docs/domains/docs.example.org");
    expect(answer.headers.get("x-stability")).toBe("beta");
    const domain = (await answer.json()) as WireDomain;
    const { target } = await store.projects
      .get("docs")
      .then(({ targetLabel }) => ({ target: `${targetLabel}.cname.localhost` }));
    expect(target).toMatch(TARGET);
    expect(domain).toEqual({
      hostname: "docs.example.org",
      unicode: "docs.example.org",
      project: "docs",
      stage: "awaiting_dns",
      role: "primary",
      record: {
        type: "CNAME",
        name: "docs",
        value: target,
        ttl: 3600,
        bind: `docs.example.org. 3600 IN CNAME ${target}.`,
        terraform: [
          'resource "dns_cname_record" "docs_example_org" {',
          '  zone  = "example.org."',
          '  name  = "docs"',
          `  cname = "${target}."`,
          "  ttl   = 3600",
          "}",
        ].join("\n"),
      },
      ownershipRecord: {
        type: "TXT",
        name: "_adoption-store.docs",
        value: target,
        ttl: 3600,
        bind: `_adoption-store.docs.example.org. 3600 IN TXT "${target}"`,
        terraform: expect.stringContaining(`"_adoption-store.docs"`),
        note: expect.stringContaining("create this record first"),
      },
      findings: [],
      createdAt: "2026-11-20T00:00:00.000Z",
      nextCheckAt: "2026-11-20T00:00:10.000Z",
    });
    expect(await show("docs.example.org")).toEqual(domain);
  });

  test("as an apex needs an ALIAS, with the note that ANAME serves too", async () => {
    const { add } = await openProject();
    const { record } = (await (await add("example.org")).json()) as WireDomain;
    expect(record).toMatchObject({ type: "ALIAS", name: "@", ttl: 3600 });
    expect(record["note"]).toContain("ANAME");
    expect(record["note"]).toContain("If your DNS provider has neither");
    expect(record["terraform"]).toContain('type      = "ALIAS"');
    expect(record).not.toHaveProperty("bind");
  });

  test("with U-labels is shown in both forms, and found by either in any case", async () => {
    const { add, show, api } = await openProject();
    const answer = await add("B\u00fccher.example.org");
    expect(answer.headers.get("location")).toEndWith("/domains/xn--bcher-kva.example.org");
    const domain = (await answer.json()) as WireDomain;
    expect(domain).toMatchObject({
      hostname: "xn--bcher-kva.example.org",
      unicode: "b\u00fccher.example.org",
    });
    expect(domain.record).toMatchObject({ name: "xn--bcher-kva" });
    for (const name of ["b\u00fccher.example.org", "B%C3%9CCHER.example.org", "XN--BCHER-KVA.Example.org."])
      expect(await show(name)).toEqual(domain);
    expect((await api("DELETE", "/domains/b%C3%BCcher.example.org")).status).toBe(204);
  });

  test("a second time is returned unchanged, without an event", async () => {
    const { add, events } = await openProject();
    const first = await (await add("docs.example.org")).json();
    const again = await add("DOCS.example.org");
    expect(again.status).toBe(200);
    expect(again.headers.has("location")).toBe(false);
    expect(await again.json()).toEqual(first);
    expect(await events("docs.example.org")).toEqual(["added awaiting_dns"]);
  });

  test("as a second one is served, not primary", async () => {
    const { add } = await openProject();
    await add("docs.example.org");
    expect(await (await add("www.example.org")).json()).toMatchObject({ role: "served" });
  });

  test("at 64 times at once is one domain, and one event", async () => {
    const { add, events } = await openProject();
    const answers = await Promise.all(Array.from({ length: 64 }, () => add("docs.example.org")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(63).fill(200), 201]);
    expect(await events("docs.example.org")).toEqual(["added awaiting_dns"]);
  });

  test.each([
    ["192.0.2.1", "is an IP address"],
    ["[2001:db8::1]", "is an IP address"],
    ["*.example.org", "is a wildcard"],
    ["localhost", "has only one label"],
    ["co.uk", "is a public suffix"],
    ["github.io", "is a public suffix"],
    ["https://docs.example.org/", "is not a host name"],
    ["docs.example.org:80", "is not a host name"],
    ["_dmarc.example.org", "has an underscore"],
    [" ", "is empty"],
    [`${"a".repeat(64)}.example.org`, "is too long"],
    ["docs.localhost", "one of this service's own names"],
    ["x.cname.localhost", "one of this service's own names"],
    ["printer.local", "is a special-use name"],
    ["docs.internal", "is a special-use name"],
    ["x.facebookcorewwwi.onion", "is a special-use name"],
  ])("as %s is refused: %s", async (hostname, reason) => {
    const { add } = shared();
    const answer = await add(hostname);
    expect(answer.status).toBe(400);
    const message = await messageOf(answer);
    expect(message).toStartWith("hostname: ");
    expect(message).toContain(reason);
  });

  test.each([
    "sites.example.com",
    "a.sites.example.com",
    "edge.example.net",
    "x.edge.example.net",
    "adopt.example.com",
    "api.example.com",
    "staging.example.com",
    "example.com",
    "example.net",
  ])("as %s is refused where the service itself has that name", async (hostname) => {
    const { add } = await openProject({
      env: {
        PLATFORM_DOMAIN: "sites.example.com",
        PLATFORM_CNAME_TARGET: "edge.example.net",
        BASE_URL: "https://adopt.example.com",
        STAGING_BASE_URL: "https://staging.example.com",
        API_HOSTS: "api.example.com",
      },
    });
    expect(await faultOf(await add(hostname))).toBe("400 invalid_request");
    expect((await add("www.example.com")).status).toBe(201);
  });

  test.each<[what: string, json: unknown]>([
    ["without hostname", {}],
    ["with a number", { hostname: 7 }],
    ["with an empty text", { hostname: "" }],
    ["with a field more", { hostname: "docs.example.org", stage: "live" }],
    ["that is a list", []],
    ["that is a text", "docs.example.org"],
    ["with a text without end", { hostname: "a.".repeat(2000) }],
  ])("in a body %s is refused", async (_, json) => {
    const { api } = shared();
    expect(await faultOf(await api("POST", "/domains", { json }))).toBe("400 invalid_request");
  });

  test(`beyond ${MAX_DOMAINS} is refused, also when all are added at once`, async () => {
    const { add, api } = await openProject();
    const names = Array.from({ length: MAX_DOMAINS + 5 }, (_, index) => `d${index}.example.org`);
    const answers = await Promise.all(names.map((name) => add(name)));
    expect(answers.filter(({ status }) => status === 201).length).toBe(MAX_DOMAINS);
    const refused = answers.find(({ status }) => status !== 201);
    expect(await faultOf(refused as Response)).toBe("409 domain_limit_reached");
    const [one] = (await (await api("GET", "/domains?limit=1")).json()) as WireDomain[];
    await api("DELETE", `/domains/${one?.hostname}`);
    expect((await add("last.example.org")).status).toBe(201);
  });
});

describe("a requested check", () => {
  test("finds the records right: the domain is verified and live over HTTP, at once", async () => {
    const { add, verify, fakeDns, history, show, store } = await openProject();
    await add("docs.example.org");
    store.clock.advance(5000);
    fakeDns.outcome = "records_right";
    const answer = await verify("docs.example.org");
    expect(answer.status).toBe(200);
    const domain = (await answer.json()) as WireDomain;
    const at = "2026-11-20T00:00:05.000Z";
    expect(domain).toMatchObject({ stage: "live", findings: [], checkedAt: at, verifiedAt: at, liveAt: at });
    expect(domain.trace).toMatchObject({ questions: [] });
    expect(await show("docs.example.org")).toEqual(domain);
    expect(await history("docs.example.org")).toEqual([
      { at, actor: "key", key: 1, name: "all", event: "served_over_http", stage: "live", findings: [] },
      { at, actor: "key", key: 1, name: "all", event: "records_right", stage: "verified", findings: [] },
      {
        at: "2026-11-20T00:00:00.000Z",
        actor: "key",
        key: 1,
        name: "all",
        event: "added",
        stage: "awaiting_dns",
        findings: [],
      },
    ]);
    expect(await (await store.visit("http://docs.example.org/")).text()).toBe("<h1>Docs</h1>");
  });

  test("adds no event if it finds what the last one found, whoever requests it, in any order", async () => {
    const { add, verify, fakeDns, events, store } = await openProject();
    await add("docs.example.org");
    const seen = ["added awaiting_dns", "records_missing awaiting_dns"];
    for (let at = 0; at < 5; at++) await verify("docs.example.org");
    expect(await events("docs.example.org")).toEqual(seen);
    store.clock.advance(60_000);
    fakeDns.outcome = "unreachable";
    const silent = (server: string) =>
      ({ kind: "unreachable", name: "docs.example.org", server, reason: "timeout" }) as const;
    for (let at = 0; at < 3; at++) {
      const servers = at % 2 === 0 ? ["192.0.2.53", "192.0.2.54"] : ["192.0.2.54", "192.0.2.53"];
      fakeDns.findings = servers.map(silent);
      await verify("docs.example.org");
    }
    fakeDns.findings = undefined;
    expect(await events("docs.example.org")).toEqual([...seen, "unreachable awaiting_dns"]);
    store.clock.advance(60_000);
    fakeDns.outcome = "records_right";
    for (let at = 0; at < 5; at++) await verify("docs.example.org");
    const live = ["records_right verified", "served_over_http live"];
    expect(await events("docs.example.org")).toEqual([...seen, "unreachable awaiting_dns", ...live]);
  });

  test("finds a conflict, and says what to do", async () => {
    const { add, verify, fakeDns } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_wrong";
    const domain = (await (await verify("docs.example.org")).json()) as WireDomain;
    expect(domain.stage).toBe("dns_conflict");
    expect(domain.findings).toEqual([
      {
        kind: "conflicting_record",
        name: "docs.example.org",
        type: "A",
        found: ["203.0.113.7"],
        expected: ["target"],
        message:
          "docs.example.org has an A record (203.0.113.7) where the CNAME belongs: delete it, and create a CNAME with the value target.",
        responsible: "holder",
        isHint: false,
        title: "An A record of docs.example.org is in the way",
        changes: [
          {
            action: "delete",
            type: "A",
            name: "docs",
            fullName: "docs.example.org",
            found: ["203.0.113.7"],
          },
          {
            action: "create",
            type: "CNAME",
            name: "docs",
            fullName: "docs.example.org",
            value: "target",
          },
        ],
      },
    ]);
  });

  test("without responses keeps the stage", async () => {
    const { add, verify, fakeDns, events } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_wrong";
    await verify("docs.example.org");
    fakeDns.outcome = "unreachable";
    const domain = (await (await verify("docs.example.org")).json()) as WireDomain;
    expect(domain).toMatchObject({ stage: "dns_conflict", findings: [{ kind: "unreachable" }] });
    expect((await events("docs.example.org")).at(-1)).toBe("unreachable dns_conflict");
  });

  test("requested 8 times at once queries the DNS once, and all get its result", async () => {
    const { add, verify, fakeDns } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    fakeDns.delay = () => Bun.sleep(20);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify("docs.example.org")));
    for (const answer of answers) expect(await answer.json()).toMatchObject({ stage: "live" });
    expect(fakeDns.asked.length).toBe(1);
  });

  test("more than 10 times in a minute is refused with Retry-After, and another domain's is not", async () => {
    const { add, api, verify } = await openProject();
    await add("docs.example.org");
    await add("www.example.org");
    for (let at = 0; at < 10; at++) expect((await verify("docs.example.org")).status).toBe(200);
    // Nor is it counted anew for being removed and added again.
    await api("DELETE", "/domains/docs.example.org");
    await add("docs.example.org");
    const answer = await verify("docs.example.org");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await faultOf(answer)).toBe("429 rate_limited");
    expect((await verify("www.example.org")).status).toBe(200);
  });

  test("of a domain that is removed meanwhile changes nothing", async () => {
    const { add, verify, fakeDns, api, events } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    fakeDns.delay = async () => void (await api("DELETE", "/domains/docs.example.org"));
    expect(await faultOf(await verify("docs.example.org"))).toBe("404 not_found");
    expect(await events("docs.example.org")).toEqual(["added awaiting_dns", "removed removed"]);
  });

  test("while the domain is removed and added again does not count for the new one", async () => {
    const { add, verify, fakeDns, api } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    fakeDns.delay = async () => {
      await api("DELETE", "/domains/docs.example.org");
      await add("docs.example.org");
    };
    expect(await (await verify("docs.example.org")).json()).toMatchObject({ stage: "awaiting_dns" });
  });

  test("that another process's check overtook changes nothing", async () => {
    const path = `${temporaryDirectory()}/store.db`;
    const { add, verify, fakeDns, show, store } = await openProject({ path });
    await add("docs.example.org");
    const beside = await openProject({ path, clock: store.clock });
    beside.fakeDns.outcome = "records_right";
    fakeDns.outcome = "records_wrong";
    fakeDns.delay = async () => void (await beside.verify("docs.example.org"));
    expect(await (await verify("docs.example.org")).json()).toMatchObject({ stage: "live", findings: [] });
    expect(await show("docs.example.org")).toMatchObject({ stage: "live", findings: [] });
  });

  test("while a certificate is ordered is made again, because the stage is another one", async () => {
    const { add, verify, fakeDns, show, store } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    fakeDns.outcome = "records_wrong";
    fakeDns.delay = async () => {
      fakeDns.delay = async () => {};
      store.database.client.run("UPDATE domains SET stage = 'issuing'");
    };
    expect(await (await verify("docs.example.org")).json()).toMatchObject({ stage: "issuing" });
    expect(await show("docs.example.org")).toHaveProperty("findings", [expect.anything()]);
  });

  test("while the plan falls below Pro does not make the domain live", async () => {
    const { add, verify, fakeDns, api } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    fakeDns.delay = async () => void (await api("PATCH", "", { json: { plan: "free" } }));
    expect(await (await verify("docs.example.org")).json()).toMatchObject({ stage: "awaiting_dns" });
  });
});

describe("a host name that several projects wait for", () => {
  const openTwo = async () => {
    const room = await openProject();
    await makeProject(room.store, "other");
    await room.add("docs.example.org");
    await room.add("docs.example.org", "other");
    return room;
  };

  test("goes to exactly one of those that find their record at once", async () => {
    const { fakeDns, verify, show, history } = await openTwo();
    fakeDns.outcome = "records_right";
    fakeDns.delay = () => Bun.sleep(10);
    const answers = await Promise.all([verify("docs.example.org"), verify("docs.example.org", "other")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const loser = answers[0]?.status === 409 ? "docs" : "other";
    expect(await faultOf(answers.find(({ status }) => status === 409) as Response)).toBe("409 domain_taken");
    const domain = await show("docs.example.org", loser);
    expect(domain).toMatchObject({ stage: "awaiting_dns", findings: [{ kind: "domain_taken" }] });
    expect(domain.findings[0]?.message).toContain("the other project holds the domain");
    expect((await history("docs.example.org", loser))[0]).toMatchObject({ event: "domain_taken" });
  });

  test("goes to exactly one of 20 projects, 20 times", async () => {
    const { store, add, verify, fakeDns, api } = await openProject();
    const slugs = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const slug of slugs) await makeProject(store, slug, "enterprise");
    fakeDns.outcome = "records_right";
    for (let round = 0; round < 20; round++) {
      const name = `r${round}.example.org`;
      await Promise.all(slugs.map((slug) => add(name, slug)));
      const answers = await Promise.all(slugs.map((slug) => verify(name, slug)));
      expect(answers.filter(({ status }) => status === 200).length).toBe(1);
      expect(answers.filter(({ status }) => status === 409).length).toBe(19);
      await Promise.all(slugs.map((slug) => api("DELETE", `/domains/${name}`, {}, slug)));
    }
  });

  test("is not taken without a proof, whatever the records are", async () => {
    const { fakeDns, add, verify, show } = await openProject();
    await add("example.org");
    fakeDns.outcome = "records_right";
    fakeDns.isFlattened = true;
    expect(await (await verify("example.org")).json()).toMatchObject({ stage: "awaiting_dns" });
    expect(await show("example.org")).not.toHaveProperty("checkedAt");
  });

  test("can be added while another project holds it, and stays with that project", async () => {
    const { store, fakeDns, verify, add, api, show } = await openTwo();
    await makeProject(store, "third");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    expect((await add("docs.example.org", "third")).status).toBe(201);
    expect((await add("docs.example.org", "other")).status).toBe(200);
    fakeDns.outcome = "records_wrong";
    await verify("docs.example.org", "third");
    await api("DELETE", "/domains/docs.example.org", {}, "third");
    expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
    expect((await store.visit("http://docs.example.org/")).status).toBe(200);
  });

  test("leaves a suspended holder as soon as it verifies for another, in one step", async () => {
    const { store, fakeDns, verify, add, api, show, events, history } = await openTwo();
    await makeProject(store, "third");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    await api("PATCH", "", { json: { plan: "free" } });
    expect((await add("docs.example.org", "third")).status).toBe(201);
    fakeDns.outcome = "records_missing";
    await verify("docs.example.org", "other");
    expect(await show("docs.example.org")).toMatchObject({ stage: "suspended" });
    fakeDns.outcome = "records_right";
    const answers = await Promise.all([
      verify("docs.example.org", "other"),
      verify("docs.example.org", "third"),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const yielded = await show("docs.example.org");
    expect(yielded).toMatchObject({ stage: "dns_conflict", findings: [{ kind: "domain_lost" }] });
    expect(yielded).not.toHaveProperty("nextCheckAt");
    expect((await events("docs.example.org")).slice(-2)).toEqual([
      "plan_dropped suspended",
      "yielded dns_conflict",
    ]);
    expect((await history("docs.example.org"))[0]).toMatchObject({ actor: "service" });
    await api("PATCH", "", { json: { plan: "pro" } });
    expect(await show("docs.example.org")).toMatchObject({ stage: "dns_conflict" });
    expect(await faultOf(await verify("docs.example.org"))).toBe("409 domain_taken");
  });

  test("leaves its holder at once for another that proves it later", async () => {
    const { store, fakeDns, verify, show, history } = await openTwo();
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    store.clock.advance(1);
    expect(await (await verify("docs.example.org", "other")).json()).toMatchObject({ stage: "live" });
    const lost = await show("docs.example.org");
    expect(lost).toMatchObject({ stage: "dns_conflict", findings: [{ kind: "domain_lost" }] });
    expect(lost.findings[0]?.message).toContain("another project");
    expect(lost).not.toHaveProperty("nextCheckAt");
    expect((await history("docs.example.org"))[0]).toMatchObject({
      actor: "service",
      event: "yielded",
      stage: "dns_conflict",
      findings: [{ kind: "domain_lost" }],
    });
  });

  test("stays with its holder if the TXT records name both projects", async () => {
    const { store, fakeDns, verify, show } = await openTwo();
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    store.clock.advance(1);
    fakeDns.rivals = [(await show("docs.example.org")).record["value"] as string];
    expect(await faultOf(await verify("docs.example.org", "other"))).toBe("409 domain_taken");
    expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
    fakeDns.rivals = ["another.cname.localhost"];
    expect(await (await verify("docs.example.org", "other")).json()).toMatchObject({ stage: "live" });
  });

  test("stays with its holder against a check that began before the holder's own", async () => {
    const { store, fakeDns, verify, show } = await openTwo();
    fakeDns.outcome = "records_right";
    const { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
    fakeDns.delay = () => slow;
    const late = verify("docs.example.org", "other");
    while (fakeDns.asked.length === 0) await Bun.sleep(1);
    fakeDns.delay = undefined;
    store.clock.advance(1);
    expect(await (await verify("docs.example.org")).json()).toMatchObject({ stage: "live" });
    store.clock.advance(1);
    goOn();
    expect(await faultOf(await late)).toBe("409 domain_taken");
    expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
  });

  test("is held by one project when two processes verify at once", async () => {
    const path = `${temporaryDirectory()}/store.db`;
    const one = await openProject({ path });
    const other = await openProject({ path, clock: one.store.clock });
    await makeProject(one.store, "other");
    for (const slug of ["docs", "other"]) await one.add("docs.example.org", slug);
    one.fakeDns.outcome = other.fakeDns.outcome = "records_right";
    const held = one.store.database.client.query<{ n: number }, []>(
      "select count(*) as n from domains where stage = 'live'",
    );
    for (let round = 0; round < 10; round++) {
      one.store.clock.advance(60_000);
      await Promise.all([one.verify("docs.example.org"), other.verify("docs.example.org", "other")]);
      expect(held.get()?.n).toBe(1);
    }
  });
});

describe("the primary domain", () => {
  test("changes in one step, and both histories have it", async () => {
    const { add, api, show, events } = await openProject();
    await add("docs.example.org");
    await add("www.example.org");
    const answer = await api("PUT", "/domains/WWW.example.org/primary");
    expect(await answer.json()).toMatchObject({ hostname: "www.example.org", role: "primary" });
    expect(await show("docs.example.org")).toMatchObject({ role: "served" });
    expect((await events("www.example.org")).at(-1)).toBe("became_primary awaiting_dns");
    expect((await events("docs.example.org")).at(-1)).toBe("became_served awaiting_dns");
  });

  test("is set again without an event", async () => {
    const { add, api, events } = await openProject();
    await add("docs.example.org");
    expect((await api("PUT", "/domains/docs.example.org/primary")).status).toBe(200);
    expect(await events("docs.example.org")).toEqual(["added awaiting_dns"]);
  });

  test("is a single one when several are set at once", async () => {
    const { add, api } = await openProject();
    const names = Array.from({ length: 8 }, (_, index) => `d${index}.example.org`);
    for (const name of names) await add(name);
    await Promise.all(names.map((name) => api("PUT", `/domains/${name}/primary`)));
    const domains = (await (await api("GET", "/domains")).json()) as WireDomain[];
    expect(domains.filter(({ role }) => role === "primary").length).toBe(1);
  });

  test("that is removed leaves its redirects to serve the site themselves", async () => {
    const { add, api, show, events, fakeDns, verify, store } = await openProject();
    fakeDns.outcome = "records_right";
    for (const name of ["docs.example.org", "www.example.org"]) {
      await add(name);
      await verify(name);
    }
    await api("PUT", "/config", {
      json: {
        domains: {
          primary: "docs.example.org",
          redirects: [{ from: "www.example.org", to: "docs.example.org", status: 301 }],
        },
      },
    });
    const visit = () => store.visit("http://www.example.org/a?b=c", { redirect: "manual" } as object);
    expect((await visit()).headers.get("location")).toBe("http://docs.example.org/a?b=c");
    await api("DELETE", "/domains/docs.example.org");
    expect(await show("www.example.org")).toMatchObject({ role: "served" });
    expect((await events("www.example.org")).at(-1)).toBe("became_served live");
    expect((await store.visit("http://www.example.org/")).status).toBe(200);
    expect((await store.visit("http://docs.example.org/")).status).toBe(421);
  });
});

describe("a missing domain or project", () => {
  test.each([
    ["GET", "/domains/none.example.org"],
    ["GET", "/domains/192.0.2.1"],
    ["GET", "/domains/%00"],
    ["GET", "/domains/none.example.org/history"],
    ["DELETE", "/domains/none.example.org"],
    ["POST", "/domains/none.example.org/verify"],
    ["PUT", "/domains/none.example.org/primary"],
  ])("%s %s is not found", async (method, path) => {
    const { api } = shared();
    expect(await faultOf(await api(method, path))).toBe("404 not_found");
  });

  test.each([
    ["GET", "/domains"],
    ["POST", "/domains"],
    ["GET", "/domains/docs.example.org"],
    ["GET", "/config"],
    ["PUT", "/config"],
  ])("%s %s of no project is not found", async (method, path) => {
    const { api } = shared();
    const json = path === "/config" ? { domains: { primary: "x" } } : { hostname: "docs.example.org" };
    expect(await faultOf(await api(method, path, method === "GET" ? {} : { json }, "none"))).toBe(
      "404 not_found",
    );
  });

  test("a domain of another project is not found", async () => {
    const { store, add, api } = await openProject();
    await makeProject(store, "other");
    await add("docs.example.org");
    expect(await faultOf(await api("GET", "/domains/docs.example.org", {}, "other"))).toBe("404 not_found");
  });
});

describe("lists", () => {
  test("of domains come in pages that Link leads through", async () => {
    const { store, add } = await openProject();
    for (let at = 0; at < 5; at++) await add(`d${at}.example.org`);
    const seen: string[] = [];
    let path: string | undefined = "/platform/projects/docs/domains?limit=2";
    while (path) {
      const answer = await store.call("GET", path);
      seen.push(...((await answer.json()) as WireDomain[]).map(({ hostname }) => hostname));
      path = /<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((at) => `d${at}.example.org`));
  });

  test("of events come newest first, in pages, also once the domain is gone", async () => {
    const { store, add, api } = await openProject();
    for (let at = 0; at < 3; at++) {
      await add("docs.example.org");
      await api("DELETE", "/domains/docs.example.org");
    }
    const seen: string[] = [];
    let path: string | undefined = "/platform/projects/docs/domains/DOCS.example.org/history?limit=4";
    while (path) {
      const answer = await store.call("GET", path);
      seen.push(...((await answer.json()) as { event: string }[]).map(({ event }) => event));
      path = /<([^>]+)>/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(["removed", "added", "removed", "added", "removed", "added"]);
  });

  test("of events have the newest 1,000", async () => {
    const { store, add, verify } = await openProject();
    await add("docs.example.org");
    await add("www.example.org");
    const { client } = store.database;
    client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
      insert into domain_events (project_id, hostname, at, actor, event, stage, findings)
      select 1, 'docs.example.org', i, 'service', 'unreachable', 'live', '[]' from n`,
    );
    await verify("docs.example.org");
    const counted = client.query("select hostname, count(*) as n from domain_events group by hostname").all();
    expect(counted).toEqual([
      { hostname: "docs.example.org", n: MAX_EVENTS },
      { hostname: "www.example.org", n: 1 },
    ]);
  });

  test("refuse the cursor of another list", async () => {
    const { api, add } = await openProject();
    for (const name of ["a.example.org", "b.example.org"]) await add(name);
    const link = (await api("GET", "/domains?limit=1")).headers.get("link") ?? "";
    const cursor = /cursor=([^>&]+)/.exec(link)?.[1];
    expect(await faultOf(await api("GET", `/domains/a.example.org/history?cursor=${cursor}`))).toBe(
      "400 invalid_cursor",
    );
  });
});

describe("a plan", () => {
  test("below Pro suspends live domains, which come back with it; those that wait are checked again", async () => {
    const { add, api, show, fakeDns, verify, events, store } = await openProject();
    await add("docs.example.org");
    await add("www.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    expect((await store.visit("http://docs.example.org/")).status).toBe(200);
    await api("PATCH", "", { json: { plan: "free" } });
    const suspension = { reason: "plan_below_pro", message: expect.stringContaining("plan is below Pro") };
    expect(await show("docs.example.org")).toMatchObject({ stage: "suspended", suspension });
    expect(await show("www.example.org")).not.toHaveProperty("suspension");
    expect(await show("docs.example.org")).not.toHaveProperty("nextCheckAt");
    expect((await store.visit("http://docs.example.org/")).status).toBe(503);
    store.clock.advance(60_000);
    await store.domainScheduler.tick();
    expect(await show("www.example.org")).not.toHaveProperty("nextCheckAt");
    expect(fakeDns.asked).toEqual(["docs.example.org"]);
    await api("PATCH", "", { json: { plan: "enterprise" } });
    const now = "2026-11-20T00:01:00.000Z";
    expect(await show("docs.example.org")).toMatchObject({ stage: "live", nextCheckAt: now });
    expect(await show("docs.example.org")).not.toHaveProperty("suspension");
    expect(await show("www.example.org")).toMatchObject({ stage: "awaiting_dns", nextCheckAt: now });
    expect((await store.visit("http://docs.example.org/")).status).toBe(200);
    expect(await events("docs.example.org")).toEqual([
      "added awaiting_dns",
      "records_right verified",
      "served_over_http live",
      "plan_dropped suspended",
      "plan_restored live",
    ]);
  });

  test.each([
    ["records_wrong", "awaiting_dns", 503],
    ["records_missing", "live", 200],
    ["unreachable", "live", 200],
    ["records_right", "live", 200],
  ] as const)("that comes back is looked at by itself: %s leaves %s", async (said, stage, status) => {
    const { add, api, show, store, fakeDns, verify } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    await api("PATCH", "", { json: { plan: "free" } });
    store.clock.advance(3_600_000);
    await api("PATCH", "", { json: { plan: "pro" } });
    fakeDns.outcome = said;
    await store.domainScheduler.tick();
    expect(await show("docs.example.org")).toMatchObject({ stage });
    expect((await store.visit("http://docs.example.org/")).status).toBe(status);
    if (said !== "records_right") return;
    // It has verified since: what is wrong now is given its 7 days again.
    store.clock.advance(2 * 86_400_000);
    fakeDns.outcome = "records_wrong";
    await store.domainScheduler.tick();
    expect(await show("docs.example.org")).toMatchObject({ stage: "live", findings: [{}] });
  });

  test("that stays, and a new name of the project, change nothing in its domains", async () => {
    const { add, api, show, fakeDns, verify } = await openProject();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    const before = await show("docs.example.org");
    await api("PATCH", "", { json: { name: "New", plan: "enterprise" } });
    expect(await show("docs.example.org")).toEqual(before);
  });
});

test("a project that is deleted takes its domains and their history along, and frees their names", async () => {
  const { add, api, fakeDns, verify, store } = await openProject();
  await makeProject(store, "other");
  await add("docs.example.org");
  fakeDns.outcome = "records_right";
  await verify("docs.example.org");
  await api("DELETE");
  expect((await store.visit("http://docs.example.org/")).status).toBe(421);
  expect((await add("docs.example.org", "other")).status).toBe(201);
  const counted = store.database.client.query("select count(*) as n from domain_events").get();
  expect(counted).toEqual({ n: 1 });
});

test("a check that takes too long gets a response before the client times out, continues, and is stored", async () => {
  const { store, add, fakeDns, show } = await openProject();
  await add("docs.example.org");
  const domains = { ...domainRepository(store.database), ...stageRepository(store.database) };
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  const { fakeDns: slow, inspect } = openFakeDns("records_right");
  slow.delay = () => silence;
  const checks = domainChecks(store.context, domains, inspect);
  const service = domainService(store.context, {
    domains,
    projects: store.projects,
    checks,
    verifications: rateLimiter("verify", "verifications"),
    addressesOf: async () => [],
    patienceMs: 20,
  });
  const refused = await service.verify("docs", "docs.example.org", OPERATOR).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "not_ready", headers: { "retry-after": "30" } });
  expect(await show("docs.example.org")).toMatchObject({ stage: "awaiting_dns" });
  answer();
  expect(await service.verify("docs", "docs.example.org", OPERATOR)).toMatchObject({ stage: "live" });
  expect([slow.asked.length, fakeDns.asked.length]).toEqual([1, 0]);
});

test("a check that another one overtook does not take the project itself for a rival", async () => {
  const { store, add, fakeDns, verify } = await openProject();
  await add("docs.example.org");
  const repository = { ...domainRepository(store.database), ...stageRepository(store.database) };
  const project = await store.projects.get("docs");
  const domain = await repository.find(project.id, "docs.example.org");
  if (!domain) throw new Error("the domain was not added");
  fakeDns.outcome = "records_right";
  await verify("docs.example.org");
  const recorded: unknown[] = [];
  const { inspect } = openFakeDns("records_right");
  const record = async (check: unknown) => recorded.push(check) > 1;
  const checks = domainChecks(store.context, { ...repository, record }, inspect);
  expect(await checks.run({ project, domain }, OPERATOR)).toBe("overtaken");
  expect(recorded).toHaveLength(1);
});
