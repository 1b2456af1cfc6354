import { expect, test } from "bun:test";
import { formatServer } from "../../../src/lib/name-server.ts";
import type { Answer } from "../../../src/protocols/dns/message.ts";
import type { SendQuery } from "../../../src/protocols/dns/client.ts";
import type { TraceOptions } from "../../../src/platform/dns-checks/trace.ts";
import { traceDomain, watchQueries } from "../../../src/platform/dns-checks/trace.ts";
import { verdictOf } from "../../../src/platform/dns-checks/verdict.ts";
import { hostnameOf, parseHostname } from "../../../src/lib/hostname.ts";
import {
  type Behaviour,
  type DnsServer,
  dnsServer,
  SHORT_TIMEOUT,
  testClient,
  LONG_TIMEOUT,
} from "../../support/dns.ts";
import type { Zones } from "../../support/zones.ts";
import { answer, exchange, record } from "./traces.ts";
import {
  addFaults,
  before,
  CHANGED,
  casesOf,
  ISSUER,
  STALE_ADDRESS,
  STALE_ZONES,
  TARGETS,
  zonesOf,
} from "./cases.ts";

const anywhere: TraceOptions["mayAsk"] = () => true;

const setUp = async (patience = {}) => {
  const zones = zonesOf(TARGETS);
  const authority = await dnsServer({ zones: { ...zones } });
  const remembered = { zones: before(zones), names: CHANGED };
  const resolver = await dnsServer({ zones: { ...zones }, cache: remembered });
  addFaults(authority, resolver);
  const stale = await dnsServer({
    zones: { ...STALE_ZONES },
    address: STALE_ADDRESS,
    port: authority.server.port,
  });
  return {
    authority,
    resolver,
    stale,
    at: {
      authority: formatServer(authority.server),
      resolver: formatServer(resolver.server),
      silent: formatServer(authority.server),
      stale: formatServer(stale.server),
    },
    async verify(
      typed: string,
      target = TARGETS.usual,
      { resolvers = [resolver.server], mayAsk = anywhere } = {},
    ) {
      const parsed = parseHostname(typed);
      if (!parsed.ok) throw new Error(parsed.refusal);
      const { ascii, apex, isApex } = parsed.hostname;
      const settings = { resolvers, port: authority.server.port, mayAsk };
      const trace = await traceDomain(testClient(patience), settings, { ascii, apex, target });
      return {
        trace,
        verdict: verdictOf(trace, {
          hostname: ascii,
          target,
          isApex,
          issuers: [ISSUER],
          methods: ["http-01"],
          needsProof: true,
        }),
      };
    },
    [Symbol.dispose]() {
      authority[Symbol.dispose]();
      resolver[Symbol.dispose]();
      stale[Symbol.dispose]();
    },
  };
};

const NOBODY = { authority: "", resolver: "", silent: "", stale: "" };

test.concurrent.each(casesOf(TARGETS, NOBODY).map(({ name }, at) => [name, at] as const))(
  "%s",
  async (name, at) => {
    using dns = await setUp(name === "a silent server" ? LONG_TIMEOUT : {});
    const row = casesOf(TARGETS, dns.at)[at];
    if (!row) throw new Error("no such case");
    const { typed, target = "usual", event, findings, zone, transport = "udp" } = row;
    const { trace, verdict } = await dns.verify(typed, TARGETS[target]);
    expect(verdict).toEqual({ event, findings });
    if (zone !== undefined) expect(trace.authority?.zone).toBe(zone);
    expect(new Set(trace.views.map(({ a }) => a.transport))).toEqual(new Set([transport]));
  },
);

test.concurrent("every question is in the trace", async () => {
  using dns = await setUp();
  const { trace } = await dns.verify("docs.sub.example.test");
  expect(trace.exchanges.length).toBe(dns.authority.questions.length + dns.resolver.questions.length);
  expect(trace.chain.names).toEqual(["docs.sub.example.test", TARGETS.usual, "edge.pages.test"]);
  expect(trace.exchanges.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
});

/** A domain with a zone of one server, checked at one resolver; the design's limit is 25 with two of each. */
test.concurrent.each<[string, number]>([
  ["right.example.test", 15],
  ["blocked.example.test", 14],
  ["flat.test", 15],
  ["docs.lame.test", 16],
  ["docs.nobody.test", 12],
])("a check of %s sends %d queries", async (typed, most) => {
  using dns = await setUp();
  const { trace } = await dns.verify(typed);
  expect(trace.exchanges.length).toBe(most);
});

test.concurrent.each(["loop", "wrong_id", "hang_up"] as const)(
  "%s is unreachable, and no failure of the domain",
  async (behaviour) => {
    using dns = await setUp(SHORT_TIMEOUT);
    dns.authority.behaviours.set("*", behaviour);
    for (const type of ["CNAME", "A", "AAAA", "CAA"])
      dns.resolver.behaviours.set(`right.example.test ${type}`, "SERVFAIL");
    const { verdict } = await dns.verify("right.example.test");
    expect(verdict).toMatchObject({ event: undefined });
    expect(new Set(verdict.findings.map(({ kind }) => kind))).toEqual(new Set(["unreachable"]));
  },
);

test.concurrent("a resolver that is silent says nothing of the domain", async () => {
  using dns = await setUp(SHORT_TIMEOUT);
  dns.resolver.behaviours.set("*", "silent");
  const { verdict, trace } = await dns.verify("right.example.test");
  expect(trace.authority).toBeUndefined();
  expect(verdict).toMatchObject({ event: undefined });
});

test.concurrent("a zone that keeps the resolver waiting is found at its parent", async () => {
  using dns = await setUp(SHORT_TIMEOUT);
  dns.resolver.behaviours.set("example.test", "silent");
  const { trace, verdict } = await dns.verify("right.example.test");
  expect(trace.authority).toMatchObject({ zone: "example.test" });
  expect(verdict).toMatchObject({ event: "records_right" });
});

test.concurrent(
  "a resolver is asked for the servers of a registered domain and its parent, and never about names below",
  async () => {
    using dns = await setUp(SHORT_TIMEOUT);
    dns.resolver.behaviours.set("*", "silent");
    await dns.verify("a.b.c.d.e.f.example.test");
    const asked = dns.resolver.questions.filter(({ type }) => type === "NS").map(({ name }) => name);
    expect(asked).toEqual(["example.test", "test"]);
  },
);

test.concurrent("a second resolver is asked where the first is silent", async () => {
  using dns = await setUp(LONG_TIMEOUT);
  using silent = await dnsServer({ zones: {} });
  silent.behaviours.set("*", "silent");
  const { verdict } = await dns.verify("right.example.test", TARGETS.usual, {
    resolvers: [silent.server, dns.resolver.server],
  });
  expect(verdict).toMatchObject({
    event: "records_right",
    findings: [{ kind: "unreachable", server: formatServer(silent.server) }],
  });
  // One question about each of the two names that were asked for before it had been silent once.
  expect(silent.questions.length).toBe(2);
});

test.concurrent(
  "a server that is silent about a name gets no more queries for it, and the trace says so",
  async () => {
    using dns = await setUp(LONG_TIMEOUT);
    dns.resolver.behaviours.set("docs.silent.test", "silent");
    dns.authority.behaviours.set("docs.silent.test", "silent");
    const { verdict, trace } = await dns.verify("docs.silent.test");
    for (const { questions } of [dns.resolver, dns.authority])
      expect(questions.filter(({ name }) => name === "docs.silent.test").length).toBe(1);
    const skipped = trace.exchanges.filter(
      ({ outcome }) => outcome.kind === "failure" && outcome.detail.includes("so it was not asked"),
    );
    // NS, CNAME, A, AAAA, CAA of the resolver; CNAME, A, AAAA of the zone's own server.
    expect(skipped.length).toBe(4 + 2);
    expect(verdict).toMatchObject({ event: undefined });
  },
);

test.concurrent("records that come with SERVFAIL are not believed", async () => {
  using dns = await setUp();
  for (const server of [dns.authority, dns.resolver])
    server.behaviours.set("blocked.example.test A", (packet) => {
      packet[3] = 2;
      return [packet];
    });
  const { verdict } = await dns.verify("blocked.example.test");
  expect(verdict.findings.map(({ kind }) => kind)).toEqual(["no_record"]);
});

/** A child zone on a different server than its parent zone. */
const delegated = (dns: Awaited<ReturnType<typeof setUp>>, zone: string, lines: string[] = []) => {
  const own = [`${zone} NS ns.${zone}`, `ns.${zone} A ${STALE_ADDRESS}`];
  dns.authority.zones["example.test"] = [...(dns.authority.zones["example.test"] ?? []), ...own];
  dns.resolver.zones[zone] = [...own, ...lines];
  dns.stale.zones[zone] = [...own, ...lines];
};

test.concurrent("a subdomain that the parent zone delegates cannot have the CNAME", async () => {
  using dns = await setUp();
  delegated(dns, "zoned.example.test");
  const { verdict } = await dns.verify("zoned.example.test");
  expect(verdict.findings).toEqual([
    {
      kind: "delegated_away",
      name: "zoned.example.test",
      zone: "zoned.example.test",
      found: ["ns.zoned.example.test"],
    },
  ]);
});

test.concurrent(
  "a name server that does not exist does not send the holder of a subdomain to the registrar",
  async () => {
    using dns = await setUp();
    const zones = dns.authority.zones;
    zones["example.test"] = [...(zones["example.test"] ?? []), "gone.example.test NS ns.nowhere.test"];
    const { verdict } = await dns.verify("gone.example.test");
    expect(verdict.findings).toEqual([
      {
        kind: "delegated_away",
        name: "gone.example.test",
        zone: "gone.example.test",
        found: ["ns.nowhere.test"],
      },
    ]);
  },
);

test.concurrent("a name of a delegated zone needs its record there", async () => {
  using dns = await setUp();
  delegated(dns, "zoned.example.test");
  const { verdict } = await dns.verify("docs.zoned.example.test");
  expect(verdict.findings).toMatchObject([{ kind: "no_record", name: "docs.zoned.example.test" }]);
});

test.concurrent("a CNAME record at an apex works, with a hint about mail", async () => {
  using dns = await setUp();
  for (const { zones } of [dns.authority, dns.resolver])
    zones["bare.test"] = [...(zones["bare.test"] ?? []), `bare.test CNAME ${TARGETS.usual}`];
  const { verdict } = await dns.verify("bare.test");
  expect(verdict).toMatchObject({
    event: "records_right",
    findings: [{ kind: "apex_cname", name: "bare.test", expected: [TARGETS.usual] }],
  });
});

test.concurrent("only the zone's own servers are asked for records in the way", async () => {
  using dns = await setUp();
  await dns.verify("texted.example.test");
  await dns.verify("docs.hidden.test");
  await dns.verify("hinted.test");
  const isExtra = ({ name, type }: { name: string; type: string }) =>
    ["TXT", "MX", "UNKNOWN_65"].includes(type)
      ? !name.startsWith("_adoption-store.")
      : name.includes("sibling");
  expect(dns.authority.questions.some(isExtra)).toBe(true);
  expect(dns.resolver.questions.filter(isExtra)).toEqual([]);
});

test.concurrent("a resolver is not asked for records in the way", async () => {
  using dns = await setUp();
  const { verdict } = await dns.verify("texted.example.test", TARGETS.usual, { mayAsk: () => false });
  expect(verdict.findings.map(({ kind }) => kind)).toEqual(["unreachable", "no_record"]);
  expect(dns.resolver.questions.filter(({ type }) => type === "TXT" || type === "MX")).toEqual([]);
});

test.concurrent("no query looks for records in the way at a name that does not exist", async () => {
  using dns = await setUp();
  await dns.verify("missing.example.test");
  const types = dns.authority.questions.map(({ name, type }) => name === "missing.example.test" && type);
  expect(types.filter(Boolean).toSorted()).toEqual(["A", "AAAA", "CAA", "CNAME", "NS"]);
});

test.concurrent("a server that fails for the types of other records is not at fault", async () => {
  using dns = await setUp();
  for (const type of ["TXT", "MX", "UNKNOWN_65"])
    dns.authority.behaviours.set(`texted.example.test ${type}`, "SERVFAIL");
  const { verdict } = await dns.verify("texted.example.test");
  expect(verdict.findings).toMatchObject([{ kind: "no_record" }]);
});

test.concurrent("a zone's own servers that must not be asked are not, and are named", async () => {
  using dns = await setUp();
  const asked: string[] = [];
  const { trace, verdict } = await dns.verify("right.example.test", TARGETS.usual, {
    mayAsk(address) {
      asked.push(address);
      return false;
    },
  });
  expect(new Set(asked)).toEqual(new Set(["127.0.0.1"]));
  expect(dns.authority.questions).toEqual([]);
  expect(trace.exchanges.length).toBe(dns.resolver.questions.length);
  expect(verdict).toMatchObject({ event: "records_right" });
  expect(verdict.findings).toEqual([
    {
      kind: "unreachable",
      name: "right.example.test",
      server: dns.at.authority,
      reason: "forbidden (not a public address, so no query was sent)",
    },
  ]);
});

test.concurrent("a name of a hundred levels on slow servers does not hold a check up for ever", async () => {
  let asked = 0;
  const slow: SendQuery = async (server, question, recursive) => {
    asked += 1;
    const answer: Answer = {
      kind: "answer",
      rcode: "NOERROR",
      authoritative: false,
      records: [],
      authorities: [],
    };
    return {
      server,
      question,
      recursive,
      transport: "udp",
      outcome: answer,
      milliseconds: 4000,
      ignored: [],
    };
  };
  const ascii = `${"a.".repeat(110)}example.test`;
  const settings = { resolvers: [{ address: "127.0.0.1", port: 53 }], port: 53, mayAsk: anywhere };
  const trace = await traceDomain(slow, settings, { ascii, apex: "example.test", target: TARGETS.usual });
  expect(asked).toBeWithin(30, 40);
  expect(trace.caa).toMatchObject({ kind: "unknown", problem: "unanswered" });
  expect(trace.exchanges.at(-1)?.outcome).toMatchObject({ kind: "failure", failure: "timeout" });
});

/** The queries to a resolver about a name and the names below it. */
const askedAbout = ({ questions }: DnsServer, name: string) =>
  questions.filter((one) => one.name === name || one.name.endsWith(`.${name}`)).map((one) => one.name);

test.concurrent.each([
  "missing.example.test",
  "docs.sub.missing.example.test",
  "wrong.example.test",
  "docs.wild.test",
])("no resolver is asked about %s before its records are right", async (name) => {
  using dns = await setUp();
  await dns.verify(name);
  await dns.verify(name, name);
  expect(askedAbout(dns.resolver, name)).toEqual([]);
});

test.concurrent("no resolver is asked about the TXT record of an apex that has none", async () => {
  using dns = await setUp();
  await dns.verify("unproven.test");
  expect(askedAbout(dns.resolver, "_adoption-store.unproven.test")).toEqual([]);
});

test.concurrent("the resolvers decide about a name whose own servers do not respond", async () => {
  using dns = await setUp(LONG_TIMEOUT);
  dns.authority.behaviours.set("*", "silent");
  const { verdict } = await dns.verify("right.example.test");
  expect(verdict).toMatchObject({
    event: "records_right",
    findings: [{ kind: "unreachable", server: dns.at.authority }],
  });
  expect(verdict.findings[0]).not.toHaveProperty("responsible");
  expect((await dns.verify("moved.example.test")).verdict).toMatchObject({ event: "records_wrong" });
});

/** A server for only one zone, on the same port as the others. */
const zoneServer = (dns: Awaited<ReturnType<typeof setUp>>, address: string, zones: Zones) =>
  dnsServer({ zones, address, port: dns.authority.server.port });

test.concurrent(
  "queries about a delegated subdomain go to its own server, to which the parent's server refers",
  async () => {
    using dns = await setUp();
    using own = await zoneServer(dns, "127.0.0.4", {
      "far.example.test": [
        "far.example.test NS ns.far.example.test",
        `far.example.test CNAME ${TARGETS.usual}`,
      ],
    });
    dns.authority.zones["example.test"]!.push(
      "far.example.test NS ns.far.example.test",
      "ns.far.example.test A 127.0.0.4",
    );
    const { trace, verdict } = await dns.verify("docs.far.example.test");
    expect(trace.authority).toMatchObject({
      zone: "far.example.test",
      servers: [own.server],
      isFromParent: true,
    });
    expect(verdict).toMatchObject({ event: "records_missing", findings: [{ kind: "no_record" }] });
    own.zones["far.example.test"]!.push(`docs.far.example.test CNAME ${TARGETS.usual}`);
    expect((await dns.verify("docs.far.example.test")).verdict.event).toBe("records_right");
  },
);

test.concurrent(
  "queries about a zone that moved go to the servers that its parent names, if the old ones refuse",
  async () => {
    using dns = await setUp();
    using old = await zoneServer(dns, "127.0.0.5", {});
    using own = await zoneServer(dns, "127.0.0.6", {
      "moving.test": ["moving.test NS ns.moving.test", `docs.moving.test CNAME ${TARGETS.usual}`],
    });
    // Not in the zones of the parent's server, which would then respond for the zone itself.
    dns.authority.zones["test"]!.push("moving.test NS ns.moving.test", "ns.moving.test A 127.0.0.6");
    dns.resolver.zones["moving.test"] = [
      "moving.test NS ns.old.test",
      `docs.moving.test CNAME ${TARGETS.usual}`,
    ];
    dns.resolver.zones["old.test"] = ["ns.old.test A 127.0.0.5"];
    const { trace, verdict } = await dns.verify("docs.moving.test");
    expect(old.questions.length).toBeGreaterThan(0);
    expect(trace.authority).toMatchObject({ servers: [own.server], isFromParent: true });
    expect(verdict).toMatchObject({ event: "records_right", findings: [] });
  },
);

test.concurrent.each<[string, Behaviour]>([
  ["NOTIMP", (packet) => [Buffer.concat([packet.subarray(0, 3), Buffer.from([4]), packet.subarray(4)])]],
  ["SERVFAIL", "SERVFAIL"],
  ["timeout", "silent"],
])(
  "a zone whose servers fail only CAA queries (%s) is verified, and its DNS provider must act",
  async (reason, behaviour) => {
    using dns = await setUp(LONG_TIMEOUT);
    dns.authority.behaviours.set("right.example.test CAA", behaviour);
    dns.resolver.behaviours.set("right.example.test CAA", "SERVFAIL");
    const { verdict } = await dns.verify("right.example.test");
    expect(verdict).toEqual({
      event: "records_right",
      findings: [{ kind: "caa_unanswered", name: "right.example.test", server: dns.at.authority, reason }],
    });
  },
);

test.concurrent(
  "a domain whose only name server does not exist must get another one at the registrar",
  async () => {
    using dns = await setUp();
    dns.authority.zones["test"]!.push("nowhere.test NS ns.gone.test");
    for (const type of ["NS", "CNAME", "A", "AAAA", "CAA"])
      for (const name of ["nowhere.test", "docs.nowhere.test"])
        dns.resolver.behaviours.set(`${name} ${type}`, "SERVFAIL");
    const { verdict } = await dns.verify("docs.nowhere.test");
    expect(verdict).toMatchObject({
      event: undefined,
      findings: [
        {
          kind: "lame_delegation",
          name: "nowhere.test",
          server: "ns.gone.test",
          reason: "it has no A or AAAA record",
          responsible: "registrar",
        },
      ],
    });
    expect(verdict.findings.length).toBe(1);
  },
);

test.concurrent(
  "a target in a zone to which the name's own servers refer gets its addresses from the resolvers",
  async () => {
    using dns = await setUp();
    const cut = ["deep.example.test NS ns.deep.example.test", "ns.deep.example.test A 127.0.0.8"];
    dns.authority.zones["example.test"]!.push(...cut, "docs.example.test CNAME x.deep.example.test");
    dns.resolver.zones["deep.example.test"] = ["x.deep.example.test A 192.0.2.80"];
    dns.resolver.zones["example.test"]!.push("docs.example.test CNAME x.deep.example.test");
    const { verdict } = await dns.verify("docs.example.test", "x.deep.example.test");
    expect(verdict).toMatchObject({ event: "records_right", findings: [] });
  },
);

test("a server that may not be asked is not probed", async () => {
  const ask: SendQuery = () => Promise.reject(new Error("no query is sent here"));
  const { probe } = watchQueries({ ask, mayAsk: (address) => address !== "127.0.0.1" });
  const server = { address: "127.0.0.1", port: 53 };
  expect(await probe(hostnameOf("docs.example.test"), TARGETS.usual, server, [])).toBe(false);
});

test("a wildcard is worth a check once it has both its CNAME and that of its challenge", async () => {
  const server = { address: "192.0.2.53", port: 53 };
  const zone = new Map([["*.example.test", TARGETS.usual]]);
  const ask: SendQuery = async (_, { name, type }) => {
    // The wildcard answers for the challenge too, as long as that has no record (RFC 4592).
    const value = zone.get(name) ?? zone.get("*.example.test") ?? "";
    const outcome = answer(type === "CNAME" ? [record(type, name, value)] : [], { authoritative: true });
    return { ...exchange(outcome), server, question: { name, type } };
  };
  const probe = () =>
    watchQueries({ ask, mayAsk: () => true }).probe(hostnameOf("*.example.test"), TARGETS.usual, server, []);
  expect(await probe()).toBe(false);
  zone.set("_acme-challenge.example.test", "label.example.net");
  expect(await probe()).toBe(true);
});
