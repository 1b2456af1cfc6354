import { describe, expect, test } from "bun:test";
import { type DnsServer, dnsServer } from "../../support/dns.ts";
import type { Zones } from "../../support/zones.ts";
import { atEnd, faultOf, openStore } from "../../support/store.ts";
import { dnsAccess } from "../../../src/platform/dns-checks/dns-access.ts";
import { dnsInspector, inspector, wildcardInspector } from "../../../src/platform/dns-checks/inspect.ts";
import { type Delegated, type Delegation, issuanceBy } from "../../../src/platform/dns-checks/issuance.ts";
import { hostnameOf } from "../../../src/lib/hostname.ts";
import { type WireDomain, makeProject, openProject } from "./projects.ts";

/** The ten rules of the specification's "Custom domain procedure", through the API, against DNS servers on loopback. */

const HOUR = 3_600_000;

/** A zone of one name server, on 127.0.0.1. */
const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/** The service with the project `docs`, an authority that holds `example.org` and the platform's zone, and a resolver. */
const openRules = async (dns = { timeoutMs: 3000, attempts: 1 }) => {
  const zones: Zones = {
    org: zone("org"),
    "example.org": zone("example.org"),
    "pages.test": zone("pages.test"),
  };
  const remembered = { zones: {}, names: [] as string[] };
  const authority: DnsServer = await dnsServer({ zones });
  const resolver: DnsServer = await dnsServer({ zones, cache: remembered });
  atEnd(() => authority[Symbol.dispose]());
  atEnd(() => resolver[Symbol.dispose]());
  const env = {
    DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
    DNS_PORT: String(authority.server.port),
    DNS_PRIVATE: "yes",
    PLATFORM_CNAME_TARGET: "pages.test",
    CAA_ISSUERS: "ca.test",
  };
  const room = await openProject({ env, dns });
  const { target } = (await (await room.api("GET")).json()) as { target: string };
  zones["pages.test"] = zone("pages.test", `${target} A 192.0.2.80`);
  const setRecords = (...lines: string[]) => {
    zones["example.org"] = zone("example.org", ...lines);
  };
  const verified = async (name: string) => (await (await room.verify(name)).json()) as WireDomain;
  return { ...room, target, zones, authority, resolver, remembered, setRecords, verified };
};

const body = async (answer: Response) => (await answer.json()) as WireDomain;

test("rule 1: a project is published at a subdomain of its own; a custom domain replaces it, and needs the plan Pro or above", async () => {
  const { store, add, api, setRecords, target, verified } = await openRules();
  expect(await (await store.visit("http://docs.localhost/")).text()).toBe("<h1>Docs</h1>");
  await api("PATCH", "", { json: { plan: "free" } });
  expect(await faultOf(await add("docs.example.org"))).toBe("402 plan_required");
  for (const plan of ["pro", "enterprise"]) {
    await api("PATCH", "", { json: { plan } });
    expect((await add(`${plan}.example.org`)).status).toBe(201);
  }
  setRecords(`pro.example.org CNAME ${target}`);
  expect(await verified("pro.example.org")).toMatchObject({ stage: "live", role: "primary" });
  expect((await store.visit("http://pro.example.org/")).status).toBe(200);
  const own = await store.visit("http://docs.localhost/page?x=1");
  expect(own.headers.get("location")).toBe("http://pro.example.org/page?x=1");
});

test("rule 2: a domain asks for a paid plan, a successful deploy, and DNS records that its holder set", async () => {
  const { store, add, api, setRecords, target, verify, verified } = await openRules();
  await makeProject(store, "bare", "pro", false);
  expect(await faultOf(await add("docs.example.org", "bare"))).toBe("409 no_successful_deploy");
  await store.call("POST", "/platform/projects/bare/deploys", {
    body: "no archive",
    headers: { "content-type": "application/gzip" },
  });
  expect(await faultOf(await add("docs.example.org", "bare"))).toBe("409 no_successful_deploy");
  await add("docs.example.org");
  expect(await verified("docs.example.org")).toMatchObject({ stage: "awaiting_dns" });
  setRecords(`docs.example.org CNAME ${target}`);
  await api("PATCH", "", { json: { plan: "free" } });
  expect(await faultOf(await verify("docs.example.org"))).toBe("402 plan_required");
  await api("PATCH", "", { json: { plan: "pro" } });
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live" });
});

test("rule 3: step 1 is to add a domain or a subdomain to the project", async () => {
  const { add, api } = await openRules();
  expect((await add("example.org")).status).toBe(201);
  expect((await add("docs.example.org")).status).toBe(201);
  const listed = (await (await api("GET", "/domains")).json()) as WireDomain[];
  expect(listed.map(({ hostname, stage }) => `${hostname} ${stage}`)).toEqual([
    "example.org awaiting_dns",
    "docs.example.org awaiting_dns",
  ]);
});

test("rule 4: step 2 is a CNAME of the label, the project's target and TTL 3600; of an apex, ALIAS or ANAME", async () => {
  const { add, target, setRecords, verified } = await openRules();
  expect((await body(await add("docs.example.org"))).record).toMatchObject({
    type: "CNAME",
    name: "docs",
    value: target,
    ttl: 3600,
    bind: `docs.example.org. 3600 IN CNAME ${target}.`,
  });
  const { record } = await body(await add("example.org"));
  expect(record).toMatchObject({ type: "ALIAS", name: "@", value: target, ttl: 3600 });
  expect(record["note"]).toMatch(/ANAME record works too.*If your DNS provider has neither/);
  expect(record["proof"]).toMatchObject({ type: "TXT", name: "_adoption-store", value: target, ttl: 3600 });
  // An ALIAS shows in the DNS as the target's own addresses.
  setRecords(
    `docs.example.org CNAME ${target}`,
    "example.org A 192.0.2.80",
    `_adoption-store.example.org TXT ${target}`,
  );
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live", findings: [] });
  expect(await verified("example.org")).toMatchObject({ stage: "live", findings: [] });
});

test("rule 5: a record that takes up to 48 hours to reach all resolvers counts once the zone's own servers have it", async () => {
  const { add, store, setRecords, remembered, zones, target, show, resolver } = await openRules();
  await add("docs.example.org");
  store.clock.advance(12_000);
  await store.domainScheduler.tick();
  expect(await show("docs.example.org")).toMatchObject({
    stage: "awaiting_dns",
    findings: [{ kind: "no_record" }],
  });
  expect(resolver.questions.filter(({ name }) => name.endsWith("docs.example.org"))).toEqual([]);
  // Another client of the resolver has looked up the name too early.
  remembered.zones = { ...zones };
  remembered.names = ["docs.example.org"];
  store.clock.advance(47 * HOUR);
  await store.domainScheduler.tick();
  setRecords(`docs.example.org CNAME ${target}`);
  await store.recordWatch.tick();
  expect(await show("docs.example.org")).toMatchObject({
    stage: "live",
    findings: [{ kind: "not_propagated", seconds: 120 }],
  });
  expect((await store.visit("http://docs.example.org/")).status).toBe(200);
});

test("rule 6: step 3 is to verify; the domain is then live (over HTTP; its certificate is next)", async () => {
  const { add, store, setRecords, target, verified, events } = await openRules();
  await add("docs.example.org");
  expect((await store.visit("http://docs.example.org/")).status).toBe(503);
  setRecords(`docs.example.org CNAME ${target}`);
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live" });
  expect(await events("docs.example.org")).toEqual([
    "added awaiting_dns",
    "records_right verified",
    "served_over_http live",
  ]);
  expect((await store.visit("http://docs.example.org/")).status).toBe(200);
});

test("rule 7: several domains; one redirects to the primary with 301, by the specified mapping", async () => {
  const { add, api, store, setRecords, target, verified } = await openRules();
  const names = ["docs.example.org", "www.example.org", "old.example.org"];
  setRecords(...names.map((name) => `${name} CNAME ${target}`));
  for (const name of names) {
    await add(name);
    expect(await verified(name)).toMatchObject({ stage: "live" });
  }
  const config = {
    domains: {
      primary: "www.example.org",
      redirects: [{ from: "old.example.org", to: "www.example.org", status: 301 }],
    },
  };
  expect((await api("PUT", "/config", { json: config })).status).toBe(200);
  const answer = await store.visit("http://old.example.org/a/b?c=d&e");
  expect(answer.status).toBe(301);
  expect(answer.headers.get("location")).toBe("http://www.example.org/a/b?c=d&e");
  for (const name of ["docs.example.org", "www.example.org"])
    expect((await store.visit(`http://${name}/`)).status).toBe(200);
  const wrong = {
    domains: { ...config.domains, redirects: [{ ...config.domains.redirects[0], status: 302 }] },
  };
  expect(await faultOf(await api("PUT", "/config", { json: wrong }))).toBe("400 invalid_request");
  expect(await (await api("GET", "/config")).json()).toEqual(config);
});

test("rule 8: a conflicting record blocks the CNAME, whose value must match exactly", async () => {
  const { add, setRecords, target, verified } = await openRules();
  await add("docs.example.org");
  setRecords("docs.example.org A 203.0.113.7");
  expect(await verified("docs.example.org")).toMatchObject({
    stage: "dns_conflict",
    findings: [{ kind: "conflicting_record", type: "A", found: ["203.0.113.7"], expected: [target] }],
  });
  for (const value of [`x${target}`, `${target}.example.org`, "pages.test"]) {
    setRecords(`docs.example.org CNAME ${value}`);
    expect(await verified("docs.example.org")).toMatchObject({
      stage: "dns_conflict",
      findings: [{ kind: "wrong_target", found: [value], expected: [target] }],
    });
  }
  setRecords(`docs.example.org CNAME ${target.toUpperCase()}`);
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live", findings: [] });
});

test("rule 9: a check says whether the domain still verifies and whether CAA records forbid the certificate", async () => {
  const { add, setRecords, target, verified } = await openRules();
  await add("docs.example.org");
  setRecords(`docs.example.org CNAME ${target}`, 'example.org CAA 0 issue "other.test"');
  const forbidden = await verified("docs.example.org");
  expect(forbidden).toMatchObject({
    stage: "live",
    findings: [{ kind: "caa_forbids", name: "example.org" }],
  });
  expect(forbidden.findings[0]?.message).toContain("add one that allows ca.test");
  expect(forbidden.trace).toMatchObject({ caa: ['example.org 3600 IN CAA 0 issue "other.test"'] });
  setRecords(`docs.example.org CNAME ${target}`, 'example.org CAA 0 issue "ca.test"');
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live", findings: [] });
  setRecords();
  expect(await verified("docs.example.org")).toMatchObject({
    stage: "live",
    failingSince: "2026-11-20T00:00:00.000Z",
    findings: [{ kind: "no_record" }],
  });
});

test("CAA records may also name the CAs that the caller adds", async () => {
  const { store, setRecords } = await openRules();
  setRecords('example.org CAA 0 issue "other.test"');
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const inspect = dnsInspector(store.config, { clock: store.clock, randomBytes: random });
  const kinds = async (issuers: string[]) => {
    const manner = { isUrgent: () => false, needsProof: true, issuers };
    const { findings } = await inspect(hostnameOf("docs.example.org"), "docs.example.org", manner);
    return findings.map(({ kind }) => kind);
  };
  expect(await kinds([])).toContain("caa_forbids");
  expect(await kinds(["other.test"])).not.toContain("caa_forbids");
});

test("an inspection applies the methods and the account of this service to CAA records", async () => {
  const { store, setRecords } = await openRules();
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const access = dnsAccess(store.config, { clock: store.clock, randomBytes: random });
  const issuance = {
    issuers: ["ca.test"],
    methods: ["http-01"],
    accounts: async () => ["https://ca.test/1"],
  };
  const forbidding = async (parameters: string) => {
    setRecords(`example.org CAA 0 issue "ca.test;${parameters}"`);
    const manner = { isUrgent: () => false, needsProof: true };
    const name = "docs.example.org";
    const { findings } = await inspector({ ...access, issuance })(hostnameOf(name), name, manner);
    return findings.flatMap((finding) => (finding.kind === "caa_forbids" ? [finding.parameter] : []));
  };
  expect(await forbidding("validationmethods=http-01")).toEqual([]);
  expect(await forbidding("validationmethods=dns-01")).toEqual(["validationmethods"]);
  expect(await forbidding("accounturi=https://ca.test/1")).toEqual([]);
  expect(await forbidding("accounturi=https://ca.test/2")).toEqual(["accounturi"]);
});

test("dns-01 counts only if the challenge is delegated; otherwise the finding names the record to create", async () => {
  const { store, setRecords, target } = await openRules();
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const access = dnsAccess(store.config, { clock: store.clock, randomBytes: random });
  const name = "docs.example.org";
  const [label = ""] = target.split(".");
  const challengesOf = async (parameters: string, kind: Delegated["kind"]) => {
    setRecords(`${name} CNAME ${target}`, `example.org CAA 0 issue "ca.test;${parameters}"`);
    const delegation: Delegation = {
      nameOf: (one) => one,
      lookUp: async (hostname, one) => ({ kind, found: [], texts: [], expected: `${one}.for.${hostname}` }),
    };
    const issuance = { ...issuanceBy(["ca.test"]), delegation };
    const manner = { isUrgent: () => false, needsProof: true };
    const { findings } = await inspector({ ...access, issuance })(hostnameOf(name), target, manner);
    return findings.map((finding) =>
      finding.kind === "caa_forbids"
        ? [finding.parameter, finding.expected, finding.challenge]
        : finding.kind,
    );
  };
  const record = { name: `_acme-challenge.${name}`, value: `${label}.for.${name}` };
  const ONLY_DNS = "validationmethods=dns-01";
  expect(await challengesOf(ONLY_DNS, "elsewhere")).toEqual([
    ["validationmethods", ["ca.test; validationmethods=http-01,tls-alpn-01"], record],
  ]);
  expect(await challengesOf(ONLY_DNS, "delegated")).toEqual([]);
  expect(await challengesOf(ONLY_DNS, "unknown")).toEqual([]);
  expect(await challengesOf("validationmethods=dns-01,http-01", "elsewhere")).toEqual([]);
  expect(await challengesOf("validationmethods=email-01", "elsewhere")).toEqual([
    ["validationmethods", ["ca.test; validationmethods=http-01,tls-alpn-01,dns-01"], undefined],
  ]);
});

test("an inspection of a wildcard looks at its own record, and at the CAA records of its domain", async () => {
  const { store, setRecords, target } = await openRules();
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const access = dnsAccess(store.config, { clock: store.clock, randomBytes: random });
  const delegation: Delegation = {
    nameOf: (label) => label,
    lookUp: async () => ({ kind: "delegated" }),
  };
  const inspect = wildcardInspector(inspector({ ...access, issuance: issuanceBy(["ca.test"]) }), delegation);
  const found = async (...records: string[]) => {
    setRecords(...records);
    const manner = { isUrgent: () => false, needsProof: true };
    const { event, findings } = await inspect(hostnameOf("*.example.org"), target, manner);
    const described = findings.map((one) => `${one.kind} ${one.name}${"tag" in one ? ` ${one.tag}` : ""}`);
    return [event, ...described];
  };
  expect(await found(`*.example.org CNAME ${target}`)).toEqual(["records_right"]);
  expect(await found(`docs.example.org CNAME ${target}`)).toEqual([
    "records_missing",
    "no_record *.example.org",
  ]);
  expect(await found("*.example.org CNAME other.example.net")).toEqual([
    "records_wrong",
    "wrong_target *.example.org",
  ]);
  expect(
    await found(
      `*.example.org CNAME ${target}`,
      'example.org CAA 0 issue "ca.test"',
      'example.org CAA 0 issuewild ";"',
    ),
  ).toEqual(["records_right", "caa_forbids example.org issuewild"]);
  expect(
    await found(
      `*.example.org CNAME ${target}`,
      'example.org CAA 0 issue "ca.test;validationmethods=http-01"',
    ),
  ).toEqual(["records_right", "caa_forbids example.org"]);
});

test("rule 10: a removed domain stops being served at once; a redirect can be set up first", async () => {
  const { add, api, store, setRecords, target, verified } = await openRules();
  for (const name of ["docs.example.org", "www.example.org"]) {
    await add(name);
    setRecords(`docs.example.org CNAME ${target}`, `www.example.org CNAME ${target}`);
    await verified(name);
  }
  const redirects = [{ from: "docs.example.org", to: "www.example.org", status: 301 }];
  await api("PUT", "/config", { json: { domains: { primary: "www.example.org", redirects } } });
  expect((await store.visit("http://docs.example.org/")).status).toBe(301);
  expect((await api("DELETE", "/domains/docs.example.org")).status).toBe(204);
  expect((await store.visit("http://docs.example.org/")).status).toBe(421);
  expect((await store.visit("http://www.example.org/")).status).toBe(200);
  expect(await faultOf(await api("GET", "/domains/docs.example.org"))).toBe("404 not_found");
});

test("a check's trace has every query, and is the same when it is fetched", async () => {
  const { add, setRecords, target, verified, show } = await openRules();
  await add("docs.example.org");
  setRecords(`docs.example.org CNAME ${target}`);
  const { trace } = await verified("docs.example.org");
  expect(trace).toMatchObject({
    target,
    zone: "example.org",
    chain: ["docs.example.org", target],
    targetAddresses: ["192.0.2.80"],
    caa: [],
  });
  expect(trace?.questions).toContainEqual(
    expect.objectContaining({
      name: "docs.example.org",
      type: "CNAME",
      recursive: false,
      transport: "udp",
      outcome: "NOERROR",
      records: [`docs.example.org 3600 IN CNAME ${target}`],
    }),
  );
  expect((await show("docs.example.org")).trace).toEqual(trace);
});

test("a stranger's records are shown without characters that move a cursor or reverse text", async () => {
  const { add, api, setRecords, verified } = await openRules();
  await add("docs.example.org");
  setRecords(
    "docs.example.org CNAME \u001b[2Jevil\u202e.example.org",
    'docs.example.org CAA 0 iodef "\u0007"',
  );
  const domain = await verified("docs.example.org");
  expect(domain.findings[0]).toMatchObject({
    kind: "wrong_target",
    found: ["\\u001b[2jevil\\u202e.example.org"],
  });
  for (const path of ["", "/history"]) {
    const text = await (await api("GET", `/domains/docs.example.org${path}`)).text();
    const strings: string[] = [];
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string") strings.push(value);
    });
    expect(strings.filter((one) => /[\p{Cc}\p{Cf}]/u.test(one.replaceAll("\n", "")))).toEqual([]);
  }
});

describe("an apex that shows the addresses of every project's target", () => {
  const PROOF = "_adoption-store.example.org";

  /** Two projects that wait for `example.org`, whose records are an ALIAS's. */
  const openApex = async () => {
    const room = await openRules();
    await makeProject(room.store, "other");
    const { target: otherTarget } = (await (await room.api("GET", "", {}, "other")).json()) as {
      target: string;
    };
    room.zones["pages.test"]?.push(`${otherTarget} A 192.0.2.80`);
    const setProof = (...proofs: string[]) =>
      room.setRecords("example.org A 192.0.2.80", ...proofs.map((value) => `${PROOF} TXT ${value}`));
    const verifiedIn = async (slug: string) => body(await room.verify("example.org", slug));
    setProof();
    return { ...room, otherTarget, setProof, verifiedIn };
  };

  test("goes to none of its projects until a TXT record names one", async () => {
    const { add, target, otherTarget, setProof, verifiedIn } = await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    expect(await verifiedIn("other")).toMatchObject({
      stage: "awaiting_dns",
      findings: [
        { kind: "ownership_unproven", name: PROOF, type: "TXT", found: [], expected: [otherTarget] },
      ],
    });
    setProof("v=spf1", target);
    const lost = await verifiedIn("other");
    expect(lost).toMatchObject({ stage: "dns_conflict", findings: [{ found: [target] }] });
    expect(lost.findings[0]?.message).toContain(
      `Create a TXT record with the name ${PROOF} and the value ${otherTarget}`,
    );
    const won = await verifiedIn("docs");
    expect(won).toMatchObject({ stage: "live", findings: [] });
    expect(won.trace?.questions).toContainEqual(expect.objectContaining({ name: PROOF, type: "TXT" }));
    expect(won.record["note"]).toContain(PROOF);
    // It has the name now: nobody asks for the proof again, whoever else waits.
    setProof();
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
  });

  test("does not go to its only project without the TXT record", async () => {
    const { add, target, otherTarget, setProof, verifiedIn } = await openApex();
    await add("example.org");
    expect(await verifiedIn("docs")).toMatchObject({ findings: [{ kind: "ownership_unproven", found: [] }] });
    setProof(otherTarget);
    expect(await verifiedIn("docs")).toMatchObject({
      findings: [{ kind: "ownership_unproven", found: [otherTarget] }],
    });
    setProof(target);
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
  });

  test("leaves its holder once the TXT record names another that verifies", async () => {
    const { add, store, target, otherTarget, setProof, verifiedIn, show } = await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    setProof(target);
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live" });
    store.clock.advance(1);
    setProof(otherTarget);
    expect(await verifiedIn("other")).toMatchObject({ stage: "live", findings: [] });
    expect(await show("example.org")).toMatchObject({
      stage: "dns_conflict",
      findings: [{ kind: "domain_lost" }],
    });
    expect((await store.visit("http://example.org/")).status).toBe(200);
    // It stays with who has it while both are named, so that two projects do not take it from each other in turn.
    for (const slug of ["docs", "other", "docs"]) {
      store.clock.advance(1);
      setProof(otherTarget, target);
      await verifiedIn(slug);
      expect((await show("example.org", "other")).stage).toBe("live");
    }
    // Its holder keeps it no longer than its record.
    store.clock.advance(1);
    setProof(target);
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
    expect((await show("example.org", "other")).stage).toBe("dns_conflict");
  });

  test("shows the service's addresses at once, for DNS providers without ALIAS", async () => {
    const { add, api, store, show, zones, target, verifiedIn } = await openApex();
    const values = ({ record }: WireDomain) =>
      (record as { addresses?: { value: string }[] }).addresses?.map(({ value }) => value);
    expect(values(await body(await add("example.org")))).toEqual(["192.0.2.80"]);
    expect(values(await show("example.org"))).toEqual(["192.0.2.80"]);
    expect(values(await body(await add("docs.example.org")))).toBeUndefined();
    zones["pages.test"] = zone("pages.test", `${target} A 192.0.2.90`, `${target} AAAA 2001:db8::90`);
    store.clock.advance(60_000);
    const list = (await (await api("GET", "/domains")).json()) as WireDomain[];
    expect(list.map(values)).toEqual([["192.0.2.90", "2001:db8::90"], undefined]);
    expect(values(await verifiedIn("docs"))).toEqual(["192.0.2.90", "2001:db8::90"]);
  });

  test("has no addresses to show while the DNS does not respond", async () => {
    const { add, resolver } = await openApex();
    resolver.behaviours.set("*", "SERVFAIL");
    expect((await body(await add("example.org"))).record).not.toHaveProperty("addresses");
  });

  test("with the old addresses of the service gets a finding with the new ones", async () => {
    const { add, target, setProof, setRecords, verifiedIn, zones } = await openApex();
    await add("example.org");
    setProof(target);
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live" });
    zones["pages.test"] = zone("pages.test", `${target} A 192.0.2.90`);
    for (const _ of [1, 2])
      expect(await verifiedIn("docs")).toMatchObject({
        stage: "live",
        failingSince: expect.any(String),
        trace: { formerAddresses: ["192.0.2.80"] },
        findings: [
          {
            kind: "addresses_changed",
            responsible: "holder",
            found: ["192.0.2.80"],
            expected: ["192.0.2.90"],
          },
        ],
      });
    setRecords("example.org A 192.0.2.90");
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
  });

  test("belongs to the project in the zone's TXT record, not to the one in a resolver's cache", async () => {
    const { add, store, target, otherTarget, setProof, verifiedIn, remembered, zones, show } =
      await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    setProof(otherTarget);
    remembered.zones = { ...zones };
    remembered.names = [PROOF];
    setProof(target);
    expect(await verifiedIn("other")).toMatchObject({
      stage: "dns_conflict",
      findings: [{ kind: "ownership_unproven", found: [target] }],
    });
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
    store.clock.advance(1);
    expect(await verifiedIn("other")).toMatchObject({ stage: "dns_conflict" });
    expect(await show("example.org")).toMatchObject({ stage: "live" });
  });

  test("goes to another project by a TXT record if its holder never had one", async () => {
    const { add, store, target, otherTarget, setProof, verifiedIn, show } = await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    setProof(target);
    await verifiedIn("docs");
    setProof();
    store.clock.advance(1);
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [] });
    expect(await verifiedIn("other")).toMatchObject({ stage: "awaiting_dns" });
    setProof(otherTarget);
    expect(await verifiedIn("other")).toMatchObject({ stage: "live" });
    expect(await show("example.org")).toMatchObject({ stage: "dns_conflict" });
  });

  test("does not go without proof to the successor of a project that left its record behind", async () => {
    const { add, api, setProof, target, otherTarget, verifiedIn } = await openApex();
    await add("example.org");
    setProof(target);
    await verifiedIn("docs");
    await api("DELETE", "/domains/example.org");
    await add("example.org", "other");
    expect(await verifiedIn("other")).toMatchObject({ findings: [{ kind: "ownership_unproven" }] });
    setProof(target, otherTarget);
    expect(await verifiedIn("other")).toMatchObject({ stage: "live", findings: [] });
  });

  test("does not go without proof to the successor of a deleted project", async () => {
    const { add, api, setProof, target, otherTarget, verifiedIn } = await openApex();
    await add("example.org");
    setProof(target);
    await verifiedIn("docs");
    expect((await api("DELETE", "")).status).toBe(204);
    await add("example.org", "other");
    expect(await verifiedIn("other")).toMatchObject({ findings: [{ kind: "ownership_unproven" }] });
    setProof(otherTarget);
    expect(await verifiedIn("other")).toMatchObject({ stage: "live", findings: [] });
  });

  test("needs no TXT record where the zone itself names the target", async () => {
    const { add, setRecords, target, verifiedIn } = await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    setRecords(`example.org CNAME ${target}`);
    expect(await verifiedIn("other")).toMatchObject({ stage: "dns_conflict" });
    expect(await verifiedIn("docs")).toMatchObject({ stage: "live", findings: [{ kind: "apex_cname" }] });
  });

  test("cannot be proven while TXT queries get no response, and that is not a failure", async () => {
    const { add, authority, verifiedIn } = await openApex();
    for (const slug of ["docs", "other"]) await add("example.org", slug);
    authority.behaviours.set(PROOF, "SERVFAIL");
    expect(await verifiedIn("docs")).toMatchObject({
      stage: "awaiting_dns",
      findings: [{ kind: "unreachable", name: PROOF, reason: "no TXT response" }],
    });
  });
});

test("a subdomain's holder loses it at once to the project that its CNAME names now", async () => {
  const { add, store, setRecords, target, verified, show, verify } = await openRules();
  await makeProject(store, "other");
  const { target: otherTarget } = (await (await store.call("GET", "/platform/projects/other")).json()) as {
    target: string;
  };
  setRecords(`docs.example.org CNAME ${target}`);
  await add("docs.example.org");
  await verified("docs.example.org");
  store.clock.advance(1);
  expect((await add("docs.example.org", "other")).status).toBe(201);
  await verify("docs.example.org", "other");
  expect(await show("docs.example.org", "other")).toMatchObject({ stage: "dns_conflict" });
  expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
  setRecords(`docs.example.org CNAME ${otherTarget}`);
  await verify("docs.example.org", "other");
  expect(await show("docs.example.org", "other")).toMatchObject({ stage: "live" });
  expect(await show("docs.example.org")).toMatchObject({
    stage: "dns_conflict",
    findings: [{ kind: "domain_lost" }],
  });
});

test("a verification does not wait for checks of others' silent zones", async () => {
  const { add, store, resolver, setRecords, target, verified } = await openRules({
    timeoutMs: 1000,
    attempts: 1,
  });
  for (let at = 0; at < 16; at++) {
    await add(`docs.silent${at}.org`);
    for (const name of [`docs.silent${at}.org`, `silent${at}.org`]) resolver.behaviours.set(name, "silent");
  }
  store.clock.advance(62_000);
  void store.domainScheduler.tick();
  await Bun.sleep(50);
  await add("docs.example.org");
  setRecords(`docs.example.org CNAME ${target}`);
  const begun = performance.now();
  expect(await verified("docs.example.org")).toMatchObject({ stage: "live" });
  expect(performance.now() - begun).toBeLessThan(900);
  await store.domainScheduler.stop();
});

test("name servers at private addresses get no queries unless DNS_PRIVATE allows it", async () => {
  const zones: Zones = { org: zone("org"), "example.org": zone("example.org") };
  using authority = await dnsServer({ zones });
  using resolver = await dnsServer({ zones, cache: { zones: {}, names: [] } });
  const env = {
    DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
    DNS_PORT: String(authority.server.port),
  };
  const store = await openStore({ env, dns: { timeoutMs: 3000, attempts: 1 } });
  await makeProject(store, "docs");
  await store.call("POST", "/platform/projects/docs/domains", { json: { hostname: "docs.example.org" } });
  const domain = await body(
    await store.call("POST", "/platform/projects/docs/domains/docs.example.org/verify"),
  );
  expect(domain.findings.map(({ reason }) => reason)).toContain(
    "forbidden (not a public address, so no query was sent)",
  );
  expect(authority.questions).toEqual([]);
});

describe("the watch of the records of domains that wait", () => {
  /** A domain whose first check found no records. */
  const openWatched = async (name = "docs.example.org") => {
    const room = await openRules();
    await room.add(name);
    const pass = async (seconds: number) => {
      room.store.clock.advance(seconds * 1000);
      await room.store.domainScheduler.tick();
    };
    await pass(12);
    const checkedAt = async () => (await room.show(name))["checkedAt"];
    return { ...room, pass, checkedAt };
  };

  test("checks a domain once its record exists; before that, it sends one query and stores nothing", async () => {
    const { store, authority, setRecords, target, show, checkedAt } = await openWatched();
    const before = await checkedAt();
    authority.questions.length = 0;
    store.clock.advance(1000);
    await store.recordWatch.tick();
    expect(authority.questions).toMatchObject([{ name: "docs.example.org", type: "CNAME" }]);
    expect(await checkedAt()).toBe(before);
    setRecords("docs.example.org CNAME elsewhere.test");
    await store.recordWatch.tick();
    expect(await checkedAt()).toBe(before);
    setRecords(`docs.example.org CNAME ${target}`);
    await store.recordWatch.tick();
    expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
    authority.questions.length = 0;
    await store.recordWatch.tick();
    expect(authority.questions).toEqual([]);
  });

  test("checks an apex once it has both its address and its TXT record", async () => {
    const { store, setRecords, target, show, checkedAt } = await openWatched("example.org");
    const before = await checkedAt();
    store.clock.advance(1000);
    setRecords("example.org A 192.0.2.80");
    await store.recordWatch.tick();
    expect(await checkedAt()).toBe(before);
    setRecords("example.org A 192.0.2.80", `_adoption-store.example.org TXT ${target}`);
    await store.recordWatch.tick();
    expect(await show("example.org")).toMatchObject({ stage: "live" });
  });

  test("checks right records that are not enough once, and again when their rejection ends", async () => {
    const { store, setRecords, target, resolver, checkedAt, show } = await openWatched();
    resolver.behaviours.set("docs.example.org", "bogus");
    const checks: unknown[] = [];
    setRecords(`docs.example.org CNAME ${target}`);
    for (const behaviour of ["bogus", "bogus", "SERVFAIL"] as const) {
      store.clock.advance(1000);
      resolver.behaviours.set("docs.example.org", behaviour);
      await store.recordWatch.tick();
      checks.push(await checkedAt());
    }
    const [first, second, third] = checks;
    expect(second).toBe(first);
    expect(third).toBe(first);
    resolver.behaviours.clear();
    await store.recordWatch.tick();
    expect(await show("docs.example.org")).toMatchObject({ stage: "live" });
  });

  test("looks at a domain that has waited for hours only in every sixth watch", async () => {
    const { store, authority, pass } = await openWatched();
    await pass(3 * 60 * 60);
    store.clock.advance(1000);
    authority.questions.length = 0;
    for (let round = 0; round < 12; round += 1) await store.recordWatch.tick();
    expect(authority.questions.length).toBe(2);
  });

  test("does not query a silent server", async () => {
    const { store, authority, resolver, pass } = await openWatched();
    for (const server of [authority, resolver]) server.behaviours.set("docs.example.org", "SERVFAIL");
    authority.behaviours.set("docs.example.org", "silent");
    await pass(60);
    authority.questions.length = 0;
    store.clock.advance(1000);
    await store.recordWatch.tick();
    expect(authority.questions).toEqual([]);
  });
});
