import { expect, test } from "bun:test";
import { describeFinding } from "../../src/dns-checks/finding-kinds.ts";
import type { Finding } from "../../src/dns-checks/finding.ts";
import { formatServer, parseServer, resolversOf } from "../../src/protocols/dns/server-address.ts";

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
    { kind: "no_record", name, type: "CNAME", expected },
    "docs.example.org has no CNAME record: create one with the value t1.pages.test.",
  ],
  [
    { kind: "wrong_target", name, type: "CNAME", found: ["x.test"], expected },
    "docs.example.org's CNAME record points to x.test: change it to t1.pages.test.",
  ],
  [
    { kind: "conflicting_record", name, type: "A", found: ["192.0.2.1"], expected },
    "docs.example.org has an A record (192.0.2.1) where the CNAME belongs: delete it, and create a CNAME with the value t1.pages.test.",
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
      name,
      found: ['0 issue "ca.test; accounturi=x"'],
      expected: ["ca.test; accounturi=y", "ca.test; accounturi=z"],
      parameter: "accounturi",
    },
    `The CAA records of docs.example.org (0 issue "ca.test; accounturi=x") forbid the certificate: their accounturi does not name this service's account with the CA. Add a record with the value "ca.test; accounturi=y" or "ca.test; accounturi=z".`,
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 77 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may show the old one for up to 77 s.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 3599 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may show the old one for up to 60 minutes.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 7200 },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may show the old one for up to 2 hours.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53" },
    "The name servers of docs.example.org have the right record. The resolver 192.0.2.53 and others may show the old one for a while.",
  ],
  [
    { kind: "ownership_unproven", name: "_adoption-store.x.test", type: "TXT", found: [], expected },
    "The addresses are right, but they do not say which project the domain is for: create a TXT record with the name _adoption-store.x.test and the value t1.pages.test.",
  ],
  [
    { kind: "ownership_unproven", name: "_adoption-store.x.test", type: "TXT", found: ["b"], expected },
    "The addresses are right, but they do not say which project the domain is for: create a TXT record with the name _adoption-store.x.test and the value t1.pages.test, in place of b.",
  ],
  [
    { kind: "unreachable", name, server: "192.0.2.53", reason: "SERVFAIL" },
    "192.0.2.53 gave no usable response for docs.example.org: SERVFAIL.",
  ],
])("a finding is said in a sentence: %#", (finding, sentence) => {
  expect(describeFinding(finding)).toBe(sentence);
});
