import { expect, test } from "bun:test";
import { formatServer } from "../../src/protocols/dns/server-address.ts";
import type { Answer } from "../../src/protocols/dns/message.ts";
import type { SendQuery } from "../../src/protocols/dns/client.ts";
import type { TraceOptions } from "../../src/dns-checks/trace.ts";
import { traceDomain } from "../../src/dns-checks/trace-domain.ts";
import { verdictOf } from "../../src/dns-checks/verdict.ts";
import { parseHostname } from "../../src/lib/hostname.ts";
import { dnsServer, SHORT_TIMEOUT, testClient, LONG_TIMEOUT } from "../support/dns.ts";
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
  const stale = await dnsServer({ zones: STALE_ZONES, address: STALE_ADDRESS, port: authority.server.port });
  return {
    authority,
    resolver,
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
    const { typed, target = "usual", event, mayIssue = true, findings, zone, transport = "udp" } = row;
    const { trace, verdict } = await dns.verify(typed, TARGETS[target]);
    expect(verdict).toEqual({ verified: event === "records_right", mayIssue, event, findings });
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
  ["blocked.example.test", 11],
  ["flat.test", 14],
  ["docs.lame.test", 15],
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
    expect(verdict).toMatchObject({ verified: false, mayIssue: false, event: undefined });
    expect(new Set(verdict.findings.map(({ kind }) => kind))).toEqual(new Set(["unreachable"]));
  },
);

test.concurrent("a resolver that is silent says nothing of the domain", async () => {
  using dns = await setUp(SHORT_TIMEOUT);
  dns.resolver.behaviours.set("*", "silent");
  const { verdict, trace } = await dns.verify("right.example.test");
  expect(trace.authority).toBeUndefined();
  expect(verdict).toMatchObject({ verified: false, event: undefined });
});

test.concurrent(
  "a resolver is asked which servers a registered domain has, and never about names below it",
  async () => {
    using dns = await setUp(SHORT_TIMEOUT);
    dns.resolver.behaviours.set("*", "silent");
    await dns.verify("a.b.c.d.e.f.example.test");
    const asked = dns.resolver.questions.filter(({ type }) => type === "NS").map(({ name }) => name);
    expect(asked).toEqual(["example.test"]);
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
    verified: true,
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
    expect(verdict).toMatchObject({ verified: false, event: undefined });
  },
);

test.concurrent("a server that does not hold the zone is not believed", async () => {
  using dns = await setUp();
  dns.authority.behaviours.set("wrong.example.test", (packet) => {
    packet[2] = (packet[2] ?? 0) & ~0x04;
    return [packet];
  });
  const { verdict } = await dns.verify("wrong.example.test");
  expect(verdict.findings.map(({ kind }) => kind)).toEqual(["lame_delegation", "wrong_target"]);
});

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

test.concurrent("a resolver's right answer does not count while the zone itself is wrong", async () => {
  using dns = await setUp();
  const { verdict } = await dns.verify("moved.example.test", "old.pages.test");
  expect(verdict).toMatchObject({ verified: false, event: "records_wrong" });
});

test.concurrent("truncated answers are followed over TCP", async () => {
  using dns = await setUp();
  dns.authority.behaviours.set("*", "truncated");
  dns.resolver.behaviours.set("*", "truncated");
  const { verdict, trace } = await dns.verify("right.example.test");
  expect(verdict.verified).toBe(true);
  expect(trace.exchanges.every(({ transport }) => transport === "tcp")).toBe(true);
});

test.concurrent("a chain of more than 8 is not followed", async () => {
  using dns = await setUp();
  const links = Array.from({ length: 12 }, (_, at) => `n${at}.example.test CNAME n${at + 1}.example.test`);
  for (const { zones } of [dns.authority, dns.resolver])
    zones["example.test"] = [...(zones["example.test"] ?? []), ...links];
  const { trace } = await dns.verify("n0.example.test");
  expect(trace.chain.problem).toBe("too_long");
  expect(trace.chain.names.length).toBe(9);
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
  expect(verdict).toMatchObject({ verified: true, event: "records_right" });
  expect(verdict.findings).toEqual([
    {
      kind: "unreachable",
      name: "right.example.test",
      server: dns.at.authority,
      reason: "forbidden (not a public address, so no query was sent)",
    },
  ]);
});

test.concurrent("CNAME records that lead back are a loop, and CAA could not be asked", async () => {
  // Each zone has one half, so that a server which follows CNAME records only within a zone does not see it.
  using dns = await dnsServer({
    zones: { "a.test": ["docs.a.test CNAME docs.b.test"], "b.test": ["docs.b.test CNAME docs.a.test"] },
  });
  using world = await setUp();
  const { trace, verdict } = await world.verify("docs.a.test", TARGETS.usual, { resolvers: [dns.server] });
  expect(trace.chain).toMatchObject({ problem: "loop", names: ["docs.a.test", "docs.b.test"] });
  expect(verdict.findings.at(-1)).toMatchObject({
    kind: "unreachable",
    reason: "no CAA response for docs.a.test (loop)",
  });
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
