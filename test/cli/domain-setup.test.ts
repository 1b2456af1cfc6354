import { join } from "node:path";
import { expect, test } from "bun:test";
import { dnsServer } from "../support/dns.ts";
import { temporaryDirectory } from "../support/store.ts";
import { inProcess as run } from "./program.ts";
import { existsSync } from "node:fs";
import { ISSUER, TARGETS, zonesOf } from "../platform/dns-checks/cases.ts";

/** `domains check` in an empty directory, over name servers on loopback. */
const openCheck = async () => {
  const authority = await dnsServer({ zones: zonesOf(TARGETS) });
  const resolver = await dnsServer({ zones: zonesOf(TARGETS), cache: { zones: {}, names: [] } });
  const dataDir = join(temporaryDirectory(), "data");
  const env = {
    DATA_DIR: dataDir,
    DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
    DNS_PORT: String(authority.server.port),
    DNS_PRIVATE: "yes",
    CAA_ISSUERS: ISSUER,
    PLATFORM_CNAME_TARGET: "pages.test",
  };
  return {
    dataDir,
    authority,
    resolver,
    check: (...argv: string[]) => run(["domains", "check", ...argv], { env }),
  };
};

test("domains check exits with 0 if nothing is to do, with 1 if something is, and with 3 if it could not ask", async () => {
  const { check, resolver, dataDir } = await openCheck();
  for (const [argv, code, verdict] of [
    [["right.example.test", "--target", TARGETS.usual], 0, "right"],
    [["free.example.test"], 0, "free"],
    [["right.example.test"], 0, "points_here"],
    [["docs.example.test", "--target", TARGETS.usual], 1, "missing"],
    [["blocked.example.test", "--target", TARGETS.usual], 1, "wrong"],
    [["blocked.example.test"], 1, "in_use"],
  ] as const) {
    const result = await check(...argv);
    expect([result.code, result.error, result.out.split("\n", 1)[0]]).toEqual([
      code,
      "",
      `${argv[0]}: ${verdict}`,
    ]);
  }
  resolver.behaviours.set("*", "REFUSED");
  expect((await check("right.example.test")).code).toBe(3);
  // It needs no DATA_DIR, and makes none.
  expect(existsSync(dataDir)).toBe(false);
});

test("domains check prints what to do, and the record to create", async () => {
  const { check } = await openCheck();
  const { out } = await check("blocked.example.test", "--target", TARGETS.usual);
  expect(out).toContain(
    "\n  blocked.example.test has an A record (192.0.2.1) where the CNAME belongs: delete it",
  );
  expect(out).toContain(`CNAME  blocked  ${TARGETS.usual}  3600`);
  expect(out).not.toContain("dig @");
  const bound = await check("docs.bound.example.test", "--target", TARGETS.usual);
  expect(bound.out).toContain("their validationmethods do not name a method that this service can use");
});

test("domains check --trace prints a dig command for each query", async () => {
  const { check, authority } = await openCheck();
  const { out } = await check("blocked.example.test", "--trace");
  expect(out).toContain(
    `$ dig @127.0.0.1 -p ${authority.server.port} blocked.example.test. CNAME +norecurse +noadflag +nocookie`,
  );
});

test("domains check --json prints the response of the API", async () => {
  const { check } = await openCheck();
  const { out, code } = await check("docs.example.test", "--target", TARGETS.usual, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    hostname: "docs.example.test",
    verdict: "missing",
    record: { type: "CNAME", value: TARGETS.usual },
    findings: [{ kind: "no_record" }],
    trace: { zone: "example.test" },
  });
});

test.each([
  [["192.0.2.1"], "hostname: is an IP address"],
  [["docs.example.test", "--target", "$(reboot)"], "target: is not a host name"],
  [["t9.pages.test"], "one of this service's own names"],
] as const)("domains check %j is refused in one line", async (argv, message) => {
  const { check } = await openCheck();
  const { code, out, error } = await check(...argv);
  expect([code, out]).toEqual([1, ""]);
  expect(error).toMatch(/^adoption-store: .*\n$/);
  expect(error).toContain(message);
});

/** `domains template` over a name server on loopback, which has addresses for the targets. */
const openTemplate = async (settings: Record<string, string> = {}) => {
  const dns = await dnsServer({
    zones: { "sites.test": ["*.cname.sites.test A 192.0.2.10", "*.cname.sites.test AAAA 2001:db8::10"] },
  });
  const env = {
    DATA_DIR: join(temporaryDirectory(), "data"),
    DNS_RESOLVERS: `127.0.0.1:${dns.server.port}`,
    PLATFORM_DOMAIN: "sites.test",
    DOMAIN_CONNECT_PROVIDER_ID: "shelters.test",
    ...settings,
  };
  return {
    template: (...argv: string[]) => run(["domains", "template", ...argv], { env }),
    [Symbol.dispose]: () => dns[Symbol.dispose](),
  };
};

test("domains template prints the key's records and the files to submit", async () => {
  using place = await openTemplate();
  const { out, code } = await place.template();
  expect(code).toBe(0);
  expect(out).toStartWith("Publish these TXT records:\n\n  _dc-");
  expect(out).toContain('.sites.test. 3600 IN TXT "p=1,a=RS256,d=');
  expect(out).toContain("  adoption-store domains template subdomain > shelters.test.subdomain.json\n");
  expect(out).toContain("  adoption-store domains template apex > shelters.test.apex.json\n");
});

test("domains template reports that the built-in name server publishes the records", async () => {
  using place = await openTemplate({ NAMESERVER: "ns1.sites.test" });
  expect((await place.template()).out).toStartWith("The name server of this service publishes these TXT");
});

test("domains template prints one template alone, and with --json all and the key's records", async () => {
  using place = await openTemplate();
  const apex = JSON.parse((await place.template("apex")).out) as { records: { pointsTo?: string }[] };
  expect(apex.records.map(({ pointsTo }) => pointsTo)).toEqual(["192.0.2.10", "2001:db8::10", undefined]);
  const all = JSON.parse((await place.template("--json")).out) as { templates: object[]; records: object[] };
  expect(all.templates).toMatchObject([{ serviceId: "subdomain" }, apex]);
  expect(all.records.length).toBe(2);
});

test.each([
  [{ DOMAIN_CONNECT_PROVIDER_ID: "" }, [], 1, "set DOMAIN_CONNECT_PROVIDER_ID"],
  [{ PLATFORM_CNAME_TARGET: "pages.test" }, ["apex"], 1, "create the wildcard record"],
  [{}, ["www"], 2, "must be one of subdomain, apex"],
] as const)(
  "domains template with %j %j exits with %i and prints: %s",
  async (settings, argv, code, message) => {
    using place = await openTemplate(settings);
    const result = await place.template(...argv);
    expect(result).toMatchObject({ code, out: "" });
    expect(result.error).toContain(message);
  },
);
