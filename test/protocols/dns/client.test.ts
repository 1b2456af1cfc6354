import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { encode } from "dns-packet";
import { systemNetwork, type Channel, type Network } from "../../../src/protocols/dns/network.ts";
import type { DnsClientOptions } from "../../../src/protocols/dns/client.ts";
import type { Question, RejectReason } from "../../../src/protocols/dns/message.ts";
import {
  dnsServer,
  failing,
  SHORT_TIMEOUT,
  testClient,
  LONG_TIMEOUT,
  type Behaviour,
} from "../../support/dns.ts";

const ZONES = {
  "example.org": ["docs.example.org CNAME t1.pages.test", 'example.org CAA 0 issue "ca.test"'],
};
const DOCS = { name: "docs.example.org", type: "CNAME" } as const;

const hasEdns = (query: Buffer): boolean => query.readUInt16BE(10) > 0;

/** A packet with another rcode, and no records. */
const withRcode = (packet: Buffer, rcode: number): Buffer => {
  const copy = Buffer.from(packet).fill(0, 6, 12);
  copy[3] = rcode;
  return copy;
};

const bare = (packet: Buffer, rcode: number): Buffer =>
  withRcode(packet, rcode).fill(0, 4, 6).subarray(0, 12);

const withTruncation = (packet: Buffer): Buffer => {
  const copy = Buffer.from(packet);
  copy[2] = (copy[2] ?? 0) | 0x02;
  return copy;
};

const askWith = async (behaviour: Behaviour | undefined, settings: Partial<DnsClientOptions> = {}) => {
  using dns = await dnsServer({ zones: ZONES });
  if (behaviour) dns.behaviours.set("*", behaviour);
  const exchange = await testClient(settings)(dns.server, DOCS, false);
  return { ...exchange, asked: dns.questions };
};

test("an answer has its rcode, records and time", async () => {
  const { outcome, transport, ignored, milliseconds, asked } = await askWith(undefined);
  expect(outcome).toEqual({
    kind: "answer",
    rcode: "NOERROR",
    authoritative: true,
    records: [{ name: "docs.example.org", type: "CNAME", ttl: 3600, data: "t1.pages.test" }],
    authorities: [],
  });
  expect({ transport, ignored, asked: asked.length }).toEqual({ transport: "udp", ignored: [], asked: 1 });
  expect(milliseconds).toBeWithin(0, 3000);
});

test("NXDOMAIN is an answer", async () => {
  using dns = await dnsServer({ zones: ZONES });
  const { outcome } = await testClient()(dns.server, { name: "no.example.org", type: "A" }, false);
  expect(outcome).toMatchObject({
    rcode: "NXDOMAIN",
    records: [],
    authorities: [{ type: "SOA", ttl: 120, data: { minimum: 120 } }],
  });
});

test.concurrent.each<Behaviour>(["silent", { lateMs: 300 }])(
  "a server that is %p has timed out",
  async (behaviour) => {
    const { outcome, ignored } = await askWith(behaviour, SHORT_TIMEOUT);
    expect(outcome).toMatchObject({ kind: "failure", failure: "timeout" });
    expect(ignored).toEqual([]);
  },
);

test.concurrent("a server that is too slow for the first attempt can respond to the second", async () => {
  const { outcome, asked } = await askWith({ lateMs: 300 }, { timeoutMs: 200, attempts: 2 });
  expect(outcome).toMatchObject({ kind: "answer", rcode: "NOERROR" });
  expect(asked).toHaveLength(2);
});

test("a server that closes the connection fails with its error code", async () => {
  const { outcome, ignored } = await askWith("hang_up");
  expect(outcome).toMatchObject({ kind: "failure", failure: "network" });
  expect(ignored).toEqual([]);
});

test.concurrent.each<[Behaviour, string, RejectReason]>([
  ["wrong_id", "spoofed", "wrong_id"],
  ["wrong_question", "spoofed", "wrong_question"],
  ["query", "spoofed", "not_a_response"],
  ["oversized", "oversized", "oversized"],
  ["loop", "malformed", "malformed"],
  [() => [Buffer.from("garbage")], "malformed", "malformed"],
  [() => [Buffer.alloc(0)], "malformed", "malformed"],
  // An answer without the question, and with a code other than FORMERR.
  [(packet) => [bare(packet, 0)], "spoofed", "wrong_question"],
])("a server that answers with %p is reported as %s: case %#", async (behaviour, failure, stray) => {
  const { outcome, ignored } = await askWith(behaviour, LONG_TIMEOUT);
  expect(outcome).toMatchObject({ kind: "failure", failure });
  expect(ignored).toEqual([stray]);
});

test("wrong packets before the right answer are ignored", async () => {
  const spoofed = (packet: Buffer) =>
    Buffer.concat([Buffer.from([packet[0] ?? 0, ~(packet[1] ?? 0)]), packet.subarray(2)]);
  const { outcome, ignored } = await askWith((packet) => [Buffer.from("x"), spoofed(packet), packet]);
  expect(outcome).toMatchObject({ kind: "answer", rcode: "NOERROR" });
  expect(ignored).toEqual(["malformed", "wrong_id"]);
});

test("a flood of wrong packets ends the query", async () => {
  const { outcome, ignored } = await askWith((packet) => Array<Buffer>(200).fill(packet.subarray(0, 14)));
  expect(outcome).toMatchObject({ failure: "malformed" });
  expect(ignored.length).toBeWithin(1, 33);
});

test.each(["SERVFAIL", "REFUSED"] as const)("%s is an answer with that rcode", async (rcode) => {
  expect((await askWith(rcode)).outcome).toMatchObject({ kind: "answer", rcode, records: [] });
});

test("an error has the reason of its extended errors, without unknown and truncated ones", async () => {
  expect((await askWith(failing(7, "no é"))).outcome).toEqual({
    kind: "answer",
    rcode: "SERVFAIL",
    authoritative: true,
    records: [],
    authorities: [],
    extendedErrors: [{ code: 7, text: "no é" }],
  });
  const cut: Behaviour = (packet, query) => {
    const [whole = packet] = (failing(7, "") as (packet: Buffer, query: Buffer) => Buffer[])(packet, query);
    const short = whole.subarray(0, -1);
    short.writeUInt16BE(5, short.length - 7);
    short.writeUInt16BE(1, short.length - 3);
    return [short];
  };
  const { outcome } = await askWith(cut);
  expect(outcome).toMatchObject({ kind: "answer", rcode: "SERVFAIL" });
  expect(outcome).not.toHaveProperty("extendedErrors");
});

test("a query can ask a resolver not to check DNSSEC", async () => {
  using dns = await dnsServer({ zones: ZONES });
  dns.behaviours.set("*", "bogus");
  const ask = (question: Question) => testClient()(dns.server, question, true);
  expect((await ask(DOCS)).outcome).toMatchObject({ rcode: "SERVFAIL" });
  const { outcome, question } = await ask({ ...DOCS, checkingDisabled: true });
  expect({ outcome, question }).toMatchObject({
    outcome: { rcode: "NOERROR" },
    question: { checkingDisabled: true },
  });
});

test("a truncated answer is requested again over TCP", async () => {
  const { outcome, transport, asked } = await askWith("truncated");
  expect(outcome).toMatchObject({ kind: "answer", records: [{ data: "t1.pages.test" }] });
  expect(transport).toBe("tcp");
  expect(asked.map((one) => one.transport)).toEqual(["udp", "tcp"]);
});

test("an answer that is truncated over TCP too is malformed", async () => {
  expect((await askWith("truncated_always")).outcome).toMatchObject({
    kind: "failure",
    failure: "malformed",
  });
});

test.each<[string, (packet: Buffer) => Buffer]>([
  ["FORMERR", (packet) => withRcode(packet, 1)],
  ["FORMERR without the question", (packet) => bare(packet, 1)],
  ["NOTIMP", (packet) => withRcode(packet, 4)],
])("a server that responds to EDNS with %s is queried again without it", async (_, refusal) => {
  const { outcome, asked, ignored } = await askWith((packet, query) => [
    hasEdns(query) ? refusal(packet) : packet,
  ]);
  expect(outcome).toMatchObject({ kind: "answer", rcode: "NOERROR", records: [{ data: "t1.pages.test" }] });
  expect({ edns: asked.map(({ edns }) => edns), ignored }).toEqual({ edns: [true, false], ignored: [] });
});

test("a server without EDNS that truncates is queried over TCP without EDNS", async () => {
  const { outcome, asked } = await askWith((packet, query) => {
    if (hasEdns(query)) return [bare(packet, 1)];
    return [withTruncation(packet)];
  });
  expect(outcome).toMatchObject({ kind: "answer", records: [{ data: "t1.pages.test" }] });
  expect(asked.map(({ transport, edns }) => [transport, edns])).toEqual([
    ["udp", true],
    ["udp", false],
    ["tcp", false],
  ]);
});

test("FORMERR to a query without EDNS is the answer", async () => {
  const { outcome, asked } = await askWith((packet) => [bare(packet, 1)]);
  expect(outcome).toMatchObject({ kind: "answer", rcode: "FORMERR", records: [] });
  expect(asked.length).toBe(2);
});

test("a closed port fails as refused", async () => {
  const dns = await dnsServer({ zones: {} });
  dns[Symbol.dispose]();
  const { outcome } = await testClient()(dns.server, DOCS, false);
  expect(outcome).toMatchObject({ kind: "failure", failure: "refused" });
});

test("an unreachable address fails", async () => {
  const { outcome } = await testClient()({ address: "255.255.255.255", port: 9 }, DOCS, false);
  expect(outcome.kind).toBe("failure");
});

test.concurrent("a right answer from another port is ignored", async () => {
  const dns = createSocket("udp4");
  const stranger = createSocket("udp4");
  await Promise.all(
    [dns, stranger].map((socket) => new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound))),
  );
  dns.on("message", (bytes, peer) => {
    const answer = encode({ type: "response", id: bytes.readUInt16BE(0), questions: [DOCS] });
    stranger.send(answer, peer.port, peer.address);
  });
  const server = { address: "127.0.0.1", port: dns.address().port };
  const { outcome, ignored } = await testClient(SHORT_TIMEOUT)(server, DOCS, false);
  dns.close();
  stranger.close();
  expect(outcome).toMatchObject({ kind: "failure", failure: "timeout" });
  expect(ignored).toEqual([]);
});

test.concurrent("every attempt has its own id and port", async () => {
  const seen = new Set<string>();
  const dns = createSocket("udp4");
  await new Promise<void>((bound) => dns.bind(0, "127.0.0.1", bound));
  dns.on("message", (bytes, peer) => seen.add(`${bytes.readUInt16BE(0)} ${peer.port}`));
  const server = { address: "127.0.0.1", port: dns.address().port };
  await testClient({ timeoutMs: 50, attempts: 5 })(server, DOCS, false);
  dns.close();
  expect(seen.size).toBe(5);
});

test.concurrent("a silent server is queried `attempts` times", async () => {
  const { asked, ignored } = await askWith("wrong_id", { timeoutMs: 300, attempts: 3 });
  expect(asked.length).toBe(3);
  expect(ignored).toEqual(["wrong_id", "wrong_id", "wrong_id"]);
});

test("at maximum 8 concurrent queries go to one server, including retries over TCP and without EDNS", async () => {
  using dns = await dnsServer({ zones: ZONES });
  let running = 0;
  let maximum = 0;
  const network: Network = {
    udp: (...parameters) => counted(systemNetwork.udp(...parameters)),
    tcp: (...parameters) => counted(systemNetwork.tcp(...parameters)),
  };
  const counted = (channel: Channel): Channel => {
    running += 1;
    maximum = Math.max(maximum, running);
    return {
      close() {
        running -= 1;
        channel.close();
      },
    };
  };
  dns.behaviours.set("*", (packet, query) => [hasEdns(query) ? bare(packet, 1) : withTruncation(packet)]);
  const ask = testClient({}, network);
  const all = await Promise.all(Array.from({ length: 40 }, () => ask(dns.server, DOCS, false)));
  expect(all.every(({ outcome, transport }) => outcome.kind === "answer" && transport === "tcp")).toBe(true);
  expect({ maximum, running, asked: dns.questions.length }).toEqual({ maximum: 8, running: 0, asked: 120 });
});

test("the strings of a TXT record are joined", async () => {
  using dns = await dnsServer({ zones: ZONES });
  const question = { name: "docs.example.org", type: "TXT" } as const;
  dns.behaviours.set("*", (packet) => [
    encode({
      type: "response",
      id: packet.readUInt16BE(0),
      questions: [question],
      answers: [{ ...question, ttl: 60, data: ["t1.pages", ".test"] }],
    }),
  ]);
  const { outcome } = await testClient()(dns.server, question, true);
  expect(outcome).toMatchObject({ records: [{ type: "TXT", data: "t1.pages.test" }] });
});

test("CAA records keep their flags, tag and value", async () => {
  using dns = await dnsServer({ zones: ZONES });
  const { outcome } = await testClient()(dns.server, { name: "Example.ORG", type: "CAA" }, false);
  expect(outcome).toMatchObject({
    records: [{ data: { critical: false, tag: "issue", value: "ca.test" } }],
  });
});
