import type { Finding } from "../../src/domains/dns/finding.ts";
import type { Verdict } from "../../src/domains/dns/verdict.ts";
import type { Zones } from "../support/dns.ts";

export const ISSUER = "ca.test";
export const TARGET = "t1.pages.test";
const ADDRESSES = ["192.0.2.80", "192.0.2.81", "2001:db8::80"];

const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/** Zones for every case; the servers of all of them are one server on loopback. */
export const ZONES: Zones = {
  test: zone("test"),
  "pages.test": zone(
    "pages.test",
    "t1.pages.test CNAME edge.pages.test",
    "edge.pages.test A 192.0.2.80",
    "edge.pages.test A 192.0.2.81",
    "edge.pages.test AAAA 2001:db8::80",
    "t2.pages.test A 192.0.2.80",
    't2.pages.test CAA 0 issue "other.test"',
  ),
  "example.test": zone(
    "example.test",
    `example.test CAA 0 issue "${ISSUER}"`,
    "blocked.example.test A 192.0.2.1",
    "blocked6.example.test AAAA 2001:db8::1",
    "wrong.example.test CNAME t9.pages.test",
    "longer.example.test CNAME t1.pages.test.example.test",
    "right.example.test CNAME t1.pages.test",
    "shouted.example.test CNAME T1.PAGES.TEST",
    "chain.example.test CNAME right.example.test",
    "loop.example.test CNAME loop2.example.test",
    "loop2.example.test CNAME loop.example.test",
    "moved.example.test CNAME t1.pages.test",
    "new.example.test CNAME t1.pages.test",
    "through.example.test CNAME t2.pages.test",
    "xn--bcher-kva.example.test CNAME t1.pages.test",
    'strict.example.test CAA 0 issue ";"',
    "docs.strict.example.test CNAME t1.pages.test",
    'critical.example.test CAA 128 newtag "x"',
    "docs.critical.example.test CNAME t1.pages.test",
  ),
  "sub.example.test": zone("sub.example.test", "docs.sub.example.test CNAME t1.pages.test"),
  "flat.test": zone("flat.test", "flat.test A 192.0.2.81", "flat.test AAAA 2001:db8::80"),
  "unflat.test": zone("unflat.test", "unflat.test A 192.0.2.80", "unflat.test A 203.0.113.9"),
  "bare.test": zone("bare.test"),
};

/** What the resolver remembers, with the seconds that are left. */
export const CACHE: Record<string, string[]> = {
  "moved.example.test CNAME": ["moved.example.test 77 CNAME old.pages.test"],
  "moved.example.test A": ["moved.example.test 77 CNAME old.pages.test"],
  "moved.example.test AAAA": ["moved.example.test 77 CNAME old.pages.test"],
  "new.example.test CNAME": ["example.test 45 SOA 300"],
  "new.example.test A": ["example.test 45 SOA 300"],
  "new.example.test AAAA": ["example.test 45 SOA 300"],
};

export interface Case {
  name: string;
  typed: string;
  target?: string;
  event: Verdict["event"];
  mayIssue?: boolean;
  findings: Finding[];
  zone?: string;
}

const expected = [TARGET];
const wrong = (name: string, ...found: string[]): Finding => ({
  kind: "wrong_target",
  name,
  type: "CNAME",
  found,
  expected,
});
const right = { event: "records_right", findings: [] } as const satisfies Partial<Case>;

export const CASES = (resolver: string): Case[] => [
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
      { kind: "conflicting_record", name: "blocked.example.test", type: "A", found: ["192.0.2.1"], expected },
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
    findings: [wrong("wrong.example.test", "t9.pages.test")],
  },
  {
    name: "a CNAME that only begins with the target",
    typed: "longer.example.test",
    event: "records_wrong",
    findings: [wrong("longer.example.test", "t1.pages.test.example.test")],
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
        reason: "no CAA answer for loop.example.test (loop)",
      },
    ],
  },
  { name: "an apex by flattened addresses", typed: "flat.test", zone: "flat.test", ...right },
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
    target: "t2.pages.test",
    event: "records_right",
    mayIssue: false,
    findings: [
      { kind: "caa_forbids", name: "t2.pages.test", found: ['0 issue "other.test"'], expected: [ISSUER] },
    ],
  },
];
