import { expect, test } from "bun:test";
import { allowsIssuance } from "../../src/protocols/dns/caa.ts";
import { describeFinding, formatServer, type Finding } from "../../src/domains/finding.ts";
import type { CaaRecord } from "../../src/protocols/dns/message.ts";
import { parseServer, resolversOf } from "../../src/protocols/dns/server-address.ts";

const caa = (text: string): CaaRecord => {
  const [flags, tag = "", ...value] = text.split(" ");
  return {
    name: "x.test",
    ttl: 1,
    type: "CAA",
    data: { critical: flags === "128", tag, value: value.join(" ") },
  };
};

test.each<[records: string[], allowed: boolean]>([
  [[], true],
  [["0 issue ca.test"], true],
  [["0 issue CA.TEST. ; accounturi=https://ca.test/1"], true],
  [["0 issue other.test", "0 issue ca.test"], true],
  [["0 issue other.test"], false],
  [["0 issue ;"], false],
  [["0 issue "], false],
  [["0 issue not-ca.test"], false],
  [["0 issuewild other.test"], true],
  [["0 iodef mailto:a@x.test"], true],
  [["0 newtag x"], true],
  [["128 newtag x", "0 issue ca.test"], false],
  [["128 issue ca.test"], true],
])("CAA %j allows ca.test: %p", (records, allowed) => {
  expect(allowsIssuance(records.map(caa), ["ca.test"])).toBe(allowed);
});

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
    "docs.example.org's CNAME record leads to x.test: it must be t1.pages.test.",
  ],
  [
    { kind: "conflicting_record", name, type: "A", found: ["192.0.2.1"], expected },
    "docs.example.org has an A record (192.0.2.1) where the CNAME belongs: remove it, and create a CNAME with the value t1.pages.test.",
  ],
  [
    { kind: "caa_forbids", name, found: ['0 issue ";"'], expected: ["ca.test"] },
    'The CAA records of docs.example.org (0 issue ";") forbid the certificate: add one that allows ca.test.',
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53", seconds: 77 },
    "docs.example.org's record is right, but 192.0.2.53 still has the old records, for at most 77 s more.",
  ],
  [
    { kind: "not_propagated", name, server: "192.0.2.53" },
    "docs.example.org's record is right, but 192.0.2.53 still has the old records.",
  ],
  [
    { kind: "ownership_unproven", name: "_adoption-store.x.test", type: "TXT", found: [], expected },
    "The addresses are right, but they do not say which project the domain is for: create a TXT record with the name _adoption-store.x.test and the value t1.pages.test.",
  ],
  [
    { kind: "ownership_unproven", name: "_adoption-store.x.test", type: "TXT", found: ["b"], expected },
    "The addresses are right, but they do not say which project the domain is for: create a TXT record with the name _adoption-store.x.test and the value t1.pages.test, where it is b.",
  ],
  [
    { kind: "unreachable", name, server: "192.0.2.53", reason: "SERVFAIL" },
    "192.0.2.53 could not be asked about docs.example.org: SERVFAIL.",
  ],
])("a finding is said in a sentence: %#", (finding, sentence) => {
  expect(describeFinding(finding)).toBe(sentence);
});
