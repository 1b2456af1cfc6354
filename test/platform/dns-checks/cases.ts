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
const MANY = Array.from({ length: 90 }, (_, at) => `203.0.113.${at + 1}`);

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

const right = { event: "records_right", findings: [] } as const satisfies Partial<Case>;

const notPropagated = (name: string, server: string, seconds: number): Pick<Case, "event" | "findings"> => ({
  event: "records_right",
  findings: [{ kind: "not_propagated", name, server, seconds }],
});

/** The server that could not be asked, and how its finding's reason begins. */
/** A name that no server answers for: the resolver fails because the zone's own server does. */
const unreachable = (name: string, server: string) => {
  const reason = expect.stringMatching(/^timeout \(.+\)$/) as string;
  const finding = { kind: "unreachable", name, server, reason, responsible: "dns_provider" } as const;
  return { event: undefined, findings: [finding] };
};

/** A name whose zone's server fails, so that its resolver does, too. */
const lame = (name: string, server: string, reason: string) =>
  ({
    event: undefined,
    findings: [{ kind: "lame_delegation", name, server, reason }],
  }) satisfies Partial<Case>;

/** @param methods that the service can use to prove a name */
export const casesOf = (
  targets: Targets,
  { authority, resolver, silent, stale }: Servers,
  methods: readonly string[] = ["http-01"],
): Case[] => {
  const expected = [targets.usual];
  const blocked = (name: string, type: ConflictingType, ...found: string[]): Finding => ({
    kind: "conflicting_record",
    name,
    type,
    found,
    expected,
  });
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
      name: "an A and an AAAA record that block",
      typed: "blocked46.example.test",
      event: "records_wrong",
      findings: (["A", "AAAA"] as const).map((type) => ({
        kind: "conflicting_record",
        name: "blocked46.example.test",
        type,
        found: [type === "A" ? "192.0.2.1" : "2001:db8::1"],
        expected,
      })),
    },
    {
      name: "a TXT record that blocks",
      typed: "texted.example.test",
      event: "records_wrong",
      findings: [blocked("texted.example.test", "TXT", "site-verification=1")],
    },
    {
      name: "MX and CAA records that block",
      typed: "mailed.example.test",
      event: "records_wrong",
      findings: [
        blocked("mailed.example.test", "MX", "10 mail.example.test"),
        blocked("mailed.example.test", "CAA", `0 issue "${ISSUER}"`),
      ],
    },
    {
      name: "an HTTPS record that blocks",
      typed: "browsed.example.test",
      event: "records_wrong",
      findings: [blocked("browsed.example.test", "HTTPS", "1 . alpn=h2")],
    },
    {
      name: "a wildcard TXT record, which does not block",
      typed: "docs.texts.test",
      event: "records_missing",
      findings: [{ kind: "no_record", name: "docs.texts.test", type: "CNAME", expected }],
    },
    {
      name: "the right wildcard, hidden by a record below the name",
      typed: "docs.hidden.test",
      event: "records_missing",
      findings: [
        { kind: "no_record", name: "docs.hidden.test", type: "CNAME", expected, wildcard: "*.hidden.test" },
      ],
    },
    {
      name: "a name that is delegated to a server without its zone",
      typed: "away.example.test",
      event: undefined,
      findings: [
        {
          kind: "delegated_away",
          name: "away.example.test",
          zone: "away.example.test",
          found: ["ns.away.example.test"],
        },
      ],
    },
    {
      name: "a name below one that is delegated to a server without its zone",
      typed: "docs.away.example.test",
      event: undefined,
      findings: [
        {
          kind: "delegated_away",
          name: "docs.away.example.test",
          zone: "away.example.test",
          found: ["ns.away.example.test"],
        },
      ],
    },
    {
      name: "a name that is itself a zone",
      typed: "own.example.test",
      event: "records_missing",
      findings: [
        {
          kind: "delegated_away",
          name: "own.example.test",
          zone: "own.example.test",
          found: ["ns.own.example.test"],
        },
      ],
    },
    {
      name: "an apex whose HTTPS record has an address of the old host",
      typed: "hinted.test",
      event: "records_right",
      findings: [
        {
          kind: "https_record",
          name: "hinted.test",
          found: ["1 . alpn=h3,h2 ipv4hint=192.0.2.80,192.0.2.7"],
        },
      ],
    },
    {
      name: "a record with the whole name, to which the panel has added the zone",
      typed: "typed.example.test",
      event: "records_missing",
      findings: [
        {
          kind: "doubled_name",
          name: "typed.example.test",
          type: "CNAME",
          found: ["typed.example.test.example.test"],
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
      findings: [wrong("loop.example.test", "loop2.example.test")],
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
          kind: "stray_address",
          name: "unflat.test",
          type: "A",
          found: ["203.0.113.9"],
          expected: ADDRESSES,
        },
      ],
    },
    {
      name: "an apex with a leftover AAAA record",
      typed: "old.test",
      event: "records_wrong",
      findings: [
        {
          kind: "stray_address",
          name: "old.test",
          type: "AAAA",
          found: ["2001:db8::1"],
          expected: ADDRESSES,
        },
      ],
    },
    {
      name: "a subdomain behind a proxy",
      typed: "docs.proxied.test",
      event: "records_wrong",
      findings: [
        {
          kind: "proxied",
          name: "docs.proxied.test",
          found: ["104.16.0.7", "2606:4700::7"],
          expected,
          provider: "Cloudflare",
        },
      ],
    },
    {
      name: "an apex behind a proxy",
      typed: "proxied.test",
      event: "records_wrong",
      findings: [
        { kind: "proxied", name: "proxied.test", found: ["104.16.0.7"], expected, provider: "Cloudflare" },
      ],
    },
    {
      name: "a wildcard that leads elsewhere",
      typed: "docs.wild.test",
      event: "records_wrong",
      findings: [
        { kind: "wildcard_record", name: "docs.wild.test", type: "A", found: ["192.0.2.7"], expected },
      ],
    },
    {
      name: "a right record with a TTL of a day",
      typed: "docs.slow.test",
      event: "records_right",
      findings: [{ kind: "long_ttl", name: "docs.slow.test", type: "CNAME", seconds: 86_400 }],
    },
    {
      name: "a wrong record with a TTL of two days",
      typed: "old.slow.test",
      event: "records_wrong",
      findings: [
        wrong("old.slow.test", "other.pages.test"),
        { kind: "long_ttl", name: "old.slow.test", type: "CNAME", seconds: 172_800 },
      ],
    },
    {
      name: "name servers that do not agree",
      typed: "docs.two.test",
      event: "records_missing",
      findings: [{ kind: "mixed_answers", name: "docs.two.test", server: stale, found: [], expected }],
    },
    {
      name: "the name servers of a parking page",
      typed: "parked.test",
      event: "records_wrong",
      findings: [{ kind: "parked", name: "parked.test", found: ["ns1.sedoparking.com"], provider: "Sedo" }],
    },
    {
      name: "name servers that do not hold the zone",
      typed: "docs.lame.test",
      ...lame("lame.test", authority, "does not hold the zone"),
    },
    {
      name: "a zone that should be signed, and is not",
      typed: BOGUS_ZONE,
      event: undefined,
      findings: [
        {
          kind: "dnssec_failure",
          name: BOGUS_ZONE,
          server: resolver,
          reason: "the query succeeds without DNSSEC",
        },
      ],
    },
    {
      name: "a target that does not exist",
      typed: "docs.early.test",
      target: "absent",
      event: "records_right",
      findings: [
        {
          kind: "platform_unready",
          name: targets.absent,
          reason: "does not exist (the wildcard record *.pages.test may be missing)",
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
      findings: [
        { kind: "caa_forbids", name: "strict.example.test", found: ['0 issue ";"'], expected: [ISSUER] },
      ],
    },
    {
      name: "CAA that allows the CA another method only",
      typed: "docs.bound.example.test",
      event: "records_right",
      findings: [
        {
          kind: "caa_forbids",
          name: "bound.example.test",
          found: [`0 issue "${ISSUER};validationmethods=email-01"`],
          expected: [`${ISSUER}; validationmethods=${methods.join(",")}`],
          parameter: "validationmethods",
        },
      ],
    },
    {
      name: "CAA with a critical tag that nobody knows",
      typed: "docs.critical.example.test",
      event: "records_right",
      findings: [
        { kind: "caa_forbids", name: "critical.example.test", found: ['128 newtag "x"'], expected: [] },
      ],
    },
    {
      name: "CAA that forbids, at the CNAME's target, which is the operator's",
      typed: "through.example.test",
      target: "forbidden",
      event: "records_right",
      findings: [
        {
          kind: "platform_unready",
          name: targets.forbidden,
          reason: "has CAA records that forbid the certificate",
          found: ['0 issue "other.test"'],
        },
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
      findings: [{ kind: "registration_expired", name: "nobody.test", found: [] }],
    },
    {
      name: "SERVFAIL",
      typed: "docs.servfail.test",
      ...lame("servfail.test", authority, "SERVFAIL"),
    },
    {
      name: "REFUSED",
      typed: "docs.refused.test",
      ...lame("refused.test", authority, "REFUSED"),
    },
    {
      name: "a silent server",
      typed: "docs.silent.test",
      ...unreachable("docs.silent.test", silent),
    },
  ];
};
