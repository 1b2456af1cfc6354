import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { decode } from "dns-packet";
import { listenForDns } from "../../../src/protocols/dns-server/listen.ts";
import { question, testResponder, UDP } from "../../support/dns-questions.ts";
import { type Random, seeded } from "../../support/random.ts";
import { zoneOfLines } from "../../support/served-zones.ts";

const PACKETS = 100_000;
/** Packets over a socket. */
const SENT = 5000;
/** Milliseconds for all of them, on a busy machine. */
const PATIENCE = 120_000;

const ZONES = [
  zoneOfLines("example.org", [
    "example.org NS ns1.example.org",
    "*.example.org A 192.0.2.80",
    "*.example.org AAAA 2001:db8::80",
    ...Array.from({ length: 60 }, (_, index) => `c.example.org TXT text-${index}`),
  ]),
];

const NAMES = ["a.example.org", "c.example.org", "x.y.example.org", "example.org", "q.example.com", "."];
const TYPES = ["A", "AAAA", "TXT", "ANY", "SOA", "NS", "DS", "AXFR", "OPT", "TYPE65", "TYPE65535"];

const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random(256)));

const pick = <Value>(random: Random, values: readonly Value[], fallback: Value): Value =>
  values[random(values.length)] ?? fallback;

const sound = (random: Random): Buffer =>
  question(pick(random, NAMES, "."), pick(random, TYPES, "A"), {
    id: random(65_536),
    flags: random(2) === 0 ? 0 : 0x0100,
    ...(random(2) === 0 && {
      edns: { ...(random(2) === 0 && { cookie: noise(random, pick(random, [8, 24, 40], 8)) }) },
    }),
  });

/** Noise, pieces, changed bytes, pointers and counts; some are sound. */
const hostile = (random: Random): Buffer => {
  const packet = sound(random);
  switch (random(6)) {
    case 0:
      return noise(random, random(600));
    case 1:
      return packet.subarray(0, random(packet.length));
    case 2:
      for (let times = 1 + random(8); times > 0; times -= 1) packet[random(packet.length)] = random(256);
      return packet;
    case 3:
      packet.writeUInt16BE(0xc000 | random(packet.length), 12 + random(packet.length - 13));
      return packet;
    case 4:
      packet.writeUInt16BE(random(6), 4 + 2 * random(4));
      return Buffer.concat([packet, noise(random, random(200))]);
    default:
      return packet;
  }
};

test(
  "100,000 hostile packets get no exception and no response of more than three times their size",
  () => {
    const { clock, respond } = testResponder(ZONES);
    const random = seeded(17);
    const rcodes = new Map<number, number>();
    const oversized: string[] = [];
    for (let count = 0; count < PACKETS; count += 1) {
      const packet = hostile(random);
      const response = respond(packet, UDP);
      if (response && response.length > 3 * packet.length) oversized.push(packet.toString("hex"));
      if (response) expect(response.readUInt16BE(0)).toBe(packet.readUInt16BE(0));
      const rcode = response ? decode(response).flags! & 0x0f : -1;
      rcodes.set(rcode, (rcodes.get(rcode) ?? 0) + 1);
      // The limit of responses a second would hide most of them.
      if (count % 50 === 0) clock.time += 1000;
    }
    expect(oversized).toEqual([]);
    // None, NOERROR (and BADVERS), FORMERR, NXDOMAIN never below the wildcard, NOTIMP, REFUSED.
    expect([...rcodes.keys()].toSorted((a, b) => a - b)).toEqual([-1, 0, 1, 4, 5]);
    expect(Math.min(...rcodes.values())).toBeGreaterThan(1000);
  },
  PATIENCE,
);

/** Sends packets from one socket. @returns the sizes of the responses by their id */
const sendAll = async (port: number, packets: readonly Buffer[]): Promise<Map<number, number>> => {
  const sizes = new Map<number, number>();
  const socket = createSocket("udp4");
  socket.on("message", (bytes) => void sizes.set(bytes.readUInt16BE(0), bytes.length));
  for (const [at, packet] of packets.entries()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.send(packet, port, "127.0.0.1", () => resolve());
    if (at % 50 === 0) await promise;
  }
  await Bun.sleep(200);
  socket.close();
  return sizes;
};

const askOverTcp = async (port: number, bytes: Buffer): Promise<Buffer> => {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(Buffer.concat(chunks)));
  return promise;
};

const framed = (packet: Buffer): Buffer =>
  Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 255]), packet]);

test(
  "a server on a socket outlasts hostile packets and streams",
  async () => {
    const { respond } = testResponder(ZONES);
    const listener = await listenForDns("127.0.0.1", 0, respond);
    const random = seeded(18);
    const packets = Array.from({ length: SENT }, (_, id) => {
      const packet = hostile(random);
      if (packet.length >= 2) packet.writeUInt16BE(id, 0);
      return packet;
    });
    const sizes = await sendAll(listener.port, packets);
    expect(sizes.size).toBeGreaterThan(50);
    for (const [id, size] of sizes) expect(size).toBeLessThanOrEqual(3 * (packets[id]?.length ?? 0));
    for (let count = 0; count < 50; count += 1)
      await askOverTcp(listener.port, random(2) === 0 ? framed(hostile(random)) : noise(random, random(400)));
    const response = await askOverTcp(listener.port, framed(question("c.example.org", "TXT")));
    expect(decode(response.subarray(2)).answers?.length).toBe(60);
    listener.stop();
  },
  PATIENCE,
);
