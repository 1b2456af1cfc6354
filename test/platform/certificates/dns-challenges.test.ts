import { expect, test } from "bun:test";
import {
  type Visibility,
  challengeVisibility,
  dnsChallenges,
  recordValueOf,
} from "../../../src/platform/certificates/dns-challenges.ts";
import { Superseded, responsePresenter } from "../../../src/platform/certificates/order.ts";
import type { Proof } from "../../../src/platform/certificates/preflight.ts";
import { authorityAsker } from "../../../src/protocols/dns/authoritative.ts";
import { dnsServer, testClient } from "../../support/dns.ts";
import { testClock } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { zoneInMemory } from "./dns-issuing.ts";
import { openIssuing } from "./issuing.ts";

const NAME = "_acme-challenge.example.test";

const MISSING: Visibility = { kind: "missing" };
const UNKNOWN: Visibility = { kind: "unknown" };
const visible = (ttl: number): Visibility => ({ kind: "visible", ttl });

/** Challenges over a zone in memory. Its servers give these responses in turn, and repeat the last. */
const openChallenges = (...said: Visibility[]) => {
  const clock = testClock();
  const zone = zoneInMemory();
  const leftOver: string[] = [];
  const start = clock.now();
  const log = { debug() {}, warn: ({ name }: { name: string }) => void leftOver.push(name) } as never;
  const sleep = async (ms: number) => clock.advance(ms);
  const challenges = dnsChallenges(
    { clock, sleep, log },
    zone.records,
    async () => (said.length > 1 ? said.shift() : said[0]) ?? UNKNOWN,
  );
  return { zone, challenges, leftOver, waited: () => clock.now() - start };
};

test("the value of the record is the SHA-256 of the key authorization in base64url", () => {
  expect(recordValueOf("token.thumbprint")).toBe("61rBZ_4knHblO0MNoxFsXZ_eTFUHum0B6IVRbhvUn5I");
});

test("a record is published once all servers of its zone have it", async () => {
  const { zone, challenges, waited } = openChallenges(MISSING, MISSING, visible(0));
  await challenges.publish(NAME, "value");
  expect(zone.has(NAME, "value")).toBe(true);
  expect(waited()).toBe(1500 + 1000);
});

test.each([
  [1, 2000],
  [60, 61_000],
  [86_400, 120_000],
])("records with a TTL of %d seconds are published once no cache lacks the new one", async (ttl, ms) => {
  const { challenges, waited } = openChallenges(visible(ttl));
  await challenges.publish(NAME, "value");
  expect(waited()).toBe(ms);
});

test("servers that this machine cannot reach are not an obstacle", async () => {
  const { challenges, waited } = openChallenges(UNKNOWN);
  await challenges.publish(NAME, "value");
  expect(waited()).toBe(0);
});

test("a record that a server does not have after two minutes is removed, and is a problem", async () => {
  const { zone, challenges, waited } = openChallenges(MISSING);
  const error = await challenges.publish(NAME, "value").catch((one: unknown) => one);
  expect(error).toMatchObject({ type: "challenge_not_visible" });
  expect(waited()).toBeWithin(100_000, 120_001);
  expect(zone.count()).toBe(0);
});

test("a record that cannot be removed is reported, and does not fail the order", async () => {
  const { zone, challenges, leftOver } = openChallenges(visible(1));
  zone.records.remove = async () => {
    throw new Error("no");
  };
  await challenges.remove(NAME, "value");
  expect(leftOver).toEqual([NAME]);
});

test("a node that lost its attempt leaves the record to the node that continues the order", async () => {
  const { certificates, store } = await openIssuing();
  const hostname = "docs.example.test";
  await certificates.want([hostname], 0);
  const { records, has } = zoneInMemory();
  const presenter = (sleep: () => Promise<void>) => {
    const challenges = dnsChallenges({ ...store.context, sleep }, records, async () => visible(1));
    return responsePresenter({ certificates, challenges }, new Map());
  };
  const begin = async (at: number) => {
    const certificate = await certificates.find(hostname);
    const attempt = certificate && (await certificates.beginAttempt(certificate, at));
    if (!attempt) throw new Error("no attempt");
    return attempt;
  };
  const response = { token: "token", keyAuthorization: "token.thumbprint" };
  const value = recordValueOf(response.keyAuthorization);
  const proof: Proof = { method: "dns-01", recordName: NAME };
  const { promise: asleep, resolve: wake } = Promise.withResolvers<void>();
  const late = presenter(() => asleep)(await begin(1), proof, response, async () => {});
  late.catch(() => {});
  await Bun.sleep(1);
  await presenter(async () => {})(await begin(2), proof, response, async () => {
    wake();
    expect(await outcomeOf(late)).toThrow(Superseded);
    expect(has(NAME, value)).toBe(true);
  });
  expect(has(NAME, value)).toBe(false);
});

/** A zone with two servers, one of them a copy. */
const openZone = async (main: string[], copy: string[]) => {
  const records = (texts: string[], ttl: number) => ({
    "example.test": [
      "example.test NS ns1.example.test",
      "example.test NS ns2.example.test",
      "ns1.example.test A 127.0.0.1",
      "ns2.example.test A 127.0.0.2",
      ...texts.map((text) => `${NAME} ${ttl} TXT ${text}`),
    ],
  });
  const stack = new AsyncDisposableStack();
  const first = stack.use(await dnsServer({ zones: records(main, 1) }));
  const { port } = first.server;
  stack.use(await dnsServer({ zones: records(copy, 60), address: "127.0.0.2", port }));
  const ask = authorityAsker({
    ask: testClient(),
    resolvers: () => [first.server],
    port,
    mayAsk: () => true,
  });
  return { lookUp: challengeVisibility(ask), [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

test.each([
  ["visible on every server", ["value", "other"], ["value"], visible(60)],
  ["missing on a copy", ["value"], ["old"], MISSING],
  ["missing everywhere", [], [], MISSING],
] as const)("a record can be %s", async (_, main, copy, expected) => {
  await using zone = await openZone([...main], [...copy]);
  expect(await zone.lookUp(NAME, "value")).toEqual(expected);
});

test("a record of a zone without servers that may be asked is unknown", async () => {
  await using server = await dnsServer({ zones: {} });
  const access = { ask: testClient(), resolvers: () => [server.server], port: 53, mayAsk: () => false };
  expect(await challengeVisibility(authorityAsker(access))(NAME, "value")).toEqual(UNKNOWN);
});
