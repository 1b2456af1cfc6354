import { expect, test } from "bun:test";
import { encode, type Answer } from "dns-packet";
import { encodeQuery, readMessage } from "../../../src/protocols/dns/message.ts";
import { EDNS, dnsServer, testClient } from "../../support/dns.ts";
import { type Random, seeded } from "../../support/random.ts";

const PACKETS = 10_000;
/** Milliseconds for all of them. They take about a second, more on a busy machine. */
const PATIENCE = 60_000;
const QUESTION = { name: "docs.example.org", type: "CNAME" } as const;

const record = (type: string, data: unknown): Answer =>
  ({ name: "docs.example.org", type, ttl: 60, data }) as unknown as Answer;

const response = (id: number): Buffer =>
  encode({
    type: "response",
    id,
    questions: [QUESTION],
    answers: [
      record("CNAME", "t1.pages.test"),
      record("A", "192.0.2.1"),
      record("AAAA", "2001:db8::1"),
      record("CAA", { flags: 0, tag: "issue", value: "ca.test" }),
      record("TXT", ["x", "y"]),
      record("MX", { preference: 1, exchange: "mx.example.org" }),
    ],
    authorities: [
      record("NS", "ns.example.org"),
      record("SOA", { mname: "ns.test", rname: "root.test", minimum: 60 }),
    ],
    additionals: EDNS,
  });

const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random(256)));

/** Noise, pieces, changed bytes, pointers and counts; most keep id and question, so that the rest is parsed. */
const hostile = (random: Random, id: number): Buffer => {
  const packet = response(id);
  const from = random(4) === 0 ? 0 : 34;
  switch (random(5)) {
    case 0:
      return noise(random, random(1300));
    case 1:
      return packet.subarray(0, random(packet.length));
    case 2:
      for (let times = 1 + random(8); times > 0; times -= 1)
        packet[from + random(packet.length - from)] = random(256);
      return packet;
    case 3:
      packet.writeUInt16BE(0xc000 | random(packet.length), from + random(packet.length - from - 1));
      return packet;
    default:
      packet.writeUInt16BE(random(65_536), 6 + 2 * random(3));
      return Buffer.concat([packet, noise(random, random(900))]);
  }
};

test(
  "10,000 hostile packets are read without an exception",
  () => {
    const random = seeded(20_301_205);
    const kinds = new Map<string, number>();
    for (let count = 0; count < PACKETS; count += 1) {
      const message = readMessage(hostile(random, 7), QUESTION, 7);
      const kind = message.kind === "rejected" ? message.reason : message.kind;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect([...kinds.keys()].toSorted()).toEqual([
      "answer",
      "malformed",
      "not_a_response",
      "truncated",
      "wrong_id",
      "wrong_question",
    ]);
    expect(kinds.get("malformed")).toBeGreaterThan(1000);
  },
  PATIENCE,
);

test(
  "the client survives 10,000 hostile packets from the network",
  async () => {
    using dns = await dnsServer({ zones: { "example.org": ["docs.example.org CNAME t1.pages.test"] } });
    const random = seeded(1);
    const each = 25;
    dns.behaviours.set("*", (packet) => [
      ...Array.from({ length: each }, () => hostile(random, packet.readUInt16BE(0) ^ 1)),
      packet,
    ]);
    const ask = testClient();
    const exchanges = await Promise.all(
      Array.from({ length: PACKETS / each }, () => ask(dns.server, QUESTION, false)),
    );
    expect(exchanges.every(({ outcome }) => outcome.kind === "answer")).toBe(true);
    expect(exchanges.flatMap(({ ignored }) => ignored).length).toBeGreaterThan(PACKETS / 2);
    dns.behaviours.set("*", (packet) => [hostile(random, packet.readUInt16BE(0))]);
    await Promise.all(
      Array.from({ length: 200 }, () => testClient({ timeoutMs: 20 })(dns.server, QUESTION, false)),
    );
    dns.behaviours.clear();
    expect((await ask(dns.server, QUESTION, false)).outcome.kind).toBe("answer");
  },
  PATIENCE,
);

test("a message full of pointers to pointers is parsed quickly", () => {
  const bytes = Buffer.alloc(16_384);
  Buffer.from(encodeQuery(QUESTION, 7, { recursive: false, edns: true })).copy(bytes);
  bytes.writeUInt16BE(0x8400, 2);
  bytes.writeUInt16BE(600, 6);
  for (let at = 36; at < 8192; at += 2) bytes.writeUInt16BE(0xc000 | (at === 36 ? 12 : at - 2), at);
  for (let at = 8192; at + 12 <= bytes.length; at += 12) {
    bytes.writeUInt16BE(0xc000 | 8190, at);
    bytes.writeUInt16BE(16, at + 2);
  }
  const begin = performance.now();
  readMessage(bytes, QUESTION, 7);
  expect(performance.now() - begin).toBeLessThan(500);
});
