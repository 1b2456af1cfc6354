import { expect, test } from "bun:test";
import { hostnameOf } from "../../../src/lib/hostname.ts";
import { isReservedName, isSpecialUse } from "../../../src/platform/dns-checks/names.ts";
import { printable } from "../../../src/lib/text.ts";
import { recordFor, zoneIn } from "../../../src/platform/dns-records/needed-record.ts";

const TARGET = "abc.cname.example.net";

test.each([
  ["docs.example.org", "docs", "example.org.", "docs_example_org"],
  ["a.b.example.co.uk", "a.b", "example.co.uk.", "a_b_example_co_uk"],
  ["1.example.org", "1", "example.org.", "_1_example_org"],
  ["r3.example.org", "r3", "example.org.", "r3_example_org"],
  ["xn--bcher-kva.example.org", "xn--bcher-kva", "example.org.", "xn__bcher_kva_example_org"],
])(
  "the record that %s needs is named %s in the zone %s, and %s in Terraform",
  (hostname, name, zone, identifier) => {
    const record = recordFor(hostnameOf(hostname), TARGET);
    expect(record).toMatchObject({ type: "CNAME", name, value: TARGET, ttl: 3600 });
    expect(record.bind).toBe(`${hostname}. 3600 IN CNAME ${TARGET}.`);
    expect(record.terraform.split("\n")).toEqual([
      `resource "dns_cname_record" "${identifier}" {`,
      `  zone  = "${zone}"`,
      `  name  = "${name}"`,
      `  cname = "${TARGET}."`,
      "  ttl   = 3600",
      "}",
    ]);
  },
);

test("the record that an apex needs is an ALIAS, which a zone file of BIND does not know", () => {
  const { type, name, bind, terraform, note } = recordFor(hostnameOf("example.org"), TARGET);
  expect([type, name, bind]).toEqual(["ALIAS", "@", undefined]);
  expect(terraform.split("\n")).toEqual([
    'resource "dnsimple_zone_record" "example_org" {',
    '  zone_name = "example.org"',
    '  name      = ""',
    '  type      = "ALIAS"',
    `  value     = "${TARGET}"`,
    "  ttl       = 3600",
    "}",
  ]);
  expect(note).toContain("ANAME");
  expect(note).toContain("the TXT record _adoption-store.example.org must say which project");
});

test("the record that an apex needs can be the service's addresses, where they are known", () => {
  const zone = { ...zoneIn(undefined), addresses: ["192.0.2.80", "2001:db8::80"] };
  const { addresses, note } = recordFor(hostnameOf("example.org"), TARGET, zone);
  expect(addresses).toEqual([
    { type: "A", name: "@", value: "192.0.2.80", ttl: 3600, bind: "example.org. 3600 IN A 192.0.2.80" },
    {
      type: "AAAA",
      name: "@",
      value: "2001:db8::80",
      ttl: 3600,
      bind: "example.org. 3600 IN AAAA 2001:db8::80",
    },
  ]);
  expect(note).toContain("with the addresses of this service (192.0.2.80, 2001:db8::80).");
  expect(recordFor(hostnameOf("docs.example.org"), TARGET, zone)).not.toHaveProperty("addresses");
});

test("the record that an apex needs comes with a TXT record that proves its project, in all forms", () => {
  const { proof } = recordFor(hostnameOf("example.co.uk"), TARGET);
  expect(proof).toMatchObject({ type: "TXT", name: "_adoption-store", value: TARGET, ttl: 3600 });
  expect(proof?.bind).toBe(`_adoption-store.example.co.uk. 3600 IN TXT "${TARGET}"`);
  expect(proof?.terraform.split("\n")).toEqual([
    'resource "dnsimple_zone_record" "_adoption_store_example_co_uk" {',
    '  zone_name = "example.co.uk"',
    '  name      = "_adoption-store"',
    '  type      = "TXT"',
    `  value     = "${TARGET}"`,
    "  ttl       = 3600",
    "}",
  ]);
  expect(recordFor(hostnameOf("docs.example.co.uk"), TARGET)).not.toHaveProperty("proof");
});

test("the record that a known name needs is shown even if it has become a public suffix since", () => {
  expect(hostnameOf("co.uk")).toMatchObject({ ascii: "co.uk", apex: "co.uk", isApex: true, label: "@" });
  expect(hostnameOf("a.kawasaki.jp")).toMatchObject({ ascii: "a.kawasaki.jp", apex: "kawasaki.jp" });
});

test.each([
  ["sites.example.com", true],
  ["a.b.sites.example.com", true],
  ["xsites.example.com", false],
  ["example.com", true],
  ["api.example.com", true],
  ["x.api.example.com", false],
  ["www.example.com", false],
  ["example.org", true],
  ["other.eu.example.org", false],
  ["eu.example.org", true],
  ["v1.eu.example.org", true],
  ["xample.com", false],
])("%s is one of the service's own names: %p", (name, isOwn) => {
  expect(
    isReservedName(name, {
      zones: ["sites.example.com"],
      hosts: ["api.example.com", "api.v1.eu.example.org"],
    }),
  ).toBe(isOwn);
});

test.each([
  ["docs.localhost", true],
  ["printer.local", true],
  ["docs.example", true],
  ["docs.invalid", true],
  ["docs.onion", true],
  ["docs.alt", true],
  ["docs.internal", true],
  ["nas.home.arpa", true],
  ["1.2.0.192.in-addr.arpa", true],
  ["local.example.org", false],
  ["mylocal.example.org", false],
  ["docs.thelocal", false],
  ["docs.example.test", false],
])("%s is a special-use name: %p", (name, isSpecial) => {
  expect(isSpecialUse(name)).toBe(isSpecial);
});

test.each([
  ["plain.example.org", "plain.example.org"],
  ["\u001b[2J", "\\u001b[2J"],
  ["a\u0000b\r\n", "a\\u0000b\\u000d\\u000a"],
  ["\u202etxt", "\\u202etxt"],
  ["b\u00fccher \ud83d\ude00", "b\u00fccher \ud83d\ude00"],
  ["\ud83d", "\\ud83d"],
  ["x".repeat(400), `${"x".repeat(297)}...`],
])("%p is shown as %p", (text, shown) => {
  expect(printable(text)).toBe(shown);
});
