import { describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { encode } from "dns-packet";
import { dnsServer, impatientClient, type Behaviour } from "../support/dns.ts";

const ZONES = {
  "example.org": ["docs.example.org CNAME t1.pages.test", 'example.org CAA 0 issue "ca.test"'],
};
const DOCS = { name: "docs.example.org", type: "CNAME" } as const;

const askWith = async (behaviour: Behaviour | undefined, attempts = 1) => {
  using dns = await dnsServer({ zones: ZONES });
  if (behaviour) dns.behaviours.set("*", behaviour);
  const exchange = await impatientClient({ attempts })(dns.server, DOCS, false);
  return { ...exchange, asked: dns.questions };
};

test("an answer brings its rcode, records and time", async () => {
  const { outcome, transport, ignored, milliseconds, asked } = await askWith(undefined);
  expect(outcome).toEqual({
    kind: "answer",
    rcode: "NOERROR",
    authoritative: true,
    records: [{ name: "docs.example.org", type: "CNAME", ttl: 3600, data: "t1.pages.test" }],
    authorities: [],
  });
  expect({ transport, ignored, asked: asked.length }).toEqual({ transport: "udp", ignored: [], asked: 1 });
  expect(milliseconds).toBeWithin(0, 150);
});

test("names that do not exist are an answer", async () => {
  using dns = await dnsServer({ zones: ZONES });
  const { outcome } = await impatientClient()(dns.server, { name: "no.example.org", type: "A" }, false);
  expect(outcome).toMatchObject({
    rcode: "NXDOMAIN",
    records: [],
    authorities: [{ type: "SOA", ttl: 300, data: { minimum: 120 } }],
  });
});

test.each<[Behaviour, string, string[]]>([
  ["silent", "timeout", []],
  [{ lateMs: 250 }, "timeout", []],
  ["wrong_id", "spoofed", ["wrong_id"]],
  ["wrong_question", "spoofed", ["wrong_question"]],
  ["query", "spoofed", ["not_a_response"]],
  ["oversized", "oversized", ["oversized"]],
  ["hang_up", "network", []],
  ["loop", "malformed", ["malformed"]],
  [() => [Buffer.from("garbage")], "malformed", ["malformed"]],
  [() => [Buffer.alloc(0)], "malformed", ["malformed"]],
])("a server that answers with %p is named", async (behaviour, failure, ignored) => {
  const exchange = await askWith(behaviour);
  expect(exchange.outcome).toMatchObject({ kind: "failure", failure });
  expect(exchange.ignored).toEqual(ignored as typeof exchange.ignored);
});

test("the right answer counts, whatever came before it", async () => {
  const spoofed = (packet: Buffer) =>
    Buffer.concat([Buffer.from([packet[0] ?? 0, ~(packet[1] ?? 0)]), packet.subarray(2)]);
  const { outcome, ignored } = await askWith((packet) => [Buffer.from("x"), spoofed(packet), packet]);
  expect(outcome).toMatchObject({ kind: "answer", rcode: "NOERROR" });
  expect(ignored).toEqual(["malformed", "wrong_id"]);
});

test("a flood of wrong packets ends the question", async () => {
  const { outcome, ignored } = await askWith((packet) => Array<Buffer>(200).fill(packet.subarray(0, 14)));
  expect(outcome).toMatchObject({ failure: "malformed" });
  expect(ignored.length).toBeWithin(1, 33);
});

test.each(["SERVFAIL", "REFUSED"] as const)("%s is an answer with that rcode", async (rcode) => {
  expect((await askWith(rcode)).outcome).toMatchObject({ kind: "answer", rcode, records: [] });
});

test("a truncated answer is asked for again over TCP", async () => {
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

test("a port where nobody listens is refused", async () => {
  const dns = await dnsServer({ zones: {} });
  dns[Symbol.dispose]();
  const { outcome } = await impatientClient()(dns.server, DOCS, false);
  expect(outcome).toMatchObject({ kind: "failure", failure: "refused" });
});

test("an address that cannot be reached is a failure", async () => {
  const { outcome } = await impatientClient()({ address: "255.255.255.255", port: 9 }, DOCS, false);
  expect(outcome.kind).toBe("failure");
});

test("a right answer from another port is not heard", async () => {
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
  const { outcome, ignored } = await impatientClient()(server, DOCS, false);
  dns.close();
  stranger.close();
  expect(outcome).toMatchObject({ kind: "failure", failure: "timeout" });
  expect(ignored).toEqual([]);
});

test("every attempt has an id and a port of its own", async () => {
  const seen = new Set<string>();
  const dns = createSocket("udp4");
  await new Promise<void>((bound) => dns.bind(0, "127.0.0.1", bound));
  dns.on("message", (bytes, peer) => seen.add(`${bytes.readUInt16BE(0)} ${peer.port}`));
  const server = { address: "127.0.0.1", port: dns.address().port };
  await impatientClient({ timeoutMs: 20, attempts: 5 })(server, DOCS, false);
  dns.close();
  expect(seen.size).toBe(5);
});

test("a server that does not answer is asked as often as the settings say", async () => {
  const { asked, ignored } = await askWith("wrong_id", 3);
  expect(asked.length).toBe(3);
  expect(ignored).toEqual(["wrong_id", "wrong_id", "wrong_id"]);
});

test("at most 8 questions at once go to one server", async () => {
  using dns = await dnsServer({ zones: ZONES });
  dns.behaviours.set("*", { lateMs: 60 });
  const ask = impatientClient();
  const all = Promise.all(Array.from({ length: 20 }, () => ask(dns.server, DOCS, false)));
  await Bun.sleep(40);
  expect(dns.questions.length).toBe(8);
  expect((await all).every(({ outcome }) => outcome.kind === "answer")).toBe(true);
  expect(dns.questions.length).toBe(20);
});

describe("CAA records", () => {
  test("keep flags, tag and value", async () => {
    using dns = await dnsServer({ zones: ZONES });
    const { outcome } = await impatientClient()(dns.server, { name: "Example.ORG", type: "CAA" }, false);
    expect(outcome).toMatchObject({
      records: [{ data: { critical: false, tag: "issue", value: "ca.test" } }],
    });
  });
});
