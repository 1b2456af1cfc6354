import { describe, expect, test } from "bun:test";
import type { Finding } from "../../../src/platform/dns-checks/finding.ts";
import type { Expectation, View } from "../../../src/platform/dns-checks/cname-rule.ts";
import type { Trace } from "../../../src/platform/dns-checks/trace.ts";
import type { Server } from "../../../src/lib/name-server.ts";
import { verdictOf } from "../../../src/platform/dns-checks/verdict.ts";
import type { Answer } from "../../../src/protocols/dns/message.ts";
import {
  answer,
  authorityOf,
  caaRecord,
  chain,
  exchange,
  failure,
  noRecord,
  record,
  recordFinding,
  trace,
  view,
} from "./traces.ts";

// What is behind wrong records and silent servers. test/platform/dns-checks/cases.ts has the same over the network.

const NAME = "docs.example.org";
const APEX = "example.org";
const TARGET = "t1.pages.test";
const RESOLVER = "192.0.2.9";
const OF_DOCS: Expectation = {
  hostname: NAME,
  target: TARGET,
  isApex: false,
  issuers: ["ca.test"],
  methods: ["http-01"],
  needsProof: false,
};
const OF_APEX: Expectation = { ...OF_DOCS, hostname: APEX, isApex: true };

type Outcomes = Parameters<typeof view>[2];

const found = (outcomes: Outcomes, more: Partial<Trace> = {}, expected = OF_DOCS) =>
  verdictOf(
    trace([view("resolver", RESOLVER, outcomes)], { ascii: expected.hostname, apex: APEX, ...more }),
    expected,
  );

const a = (name: string, ...addresses: string[]) =>
  answer(addresses.map((address) => record("A", name, address)));
const targets = (...addresses: string[]) => [chain(a(TARGET, ...addresses).records), chain([])];
const right = { cname: answer([record("CNAME", NAME, TARGET)]) };

describe("addresses in the way of the CNAME", () => {
  const proxied = (...addresses: string[]): Finding[] => [
    { kind: "proxied", name: NAME, found: addresses, expected: [TARGET], provider: "Cloudflare" },
  ];
  const conflict = (...addresses: string[]): Finding[] => [
    recordFinding("conflicting_record", NAME, "A", addresses, [TARGET]),
  ];
  const sibling = (...addresses: string[]) => ({ sibling: exchange(a("x.example.org", ...addresses)) });

  test.each<[string, string[], Partial<Trace>, Finding[]]>([
    ["a proxy's", ["104.16.0.7", "172.67.1.1"], {}, proxied("104.16.0.7", "172.67.1.1")],
    ["a proxy's and others", ["104.16.0.7", "192.0.2.7"], {}, conflict("104.16.0.7", "192.0.2.7")],
    ["next to a proxy's", ["104.15.255.255"], {}, conflict("104.15.255.255")],
    [
      "those of a target behind the same proxy",
      ["104.16.0.7"],
      { targets: targets("104.16.0.7") },
      conflict("104.16.0.7"),
    ],
    [
      "a wildcard's",
      ["192.0.2.7"],
      sibling("192.0.2.7"),
      [recordFinding("wildcard_record", NAME, "A", ["192.0.2.7"], [TARGET])],
    ],
    ["others than a wildcard's", ["192.0.2.7"], sibling("192.0.2.8"), conflict("192.0.2.7")],
    ["without a wildcard", ["192.0.2.7"], sibling(), conflict("192.0.2.7")],
  ])("that are %s", (_, addresses, more, findings) => {
    expect(found({ a: a(NAME, ...addresses) }, more)).toMatchObject({ event: "records_wrong", findings });
  });
});

test("each type of address in the way is a finding of its own, because panels refuse a CNAME beside any", () => {
  const outcomes = { a: a(NAME, "192.0.2.7"), aaaa: answer([record("AAAA", NAME, "2001:db8::7")]) };
  expect(found(outcomes)).toMatchObject({
    event: "records_wrong",
    findings: [
      { kind: "conflicting_record", type: "A", found: ["192.0.2.7"] },
      { kind: "conflicting_record", type: "AAAA", found: ["2001:db8::7"] },
    ],
  });
});

test.each([
  ["ns51.domaincontrol.com", "conflicting_record"],
  ["ada.ns.cloudflare.com", "proxied"],
  ["ns1.example.org", "proxied"],
])("a proxy's address in a zone at %s is: %s", (server, kind) => {
  const authority = authorityOf(APEX, [server]);
  expect(found({ a: a(NAME, "104.16.0.7") }, { authority }).findings).toMatchObject([{ kind }]);
});

describe("a missing record", () => {
  const doubled = (name: string, answered: Answer) => ({
    doubled: { ...exchange(answered), question: { name, type: "CNAME" as const } },
  });
  const NAME_TWICE = `${NAME}.${APEX}`;

  test("that is at the name with the zone twice is named, and counts as missing", () => {
    const more = doubled(NAME_TWICE, answer([record("CNAME", NAME_TWICE, TARGET)]));
    expect(found({}, more)).toMatchObject({
      event: "records_missing",
      findings: [recordFinding("doubled_name", NAME, "CNAME", [NAME_TWICE], [TARGET])],
    });
  });

  test("that only a wildcard has is hidden from the name, and the name with the zone twice has no record", () => {
    const more = {
      ...doubled(NAME_TWICE, answer([record("CNAME", NAME_TWICE, TARGET)])),
      doubledSibling: exchange(answer([record("CNAME", `x.${APEX}.${APEX}`, TARGET)])),
      authority: authorityOf(APEX, ["ns1.example.org"]),
    };
    expect(found({}, more)).toMatchObject({
      event: "records_missing",
      findings: [{ kind: "no_record", name: NAME, expected: [TARGET], wildcard: `*.${APEX}` }],
    });
  });

  test("of an apex is not at the name with the zone twice if a wildcard has the same addresses", () => {
    const name = `${APEX}.${APEX}`;
    const more = {
      ...doubled(name, a(name, "192.0.2.80")),
      doubledSibling: exchange(a(`x.${APEX}`, "192.0.2.80")),
      targets: targets("192.0.2.80"),
    };
    expect(found({}, more, OF_APEX).findings).toEqual([noRecord(APEX, "ALIAS", [TARGET])]);
  });

  test("is not at the name with the zone twice if that has another value, as a wildcard may", () => {
    const more = doubled(NAME_TWICE, answer([record("CNAME", NAME_TWICE, "old.test")]));
    expect(found({}, more).findings).toMatchObject([{ kind: "no_record" }]);
  });

  test("of an apex is recognised by the target's addresses", () => {
    const name = `${APEX}.${APEX}`;
    const more = { ...doubled(name, a(name, "192.0.2.80")), targets: targets("192.0.2.80") };
    expect(found({}, more, OF_APEX).findings).toMatchObject([
      { kind: "doubled_name", type: "ALIAS", found: [name], expected: [TARGET] },
    ]);
  });

  test("of the proof is named too", () => {
    const name = `_adoption-store.${APEX}.${APEX}`;
    const more = {
      ...doubled(name, answer([record("TXT", name, TARGET)])),
      targets: targets("192.0.2.80"),
      proof: { resolved: chain([]), direct: [] },
    };
    const expected = { ...OF_APEX, needsProof: true };
    expect(found({ a: a(APEX, "192.0.2.80") }, more, expected)).toMatchObject({
      event: "records_missing",
      findings: [{ kind: "doubled_name", name: `_adoption-store.${APEX}`, type: "TXT", found: [name] }],
    });
  });
});

test("a wildcard CNAME that leads elsewhere is named", () => {
  const sibling = exchange(answer([record("CNAME", "x.example.org", "old.test")]));
  const outcomes = { cname: answer([record("CNAME", NAME, "old.test")]) };
  expect(found(outcomes, { sibling }).findings).toEqual([
    recordFinding("wildcard_record", NAME, "CNAME", ["old.test"], [TARGET]),
  ]);
});

test("an apex with former addresses of the service gets a finding with the new ones", () => {
  const more = { targets: targets("192.0.2.80") };
  const expected = { ...OF_APEX, formerAddresses: ["192.0.2.70", "192.0.2.71"] };
  expect(found({ a: a(APEX, "192.0.2.70") }, more, expected)).toMatchObject({
    event: "records_wrong",
    findings: [{ kind: "addresses_changed", name: APEX, found: ["192.0.2.70"], expected: ["192.0.2.80"] }],
  });
  expect(found({ a: a(APEX, "192.0.2.70", "192.0.2.7") }, more, expected).findings).toMatchObject([
    { kind: "wrong_target" },
  ]);
});

describe("a registered domain", () => {
  const nameServers = (answered: Answer, recursive = true) => ({
    ...exchange(answered),
    question: { name: APEX, type: "NS" as const },
    recursive,
  });
  const gone = nameServers(answer([], { rcode: "NXDOMAIN" }));
  const missing = { cname: answer([], { rcode: "NXDOMAIN" }) };

  test("that the parent zone does not have is not registered", () => {
    expect(found(missing, { exchanges: [gone] })).toMatchObject({
      event: "records_missing",
      findings: [{ kind: "registration_expired", name: APEX, found: [] }],
    });
  });

  test("that the parent zone has is registered, whatever a resolver has cached", () => {
    const known = nameServers(answer([], { authorities: [record("NS", APEX, "ns.test")] }), false);
    expect(found(missing, { exchanges: [gone, known] }).findings).toMatchObject([{ kind: "no_record" }]);
  });

  test.each<[string, Finding]>([
    ["ns1.sedoparking.com", { kind: "parked", name: APEX, found: ["ns1.sedoparking.com"], provider: "Sedo" }],
    ["ns2.renewyourname.net", { kind: "registration_expired", name: APEX, found: ["ns2.renewyourname.net"] }],
    [
      "failed-whois-verification.namecheap.com",
      {
        kind: "registration_on_hold",
        name: APEX,
        found: ["failed-whois-verification.namecheap.com"],
        provider: "Namecheap",
      },
    ],
  ])("with the name server %s", (server, finding) => {
    const authority = authorityOf(APEX, [server]);
    for (const outcomes of [missing, { a: a(NAME, "192.0.2.7") }])
      expect(found(outcomes, { authority }).findings).toEqual([finding]);
    expect(found(right, { authority }).findings).toEqual([]);
  });

  test("with a name server whose name only has a similar end is not parked", () => {
    const authority = authorityOf(APEX, ["ns1.mysedoparking.com"]);
    expect(found(missing, { authority }).findings).toMatchObject([{ kind: "no_record" }]);
  });
});

describe("a resolver that fails", () => {
  const failing = (code?: number, text = "") =>
    answer([], { rcode: "SERVFAIL", ...(code !== undefined && { extendedErrors: [{ code, text }] }) });
  const refused = (reason: string): Finding[] => [
    { kind: "dnssec_failure", name: APEX, server: RESOLVER, reason },
  ];
  const silent: Finding[] = [{ kind: "unreachable", name: NAME, server: RESOLVER, reason: "SERVFAIL" }];
  const caa: Trace["caa"] = {
    kind: "unknown",
    name: NAME,
    problem: "unanswered",
    exchange: exchange(failing(), RESOLVER),
  };

  test.each<[string, Answer, Partial<Trace>, Finding[]]>([
    ["bogus", failing(6), {}, refused("DNSSEC bogus")],
    ["an expired signature", failing(7, "RRSIG\u001b"), {}, refused("a signature has expired: RRSIG\\u001b")],
    ["a missing NSEC record", failing(12), {}, refused("the NSEC record is missing")],
    ["no reason", failing(), {}, silent],
    ["another reason", failing(22, "no reachable authority"), {}, silent],
    [
      "no reason, and answers without DNSSEC",
      failing(),
      { unchecked: exchange(answer(), RESOLVER) },
      refused("the query succeeds without DNSSEC"),
    ],
    [
      "no reason, and fails without DNSSEC too",
      failing(),
      { unchecked: exchange(failing(), RESOLVER) },
      silent,
    ],
    ["bogus, also for CAA", failing(6), { caa }, refused("DNSSEC bogus")],
  ])("and says: %s", (_, cname, more, findings) => {
    expect(found({ cname }, more)).toMatchObject({ event: undefined, findings });
  });
});

test("of a zone's servers, the one that does not hold it is named, and what fails for it is not", () => {
  const lame = view("authority", "192.0.2.1", { cname: answer([], { rcode: "REFUSED" }) });
  const resolver = view("resolver", RESOLVER, { cname: answer([], { rcode: "SERVFAIL" }) });
  const { event, findings } = verdictOf(trace([lame, resolver], { apex: APEX }), OF_DOCS);
  expect({ event, findings }).toEqual({
    event: undefined,
    findings: [{ kind: "lame_delegation", name: APEX, server: "192.0.2.1", reason: "REFUSED" }],
  });
});

test.each<[string, Partial<Trace>, "registrar" | undefined]>([
  ["has a DS record", { ds: exchange(answer([record("DS", APEX, "257")])) }, "registrar"],
  ["has one of another domain", { ds: exchange(answer([record("DS", "org", "257")])) }, undefined],
  ["has none", { ds: exchange(answer()) }, undefined],
  ["was not asked", {}, undefined],
])("a DS record is at fault only if the parent zone has it: it %s", (_, more, responsible) => {
  const cname = answer([], { rcode: "SERVFAIL", extendedErrors: [{ code: 7, text: "" }] });
  const [finding] = found({ cname }, more).findings;
  expect(finding).toMatchObject({ kind: "dnssec_failure" });
  expect(finding && "responsible" in finding ? finding.responsible : undefined).toBe(responsible);
});

describe("a subdomain's zone", () => {
  const delegated = (zone: string, responding: Server[] = []): Partial<Trace> => ({
    authority: authorityOf(zone, ["ns2.test", "ns1.test"], { responding, isFromParent: true }),
  });
  const lame = view("authority", "192.0.2.1", { cname: answer([], { rcode: "REFUSED" }) });
  const silent = view("authority", "192.0.2.1", { cname: failure("timeout", "") });
  const away: Finding = { kind: "delegated_away", name: NAME, zone: NAME, found: ["ns1.test", "ns2.test"] };
  const at = (one: View, more: Partial<Trace>) =>
    verdictOf(trace([one], { ascii: NAME, apex: APEX, ...more }), OF_DOCS).findings;

  test("whose servers all refuse is named with its NS records", () => {
    expect(at(lame, delegated(NAME))).toEqual([away]);
  });

  test("with one responding server has a lame server", () => {
    const responding = [{ address: "192.0.2.2", port: 53 }];
    expect(at(lame, delegated(NAME, responding))).toMatchObject([{ kind: "lame_delegation", name: NAME }]);
  });

  test("whose servers are silent may be in use", () => {
    expect(at(silent, delegated(NAME))).toMatchObject([{ kind: "unreachable" }]);
  });

  test("that is the registered domain's own has a lame server", () => {
    expect(at(lame, delegated(APEX))).toMatchObject([{ kind: "lame_delegation", name: APEX }]);
  });
});

describe("other records of a name without a CNAME", () => {
  const others = (type: "TXT" | "HTTPS", value: string): Partial<Trace> => ({
    others: [{ ...exchange(answer([record(type, NAME, value)])), question: { name: NAME, type } }],
  });

  test("do not conflict if they are the HTTPS record of the proxy that hides the name", () => {
    const ofProxy = others("HTTPS", "1 . alpn=h2 ipv4hint=104.16.0.7");
    expect(found({ a: a(NAME, "104.16.0.7") }, ofProxy).findings).toMatchObject([{ kind: "proxied" }]);
  });

  test("follow addresses in the way, which must be deleted too", () => {
    expect(found({ a: a(NAME, "192.0.2.7") }, others("TXT", "x")).findings).toMatchObject([
      { kind: "conflicting_record", type: "A" },
      { kind: "conflicting_record", type: "TXT" },
    ]);
  });

  test("do not count while another server of the zone has the CNAME", () => {
    const views = [
      view("authority", "192.0.2.1", {}),
      view("authority", "192.0.2.2", right),
      view("resolver", RESOLVER, right),
    ];
    const { event, findings } = verdictOf(trace(views, { apex: APEX, ...others("TXT", "x") }), OF_DOCS);
    expect(event).toBe("records_missing");
    expect(findings).toMatchObject([{ kind: "mixed_answers" }]);
  });
});

describe("an HTTPS record of an apex", () => {
  const https = (value: string): Partial<Trace> => ({
    others: [
      { ...exchange(answer([record("HTTPS", APEX, value)])), question: { name: APEX, type: "HTTPS" } },
    ],
    target: TARGET,
    targets: targets("192.0.2.80"),
  });

  test.each<[string, Partial<Trace>, string[]]>([
    ["names protocols only", https("1 . alpn=h3,h2"), []],
    ["has the target's address", https("1 . ipv4hint=192.0.2.80"), []],
    ["names the target", https(`0 ${TARGET}.`), []],
    [
      "has another address",
      https("1 . ipv4hint=192.0.2.80,192.0.2.7"),
      ["1 . ipv4hint=192.0.2.80,192.0.2.7"],
    ],
    ["has another IPv6 address", https("1 . ipv6hint=2001:db8::7"), ["1 . ipv6hint=2001:db8::7"]],
    ["names another host", https("0 old.test."), ["0 old.test."]],
    ["has a port", https("1 . port=8443"), ["1 . port=8443"]],
    ["has the ECH keys of a host", https("1 . ech"), ["1 . ech"]],
    ["is of the proxy that hides the record", https("1 . alpn=h2 ipv4hint=104.16.0.7"), []],
    [
      "is of a proxy that cannot hide the record",
      {
        ...https("1 . ipv4hint=104.16.0.7"),
        authority: authorityOf(APEX, ["ns51.domaincontrol.com"]),
      },
      ["1 . ipv4hint=104.16.0.7"],
    ],
    ["is not judged by unknown addresses", { ...https("0 old.test."), targets: [] }, []],
  ])("that %s", (_, more, values) => {
    const { event, findings } = found(
      { a: a(APEX, "192.0.2.80") },
      { targets: targets("192.0.2.80"), ...more },
      OF_APEX,
    );
    expect(findings.flatMap((one) => (one.kind === "https_record" ? one.found : []))).toEqual(values);
    expect(event === "records_right").toBe(more.targets?.length !== 0);
  });
});

describe("a TTL", () => {
  const cname = (ttl: number) => answer([record("CNAME", NAME, TARGET, ttl)]);
  test.each([
    [86_399, []],
    [86_400, [{ kind: "long_ttl", name: NAME, type: "CNAME", seconds: 86_400 }]],
  ])("of %d s", (ttl, findings) => {
    expect(found({ cname: cname(ttl) })).toMatchObject({ event: "records_right", findings });
  });

  test("is that of the zone's own servers", () => {
    const views = [
      view("authority", "192.0.2.1", { cname: cname(3600) }),
      view("resolver", RESOLVER, { cname: cname(604_800) }),
    ];
    expect(verdictOf(trace(views, { ascii: NAME }), OF_DOCS).findings).toEqual([]);
  });
});

describe("a target without addresses", () => {
  const absent = (rcode: string) => [
    chain([], { last: exchange(answer([], { rcode })) }),
    chain([], { last: exchange(answer([], { rcode })) }),
  ];
  test.each([
    ["NOERROR", "has no A or AAAA record"],
    ["NXDOMAIN", "does not exist (the wildcard record *.pages.test may be missing)"],
  ])("(%s) is the operator's, and changes nothing for the domain", (rcode, reason) => {
    const more = { target: TARGET, targets: absent(rcode) };
    const unready: Finding = { kind: "platform_unready", name: TARGET, reason };
    expect(found(right, more)).toMatchObject({ event: "records_right", findings: [unready] });
    expect(found({ a: a(APEX, "192.0.2.80") }, more, OF_APEX)).toMatchObject({
      event: undefined,
      findings: [unready],
    });
  });
});

describe("CAA records that forbid the certificate", () => {
  const EDGE = "edge.example.net";
  const at = (name: string): Partial<Trace> => ({
    caa: { kind: "found", name, records: [caaRecord(name, "issue", ";")] },
    target: TARGET,
    targets: [{ ...chain([record("A", EDGE, "192.0.2.80")]), names: [TARGET, EDGE] }, chain([])],
  });

  test.each([
    ["the target", TARGET, "platform_unready"],
    ["the name that the target leads to", EDGE, "platform_unready"],
    ["the domain's own zone", APEX, "caa_forbids"],
  ] as const)("at %s", (_, name, kind) => {
    expect(found(right, at(name))).toMatchObject({
      event: "records_right",
      findings: [{ kind, name, found: ['0 issue ";"'] }],
    });
  });

  test("are the name's own if it is checked without a target", () => {
    const itself = { ...at(EDGE), target: NAME, targets: [{ ...chain([]), names: [NAME, EDGE] }] };
    expect(found(right, itself).findings.map(({ kind }) => kind)).toContain("caa_forbids");
  });
});
