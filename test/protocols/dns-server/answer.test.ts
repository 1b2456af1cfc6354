import { expect, test } from "bun:test";
import { aSet, txtSet } from "../../../src/protocols/dns-server/records.ts";
import { createZone } from "../../../src/protocols/dns-server/zone.ts";
import { testResponder } from "../../support/dns-questions.ts";
import { SOA as TIMES, zoneOfLines } from "../../support/served-zones.ts";

const ZONE = zoneOfLines("example.org", [
  "example.org NS ns1.example.org",
  "example.org A 192.0.2.10",
  "example.org CAA ca.test",
  "example.org HTTPS h2",
  "ns1.example.org A 192.0.2.53",
  "ns1.example.org AAAA 2001:db8::53",
  "*.example.org A 192.0.2.80",
  "*.example.org TXT wild",
  "deep.below.example.org A 192.0.2.81",
  "long.example.org TXT " + "x".repeat(300),
]);
const OTHER = zoneOfLines("other.test", ["other.test NS ns1.other.test", "www.other.test A 192.0.2.90"]);
/** Asks for a name and a type, such as `example.org A`. */
const askerOf = (...zones: Parameters<typeof testResponder>[0]) => {
  const { ask } = testResponder(zones);
  return (asked: string) => {
    const [name = "", type = ""] = asked.split(" ");
    return ask(name, type);
  };
};
const ask = askerOf(ZONE, OTHER);

const SOA = "example.org 60 SOA";
const positive = (...answers: string[]) => ({
  rcode: "NOERROR",
  aa: true,
  tc: false,
  answers,
  authorities: [] as string[],
  additionals: [] as string[],
});
const negative = (rcode: string) => ({
  ...positive(),
  rcode,
  authorities: [SOA],
});
const refused = { ...positive(), rcode: "REFUSED", aa: false };

test.each([
  ["a name with the type", "example.org A", "192.0.2.10"],
  ["AAAA", "ns1.example.org AAAA", "2001:db8::53"],
  ["CAA", "example.org CAA", '{"flags":0,"tag":"issue","value":"ca.test","issuerCritical":false}'],
  ["a text of 300 bytes", "long.example.org TXT", "x".repeat(300)],
  ["a name that a wildcard covers", "any.example.org A", "192.0.2.80"],
  ["a name of two labels that a wildcard covers", "a.b.example.org A", "192.0.2.80"],
  ["the wildcard itself", "*.example.org A", "192.0.2.80"],
])("the response has the record of the name and the type that were asked for: %s", (_fact, asked, data) => {
  expect(ask(asked)).toEqual(positive(`${asked.replace(" ", " 300 ")} ${data}`));
});

test.each([
  ["SOA has the zone's TTL", "example.org SOA", positive("example.org 3600 SOA")],
  [
    "NS has the servers' addresses",
    "example.org NS",
    {
      ...positive("example.org 300 NS ns1.example.org"),
      additionals: ["ns1.example.org 300 A 192.0.2.53", "ns1.example.org 300 AAAA 2001:db8::53"],
    },
  ],
  ["HTTPS", "example.org TYPE65", positive("example.org 300 UNKNOWN_65 00010000010003026832")],
  ["a type that the name lacks is an absence", "example.org TXT", negative("NOERROR")],
  ["a name below a name that exists is NXDOMAIN", "no.ns1.example.org A", negative("NXDOMAIN")],
  ["an empty non-terminal is an absence", "below.example.org A", negative("NOERROR")],
  [
    "a name next to the only one below an empty non-terminal is NXDOMAIN",
    "no.below.example.org A",
    negative("NXDOMAIN"),
  ],
  ["a type that the wildcard lacks is an absence", "any.example.org AAAA", negative("NOERROR")],
  ["ANY has one record set", "ns1.example.org ANY", positive("ns1.example.org 300 A 192.0.2.53")],
  ["a name of no zone", "example.com A", refused],
  ["a name that only ends like a zone", "badexample.org A", refused],
  ["the root", ". NS", refused],
  ["a transfer", "example.org AXFR", refused],
  ["a type that no record has", "example.org TYPE250", { ...refused, rcode: "NOTIMP" }],
])("the response is correct: %s", (_fact, asked, expected) => {
  expect(ask(asked)).toEqual(expected);
});

test("a label that contains a dot is not a name of two labels", () => {
  const { respond } = testResponder([ZONE]);
  const inner = Buffer.from(`\u000adeep.below\u0007example\u0003org\0\0\u0001\0\u0001`, "latin1");
  const packet = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), inner]);
  const response = respond(packet, { address: "192.0.2.1", transport: "tcp" });
  // The wildcard covers it.
  expect(response?.subarray(-4)).toEqual(Buffer.from([192, 0, 2, 80]));
});

const texts = new Map([
  ["_acme-challenge.example.org", "apex"],
  ["_acme-challenge.site.example.org", "site"],
  ["_acme-challenge.x.ns1.example.org", "host"],
]);
const added = (name: string) => {
  const text = texts.get(name);
  if (text !== undefined) return [txtSet(1, [text])];
  return [...texts.keys()].some((owner) => owner.endsWith(`.${name}`)) ? [] : undefined;
};
const askAdded = askerOf(
  zoneOfLines("example.org", ["*.example.org A 192.0.2.80", "ns1.example.org A 192.0.2.53"], added),
);
test.each([
  [
    "are served",
    "_acme-challenge.site.example.org TXT",
    positive("_acme-challenge.site.example.org 1 TXT site"),
  ],
  [
    "leave a name the wildcard's other records",
    "_acme-challenge.site.example.org A",
    positive("_acme-challenge.site.example.org 300 A 192.0.2.80"),
  ],
  [
    "do not hide the wildcard from the name above",
    "site.example.org A",
    positive("site.example.org 300 A 192.0.2.80"),
  ],
  [
    "do not hide the wildcard from their neighbours",
    "www.site.example.org A",
    positive("www.site.example.org 300 A 192.0.2.80"),
  ],
  [
    "do not hide the wildcard from the names below",
    "a._acme-challenge.example.org A",
    positive("a._acme-challenge.example.org 300 A 192.0.2.80"),
  ],
  [
    "exist where nothing else does",
    "_acme-challenge.x.ns1.example.org TXT",
    positive("_acme-challenge.x.ns1.example.org 1 TXT host"),
  ],
  ["make the names above them exist", "x.ns1.example.org TXT", negative("NOERROR")],
  ["leave other names absent", "y.ns1.example.org TXT", negative("NXDOMAIN")],
])("added records %s", (_fact, asked, expected) => {
  expect(askAdded(asked)).toEqual(expected);
});

test("a set without records counts as absent", () => {
  const soa = { ...TIMES, mname: "ns1.example.org", rname: "hostmaster.example.org" };
  const records = [{ name: "www.example.org", set: aSet(300, []) }];
  const askEmpty = askerOf(createZone({ origin: "Example.ORG.", soa, records }));
  expect(askEmpty("www.example.org A")).toEqual(negative("NXDOMAIN"));
  expect(askEmpty("example.org A")).toEqual(negative("NOERROR"));
});

test("a record outside its zone is refused", () => {
  expect(() => zoneOfLines("example.org", ["www.example.com A 192.0.2.1"])).toThrow(
    "www.example.com is not within example.org",
  );
});
