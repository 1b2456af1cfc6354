import { expect, test } from "bun:test";
import {
  type Finding,
  type FindingKind,
  type FindingOf,
  FINDING_KINDS,
  describeFinding,
} from "../../../src/platform/dns-checks/finding.ts";
import { type Inspect, wildcardInspector } from "../../../src/platform/dns-checks/inspect.ts";
import { hostnameOf } from "../../../src/lib/hostname.ts";
import { formatServer, parseServer } from "../../../src/lib/name-server.ts";
import { resolversOf } from "../../../src/protocols/dns/network.ts";
import { noRecord, recordFinding } from "./traces.ts";

test("resolvers are read from resolv.conf", () => {
  const text =
    "# nameserver 192.0.2.9\nsearch example.org\nnameserver 192.0.2.1\n\tnameserver  2001:db8::1 \nnameserver x\noptions ndots:1\n";
  expect(resolversOf(text)).toEqual([
    { address: "192.0.2.1", port: 53 },
    { address: "2001:db8::1", port: 53 },
  ]);
});

test.each([
  ["192.0.2.1", { address: "192.0.2.1", port: 53 }],
  ["192.0.2.1:5353", { address: "192.0.2.1", port: 5353 }],
  ["2001:db8::1", { address: "2001:db8::1", port: 53 }],
  ["[2001:db8::1]:5353", { address: "2001:db8::1", port: 5353 }],
  ["[2001:db8::1]", { address: "2001:db8::1", port: 53 }],
  ["dns.example.org", undefined],
  ["192.0.2.1:0", undefined],
  ["192.0.2.1:65536", undefined],
  ["[192.0.2.1]:53", undefined],
  ["", undefined],
])("the server %j is %j", (text, server) => {
  expect(parseServer(text)).toEqual(server);
  if (server) expect(parseServer(formatServer(server))).toEqual(server);
});

const name = "docs.example.org";
const expected = ["t1.pages.test"];

test.each<[Finding, string]>([
  [
    noRecord(name, "CNAME", expected),
    "docs.example.org has no CNAME record: create one with the value t1.pages.test.",
  ],
  [
    recordFinding("wrong_target", name, "CNAME", ["x.test"], expected),
    "docs.example.org's CNAME record points to x.test: change it to t1.pages.test.",
  ],
  [
    recordFinding("conflicting_record", name, "A", ["192.0.2.1"], expected),
    "docs.example.org has an A record (192.0.2.1) where the CNAME belongs: delete it, and create a CNAME with the value t1.pages.test.",
  ],
  [
    recordFinding("conflicting_record", name, "MX", ["10 mail.test"], expected),
    "docs.example.org has an MX record (10 mail.test) where the CNAME belongs: delete it, and create a CNAME with the value t1.pages.test. Addresses at this name then receive no mail. If you need them, choose another name for the site.",
  ],
  [
    recordFinding("conflicting_record", name, "TXT", ["a", "b"], expected),
    "docs.example.org has TXT records (a, b) where the CNAME belongs: delete them, and create a CNAME with the value t1.pages.test. If another service still uses this record, choose another name for the site.",
  ],
  [
    { kind: "no_record", name, type: "CNAME", expected, wildcard: "*.example.org" },
    "docs.example.org has no CNAME record: create one with the value t1.pages.test. The wildcard record *.example.org does not answer for it, because the zone has another record at or below docs.example.org.",
  ],
  [
    recordFinding("wrong_target", name, "CNAME", ["a.test", "t1.pages.test"], expected),
    "docs.example.org has 2 CNAME records, but only one is allowed, with the value t1.pages.test: delete a.test.",
  ],
  [
    recordFinding("wrong_target", name, "CNAME", ["a.test", "b.test"], expected),
    "docs.example.org has 2 CNAME records, but only one is allowed, with the value t1.pages.test: delete a.test, b.test.",
  ],
  [
    { kind: "delegated_away", name, zone: name, found: ["ns.old.test"] },
    "docs.example.org has NS records (ns.old.test), which cannot coexist with a CNAME. In the parent zone, delete the NS records, and create the CNAME there. Other records on those name servers then stop working: copy the ones that you need.",
  ],
  [
    { kind: "delegated_away", name: `a.${name}`, zone: name, found: ["ns.old.test"] },
    "docs.example.org has NS records (ns.old.test), so the records of a.docs.example.org belong on those name servers. Create the CNAME there. If those name servers are no longer in use, delete the NS records instead, and create the CNAME in the parent zone.",
  ],
  [
    { kind: "dnssec_failure", name: "example.org", server: "192.0.2.9", reason: "DNSSEC bogus" },
    "192.0.2.9 rejects the records of example.org because DNSSEC validation fails (DNSSEC bogus). Ask the DNS provider to sign the zone again.",
  ],
  [
    { kind: "caa_forbids", name, found: ['0 issue ";"'], expected: ["ca.test"] },
    'The CAA records of docs.example.org (0 issue ";") forbid the certificate: add one that allows ca.test.',
  ],
  [
    { kind: "caa_forbids", name, found: ['0 issuewild ";"'], expected: ["ca.test"], tag: "issuewild" },
    'The CAA records of docs.example.org (0 issuewild ";") forbid the certificate: add one with the tag issuewild that allows ca.test.',
  ],
  [
    {
      kind: "caa_forbids",
      name,
      found: ['0 issue "ca.test; validationmethods=dns-01"'],
      expected: ["ca.test; validationmethods=http-01"],
      parameter: "validationmethods",
    },
    'The CAA records of docs.example.org (0 issue "ca.test; validationmethods=dns-01") forbid the certificate: their validationmethods do not name a method that this service can use. Add a record with the value "ca.test; validationmethods=http-01".',
  ],
  [
    {
      kind: "caa_forbids",
      name: "example.org",
      found: ['0 issue "ca.test; validationmethods=dns-01"'],
      expected: ["ca.test; validationmethods=http-01"],
      parameter: "validationmethods",
      challenge: { name: `_acme-challenge.${name}`, value: "t1.challenges.test" },
    },
    'The CAA records of example.org (0 issue "ca.test; validationmethods=dns-01") forbid the certificate: their validationmethods do not name a method that this service can use. Create a CNAME record with the name _acme-challenge.docs.example.org and the value t1.challenges.test, so that this service can use dns-01. Or add a record with the value "ca.test; validationmethods=http-01".',
  ],
  [
    {
      kind: "caa_forbids",
      name,
      found: ['0 issue "ca.test; accounturi=x"'],
      expected: ["ca.test; accounturi=y", "ca.test; accounturi=z"],
      parameter: "accounturi",
    },
    `The CAA records of docs.example.org (0 issue "ca.test; accounturi=x") forbid the certificate: their accounturi does not name this service's account with the CA. Add a record with the value "ca.test; accounturi=y" or "ca.test; accounturi=z".`,
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 77 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may return the old one for up to 77 s.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 3599 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may return the old one for up to 60 minutes.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 7200 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may return the old one for up to 2 hours.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53" },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may return the old one for a while.",
  ],
  [
    recordFinding("ownership_unproven", "_adoption-store.x.test", "TXT", [], expected),
    "The addresses are right, but they do not identify the project. Create a TXT record with the name _adoption-store.x.test and the value t1.pages.test.",
  ],
  [
    recordFinding("ownership_unproven", "_adoption-store.x.test", "TXT", ["b"], expected),
    "The addresses are right, but they do not identify the project. Create a TXT record with the name _adoption-store.x.test and the value t1.pages.test instead of b.",
  ],
  [
    { kind: "unreachable", name, server: "192.0.2.53", reason: "SERVFAIL" },
    "192.0.2.53 gave no usable response for docs.example.org: SERVFAIL.",
  ],
])("a finding is said in a sentence: %#", (finding, sentence) => {
  expect(describeFinding(finding)).toBe(sentence);
});

test.each([
  ["https://t1.pages.test/", "The value starts with a protocol such as https://: enter only the host name."],
  ['"t1.pages.test"', "The value is in quotation marks: enter it without them."],
  ["\u201ct1.pages.test\u201d", "The value is in quotation marks: enter it without them."],
  ["t1.pages.test/docs", "The value contains a path: enter only the host name."],
  ["t1.pages.test/", "The value contains a path: enter only the host name."],
  ["t1.pages.test:443", "The value contains a port: enter only the host name."],
  [
    "t1.pages.test ",
    "The value contains a space, a backslash or an invisible character: enter only the host name.",
  ],
  [
    "\\u200bt1.pages.test",
    "The value contains a space, a backslash or an invisible character: enter only the host name.",
  ],
  ["t1-pages.test", undefined],
])("the CNAME value %j is explained", (value, hint) => {
  const message = describeFinding(recordFinding("wrong_target", name, "CNAME", [value], expected));
  const plain = `docs.example.org's CNAME record points to ${value}: change it to t1.pages.test.`;
  expect(message).toBe(hint === undefined ? plain : `${plain} ${hint}`);
});

test.each([
  ["CNAME", ["old.example.net"], "Then change its CNAME record to t1.pages.test."],
  [
    "CNAME",
    ["192.0.2.7"],
    "Then delete the records that point there, and create a CNAME record with the value t1.pages.test.",
  ],
  ["CNAME", [], "Then create a CNAME record with the value t1.pages.test."],
  [
    "ALIAS",
    ["2001:db8::7"],
    "Then delete the records that point there, and create an ALIAS record with the value t1.pages.test.",
  ],
] as ["CNAME" | "ALIAS", string[], string][])(
  "a name that moves needs a %s record instead of %j",
  (type, found, step) => {
    const name = "docs.example.org";
    const finding: Finding = recordFinding("not_moved", name, type, found, ["t1.pages.test"]);
    expect(describeFinding(finding)).toEndWith(step);
  },
);

/** A finding with every field that its text may name. */
const anyOf = (kind: FindingKind, more: object = {}) =>
  ({
    kind,
    name: "example.org",
    zone: "example.org",
    type: "A",
    found: ["192.0.2.7"],
    expected,
    server: "192.0.2.53",
    reason: "REFUSED",
    provider: "Cloudflare",
    seconds: 86_400,
    ...more,
  }) as unknown as FindingOf<FindingKind>;

/** The registry's own response proves these: it lacks the domain, or lists name servers of a registrar. */
const BY_REGISTRY: FindingKind[] = ["registration_expired", "registration_on_hold", "parked"];

test("no finding names the registrar unless the response of the parent zone proves it", () => {
  const naming = (more?: object) =>
    FINDING_KINDS.filter((kind) => describeFinding(anyOf(kind, more)).includes("registrar"));
  expect(naming()).toEqual(BY_REGISTRY);
  expect(naming({ responsible: "registrar" })).toEqual(["lame_delegation", "dnssec_failure", ...BY_REGISTRY]);
});

test.each([
  ["t1.pages.test", "no_record"],
  ["t2.pages.test", "wrong_target"],
])("a challenge with the value %s below the wildcard t1.pages.test is %s", async (value, kind) => {
  const target = "t1.pages.test";
  const inspect: Inspect = async ({ ascii }) => ({
    event: "records_right",
    findings: [],
    isProven: true,
    rivals: [],
    report: { target, nameServers: [], chain: [ascii, target], targetAddresses: [], caa: [], questions: [] },
  });
  const inspectWildcard = wildcardInspector(inspect, {
    nameOf: (label) => `${label}.challenges.test`,
    lookUp: async () => ({ kind: "elsewhere", found: [value], texts: [], expected: "t1.challenges.test" }),
  });
  const options = { isUrgent: () => false, needsProof: true };
  const { findings } = await inspectWildcard(hostnameOf("*.example.org"), target, options);
  expect(findings).toMatchObject([
    { kind, name: "_acme-challenge.example.org", expected: ["t1.challenges.test"] },
  ]);
});
