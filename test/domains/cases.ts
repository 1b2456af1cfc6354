import { expect } from "bun:test";
import type { Finding } from "../../src/domains/finding.ts";
import type { Verdict } from "../../src/domains/verdict.ts";
import { nextStage, type Stage } from "../../src/domains/stage.ts";
import type { DnsServer } from "../support/dns.ts";
import { SOA, type Zones } from "../support/zones.ts";

export const ISSUER = "ca.test";

/** What the records must point to; each target has a meaning of its own. */
export interface Targets {
  /** Leads to `ADDRESSES`. */
  usual: string;
  /** Its CAA records forbid the certificate. */
  forbidden: string;
  /** Has more addresses than fit into a datagram. */
  wide: string;
}

export const TARGETS: Targets = {
  usual: "t1.pages.test",
  forbidden: "t2.pages.test",
  wide: "t3.pages.test",
};

const ADDRESSES = ["192.0.2.80", "192.0.2.81", "2001:db8::80"];
/** 90 A records are 1440 bytes and more; `named` loads at most 100 of one name. */
const MANY = Array.from({ length: 90 }, (_, at) => `203.0.113.${at + 1}`);

const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/**
 * Zones for every case. One server on 127.0.0.1 holds all of them.
 * @param silent the address of silent.test's own server
 */
export const zonesOf = ({ usual, forbidden, wide }: Targets, silent = "127.0.0.1"): Zones => ({
  test: zone("test", "lame.test NS ns.lame.test", "ns.lame.test A 127.0.0.1"),
  "pages.test": zone(
    "pages.test",
    `${usual} CNAME edge.pages.test`,
    "edge.pages.test A 192.0.2.80",
    "edge.pages.test A 192.0.2.81",
    "edge.pages.test AAAA 2001:db8::80",
    `${forbidden} A 192.0.2.80`,
    `${forbidden} CAA 0 issue "other.test"`,
    ...MANY.map((address) => `${wide} A ${address}`),
  ),
  "example.test": zone(
    "example.test",
    `example.test CAA 0 issue "${ISSUER}"`,
    "blocked.example.test A 192.0.2.1",
    "blocked6.example.test AAAA 2001:db8::1",
    "wrong.example.test CNAME other.pages.test",
    `longer.example.test CNAME ${usual}.example.test`,
    `right.example.test CNAME ${usual}`,
    `shouted.example.test CNAME ${usual.toUpperCase()}`,
    "chain.example.test CNAME right.example.test",
    "loop.example.test CNAME loop2.example.test",
    "loop2.example.test CNAME loop.example.test",
    `moved.example.test CNAME ${usual}`,
    `new.example.test CNAME ${usual}`,
    `through.example.test CNAME ${forbidden}`,
    `xn--bcher-kva.example.test CNAME ${usual}`,
    'strict.example.test CAA 0 issue ";"',
    `docs.strict.example.test CNAME ${usual}`,
    'critical.example.test CAA 128 newtag "x"',
    `docs.critical.example.test CNAME ${usual}`,
  ),
  "sub.example.test": zone("sub.example.test", `docs.sub.example.test CNAME ${usual}`),
  "flat.test": zone(
    "flat.test",
    "flat.test A 192.0.2.81",
    "flat.test AAAA 2001:db8::80",
    "_adoption-store.flat.test TXT other",
    `_adoption-store.flat.test TXT ${usual}`,
  ),
  "unproven.test": zone(
    "unproven.test",
    "unproven.test A 192.0.2.80",
    "_adoption-store.unproven.test TXT other",
  ),
  "unflat.test": zone("unflat.test", "unflat.test A 192.0.2.80", "unflat.test A 203.0.113.9"),
  "wide.test": zone(
    "wide.test",
    `_adoption-store.wide.test TXT ${wide}`,
    ...MANY.map((address) => `wide.test A ${address}`),
  ),
  "bare.test": zone("bare.test"),
  "servfail.test": zone("servfail.test"),
  "refused.test": zone("refused.test"),
  "silent.test": ["silent.test NS ns.silent.test", `ns.silent.test A ${silent}`],
});

/** Names whose records were others a moment ago, so that a resolver may still know those. */
export const CHANGED = ["moved.example.test", "new.example.test"];

/** The zones as they were before. */
export const before = (zones: Zones): Zones => ({
  ...zones,
  "example.test": [
    ...(zones["example.test"] ?? []).filter((line) => !CHANGED.some((name) => line.startsWith(`${name} `))),
    "moved.example.test 77 CNAME old.pages.test",
  ],
});

/** Names to which the zone's own servers answer with nothing that says what there is, and what a resolver makes of it. */
export const FAULTS = [
  { name: "docs.servfail.test", authority: "SERVFAIL", resolver: "SERVFAIL" },
  { name: "docs.refused.test", authority: "REFUSED", resolver: "SERVFAIL" },
  // A resolver waits for 10 s until it says SERVFAIL, which is longer than it is waited for.
  { name: "docs.silent.test", authority: "silent", resolver: "silent" },
] as const;

/** Has two in-process servers answer so. */
export const addFaults = (authority: DnsServer, resolver: DnsServer): void => {
  for (const fault of FAULTS) {
    authority.behaviours.set(fault.name, fault.authority);
    resolver.behaviours.set(fault.name, fault.resolver);
  }
};

export interface Case {
  name: string;
  /** The host name as a person types it. */
  typed: string;
  target?: keyof Targets;
  event: Verdict["event"];
  mayIssue?: boolean;
  /** `seconds` is the most that a resolver may have left. */
  findings: Finding[];
  zone?: string;
  /** How the addresses are answered. */
  transport?: "udp" | "tcp";
}

/** Where a domain that waited for its records is after the check. */
export const stageAfter = ({ event }: Case): Stage => {
  if (event === undefined) return "awaiting_dns";
  const stage = nextStage("awaiting_dns", event);
  // Without certificates, what is verified is served.
  return (stage === "verified" ? nextStage(stage, "served_over_http") : stage) ?? "awaiting_dns";
};

/** The servers as findings name them. */
export interface Servers {
  authority: string;
  resolver: string;
  /** That of silent.test. */
  silent: string;
}

const right = { event: "records_right", findings: [] } as const satisfies Partial<Case>;

const notPropagated = (name: string, server: string, seconds: number): Pick<Case, "event" | "findings"> => ({
  event: "records_missing",
  findings: [{ kind: "not_propagated", name, server, seconds }],
});

/** The server that could not be asked, and how its finding's reason begins. */
type Unasked = [server: string, said: "SERVFAIL" | "REFUSED" | "timeout"];

/** A name of which nobody says what there is, neither for its records nor for CAA. */
const unreachable = (name: string, authority: Unasked, [resolver, said]: Unasked) => {
  const finding = (server: string, reason: string): Finding => ({
    kind: "unreachable",
    name,
    server,
    reason,
  });
  const ofRecords = ([server, reason]: Unasked) =>
    finding(server, expect.stringMatching(new RegExp(`^${reason}( \\(.+\\))?$`)) as string);
  const ofCaa = finding(resolver, `no CAA response for ${name} (${said})`);
  const findings = [ofRecords(authority), ofRecords([resolver, said]), ofCaa];
  return { event: undefined, mayIssue: false, findings };
};

export const casesOf = (targets: Targets, { authority, resolver, silent }: Servers): Case[] => {
  const expected = [targets.usual];
  const wrong = (name: string, ...found: string[]): Finding => ({
    kind: "wrong_target",
    name,
    type: "CNAME",
    found,
    expected,
  });
  return [
    {
      name: "no record",
      typed: "missing.example.test",
      event: "records_missing",
      findings: [{ kind: "no_record", name: "missing.example.test", type: "CNAME", expected }],
    },
    {
      name: "an A record that blocks",
      typed: "blocked.example.test",
      event: "records_wrong",
      findings: [
        {
          kind: "conflicting_record",
          name: "blocked.example.test",
          type: "A",
          found: ["192.0.2.1"],
          expected,
        },
      ],
    },
    {
      name: "an AAAA record that blocks",
      typed: "blocked6.example.test",
      event: "records_wrong",
      findings: [
        {
          kind: "conflicting_record",
          name: "blocked6.example.test",
          type: "AAAA",
          found: ["2001:db8::1"],
          expected,
        },
      ],
    },
    {
      name: "a wrong CNAME",
      typed: "wrong.example.test",
      event: "records_wrong",
      findings: [wrong("wrong.example.test", "other.pages.test")],
    },
    {
      name: "a CNAME that only begins with the target",
      typed: "longer.example.test",
      event: "records_wrong",
      findings: [wrong("longer.example.test", `${targets.usual}.example.test`)],
    },
    { name: "the right CNAME", typed: "right.example.test", zone: "example.test", ...right },
    { name: "the right CNAME in capitals", typed: "Shouted.Example.Test.", ...right },
    {
      name: "a chain that ends at the target",
      typed: "chain.example.test",
      event: "records_wrong",
      findings: [wrong("chain.example.test", "right.example.test")],
    },
    {
      name: "a CNAME loop",
      typed: "loop.example.test",
      event: "records_wrong",
      mayIssue: false,
      findings: [
        wrong("loop.example.test", "loop2.example.test"),
        {
          kind: "unreachable",
          name: "loop.example.test",
          server: resolver,
          reason: "no CAA response for loop.example.test (SERVFAIL)",
        },
      ],
    },
    {
      name: "an apex by flattened addresses with a TXT record",
      typed: "flat.test",
      zone: "flat.test",
      ...right,
    },
    {
      name: "an apex by flattened addresses alone",
      typed: "unproven.test",
      event: "records_missing",
      findings: [
        {
          kind: "ownership_unproven",
          name: "_adoption-store.unproven.test",
          type: "TXT",
          found: [],
          expected,
        },
      ],
    },
    {
      name: "an apex with an address that is not the target's",
      typed: "unflat.test",
      event: "records_wrong",
      findings: [
        {
          kind: "wrong_target",
          name: "unflat.test",
          type: "ALIAS",
          found: ["192.0.2.80", "203.0.113.9"],
          expected: ADDRESSES,
        },
      ],
    },
    {
      name: "an apex without addresses",
      typed: "bare.test",
      event: "records_missing",
      findings: [{ kind: "no_record", name: "bare.test", type: "ALIAS", expected }],
    },
    { name: "a delegated subzone", typed: "docs.sub.example.test", zone: "sub.example.test", ...right },
    { name: "an IDN", typed: "B\u00fccher.example.test", ...right },
    {
      name: "CAA that forbids, at a parent",
      typed: "docs.strict.example.test",
      event: "records_right",
      mayIssue: false,
      findings: [
        { kind: "caa_forbids", name: "strict.example.test", found: ['0 issue ";"'], expected: [ISSUER] },
      ],
    },
    {
      name: "CAA with a critical tag that nobody knows",
      typed: "docs.critical.example.test",
      event: "records_right",
      mayIssue: false,
      findings: [
        { kind: "caa_forbids", name: "critical.example.test", found: ['128 newtag "x"'], expected: [ISSUER] },
      ],
    },
    {
      name: "CAA that forbids, at the CNAME's target",
      typed: "through.example.test",
      target: "forbidden",
      event: "records_right",
      mayIssue: false,
      findings: [
        { kind: "caa_forbids", name: targets.forbidden, found: ['0 issue "other.test"'], expected: [ISSUER] },
      ],
    },
    {
      name: "an apex whose addresses do not fit into a datagram",
      typed: "wide.test",
      target: "wide",
      transport: "tcp",
      ...right,
    },
    {
      name: "an old answer in the resolver's cache",
      typed: "moved.example.test",
      ...notPropagated("moved.example.test", resolver, 77),
    },
    {
      name: "an old absence in the resolver's cache",
      typed: "new.example.test",
      ...notPropagated("new.example.test", resolver, SOA.minimum),
    },
    {
      name: "a domain that nobody has registered",
      typed: "docs.nobody.test",
      event: "records_missing",
      findings: [{ kind: "no_record", name: "docs.nobody.test", type: "CNAME", expected }],
    },
    {
      name: "SERVFAIL",
      typed: "docs.servfail.test",
      ...unreachable("docs.servfail.test", [authority, "SERVFAIL"], [resolver, "SERVFAIL"]),
    },
    {
      name: "REFUSED",
      typed: "docs.refused.test",
      ...unreachable("docs.refused.test", [authority, "REFUSED"], [resolver, "SERVFAIL"]),
    },
    {
      name: "a silent server",
      typed: "docs.silent.test",
      ...unreachable("docs.silent.test", [silent, "timeout"], [resolver, "timeout"]),
    },
  ];
};
