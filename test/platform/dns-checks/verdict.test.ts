import { describe, expect, test } from "bun:test";
import type { Finding } from "../../../src/platform/dns-checks/finding.ts";
import { type Verdict, ownershipOf, rivalsOf, verdictOf } from "../../../src/platform/dns-checks/verdict.ts";
import type { Expectation, View } from "../../../src/platform/dns-checks/cname-rule.ts";
import type { Proof, Trace } from "../../../src/platform/dns-checks/trace.ts";
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
  soa,
  trace,
  view,
} from "./traces.ts";

const NAME = "docs.example.org";
const APEX = "example.org";
const TARGET = "t1.pages.test";
const EXPECTED: Expectation = {
  hostname: NAME,
  target: TARGET,
  isApex: false,
  issuers: ["ca.test"],
  methods: ["http-01"],
  accounts: ["https://ca.test/1"],
  needsProof: true,
};
const HOLDER = "192.0.2.1";
const SECOND = "192.0.2.2";
const RESOLVER = "192.0.2.9";

const RIGHT = { cname: answer([record("CNAME", NAME, TARGET)]) };
const WRONG = { cname: answer([record("CNAME", NAME, "t2.pages.test", 77)]) };
const REFUSED = { cname: answer([], { rcode: "REFUSED" }) };

const holder = (outcomes: Parameters<typeof view>[2], address = HOLDER) =>
  view("authority", address, outcomes);
const resolver = (outcomes: Parameters<typeof view>[2], address = RESOLVER) =>
  view("resolver", address, outcomes);

const wrongTarget = (...found: string[]): Finding =>
  recordFinding("wrong_target", NAME, "CNAME", found, [TARGET]);
const missing: Finding = noRecord(NAME, "CNAME", [TARGET]);
const late = (server: string, seconds?: number): Finding => ({
  kind: "not_propagated",
  name: NAME,
  server,
  ...(seconds !== undefined && { seconds }),
});
const unreachable = (server: string, reason: string, responsible?: "dns_provider" | "operator"): Finding => ({
  kind: "unreachable",
  name: NAME,
  server,
  reason,
  ...(responsible && { responsible }),
});

const lame = (server: string, reason: string): Finding => ({
  kind: "lame_delegation",
  name: APEX,
  server,
  reason,
});

type Row = [circumstance: string, views: View[], event: Verdict["event"], findings: Finding[]];

const SUBDOMAIN: Row[] = [
  ["are right everywhere", [holder(RIGHT), resolver(RIGHT)], "records_right", []],
  ["are right at a resolver, and no holder is known", [resolver(RIGHT)], "records_right", []],
  ["are right at the holder, and no resolver was asked", [holder(RIGHT)], "records_right", []],
  [
    "are right, though one holder refuses",
    [holder(RIGHT), holder(REFUSED, SECOND), resolver(RIGHT)],
    "records_right",
    [lame(SECOND, "REFUSED")],
  ],
  [
    "are right at the holder, and no resolver answers",
    [holder(RIGHT), resolver(REFUSED)],
    "records_right",
    [unreachable(RESOLVER, "REFUSED", "operator")],
  ],
  [
    "are right at the holder, and old at a resolver",
    [holder(RIGHT), resolver(WRONG)],
    "records_right",
    [late(RESOLVER, 77)],
  ],
  [
    "are right at one resolver, and old at another, and no holder is known",
    [resolver(RIGHT), resolver(WRONG, SECOND)],
    "records_missing",
    [late(SECOND, 77)],
  ],
  [
    "are right at a resolver, and the holder is silent",
    [holder({ cname: failure("timeout", "no answer") }), resolver(RIGHT), resolver(REFUSED, SECOND)],
    "records_right",
    [unreachable(HOLDER, "timeout (no answer)"), unreachable(SECOND, "REFUSED")],
  ],
  [
    "are right at one holder only",
    [holder(RIGHT), holder(WRONG, SECOND), resolver(RIGHT)],
    "records_missing",
    [{ kind: "mixed_answers", name: NAME, server: SECOND, found: ["t2.pages.test"], expected: [TARGET] }],
  ],
  [
    "are wrong at the holder, and right at a resolver",
    [holder(WRONG), resolver(RIGHT)],
    "records_wrong",
    [wrongTarget("t2.pages.test")],
  ],
  [
    "are wrong at the holder, and wrong in another way at a resolver",
    [holder(WRONG), resolver({})],
    "records_wrong",
    [wrongTarget("t2.pages.test")],
  ],
  [
    "are wrong at a resolver, and the holder does not say",
    [holder(REFUSED), resolver(WRONG)],
    "records_wrong",
    [lame(HOLDER, "REFUSED"), wrongTarget("t2.pages.test")],
  ],
  [
    "are wrong alike at two resolvers",
    [resolver(WRONG), resolver(WRONG, SECOND)],
    "records_wrong",
    [wrongTarget("t2.pages.test")],
  ],
  ["are not there", [holder({}), resolver({})], "records_missing", [missing]],
  [
    "are of a name that is not there",
    [resolver({ cname: answer([], { rcode: "NXDOMAIN" }) })],
    "records_missing",
    [missing],
  ],
  [
    "cannot be asked: the resolver fails because the zone's own server does",
    [
      holder({ cname: failure("timeout", "no answer") }),
      resolver({ cname: answer([], { rcode: "SERVFAIL" }) }),
    ],
    undefined,
    [unreachable(HOLDER, "timeout (no answer)", "dns_provider")],
  ],
  ["are asked of nobody", [], undefined, []],
  [
    "are several, of which one is right",
    [resolver({ cname: answer([record("CNAME", NAME, TARGET), record("CNAME", NAME, "a.test")]) })],
    "records_wrong",
    [wrongTarget("a.test", TARGET)],
  ],
  [
    "are another name's",
    [resolver({ cname: answer([record("CNAME", "other.example.org", TARGET)]) })],
    "records_missing",
    [missing],
  ],
  [
    "have addresses beside them",
    [
      resolver({
        ...RIGHT,
        a: answer([record("A", NAME, "198.51.100.9"), record("A", NAME, "198.51.100.1")]),
        aaaa: answer([record("AAAA", NAME, "2001:db8::1")]),
      }),
    ],
    "records_wrong",
    [
      recordFinding("conflicting_record", NAME, "A", ["198.51.100.1", "198.51.100.9"], [TARGET]),
      recordFinding("conflicting_record", NAME, "AAAA", ["2001:db8::1"], [TARGET]),
    ],
  ],
  [
    "have an IPv6 address beside them",
    [resolver({ ...RIGHT, aaaa: answer([record("AAAA", NAME, "2001:db8::1")]) })],
    "records_wrong",
    [recordFinding("conflicting_record", NAME, "AAAA", ["2001:db8::1"], [TARGET])],
  ],
  [
    "lead to addresses of the target",
    [resolver({ ...RIGHT, a: answer([record("CNAME", NAME, TARGET), record("A", TARGET, "192.0.2.80")]) })],
    "records_right",
    [],
  ],
];

describe("the records of a subdomain", () => {
  test.each(SUBDOMAIN)("that %s", (_, views, event, findings) => {
    expect(verdictOf(trace(views, { apex: APEX }), EXPECTED)).toEqual({
      event,
      findings,
    });
  });

  test("are compared without case and final dot", () => {
    const shouted = { ...EXPECTED, hostname: "Docs.Example.ORG.", target: "T1.Pages.TEST." };
    expect(verdictOf(trace([resolver(RIGHT)]), shouted).event).toBe("records_right");
  });

  test("count for nothing at a server that does not hold the zone", () => {
    const stranger = holder(RIGHT);
    stranger.cname = exchange(answer([record("CNAME", NAME, TARGET)]));
    expect(verdictOf(trace([stranger], { apex: APEX }), EXPECTED).findings).toEqual([
      lame(HOLDER, "does not hold the zone"),
    ]);
  });

  const absent = (...authorities: Parameters<typeof soa>[]) =>
    resolver({ cname: answer([], { authorities: authorities.map((one) => soa(...one)) }) });

  test.each<[string, View, number | undefined]>([
    [
      "as long as the longest of them",
      resolver({
        cname: answer([
          record("CNAME", NAME, "a", 5),
          record("CNAME", NAME, "b", 9),
          record("CNAME", NAME, "c", 7),
        ]),
      }),
      9,
    ],
    ["for the SOA's minimum", absent(["example.org", 600, 30]), 30],
    ["for the SOA's own time", absent(["example.org", 20, 30]), 20],
    ["for a time that nobody tells", absent(), undefined],
  ])("that are old at a resolver stay so %s", (_, old, seconds) => {
    expect(verdictOf(trace([holder(RIGHT), old]), EXPECTED).findings).toStrictEqual([
      late(RESOLVER, seconds),
    ]);
  });
});

const OF_APEX: Expectation = { ...EXPECTED, hostname: APEX, isApex: true };
const ADDRESSES = [
  chain([
    record("CNAME", TARGET, "edge.pages.test"),
    record("A", "edge.pages.test", "192.0.2.81"),
    record("A", "edge.pages.test", "192.0.2.80"),
  ]),
  chain([record("AAAA", "edge.pages.test", "2001:db8::80")]),
];
const a = (...addresses: string[]) => answer(addresses.map((address) => record("A", APEX, address)));
const aaaa = (...addresses: string[]) => answer(addresses.map((address) => record("AAAA", APEX, address)));

const txt = (...values: string[]) => values.map((value) => record("TXT", `_adoption-store.${APEX}`, value));
const proof = (resolved: string[], direct: string[][] = []): Proof => ({
  resolved: chain(txt(...resolved)),
  direct: direct.map((values) => exchange(answer(txt(...values), { authoritative: true }))),
});

const ofApex = (view: View, more: Partial<Trace> = {}, expected = OF_APEX): Verdict =>
  verdictOf(trace([view], { targets: ADDRESSES, proof: proof([TARGET]), ...more }), expected);

describe("the records of an apex", () => {
  test.each<[string, Parameters<typeof view>[2]]>([
    ["the target's IPv4 addresses", { a: a("192.0.2.80", "192.0.2.81") }],
    ["one of the target's addresses", { a: a("192.0.2.81") }],
    ["its IPv6 address alone", { aaaa: aaaa("2001:db8::80") }],
    ["both kinds", { a: a("192.0.2.80"), aaaa: aaaa("2001:db8::80") }],
    ["an alias that is shown as one", { cname: answer([record("CNAME", APEX, TARGET)]) }],
  ])("are right if they are %s", (_, outcomes) => {
    expect(ofApex(resolver(outcomes))).toEqual({
      event: "records_right",
      findings: [],
    });
  });

  const wrong = (found: string[], expected: string[]): Finding[] => [
    recordFinding("wrong_target", APEX, "ALIAS", found, expected),
  ];
  const ALL = ["192.0.2.80", "192.0.2.81", "2001:db8::80"];
  const stray = (type: "A" | "AAAA", ...found: string[]): Finding[] => [
    recordFinding("stray_address", APEX, type, found, ALL),
  ];
  const silent = failure("timeout", "no answer");
  const unknown = (reason: string, responsible?: "operator"): Finding[] => [
    { kind: "unreachable", name: APEX, server: RESOLVER, reason, ...(responsible && { responsible }) },
  ];

  test.each<[string, Parameters<typeof view>[2], Verdict["event"], Finding[]]>([
    [
      "one address of another's",
      { a: a("192.0.2.80", "198.51.100.1") },
      "records_wrong",
      stray("A", "198.51.100.1"),
    ],
    [
      "an IPv6 address of another's",
      { a: a("192.0.2.80"), aaaa: aaaa("2001:db8::1") },
      "records_wrong",
      stray("AAAA", "2001:db8::1"),
    ],
    [
      "addresses of another's alone",
      { a: a("198.51.100.2", "198.51.100.1") },
      "records_wrong",
      wrong(["198.51.100.1", "198.51.100.2"], ALL),
    ],
    [
      "an alias to elsewhere",
      { cname: answer([record("CNAME", APEX, "other.test")]) },
      "records_wrong",
      wrong(["other.test"], [TARGET]),
    ],
    ["none", {}, "records_missing", [noRecord(APEX, "ALIAS", [TARGET])]],
    ["not asked for", { a: silent, aaaa: aaaa("2001:db8::80") }, undefined, unknown("timeout (no answer)")],
    ["asked for in part", { a: a("192.0.2.80"), aaaa: silent }, undefined, unknown("timeout (no answer)")],
  ])("are not right if they are %s", (_, outcomes, event, findings) => {
    expect(ofApex(resolver(outcomes))).toEqual({ event, findings });
  });

  test.each<[string, Trace["targets"]]>([
    ["could not be asked in part", [ADDRESSES[0]!, chain([], { problem: "unanswered" })]],
    ["are none", []],
  ])("tell nothing while the target's addresses %s", (_, targets) => {
    expect(ofApex(resolver({ a: a("192.0.2.80") }), { targets })).toMatchObject({
      event: undefined,
      findings: unknown(`the addresses of ${TARGET} are not known`, "operator"),
    });
  });
});

describe("an apex with the right addresses", () => {
  const PROOF = `_adoption-store.${APEX}`;
  const unproven = (...found: string[]): Finding =>
    recordFinding("ownership_unproven", PROOF, "TXT", found, [TARGET]);
  const spreading = (...found: string[]): Finding => ({
    kind: "mixed_answers",
    name: PROOF,
    server: "192.0.2.53",
    found,
    expected: [TARGET],
  });
  const unasked = (server: string): Finding => ({
    kind: "unreachable",
    name: PROOF,
    server,
    reason: "no TXT response",
  });
  const addresses = resolver({ a: a("192.0.2.80") });
  const OTHER = "t2.pages.test";
  const unanswered: Proof = { ...proof([]), resolved: chain([], { problem: "unanswered" }) };
  const lame: Proof = { ...proof([TARGET]), direct: [exchange(answer(txt(OTHER)))] };
  const aliased: Proof = {
    ...proof([TARGET]),
    direct: [exchange(answer([record("CNAME", PROOF, "x.test"), ...txt()], { authoritative: true }))],
  };
  const failing: Proof = {
    ...proof([TARGET]),
    direct: [exchange(answer(txt(OTHER), { rcode: "SERVFAIL", authoritative: true }))],
  };
  const silent: Proof = { ...proof([TARGET]), direct: [exchange(failure("timeout", "no answer"))] };

  /** What is found of an apex that has no domain yet, and of one that the project holds. */
  test.each<[string, Proof | undefined, Verdict["event"], Finding[], Verdict["event"]]>([
    ["a proof everywhere", proof([TARGET], [[TARGET], [TARGET]]), "records_right", [], "records_right"],
    ["a proof in capitals", proof([` ${TARGET.toUpperCase()}. `]), "records_right", [], "records_right"],
    ["its proof beside another's", proof([OTHER, TARGET]), "records_right", [], "records_right"],
    [
      "a proof that one of its servers lacks",
      proof([TARGET], [[TARGET], []]),
      "records_missing",
      [spreading()],
      "records_right",
    ],
    [
      "a proof that names another project at one of its servers",
      proof([TARGET], [[TARGET], [OTHER]]),
      "records_missing",
      [spreading(OTHER)],
      "records_right",
    ],
    ["another's proof", proof([OTHER]), "records_wrong", [unproven(OTHER)], "records_wrong"],
    [
      "another's proof at a holder only",
      proof([], [[OTHER, "t3.pages.test"], [OTHER]]),
      "records_wrong",
      [unproven(OTHER, "t3.pages.test")],
      "records_wrong",
    ],
    [
      "the proofs of others in any order",
      proof(["t9.pages.test", OTHER]),
      "records_wrong",
      [unproven(OTHER, "t9.pages.test")],
      "records_wrong",
    ],
    ["no proof", proof([], [[]]), "records_missing", [unproven()], "records_right"],
    [
      "texts that are no proof",
      proof(["v=spf1 -all", "a.b"]),
      "records_missing",
      [unproven()],
      "records_right",
    ],
    [
      "a proof that nobody could be asked for",
      unanswered,
      undefined,
      [unasked("192.0.2.53")],
      "records_right",
    ],
    ["a proof that nobody asked for", undefined, undefined, [unasked("")], "records_right"],
    ["a proof, though a server knows only of older ones", lame, "records_right", [], "records_right"],
    ["a proof, though a server leads elsewhere", aliased, "records_right", [], "records_right"],
    ["a proof, though a server fails", failing, "records_right", [], "records_right"],
    ["a proof, though a server is silent", silent, "records_right", [], "records_right"],
  ])("and %s", (_, given, event, findings, ifHeld) => {
    const traced = trace([addresses], { targets: ADDRESSES, ...(given && { proof: given }) });
    expect(verdictOf(traced, OF_APEX)).toEqual({
      event,
      findings,
    });
    expect(verdictOf(traced, { ...OF_APEX, needsProof: false }).event).toBe(ifHeld);
  });

  test.each<[string, Proof | undefined]>([
    ["proven", proof([TARGET])],
    ["spreading", proof([TARGET], [[]])],
    ["claimed", proof([OTHER])],
    ["unclaimed", proof([])],
    ["unknown", undefined],
  ])("is %s", (ownership, given) => {
    const traced = trace([addresses], given && { proof: given });
    expect(ownershipOf(traced, OF_APEX)).toBe(ownership as ReturnType<typeof ownershipOf>);
  });

  test("is asked for a proof only once its records are right", () => {
    const old = resolver({ a: a("198.51.100.1") });
    const { findings } = verdictOf(trace([old], { targets: ADDRESSES, proof: proof([OTHER]) }), OF_APEX);
    expect(findings.map(({ kind }) => kind)).toEqual(["wrong_target"]);
  });

  test("has the projects of other targets in its proof as rivals", () => {
    const traced = trace([addresses], { proof: proof([TARGET, OTHER, "x"], [["t3.pages.test"]]) });
    expect(rivalsOf(traced, OF_APEX)).toEqual([OTHER, "t3.pages.test"]);
    expect(rivalsOf(trace([addresses]), OF_APEX)).toEqual([]);
    expect(rivalsOf(traced, EXPECTED)).toEqual([]);
  });

  test("needs no proof if every server that answers shows an alias", () => {
    const alias = resolver({ cname: answer([record("CNAME", APEX, TARGET)]) });
    const refusing = resolver({ cname: answer([], { rcode: "REFUSED" }) }, SECOND);
    const both = { targets: ADDRESSES };
    expect(verdictOf(trace([alias, refusing], both), OF_APEX).event).toBe("records_right");
    expect(verdictOf(trace([alias, addresses], both), OF_APEX).event).not.toBe("records_right");
    const beside = resolver({ cname: answer([record("CNAME", "x.test", TARGET)]), a: a("192.0.2.80") });
    expect(verdictOf(trace([alias, beside], both), OF_APEX).findings).toHaveLength(1);
    const addressed = resolver({ cname: a("192.0.2.80"), a: a("192.0.2.80") });
    expect(verdictOf(trace([addressed], both), OF_APEX).findings).toHaveLength(1);
    expect(rivalsOf(trace([alias], { proof: proof([OTHER]) }), OF_APEX)).toEqual([]);
  });
});

describe("name servers without an address", () => {
  const findings = (isFromParent: boolean) => {
    const authority = authorityOf(APEX, ["ns.gone.test", "ns.example.org"], {
      unaddressed: ["ns.gone.test"],
      isFromParent,
    });
    return verdictOf(trace([holder(RIGHT)], { apex: APEX, authority }), EXPECTED).findings;
  };
  const finding: Finding = {
    kind: "lame_delegation",
    name: APEX,
    server: "ns.gone.test",
    reason: "it has no A or AAAA record",
  };

  test("are the DNS provider's fault", () => {
    expect(findings(false)).toEqual([finding]);
  });

  test("are wrong at the registrar if the parent zone names them", () => {
    expect(findings(true)).toEqual([{ ...finding, responsible: "registrar" }]);
  });
});

describe("DNSSEC", () => {
  const bogus = resolver({
    cname: answer([], { rcode: "SERVFAIL", extendedErrors: [{ code: 6, text: "" }] }),
  });
  const judged = (...views: View[]) => verdictOf(trace(views, { apex: APEX }), EXPECTED);
  const findings: Finding[] = [
    { kind: "dnssec_failure", name: APEX, server: RESOLVER, reason: "DNSSEC bogus" },
  ];

  test("that rejects right records stops the verification, but the domain has not failed", () => {
    for (const views of [
      [holder(RIGHT), bogus],
      [holder(RIGHT), bogus, resolver(RIGHT, SECOND)],
    ])
      expect(judged(...views)).toEqual({ event: undefined, findings });
    expect(judged(holder(RIGHT), bogus, resolver(WRONG, SECOND)).event).toBeUndefined();
  });

  test("is not reported for wrong records", () => {
    expect(judged(resolver(WRONG, SECOND), bogus)).toMatchObject({ event: "records_wrong" });
  });
});

describe("CAA records", () => {
  const issue = (value: string) => caaRecord(APEX, "issue", value);
  const verdict = (caa: Trace["caa"]) => verdictOf(trace([resolver(RIGHT)], { caa }), EXPECTED);
  const found = (...records: ReturnType<typeof issue>[]): Trace["caa"] => ({
    kind: "found",
    name: APEX,
    records,
  });

  test("that allow a CA leave no finding", () => {
    expect(verdict(found(issue("other.test"), issue("ca.test")))).toEqual({
      event: "records_right",
      findings: [],
    });
  });

  test("that forbid the certificate are named, and the domain is still verified", () => {
    const records = [issue("other.test"), caaRecord(APEX, "issue", ";", true)];
    expect(verdict(found(...records))).toEqual({
      event: "records_right",
      findings: [
        {
          kind: "caa_forbids",
          name: APEX,
          found: ['0 issue "other.test"', '128 issue ";"'],
          expected: ["ca.test"],
        },
      ],
    });
  });

  test.each([
    ["accounturi", "ca.test; accounturi=https://ca.test/2", "ca.test; accounturi=https://ca.test/1"],
    ["validationmethods", "ca.test; validationmethods=dns-01", "ca.test; validationmethods=http-01"],
  ] as const)("that forbid it by %s are named with the value that they need", (parameter, value, wanted) => {
    expect(verdict(found(issue(value)))).toMatchObject({
      findings: [{ kind: "caa_forbids", found: [`0 issue "${value}"`], expected: [wanted], parameter }],
    });
  });

  const unanswered = (problem: "unanswered" | "loop"): Trace["caa"] => ({
    kind: "unknown",
    name: APEX,
    problem,
    exchange: { ...exchange(answer([], { rcode: "NOTIMP" }), HOLDER), recursive: false },
  });

  test("for which the zone's own servers fail are the DNS provider's fault", () => {
    expect(verdict(unanswered("unanswered"))).toEqual({
      event: "records_right",
      findings: [{ kind: "caa_unanswered", name: APEX, server: HOLDER, reason: "NOTIMP" }],
    });
    expect(verdict(unanswered("loop")).findings).toMatchObject([{ kind: "unreachable" }]);
  });

  test("for which the zone's own servers fail, as they do for the name itself, have no finding", () => {
    const broken = { caa: unanswered("unanswered"), chain: chain([], { problem: "unanswered" }) };
    expect(verdictOf(trace([holder(RIGHT)], broken), EXPECTED).findings).toEqual([]);
  });

  test.each<[string, Trace["caa"] & { kind: "unknown" }, string]>([
    [
      "a server is silent",
      {
        kind: "unknown",
        name: APEX,
        problem: "unanswered",
        exchange: exchange(failure("timeout", "no answer"), RESOLVER, 5353),
      },
      "timeout",
    ],
    [
      "a server fails",
      {
        kind: "unknown",
        name: APEX,
        problem: "unanswered",
        exchange: exchange(answer([], { rcode: "SERVFAIL" }), RESOLVER, 5353),
      },
      "SERVFAIL",
    ],
    [
      "they lead in a circle",
      { kind: "unknown", name: APEX, problem: "loop", exchange: exchange(answer(), RESOLVER, 5353) },
      "loop",
    ],
  ])("cannot be asked if %s, and the CA decides", (_, caa, why) => {
    expect(verdict(caa)).toEqual({
      event: "records_right",
      findings: [unreachable(`${RESOLVER}:5353`, `no CAA response for ${APEX} (${why})`)],
    });
  });
});
