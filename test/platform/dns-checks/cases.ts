import { expect } from "bun:test";
import type { ConflictingType } from "../../../src/platform/dns-checks/finding-kind.ts";
import type { Finding } from "../../../src/platform/dns-checks/finding.ts";
import type { Verdict } from "../../../src/platform/dns-checks/verdict.ts";
import { nextStage, type Stage } from "../../../src/platform/domains/stage.ts";
import type { DnsServer } from "../../support/dns.ts";
import { SOA, type Zones } from "../../support/zones.ts";

export const ISSUER = "ca.test";

/** What the records must point to; each target has a meaning of its own. */
export interface Targets {
  /** Leads to `ADDRESSES`. */
  usual: string;
  /** Its CAA records forbid the certificate. */
  forbidden: string;
  /** Has more addresses than fit into a datagram. */
  wide: string;
  /** Does not exist. */
  absent: string;
}

export const TARGETS: Targets = {
  usual: "t1.pages.test",
  forbidden: "t2.pages.test",
  wide: "t3.pages.test",
  absent: "t4.pages.test",
};

const ADDRESSES = ["192.0.2.80", "192.0.2.81", "2001:db8::80"];
/** 90 A records are 1440 bytes and more; `named` loads at most 100 of one name. */
const MANY = Array.from({ length: 90 }, (_, index) => `203.0.113.${index + 1}`);

const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/** Of the second server of two.test, on the port of the first. */
export const STALE_ADDRESS = "127.0.0.3";
/** What that server still has. */
export const STALE_ZONES: Zones = { "two.test": zone("two.test") };
/** Resolvers that validate refuse it: it should be signed, and is not. */
export const BOGUS_ZONE = "bogus.test";

/**
 * Zones for every case. One server on 127.0.0.1 holds all of them, and another holds older records of two.test.
 * @param silent the address of silent.test's own server
 */
export const zonesOf = (
  { usual, forbidden, wide, absent = TARGETS.absent }: Omit<Targets, "absent"> & Partial<Targets>,
  silent = "127.0.0.1",
): Zones => ({
  test: zone("test", "lame.test NS ns.lame.test", "ns.lame.test A 127.0.0.1"),
  "sedoparking.com": ["sedoparking.com NS ns1.sedoparking.com", "ns1.sedoparking.com A 127.0.0.1"],
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
    "blocked46.example.test A 192.0.2.1",
    "blocked46.example.test AAAA 2001:db8::1",
    `typed.example.test.example.test CNAME ${usual}`,
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
    `bound.example.test CAA 0 issue "${ISSUER};validationmethods=email-01"`,
    `docs.bound.example.test CNAME ${usual}`,
    "texted.example.test TXT site-verification=1",
    "mailed.example.test MX 10 mail.example.test.",
    `mailed.example.test CAA 0 issue "${ISSUER}"`,
    "browsed.example.test HTTPS 1 . alpn=h2",
    "away.example.test NS ns.away.example.test",
    "ns.away.example.test A 127.0.0.1",
    "own.example.test NS ns.own.example.test",
    "ns.own.example.test A 127.0.0.1",
    'critical.example.test CAA 128 newtag "x"',
    `docs.critical.example.test CNAME ${usual}`,
  ),
  "own.example.test": zone("own.example.test"),
  "sub.example.test": zone("sub.example.test", `docs.sub.example.test CNAME ${usual}`),
  "flat.test": zone(
    "flat.test",
    "flat.test A 192.0.2.81",
    "flat.test AAAA 2001:db8::80",
    "flat.test HTTPS 1 . alpn=h2 ipv4hint=192.0.2.81",
    "_adoption-store.flat.test TXT other",
    `_adoption-store.flat.test TXT ${usual}`,
  ),
  "hinted.test": zone(
    "hinted.test",
    "hinted.test A 192.0.2.80",
    "hinted.test HTTPS 1 . alpn=h3,h2 ipv4hint=192.0.2.80,192.0.2.7",
    `_adoption-store.hinted.test TXT ${usual}`,
  ),
  "hidden.test": zone("hidden.test", `*.hidden.test CNAME ${usual}`, "below.docs.hidden.test TXT other"),
  "texts.test": zone("texts.test", "*.texts.test TXT other"),
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
  "old.test": zone("old.test", "old.test A 192.0.2.80", "old.test AAAA 2001:db8::1"),
  "proxied.test": zone(
    "proxied.test",
    "proxied.test A 104.16.0.7",
    "docs.proxied.test A 104.16.0.7",
    "docs.proxied.test AAAA 2606:4700::7",
  ),
  "wild.test": zone("wild.test", "*.wild.test A 192.0.2.7"),
  "slow.test": zone(
    "slow.test",
    `docs.slow.test 86400 CNAME ${usual}`,
    "old.slow.test 172800 CNAME other.pages.test",
  ),
  "two.test": zone(
    "two.test",
    "two.test NS ns2.two.test",
    `ns2.two.test A ${STALE_ADDRESS}`,
    `docs.two.test CNAME ${usual}`,
  ),
  "parked.test": ["parked.test NS ns1.sedoparking.com", "parked.test A 192.0.2.9"],
  [BOGUS_ZONE]: zone(BOGUS_ZONE, `${BOGUS_ZONE} A 192.0.2.80`, `_adoption-store.${BOGUS_ZONE} TXT ${usual}`),
  "early.test": zone("early.test", `docs.early.test CNAME ${absent}`),
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
  for (const name of [BOGUS_ZONE, `ns.${BOGUS_ZONE}`, `_adoption-store.${BOGUS_ZONE}`])
    resolver.behaviours.set(name, "bogus");
};

export interface Case {
  name: string;
  /** The host name as a person types it. */
  typed: string;
  target?: keyof Targets;
  event: Verdict["event"];
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
  /** That with older records. */
  stale: string;
}

type Row = [
  name: string,
  typed: string,
  event: Verdict["event"],
  /** About the name as it is typed, unless they name another. */
  findings: readonly (Record<string, unknown> & { kind: Finding["kind"] })[],
  more?: Pick<Case, "target" | "zone" | "transport">,
];

const [RIGHT, WRONG, MISSING] = ["records_right", "records_wrong", "records_missing"] as const;

/** @param methods that the service can use to prove a name */
export const casesOf = (
  { usual, absent, forbidden }: Targets,
  { authority, resolver, silent, stale }: Servers,
  methods: readonly string[] = ["http-01"],
): Case[] => {
  const expected = [usual];
  const missing = { kind: "no_record", type: "CNAME", expected } as const;
  const blocked = (type: ConflictingType, ...found: string[]) =>
    ({ kind: "conflicting_record", type, found, expected }) as const;
  const wrong = (...found: string[]) => ({ kind: "wrong_target", type: "CNAME", found, expected }) as const;
  const delegated = (zone: string) => ({ kind: "delegated_away", zone, found: [`ns.${zone}`] }) as const;
  const stray = (type: "A" | "AAAA", ...found: string[]) =>
    ({ kind: "stray_address", type, found, expected: ADDRESSES }) as const;
  const proxied = (...found: string[]) =>
    ({ kind: "proxied", found, expected, provider: "Cloudflare" }) as const;
  const slow = (seconds: number) => ({ kind: "long_ttl", type: "CNAME", seconds }) as const;
  const unready = (name: string, reason: string, more = {}) =>
    ({ kind: "platform_unready", name, reason, ...more }) as const;
  const forbids = (name: string, found: string, wanted: string[], more = {}) =>
    ({ kind: "caa_forbids", name, found: [found], expected: wanted, ...more }) as const;
  const late = (seconds: number) => ({ kind: "not_propagated", server: resolver, seconds }) as const;
  /** A name whose zone's server fails, so that its resolver does, too. */
  const lame = (name: string, reason: string) =>
    ({ kind: "lame_delegation", name, server: authority, reason }) as const;
  const rows: Row[] = [
    ["no record", "missing.example.test", MISSING, [missing]],
    ["an A record that blocks", "blocked.example.test", WRONG, [blocked("A", "192.0.2.1")]],
    ["an AAAA record that blocks", "blocked6.example.test", WRONG, [blocked("AAAA", "2001:db8::1")]],
    [
      "an A and an AAAA record that block",
      "blocked46.example.test",
      WRONG,
      [blocked("A", "192.0.2.1"), blocked("AAAA", "2001:db8::1")],
    ],
    ["a TXT record that blocks", "texted.example.test", WRONG, [blocked("TXT", "site-verification=1")]],
    [
      "MX and CAA records that block",
      "mailed.example.test",
      WRONG,
      [blocked("MX", "10 mail.example.test"), blocked("CAA", `0 issue "${ISSUER}"`)],
    ],
    ["an HTTPS record that blocks", "browsed.example.test", WRONG, [blocked("HTTPS", "1 . alpn=h2")]],
    ["a wildcard TXT record, which does not block", "docs.texts.test", MISSING, [missing]],
    [
      "the right wildcard, hidden by a record below the name",
      "docs.hidden.test",
      MISSING,
      [{ ...missing, wildcard: "*.hidden.test" }],
    ],
    [
      "a name that is delegated to a server without its zone",
      "away.example.test",
      undefined,
      [delegated("away.example.test")],
    ],
    [
      "a name below one that is delegated to a server without its zone",
      "docs.away.example.test",
      undefined,
      [delegated("away.example.test")],
    ],
    ["a name that is itself a zone", "own.example.test", MISSING, [delegated("own.example.test")]],
    [
      "an apex whose HTTPS record has an address of the old host",
      "hinted.test",
      RIGHT,
      [{ kind: "https_record", found: ["1 . alpn=h3,h2 ipv4hint=192.0.2.80,192.0.2.7"] }],
    ],
    [
      "a record with the whole name, to which the panel has added the zone",
      "typed.example.test",
      MISSING,
      [{ kind: "doubled_name", type: "CNAME", found: ["typed.example.test.example.test"], expected }],
    ],
    ["a wrong CNAME", "wrong.example.test", WRONG, [wrong("other.pages.test")]],
    [
      "a CNAME that only begins with the target",
      "longer.example.test",
      WRONG,
      [wrong(`${usual}.example.test`)],
    ],
    ["the right CNAME", "right.example.test", RIGHT, [], { zone: "example.test" }],
    ["the right CNAME in capitals", "Shouted.Example.Test.", RIGHT, []],
    ["a chain that ends at the target", "chain.example.test", WRONG, [wrong("right.example.test")]],
    ["a CNAME loop", "loop.example.test", WRONG, [wrong("loop2.example.test")]],
    ["an apex by flattened addresses with a TXT record", "flat.test", RIGHT, [], { zone: "flat.test" }],
    [
      "an apex by flattened addresses alone",
      "unproven.test",
      MISSING,
      [
        {
          kind: "ownership_unproven",
          name: "_adoption-store.unproven.test",
          type: "TXT",
          found: [],
          expected,
        },
      ],
    ],
    ["an apex with an address that is not the target's", "unflat.test", WRONG, [stray("A", "203.0.113.9")]],
    ["an apex with a leftover AAAA record", "old.test", WRONG, [stray("AAAA", "2001:db8::1")]],
    ["a subdomain behind a proxy", "docs.proxied.test", WRONG, [proxied("104.16.0.7", "2606:4700::7")]],
    ["an apex behind a proxy", "proxied.test", WRONG, [proxied("104.16.0.7")]],
    [
      "a wildcard that leads elsewhere",
      "docs.wild.test",
      WRONG,
      [{ kind: "wildcard_record", type: "A", found: ["192.0.2.7"], expected }],
    ],
    ["a right record with a TTL of a day", "docs.slow.test", RIGHT, [slow(86_400)]],
    [
      "a wrong record with a TTL of two days",
      "old.slow.test",
      WRONG,
      [wrong("other.pages.test"), slow(172_800)],
    ],
    [
      "name servers that do not agree",
      "docs.two.test",
      MISSING,
      [{ kind: "mixed_answers", server: stale, found: [], expected }],
    ],
    [
      "the name servers of a parking page",
      "parked.test",
      WRONG,
      [{ kind: "parked", found: ["ns1.sedoparking.com"], provider: "Sedo" }],
    ],
    [
      "name servers that do not hold the zone",
      "docs.lame.test",
      undefined,
      [lame("lame.test", "does not hold the zone")],
    ],
    [
      "a zone that should be signed, and is not",
      BOGUS_ZONE,
      undefined,
      [{ kind: "dnssec_failure", server: resolver, reason: "the query succeeds without DNSSEC" }],
    ],
    [
      "a target that does not exist",
      "docs.early.test",
      RIGHT,
      [unready(absent, "does not exist (the wildcard record *.pages.test may be missing)")],
      { target: "absent" },
    ],
    ["an apex without addresses", "bare.test", MISSING, [{ ...missing, type: "ALIAS" }]],
    ["a delegated subzone", "docs.sub.example.test", RIGHT, [], { zone: "sub.example.test" }],
    ["an IDN", "B\u00fccher.example.test", RIGHT, []],
    [
      "CAA that forbids, at a parent",
      "docs.strict.example.test",
      RIGHT,
      [forbids("strict.example.test", '0 issue ";"', [ISSUER])],
    ],
    [
      "CAA that allows the CA another method only",
      "docs.bound.example.test",
      RIGHT,
      [
        forbids(
          "bound.example.test",
          `0 issue "${ISSUER};validationmethods=email-01"`,
          [`${ISSUER}; validationmethods=${methods.join(",")}`],
          { parameter: "validationmethods" },
        ),
      ],
    ],
    [
      "CAA with a critical tag that no CA knows",
      "docs.critical.example.test",
      RIGHT,
      [forbids("critical.example.test", '128 newtag "x"', [])],
    ],
    [
      "CAA that forbids, at the CNAME's target, which is the operator's",
      "through.example.test",
      RIGHT,
      [
        unready(forbidden, "has CAA records that forbid the certificate", {
          found: ['0 issue "other.test"'],
        }),
      ],
      { target: "forbidden" },
    ],
    [
      "an apex whose addresses do not fit into a datagram",
      "wide.test",
      RIGHT,
      [],
      { target: "wide", transport: "tcp" },
    ],
    ["an old answer in the resolver's cache", "moved.example.test", RIGHT, [late(77)]],
    ["an old absence in the resolver's cache", "new.example.test", RIGHT, [late(SOA.minimum)]],
    [
      "a domain that is not registered",
      "docs.nobody.test",
      MISSING,
      [{ kind: "registration_expired", name: "nobody.test", found: [] }],
    ],
    ["SERVFAIL", "docs.servfail.test", undefined, [lame("servfail.test", "SERVFAIL")]],
    ["REFUSED", "docs.refused.test", undefined, [lame("refused.test", "REFUSED")]],
    [
      "a silent server",
      "docs.silent.test",
      undefined,
      [
        {
          // No server answers for the name: the resolver fails because the zone's own server does.
          kind: "unreachable",
          server: silent,
          reason: expect.stringMatching(/^timeout \(.+\)$/),
          responsible: "dns_provider",
        },
      ],
    ],
  ];
  return rows.map(([name, typed, event, findings, more]) => ({
    name,
    typed,
    event,
    findings: findings.map((finding) => ({ name: typed, ...finding }) as Finding),
    ...more,
  }));
};
