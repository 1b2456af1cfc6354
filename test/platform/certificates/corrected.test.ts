import { expect, test } from "bun:test";
import { dnsServer } from "../../support/dns.ts";
import { atEnd } from "../../support/store.ts";
import { DOMAIN, openDnsIssuing } from "./dns-issuing.ts";
import { MINUTE } from "./issuing.ts";

/** Corrections that the record watch notices once a domain's own records are right. */

const ZONE = "example.test";
const NAME = `docs.${ZONE}`;
const CHALLENGE = `_acme-challenge.${NAME}`;
const SECOND = 1000;
const FORBIDDEN = `${ZONE} CAA 0 issue "other.test"`;

const zone = (name: string, ...lines: string[]): string[] => [
  `${name} NS ns.${name}`,
  `ns.${name} A 127.0.0.1`,
  ...lines,
];

/** The service with a domain whose records are right, and a server for its zone and the service's zone. */
const openVerified = async () => {
  const zones: Record<string, string[]> = {};
  const server = await dnsServer({ zones });
  const resolver = await dnsServer({ zones, cache: { zones: {}, names: [] } });
  atEnd(() => server[Symbol.dispose]());
  atEnd(() => resolver[Symbol.dispose]());
  const delegated = new Map<string, string>();
  const env = {
    DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
    DNS_PORT: String(server.server.port),
    DNS_PRIVATE: "true",
  };
  const room = await openDnsIssuing({}, { env, dns: { timeoutMs: 3000, attempts: 1 } }, delegated);
  const { store, api, clock, certificates } = room;
  const { target } = (await (await api("GET")).json()) as { target: string };
  const [label = ""] = target.split(".");
  const challenge = `${label}._acme-challenge.${DOMAIN}`;
  delegated.set(CHALLENGE, challenge);
  const setOwn = (...lines: string[]) => {
    zones[ZONE] = zone(ZONE, `${NAME} CNAME ${target}`, `${CHALLENGE} CNAME ${challenge}`, ...lines);
  };
  const setPlatform = (...lines: string[]) => {
    zones[DOMAIN] = zone(DOMAIN, `${target} A 127.0.0.1`, ...lines);
  };
  setOwn();
  setPlatform();
  /** Runs the watch, then orders certificates. */
  const watch = async (ms = 20 * SECOND) => {
    clock.advance(ms);
    await store.recordWatch.tick();
    const isRequested = (await certificates.find(NAME))?.isRequested ?? false;
    await room.pass();
    return isRequested;
  };
  /** The type of the certificate's problem. */
  const problem = async () => (await certificates.find(NAME))?.problem?.type;
  /** Verifies the domain, whose records then prevent its certificate. */
  const fail = async () => {
    await room.verified(NAME);
    await room.pass();
    expect(await problem()).toBe("records");
  };
  const kinds = async () => (await room.show(NAME)).findings.map(({ kind }) => kind);
  return {
    ...room,
    zones,
    kinds,
    server,
    resolver,
    target,
    challenge,
    setOwn,
    setPlatform,
    watch,
    fail,
    problem,
  };
};

test("a corrected CAA record is noticed within 20 s, and its certificate is ordered immediately", async () => {
  const { setOwn, fail, watch, stageOf, kinds, server } = await openVerified();
  setOwn(FORBIDDEN);
  await fail();
  expect(await stageOf(NAME)).toBe("verified");
  expect(await kinds()).toContain("caa_forbids");
  await watch();
  server.questions.length = 0;
  expect(await watch()).toBe(false);
  expect(server.questions.filter(({ type }) => type === "CAA")).toHaveLength(1);
  setOwn();
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
});

test("a CAA record that still forbids the certificate after a change causes no order", async () => {
  const { setOwn, fail, watch, ca, show } = await openVerified();
  setOwn(FORBIDDEN);
  await fail();
  setOwn(`${ZONE} CAA 0 issue "another.test"`);
  await watch();
  expect((await show(NAME)).findings).toContainEqual(
    expect.objectContaining({ kind: "caa_forbids", found: ['0 issue "another.test"'] }),
  );
  expect(ca.orders().filter(({ names }) => names.includes(NAME))).toEqual([]);
});

test("the operator's corrected CAA record is noticed within 20 s too", async () => {
  const { setPlatform, watch, stageOf, kinds, target, verified, pass, problem } = await openVerified();
  setPlatform(`${target} CAA 0 issue "other.test"`);
  await verified(NAME);
  await pass();
  expect(await problem()).toBe("platform_unready");
  expect(await kinds()).toContain("platform_unready");
  setPlatform();
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
});

test("a challenge record that CAA records require is noticed within 20 s at the zone's servers", async () => {
  const { zones, target, setOwn, fail, watch, stageOf, kinds, server } = await openVerified();
  const onlyDns = `${ZONE} CAA 0 issue "letsencrypt.org;validationmethods=dns-01"`;
  zones[ZONE] = zone(ZONE, `${NAME} CNAME ${target}`, onlyDns);
  await fail();
  expect(await kinds()).toContain("caa_forbids");
  expect(await watch()).toBe(false);
  zones[ZONE] = zone(ZONE, `${NAME} CNAME ${target}`, `${CHALLENGE} CNAME other.test`, onlyDns);
  server.questions.length = 0;
  expect(await watch()).toBe(false);
  const asked = server.questions.map(({ name, type }) => `${name} ${type}`);
  expect(asked).toEqual([`${ZONE} CAA`, `${CHALLENGE} CNAME`]);
  setOwn(onlyDns);
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
  expect(await kinds()).not.toContain("caa_forbids");
});

test("a challenge record that a domain at its old host gets is noticed within 20 s at the zone's servers", async () => {
  const { store, show, clock, zones, target, challenge, verified, pass, problem, watch, stageOf, kinds } =
    await openVerified();
  const records = [`${NAME} A 127.0.0.9`, `_adoption-store.${NAME} TXT ${target}`];
  zones[ZONE] = zone(ZONE, ...records);
  await verified(NAME);
  await pass();
  expect(await problem()).toBe("not_moved");
  // Past the first checks, which follow each other so closely that no watch is needed.
  while (Date.parse(String((await show(NAME))["nextCheckAt"])) < clock.now() + 60 * SECOND) {
    clock.advance(60 * SECOND);
    await store.domainScheduler.tick();
  }
  expect(await watch()).toBe(false);
  zones[ZONE] = zone(ZONE, ...records, `${CHALLENGE} CNAME ${challenge}`);
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
  expect(await kinds()).toContain("not_moved");
});

test("CAA queries that succeed again are noticed within 20 s", async () => {
  const { server, resolver, fail, watch, stageOf, kinds } = await openVerified();
  for (const one of [server, resolver]) one.behaviours.set(`${NAME} CAA`, "SERVFAIL");
  await fail();
  expect(await kinds()).toContain("caa_unanswered");
  for (const one of [server, resolver]) one.behaviours.clear();
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
});

test("a domain whose records could not be looked up for the order is live within 20 s of the servers' return", async () => {
  const { server, resolver, verified, pass, problem, watch, stageOf } = await openVerified();
  await verified(NAME);
  for (const one of [server, resolver]) one.behaviours.set("*", "SERVFAIL");
  await pass();
  expect(await problem()).toBe("records_unknown");
  for (const one of [server, resolver]) one.behaviours.clear();
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
});

test("a CAA record that appears between the check and the order is noticed, as is its correction", async () => {
  const { store, zones, clock, add, setOwn, pass, problem, watch, kinds, stageOf } = await openVerified();
  zones[ZONE] = zone(ZONE);
  await add(NAME);
  clock.advance(11 * SECOND);
  await store.domainScheduler.tick();
  setOwn();
  await store.recordWatch.tick();
  expect(await stageOf(NAME)).toBe("verified");
  setOwn(FORBIDDEN);
  await pass();
  expect(await problem()).toBe("records");
  await watch();
  expect(await kinds()).toContain("caa_forbids");
  setOwn();
  expect(await watch()).toBe(true);
  expect(await stageOf(NAME)).toBe("live");
});

test("a domain with wrong CAA records is in every sixth watch after two hours", async () => {
  const { setOwn, fail, watch } = await openVerified();
  setOwn(FORBIDDEN);
  await fail();
  await watch(3 * 60 * MINUTE);
  setOwn();
  const noticed: boolean[] = [];
  for (let at = 0; at < 6; at += 1) noticed.push(await watch());
  expect(noticed.filter(Boolean)).toHaveLength(1);
});

test("a repaired DNSSEC signature is noticed within 20 s", async () => {
  const { store, clock, resolver, verified, watch, stageOf, show } = await openVerified();
  resolver.behaviours.set(NAME, "bogus");
  await verified(NAME);
  expect(await show(NAME)).toMatchObject({
    stage: "awaiting_dns",
    findings: [{ kind: "dnssec_failure" }],
  });
  clock.advance(60 * MINUTE);
  await store.domainScheduler.tick();
  await watch();
  expect(await stageOf(NAME)).toBe("awaiting_dns");
  resolver.behaviours.clear();
  await watch();
  expect(await stageOf(NAME)).toBe("live");
});
