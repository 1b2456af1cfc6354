import { join } from "node:path";
import { expect, test } from "bun:test";
import { dnsServer } from "../support/dns.ts";
import { temporaryDirectory } from "../support/store.ts";
import { inProcess as run } from "./program.ts";

/** `domains template` over a name server on loopback, which has addresses for the targets. */
const open = async (settings: Record<string, string> = {}) => {
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
  using place = await open();
  const { out, code } = await place.template();
  expect(code).toBe(0);
  expect(out).toStartWith("Publish these TXT records:\n\n  _dc-");
  expect(out).toContain('.sites.test. 3600 IN TXT "p=1,a=RS256,d=');
  expect(out).toContain("  adoption-store domains template subdomain > shelters.test.subdomain.json\n");
  expect(out).toContain("  adoption-store domains template apex > shelters.test.apex.json\n");
});

test("domains template says that the built-in name server publishes the records", async () => {
  using place = await open({ NAMESERVER: "ns1.sites.test" });
  expect((await place.template()).out).toStartWith("The name server of this service publishes these TXT");
});

test("domains template prints one template alone, and with --json all and the key's records", async () => {
  using place = await open();
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
] as const)("domains template with %j %j exits with %i and says: %s", async (settings, argv, code, says) => {
  using place = await open(settings);
  const result = await place.template(...argv);
  expect(result).toMatchObject({ code, out: "" });
  expect(result.error).toContain(says);
});
