import { expect, test } from "bun:test";
import type { DomainFinding } from "../../../src/platform/dns-checks/finding.ts";
import type { Report } from "../../../src/platform/dns-checks/model.ts";
import { neededAt, recordFor, zoneIn } from "../../../src/platform/dns-records/needed-record.ts";
import { guideFor } from "../../../src/platform/dns-records/provider-guide.ts";
import { PROVIDERS, providerOf } from "../../../src/platform/dns-checks/providers.ts";
import { hostnameOf } from "../../../src/lib/hostname.ts";
import { recordFinding } from "../dns-checks/traces.ts";

const TARGET = "abc.cname.example.net";
const SAVE = "If the form asks for a TTL, choose 1 hour (3600 seconds). Save.";

test.each([
  ["GoDaddy", ["ns51.domaincontrol.com", "ns52.domaincontrol.com"]],
  ["Cloudflare", ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"]],
  ["Namecheap", ["dns1.registrar-servers.com", "dns2.registrar-servers.com"]],
  ["Hostinger", ["ns1.dns-parking.com"]],
  ["IONOS", ["ns1012.ui-dns.com", "ns1012.ui-dns.de", "ns1012.ui-dns.org", "ns1012.ui-dns.biz"]],
  ["Amazon Route 53", ["ns-1.awsdns-00.co.uk", "ns-512.awsdns-00.net", "ns-1024.awsdns-63.org"]],
  ["Squarespace or Google Cloud DNS", ["ns-cloud-a1.googledomains.com"]],
  ["OVHcloud", ["dns10.ovh.net", "ns10.ovh.net"]],
  ["Wix", ["ns12.wixdns.net"]],
  ["Azure DNS", ["ns1-01.azure-dns.com", "ns2-01.azure-dns.net", "ns3-01.azure-dns.org"]],
  ["DigitalOcean", ["ns1.digitalocean.com"]],
  ["Gandi", ["ns-123-a.gandi.net"]],
  ["Hetzner", ["hydrogen.ns.hetzner.com", "helium.ns.hetzner.de"]],
  ["Porkbun", ["curitiba.ns.porkbun.com"]],
  ["Alibaba Cloud", ["dns9.hichina.com", "ns1.alidns.com"]],
  ["DNSPod", ["f1g1ns1.dnspod.net"]],
  ["Name.com", ["ns1abc.name.com"]],
  ["Vercel", ["ns1.vercel-dns.com"]],
  ["Netlify or NS1", ["dns1.p01.nsone.net"]],
  ["Bluehost", ["ns1.bluehost.com"]],
])("the provider of a zone is %s by its name servers", (name, names) => {
  expect(providerOf(names)?.name).toBe(name);
});

test("each row of providers is tested above", () => {
  expect(PROVIDERS.length).toBe(20);
  expect(new Set(PROVIDERS.map(({ name }) => name)).size).toBe(20);
});

test.each([
  [[]],
  [["ns1.example.org"]],
  [["ada.ns.cloudflare.com", "ns1.example.org"]],
  [["ada.ns.cloudflare.com", "ns51.domaincontrol.com"]],
  [["notdomaincontrol.com"]],
  [["ns1.myname.com"]],
  [["domaincontrol.com.evil.test"]],
  [["ns-1.awsdns-00.evil.test"]],
  [["xawsdns-00.com"]],
])("the provider of a zone is not guessed from %j", (names) => {
  expect(providerOf(names)).toBeUndefined();
});

const report = (servers: string[], more: Partial<Report> = {}): Report => ({
  target: TARGET,
  zone: "example.org",
  nameServers: [],
  chain: [],
  targetAddresses: ["192.0.2.80", "2001:db8::80"],
  caa: [],
  questions: [
    {
      server: "192.0.2.53",
      name: "example.org",
      type: "NS",
      recursive: true,
      transport: "udp",
      outcome: "NOERROR",
      records: servers.map((name) => `example.org 3600 IN NS ${name}`),
      milliseconds: 1,
    },
  ],
  ...more,
});

const guideIn = (typed: string, asked: Report, findings: DomainFinding[] = []) => {
  const zone = zoneIn(asked);
  const hostname = hostnameOf(typed);
  const { name, provider } = zone;
  const needed = neededAt(hostname, recordFor(hostname, TARGET, zone), provider);
  return provider && guideFor(needed, { name, provider }, findings);
};

const guideOf = (hostname: string, ...servers: string[]) => guideIn(hostname, report(servers));

test("the guide names the buttons and the fields", () => {
  expect(guideOf("docs.example.org", "ns51.domaincontrol.com")).toEqual({
    provider: "GoDaddy",
    steps: [
      "Sign in at GoDaddy, and open: Domain Portfolio, the domain, DNS.",
      "Choose Add New Record, then the type CNAME.",
      "Enter docs in the field Name.",
      `Enter ${TARGET} in the field Value.`,
      SAVE,
    ],
  });
});

test("the guide marks where a final dot is needed, and where a field stays empty", () => {
  expect(guideOf("docs.example.org", "ns-1-a.gandi.net")?.steps).toContain(
    `Enter ${TARGET}. in the field Hostname, with the final dot.`,
  );
  expect(guideOf("example.org", "curitiba.ns.porkbun.com")?.steps).toContain("Leave the field Host empty.");
});

test("the guide warns that Cloudflare's proxy must be off, and that its CNAME works at an apex", () => {
  const steps = guideOf("example.org", "ada.ns.cloudflare.com")?.steps ?? [];
  expect(steps).toContain("Choose Add record, then the type CNAME.");
  expect(steps).toContain("Enter @ in the field Name.");
  expect(steps).toContain("Switch the proxy off: the status must be DNS only.");
  expect(steps.slice(-4)).toEqual([
    "Choose Add record, then the type TXT.",
    "Enter _adoption-store in the field Name.",
    `Enter ${TARGET} in the field Target.`,
    SAVE,
  ]);
});

test("the guide of an apex without ALIAS names the addresses of the target", () => {
  const { apexType, steps } = guideOf("example.org", "ns1.ui-dns.com", "ns1.ui-dns.de") ?? { steps: [] };
  expect(apexType).toBeUndefined();
  expect(steps[1]).toContain("IONOS has no ALIAS record");
  expect(steps).toContain("Enter 192.0.2.80 in the field Points to.");
  expect(steps).toContain("Enter 2001:db8::80 in the field Points to.");
});

test("the guide of an apex without ALIAS suggests a subdomain while the addresses of the target are not known", () => {
  const steps = guideIn("example.org", report(["ns1.ui-dns.com"], { targetAddresses: [] }))?.steps.slice(1);
  expect(steps?.slice(0, 2)).toEqual([
    "IONOS has no ALIAS record for an apex domain. Use a subdomain such as www instead.",
    "Choose Add record, then the type TXT.",
  ]);
});

const GODADDY = ["ns51.domaincontrol.com"];
const ROUTE_53 = ["ns-1.awsdns-00.net"];
const stepsFor = (hostname: string, servers: string[], ...findings: DomainFinding[]) =>
  guideIn(hostname, report(servers), findings)?.steps.slice(1);

test("the guide lists deletions before creations, each once", () => {
  const conflict = (type: "A" | "AAAA", ...found: string[]) =>
    recordFinding("conflicting_record", "docs.example.org", type, found, [TARGET]) satisfies DomainFinding;
  expect(
    stepsFor(
      "docs.example.org",
      GODADDY,
      conflict("A", "192.0.2.7", "192.0.2.8"),
      conflict("AAAA", "2001:db8::7"),
    ),
  ).toEqual([
    "Delete the A records with the name docs and the values 192.0.2.7, 192.0.2.8.",
    "Delete the AAAA record with the name docs and the value 2001:db8::7.",
    "Choose Add New Record, then the type CNAME.",
    "Enter docs in the field Name.",
    `Enter ${TARGET} in the field Value.`,
    SAVE,
  ]);
});

test("the guide names the record to edit, and the value's final dot if the panel has added the zone", () => {
  const wrong = (found: string) =>
    recordFinding("wrong_target", "docs.example.org", "CNAME", [found], [TARGET]) satisfies DomainFinding;
  expect(stepsFor("docs.example.org", GODADDY, wrong("old.test"))).toEqual([
    "Open the CNAME record with the name docs and the value old.test to edit it.",
    `Enter ${TARGET} in the field Value.`,
    SAVE,
  ]);
  expect(stepsFor("docs.example.org", GODADDY, wrong(`${TARGET}.example.org`))).toContain(
    `Enter ${TARGET}. in the field Value, with the final dot.`,
  );
});

test("the guide is absent for a delegated name, because the provider of the other zone is unknown", () => {
  const away: DomainFinding = {
    kind: "delegated_away",
    name: "docs.example.org",
    zone: "docs.example.org",
    found: ["ns.old.test"],
  };
  expect(stepsFor("docs.example.org", GODADDY, away)).toBeUndefined();
});

test("the guide lists deletions at an apex in the types of the provider", () => {
  const wrong: DomainFinding = recordFinding(
    "wrong_target",
    "example.org",
    "ALIAS",
    ["192.0.2.7"],
    ["192.0.2.80"],
  );
  expect(stepsFor("example.org", GODADDY, wrong)).toContain("Delete each A or AAAA record with the name @.");
  expect(stepsFor("example.org", ["ada.ns.cloudflare.com"], wrong)).toContain(
    "Delete each A, AAAA or CNAME record with the name @.",
  );
});

test("the guide names a record in full where the panel lists it so", () => {
  const conflict: DomainFinding = recordFinding(
    "conflicting_record",
    "docs.example.org",
    "A",
    ["192.0.2.7"],
    [TARGET],
  );
  const steps = stepsFor("docs.example.org", ROUTE_53, conflict);
  expect(steps?.[0]).toBe("Delete the A record with the name docs.example.org and the value 192.0.2.7.");
  expect(steps).toContain("Enter docs in the field Record name.");
});

test("the guide writes a TXT value in quotation marks where the panel wants them", () => {
  const unproven: DomainFinding = recordFinding(
    "ownership_unproven",
    "_adoption-store.example.org",
    "TXT",
    [],
    [TARGET],
  );
  expect(stepsFor("example.org", ROUTE_53, unproven)).toContain(`Enter "${TARGET}" in the field Value.`);
  expect(stepsFor("example.org", GODADDY, unproven)).toContain(`Enter ${TARGET} in the field Value.`);
});

test("the guide explains what to do about CAA records of the zone, and omits those of another", () => {
  const caa = (name: string) =>
    ({ kind: "caa_forbids", name, found: ['0 issue ";"'], expected: ["ca.test"] }) satisfies DomainFinding;
  expect(stepsFor("docs.example.org", GODADDY, caa("example.org"))).toEqual([
    "Choose Add New Record, then the type CAA.",
    "Enter @ in the field Name.",
    'Enter the flags 0, the tag issue and the value ca.test. If the form has one field for all three, enter 0 issue "ca.test".',
    SAVE,
  ]);
  expect(stepsFor("*.example.org", GODADDY, { ...caa("example.org"), tag: "issuewild" })).toContain(
    'Enter the flags 0, the tag issuewild and the value ca.test. If the form has one field for all three, enter 0 issuewild "ca.test".',
  );
  expect(stepsFor("docs.example.org", GODADDY, caa("pages.test"))).not.toContain(
    "Choose Add New Record, then the type CAA.",
  );
});

test("the guide creates or corrects the challenge's record of a wildcard under its own name", () => {
  const about = {
    name: "_acme-challenge.example.org",
    type: "CNAME",
    expected: ["abc.challenge.test"],
  } satisfies Partial<DomainFinding>;
  const steps = stepsFor("*.example.org", GODADDY, { kind: "no_record", ...about });
  const texts = { ...about, type: "TXT" as const, found: ["left-over"] };
  const resolved = stepsFor("*.example.org", GODADDY, { kind: "conflicting_record", ...texts });
  expect(resolved?.slice(-(steps?.length ?? 0))).toEqual(steps ?? []);
  expect(steps).toContain("Enter _acme-challenge in the field Name.");
  expect(steps).toContain("Enter abc.challenge.test in the field Value.");
  expect(steps).not.toContain("Enter * in the field Name.");
  const wrong: DomainFinding = { kind: "wrong_target", ...about, found: ["old.test"] };
  expect(stepsFor("*.example.org", GODADDY, wrong)?.[0]).toBe(
    "Open the CNAME record with the name _acme-challenge and the value old.test to edit it.",
  );
});

test("the guide names the record as the panel of a delegated subdomain does", () => {
  const delegated = report(["ns51.domaincontrol.com"], { zone: "sub.example.org" });
  for (const question of delegated.questions) question.name = "sub.example.org";
  expect(guideIn("docs.sub.example.org", delegated)?.steps).toContain("Enter docs in the field Name.");
  expect(guideOf("docs.sub.example.org", "ns51.domaincontrol.com")?.steps).toContain(
    "Enter docs.sub in the field Name.",
  );
});

test("the guide is absent if the provider is not known, or the zone got no query", () => {
  expect(guideOf("docs.example.org", "ns1.example.org")).toBeUndefined();
  expect(zoneIn(undefined).provider).toBeUndefined();
  // Name servers of a zone above say nothing about who holds this one.
  const elsewhere = report(["ada.ns.cloudflare.com"], { zone: "sub.example.org" });
  expect(zoneIn(elsewhere).provider).toBeUndefined();
});

const terraformOf = (hostname: string, ...servers: string[]) => {
  const { terraform, proof } = recordFor(hostnameOf(hostname), TARGET, zoneIn(report(servers)));
  return { terraform, proof: proof?.terraform };
};

test("the Terraform block is Cloudflare's for a zone there, not proxied", () => {
  expect(terraformOf("docs.example.org", "ada.ns.cloudflare.com").terraform.split("\n")).toEqual([
    'resource "cloudflare_dns_record" "docs_example_org" {',
    "  zone_id = var.zone_id",
    '  name    = "docs.example.org"',
    '  type    = "CNAME"',
    `  content = "${TARGET}"`,
    "  ttl     = 3600",
    "  proxied = false",
    "}",
  ]);
  const { terraform, proof } = terraformOf("example.org", "ada.ns.cloudflare.com");
  expect(terraform).toContain('type    = "CNAME"');
  expect(proof).toContain(String.raw`content = "\"${TARGET}\""`);
  expect(proof).not.toContain("proxied");
});

test("the Terraform block is Route 53's for a zone there, with the target's addresses at an apex", () => {
  expect(terraformOf("docs.example.org", "ns-1.awsdns-00.co.uk").terraform.split("\n")).toEqual([
    'resource "aws_route53_record" "docs_example_org" {',
    "  zone_id = var.zone_id",
    '  name    = "docs.example.org"',
    '  type    = "CNAME"',
    "  ttl     = 3600",
    `  records = ["${TARGET}"]`,
    "}",
  ]);
  const { terraform, proof } = terraformOf("example.org", "ns-1.awsdns-00.co.uk");
  expect(terraform).toContain('resource "aws_route53_record" "example_org_a"');
  expect(terraform).toContain('records = ["192.0.2.80"]');
  expect(terraform).toContain('resource "aws_route53_record" "example_org_aaaa"');
  expect(terraform).toContain('records = ["2001:db8::80"]');
  expect(proof).toContain(`records = ["${TARGET}"]`);
});

test("the Terraform block of an apex at Route 53 is for a provider with ALIAS while the target has no addresses", () => {
  const zone = zoneIn(report(["ns-1.awsdns-00.co.uk"], { targetAddresses: [] }));
  expect(recordFor(hostnameOf("example.org"), TARGET, zone).terraform).toContain("dnsimple_zone_record");
});
