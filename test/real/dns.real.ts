import { expect } from "bun:test";
import { createSocket } from "node:dgram";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatServer } from "../../src/domains/dns/finding.ts";
import { isUsable } from "../../src/domains/dns/follow.ts";
import { investigate } from "../../src/domains/dns/resolve.ts";
import { verdictOf } from "../../src/domains/dns/verdict.ts";
import { parseHostname } from "../../src/domains/hostname.ts";
import { CASES, ISSUER, TARGET, ZONES } from "../domains/cases.ts";
import { impatientClient, type Zones } from "../support/dns.ts";
import { directory, real, until } from "./support.ts";

const ADDRESS = "127.0.0.1";
const client = impatientClient({ timeoutMs: 3000 });

const freePort = async (): Promise<number> => {
  const socket = createSocket("udp4");
  await new Promise<void>((bound) => socket.bind(0, ADDRESS, bound));
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(closed));
  return port;
};

/** A zone file of our zones' lines: absolute names, and a SOA. */
const zoneFile = (name: string, lines: string[], serial: number): string => {
  const records = lines.map((line) => {
    const [, owner, ttl = "3600", type = "", value] = /^(\S+) (?:(\d+) )?([A-Z]+) (.*)$/.exec(line) ?? [];
    return `${owner}. ${ttl} IN ${type} ${value}${type === "CNAME" || type === "NS" ? "." : ""}`;
  });
  return [`${name}. 300 IN SOA ns.${name}. root.${name}. ${serial} 60 60 60 45`, ...records, ""].join("\n");
};

const writeZones = (path: string, zones: Zones, serial: number) => {
  for (const [name, lines] of Object.entries(zones))
    writeFileSync(join(path, `${name}.zone`), zoneFile(name, lines, serial));
};

const options = (path: string, port: number, more: string): string =>
  `options { directory "${path}"; pid-file none; session-keyfile "${path}/session.key"; dnssec-validation no;
    listen-on port ${port} { ${ADDRESS}; }; listen-on-v6 { none; }; allow-query { any; }; ${more} };
  controls { };\n`;

/** Debian's name server, until the scope ends. */
const named = async (path: string, port: number, config: string, probe: string) => {
  writeFileSync(join(path, "named.conf"), config);
  const child = Bun.spawn(["named", "-4", "-f", "-n", "1", "-c", join(path, "named.conf")], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  const server = { address: ADDRESS, port };
  const isUp = async () => isUsable(await client(server, { name: probe, type: "NS" }, true));
  await until("named answers", isUp, 20_000);
  return {
    server,
    /** Reads its zones again. */
    reload: () => child.kill("SIGHUP"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
};

const BEFORE: Zones = {
  ...ZONES,
  "example.test": [
    ...(ZONES["example.test"] ?? []).filter((line) => !/^(moved|new)\./.test(line)),
    "moved.example.test 77 CNAME old.pages.test",
    ...Array.from({ length: 120 }, (_, at) => `big.example.test A 203.0.113.${at}`),
  ],
  "broken.test": ["broken.test A not-an-address"],
};

/** An authoritative server and a resolver that asks it for everything below `test`. */
const setUp = async (path: string) => {
  const [authorityPort, resolverPort] = [await freePort(), await freePort()];
  const [own, public_] = [join(path, "authority"), join(path, "resolver")];
  for (const one of [own, public_]) mkdirSync(one);
  writeZones(own, BEFORE, 1);
  const zones = Object.keys(BEFORE).map((name) => `zone "${name}" { type primary; file "${name}.zone"; };`);
  const stack = new AsyncDisposableStack();
  const authority = stack.use(
    await named(
      own,
      authorityPort,
      options(own, authorityPort, "recursion no;") + zones.join("\n"),
      "example.test",
    ),
  );
  const forward = `zone "test" { type forward; forward only; forwarders { ${ADDRESS} port ${authorityPort}; }; };`;
  const resolver = stack.use(
    await named(
      public_,
      resolverPort,
      options(public_, resolverPort, "recursion yes;") + forward,
      "example.test",
    ),
  );
  return {
    authority,
    resolver,
    /** Puts new zones in place of the old ones, and waits until the authority has them. */
    async change(zones: Zones, name: string) {
      writeZones(own, zones, 2);
      authority.reload();
      const question = { name, type: "CNAME" } as const;
      await until("the zone is reloaded", async () => {
        const { outcome } = await client(authority.server, question, false);
        return outcome.kind === "answer" && outcome.records.some(({ data }) => data === TARGET);
      });
    },
    async verify(typed: string, target = TARGET) {
      const parsed = parseHostname(typed);
      if (!parsed.ok) throw new Error(parsed.refusal);
      const { ascii, apex, isApex } = parsed.hostname;
      const settings = { resolvers: [resolver.server], port: authorityPort };
      const trace = await investigate(client, settings, { ascii, apex, target });
      return { trace, verdict: verdictOf(trace, { hostname: ascii, target, isApex, issuers: [ISSUER] }) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};

real("named's answers end in the same findings as the in-process server's", ["named"], async () => {
  using place = directory();
  await using dns = await setUp(place.path);
  for (const { name, typed, target, event, mayIssue = true, findings, zone } of CASES(
    formatServer(dns.resolver.server),
  )) {
    const { trace, verdict } = await dns.verify(typed, target);
    expect({ name, ...verdict }).toEqual({
      name,
      verified: event === "records_right",
      mayIssue,
      event,
      findings,
    });
    if (zone !== undefined) expect(trace.authority?.zone).toBe(zone);
  }
});

real("what named's cache remembers is not propagated, with the seconds left", ["named"], async () => {
  using place = directory();
  await using dns = await setUp(place.path);
  expect((await dns.verify("moved.example.test")).verdict.event).toBe("records_wrong");
  expect((await dns.verify("new.example.test")).verdict.event).toBe("records_missing");
  await dns.change({ ...BEFORE, ...ZONES }, "moved.example.test");
  const server = formatServer(dns.resolver.server);
  for (const [name, mostSeconds] of [
    ["moved.example.test", 77],
    ["new.example.test", 45],
  ] as const) {
    const { findings } = (await dns.verify(name)).verdict;
    expect(findings).toEqual([{ kind: "not_propagated", name, server, seconds: expect.any(Number) }]);
    expect(findings[0]?.kind === "not_propagated" && findings[0].seconds).toBeWithin(
      mostSeconds - 20,
      mostSeconds + 1,
    );
  }
});

real("named's truncated answer is read over TCP", ["named"], async () => {
  using place = directory();
  await using dns = await setUp(place.path);
  const { trace, verdict } = await dns.verify("big.example.test");
  expect(verdict.findings[0]).toMatchObject({ kind: "conflicting_record", type: "A" });
  expect(trace.views.map(({ a }) => [a.transport, a.outcome.kind])).toEqual([
    ["tcp", "answer"],
    ["tcp", "answer"],
  ]);
});

real("a zone that named cannot load, or does not have, is unreachable", ["named"], async () => {
  using place = directory();
  await using dns = await setUp(place.path);
  const { authority } = dns;
  const askOwn = async (name: string) => (await client(authority.server, { name, type: "A" }, false)).outcome;
  expect(await askOwn("docs.broken.test")).toMatchObject({ rcode: "SERVFAIL" });
  expect(await askOwn("docs.example.org")).toMatchObject({ rcode: "REFUSED" });
  const { verdict } = await dns.verify("docs.broken.test");
  expect(verdict).toMatchObject({ verified: false, event: undefined });
  expect(new Set(verdict.findings.map(({ kind }) => kind))).toEqual(new Set(["unreachable"]));
});
