import { expect } from "bun:test";
import { isUsable } from "../../src/protocols/dns/cname-chain.ts";
import type { DnsRecord, Question } from "../../src/protocols/dns/message.ts";
import type { Server } from "../../src/lib/name-server.ts";
import type { Exchange } from "../../src/protocols/dns/client.ts";
import { traceDomain } from "../../src/platform/dns-checks/trace.ts";
import { verdictOf } from "../../src/platform/dns-checks/verdict.ts";
import { parseHostname } from "../../src/lib/hostname.ts";
import {
  addFaults,
  before,
  CHANGED,
  casesOf,
  FAULTS,
  ISSUER,
  TARGETS,
  zonesOf,
  type Case,
} from "../platform/dns-checks/cases.ts";
import { dnsServer } from "../support/dns.ts";
import { parseLine, type Zones } from "../support/zones.ts";
import {
  client,
  freeServers,
  NEEDED,
  type NameServers,
  nameServers,
  namesOf,
  PASSED,
  SILENT_ADDRESS,
  TYPES,
  withMostSeconds,
} from "./dns-servers.ts";
import { real } from "./support.ts";

const test = real(...NEEDED);

/** Checks names at these servers. */
const verifierAt = (servers: NameServers) => {
  const settings = { resolvers: [servers.resolver], port: servers.authority.port, mayAsk: () => true };
  return async ({ typed, target = "usual" }: Case) => {
    const parsed = parseHostname(typed);
    if (!parsed.ok) throw new Error(parsed.refusal);
    const { ascii: hostname, apex, isApex } = parsed.hostname;
    const trace = await traceDomain(client, settings, { ascii: hostname, apex, target: TARGETS[target] });
    const expected = {
      hostname,
      target: TARGETS[target],
      isApex,
      issuers: [ISSUER],
      methods: ["http-01"],
      needsProof: true,
    };
    return { trace, verdict: verdictOf(trace, expected) };
  };
};

test("each case ends in its findings with named as authority and as resolver", async () => {
  const servers = await freeServers();
  await nameServers(zonesOf(TARGETS, SILENT_ADDRESS), servers);
  const verifyAt = verifierAt(servers);
  const verify = async (row: Case) => {
    const { findings, zone } = row;
    const { trace, verdict } = await verifyAt(row);
    return {
      ...verdict,
      findings: withMostSeconds(verdict.findings, findings),
      ...(zone !== undefined && { zone: trace.authority?.zone }),
      transports: [...new Set(trace.views.map(({ a }) => a.transport))],
    };
  };
  const cases = casesOf(TARGETS, namesOf(servers));
  const seen = await Promise.all(cases.map(async (row) => ({ name: row.name, ...(await verify(row)) })));
  const expected = cases.map(({ name, event, findings, zone, transport = "udp" }) => ({
    name,
    event,
    findings,
    ...(zone !== undefined && { zone }),
    transports: [transport],
  }));
  expect(seen).toEqual(expected);
});

/** Records in one order, without what passes. */
const settled = (records: DnsRecord[]): string[] =>
  records.map(({ name, type, data }) => JSON.stringify([name, type, data])).toSorted();

/** What of an answer must be the same: everything that verification reads. */
const essence = (exchange: Exchange) => {
  const { outcome, transport } = exchange;
  if (outcome.kind === "failure") return outcome.failure;
  const { rcode, authoritative, records, authorities } = outcome;
  const said = { rcode, authoritative, truncated: transport === "tcp" };
  // What comes with SERVFAIL is not read: of a loop, named's resolver sends the records that it has in its cache.
  if (!isUsable(exchange)) return said;
  // The SOA of an absence and the NS of a referral; with records, a server may name itself or not.
  const others = authorities.filter(({ type }) => type === "SOA" || records.length === 0);
  return { ...said, records: settled(records), authorities: settled(others) };
};

const secondsOf = (exchange: Exchange): number[] =>
  exchange.outcome.kind === "failure" || !isUsable(exchange)
    ? []
    : [...exchange.outcome.records, ...exchange.outcome.authorities.filter(({ type }) => type === "SOA")]
        .toSorted((a, b) => (a.name + a.type < b.name + b.type ? -1 : 1))
        .map(({ ttl }) => ttl);

/** True if the records have as many seconds left, but for what passes while they wait in a resolver's cache. */
const isAsOld = (theirs: Exchange, own: Exchange): boolean => {
  const most = secondsOf(own);
  return secondsOf(theirs).every(
    (ttl, index) => ttl <= (most[index] ?? 0) && ttl > (most[index] ?? 0) - PASSED,
  );
};

const ABSENT = ["missing.example.test", "below.right.example.test", "docs.lame.test", "docs.nobody.test"];

/** Every name that the zones have, and some that they have not. */
const ownersOf = (zones: Zones): Set<string> => {
  const held = Object.values(zones).flatMap((lines) => lines.map((line) => parseLine(line).name));
  return new Set([...held, ...ABSENT, ...FAULTS.map(({ name }) => name)]);
};

test("the in-process server answers every question as named does", async () => {
  const zones = zonesOf(TARGETS, SILENT_ADDRESS);
  const dns = await freeServers();
  await nameServers(zones, dns);
  using authority = await dnsServer({ zones });
  using resolver = await dnsServer({ zones, cache: { zones: before(zones), names: CHANGED } });
  addFaults(authority, resolver);
  const differences: string[] = [];
  const compare = async (question: Question, recursive: boolean, real: Server, ours: Server) => {
    const [theirs, own] = [await client(real, question, recursive), await client(ours, question, recursive)];
    if (Bun.deepEquals(essence(theirs), essence(own)) && isAsOld(theirs, own)) return;
    const said = [theirs, own].map((one) => JSON.stringify([essence(one), secondsOf(one)]));
    differences.push([question.name, question.type, recursive, ...said].join(" "));
  };
  const ownerOf = (name: string) => (name === "docs.silent.test" ? dns.silent : dns.authority);
  const questions = [...ownersOf(zones)].flatMap((name) => TYPES.map((type) => ({ name, type })));
  await Promise.all(
    questions.flatMap((question) => [
      compare(question, false, ownerOf(question.name), authority.server),
      compare(question, true, dns.resolver, resolver.server),
    ]),
  );
  expect(differences).toEqual([]);
});
