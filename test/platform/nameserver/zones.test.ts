import { describe, expect, test } from "bun:test";
import { platformZones, textRecords } from "../../../src/platform/nameserver/nameserver.ts";
import { testResponder } from "../../support/dns-questions.ts";

const SETTINGS = {
  platformDomain: "sites.example.org",
  platformCnameTarget: "cname.sites.example.org",
  nameserver: ["ns1.example.org", "ns2.sites.example.org"],
  addresses: ["203.0.113.10", "2001:db8::10"],
  caaIssuers: ["ca.test", "other-ca.test"],
};

const served = (settings: Partial<typeof SETTINGS> = {}) => {
  const texts = textRecords();
  const zones = platformZones({ ...SETTINGS, ...settings }, { serial: 4711, added: texts.added });
  const { ask } = testResponder(zones);
  return { texts, zones, answers: (name: string, type: string) => ask(name, type)?.answers, ask };
};

describe("the zone of the platform", () => {
  const { answers, ask, zones } = served();

  test.each([
    ["sites.example.org"],
    ["docs.sites.example.org"],
    ["cname.sites.example.org"],
    ["p1a2b3.cname.sites.example.org"],
    ["ns2.sites.example.org"],
  ])("the zone has the service's addresses at %s", (name) => {
    expect(answers(name, "A")).toEqual([`${name} 300 A 203.0.113.10`]);
    expect(answers(name, "AAAA")).toEqual([`${name} 300 AAAA 2001:db8::10`]);
  });

  test("there is one zone if the targets lie below the sites' domain", () => {
    expect(zones.map(({ origin }) => origin)).toEqual(["sites.example.org"]);
  });

  test("the zone has the name servers, and a SOA record that lets an absence be cached for a minute", () => {
    expect(answers("sites.example.org", "NS")).toEqual([
      "sites.example.org 3600 NS ns1.example.org",
      "sites.example.org 3600 NS ns2.sites.example.org",
    ]);
    expect(ask("docs.sites.example.org", "TXT")).toMatchObject({
      rcode: "NOERROR",
      authorities: ["sites.example.org 60 SOA"],
    });
  });

  test("the zone allows the CAs at its origin, and has no CAA record at the targets, so that custom domains keep their own policy", () => {
    expect(answers("sites.example.org", "CAA")?.map((line) => /"value":"([^"]+)"/.exec(line)?.[1])).toEqual([
      "ca.test",
      "other-ca.test",
    ]);
    for (const name of [
      "cname.sites.example.org",
      "p1a2b3.cname.sites.example.org",
      "docs.sites.example.org",
    ])
      expect(answers(name, "CAA")).toEqual([]);
  });

  test("the zone does not answer for a name server outside it", () => {
    expect(ask("ns1.example.org", "A")?.rcode).toBe("REFUSED");
  });
});

test("targets outside the sites' domain are in a separate zone", () => {
  const { zones, answers } = served({ platformCnameTarget: "cname.example.net" });
  expect(zones.map(({ origin }) => origin)).toEqual(["sites.example.org", "cname.example.net"]);
  expect(answers("p1.cname.example.net", "A")).toEqual(["p1.cname.example.net 300 A 203.0.113.10"]);
  expect(answers("cname.example.net", "NS")).toHaveLength(2);
});

test("a sites' domain below the targets is in their zone", () => {
  const { zones, answers } = served({ platformCnameTarget: "example.org" });
  expect(zones.map(({ origin }) => origin)).toEqual(["example.org"]);
  expect(answers("docs.sites.example.org", "A")).toHaveLength(1);
  expect(answers("ns1.example.org", "A")).toHaveLength(1);
});

test("a service without an IPv6 address has no AAAA record", () => {
  const { ask } = served({ addresses: ["203.0.113.10"] });
  expect(ask("docs.sites.example.org", "AAAA")).toMatchObject({ rcode: "NOERROR", answers: [] });
});

test("a text is served from its addition until its removal, next to others of its name", () => {
  const { texts, answers } = served();
  const name = "_acme-challenge.sites.example.org";
  texts.add(name, "one");
  texts.add("_ACME-Challenge.sites.example.org.", "two");
  expect(answers(name, "TXT")).toEqual([`${name} 1 TXT one`, `${name} 1 TXT two`]);
  texts.remove(name, "one");
  expect(answers(name, "TXT")).toEqual([`${name} 1 TXT two`]);
  texts.remove(name, "two");
  texts.remove(name, "two");
  expect(answers(name, "TXT")).toEqual([]);
});

test("a text at a name below a target leaves the target its addresses", () => {
  const { texts, answers } = served();
  const target = "p1a2b3.cname.sites.example.org";
  texts.add(`_acme-challenge.${target}`, "one");
  expect(answers(`_acme-challenge.${target}`, "TXT")).toHaveLength(1);
  expect(answers(target, "A")).toHaveLength(1);
  expect(answers(`_acme-challenge.${target}`, "A")).toHaveLength(1);
});

test("the names above a text exist", () => {
  const { texts, ask } = served();
  const name = "x.ns2.sites.example.org";
  expect(ask(name, "TXT")?.rcode).toBe("NXDOMAIN");
  texts.add(`_acme-challenge.${name}`, "one");
  expect(ask(name, "TXT")?.rcode).toBe("NOERROR");
  expect(ask(`y${name}`, "TXT")?.rcode).toBe("NXDOMAIN");
});

test("a text at the origin leaves the other records there", () => {
  const { texts, answers } = served();
  texts.add("sites.example.org", "one");
  expect(answers("sites.example.org", "TXT")).toHaveLength(1);
  expect(answers("sites.example.org", "NS")).toHaveLength(2);
});
