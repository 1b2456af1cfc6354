import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { connect } from "node:tls";
import {
  MAX_HELLO_BYTES,
  parseClientHello,
  readClientHello,
} from "../../../src/protocols/tls/client-hello.ts";
import { seeded } from "../../support/random.ts";
import { TWO_NAMES, madeOf, nameOf, vector } from "./client-hellos.ts";

const INPUTS = 10_000;

/** The first bytes that a TLS client sends. */
const helloOf = async (options: { servername?: string; ALPNProtocols?: string[] }): Promise<Buffer> => {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => socket.once("data", resolve));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", ...options }).on("error", () => {});
  const hello = await promise;
  client.destroy();
  server.close();
  return hello;
};

const HELLO = await helloOf({ servername: "Docs.Example.org", ALPNProtocols: ["h2", "http/1.1"] });
const READ = { kind: "hello" as const, serverName: "docs.example.org", protocols: ["h2", "http/1.1"] };

/** The same message in records of at most `size` bytes. */
const inRecords = (hello: Buffer, size: number): Buffer => {
  const message = hello.subarray(5);
  const records = [];
  for (let at = 0; at < message.length; at += size) {
    const fragment = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 255]), fragment);
  }
  return Buffer.concat(records);
};

test("a ClientHello of a real client has its server name and protocols", () => {
  expect(parseClientHello(HELLO)).toEqual(READ);
});

test("a ClientHello may have neither server name nor protocols", async () => {
  expect(parseClientHello(await helloOf({}))).toEqual({
    kind: "hello",
    serverName: undefined,
    protocols: [],
  });
  expect(parseClientHello(madeOf([]))).toEqual({ kind: "hello", serverName: undefined, protocols: [] });
  expect(parseClientHello(endingIn([]))).toEqual({ kind: "hello", serverName: undefined, protocols: [] });
});

test.each([1, 2, 3, 5, 100, Math.ceil(HELLO.length / 2), 517])(
  "a ClientHello may come in records of %d bytes",
  (size) => {
    expect(parseClientHello(inRecords(HELLO, size))).toEqual(READ);
  },
);

test("a ClientHello is incomplete at every shorter length, with the least number of bytes to wait for", () => {
  for (const bytes of [HELLO, inRecords(HELLO, 7)])
    for (let length = 0; length < bytes.length; length += 1) {
      const reading = parseClientHello(bytes.subarray(0, length));
      expect(reading).toMatchObject({ kind: "incomplete" });
      if (reading.kind !== "incomplete") continue;
      expect(reading.bytes).toBeGreaterThan(length);
      expect(reading.bytes).toBeLessThanOrEqual(bytes.length);
    }
});

test.each(["localhost", "a.b", "_x.a-b.test", "a".repeat(63), `a.${"b".repeat(63)}`, `${"a.".repeat(126)}b`])(
  "a ClientHello may be for the name %p",
  (name) => {
    expect(parseClientHello(madeOf([[0, nameOf(name)]]))).toMatchObject({ serverName: name });
  },
);

test("a ClientHello is incomplete from its first byte on", () => {
  expect(parseClientHello(Buffer.from([]))).toEqual({ kind: "incomplete", bytes: 5 });
  expect(parseClientHello(Buffer.from([22]))).toEqual({ kind: "incomplete", bytes: 5 });
  expect(parseClientHello(Buffer.from([22, 3]))).toEqual({ kind: "incomplete", bytes: 5 });
});

test("a ClientHello has at most 16 KiB, record headers included", () => {
  const padded = (bytes: number) => madeOf([[21, Array<number>(bytes).fill(0)]]);
  const rest = 16_384 - padded(0).length;
  expect(parseClientHello(padded(rest))).toMatchObject({ kind: "hello" });
  expect(parseClientHello(padded(rest + 1))).toEqual({ kind: "malformed" });
  expect(parseClientHello(inRecords(padded(rest), 1))).toEqual({ kind: "malformed" });
  const announced = (length: number) =>
    parseClientHello(Buffer.from([22, 3, 1, 0, 4, 1, 0, length >> 8, length & 255]));
  expect(announced(16_380)).toEqual({ kind: "incomplete", bytes: 14 });
  expect(announced(16_381)).toEqual({ kind: "malformed" });
  expect(MAX_HELLO_BYTES).toBe(16_384);
});

test("a ClientHello is parsed without the bytes after it", () => {
  expect(parseClientHello(Buffer.concat([HELLO, Buffer.from("anything")]))).toEqual(READ);
});

/** The calls that reading these chunks makes, in order. */
const readFrom = (chunks: Iterable<Uint8Array>) => {
  const calls: unknown[][] = [];
  const socket = Object.assign(new EventEmitter(), {
    pause: () => calls.push(["pause"]),
    unshift: (bytes: Uint8Array) => calls.push(["unshift", Buffer.from(bytes)]),
  });
  readClientHello(socket as unknown as Socket, {
    onHello: (hello) => calls.push(["hello", hello]),
    onMalformed: (bytes) => calls.push(["malformed", Buffer.from(bytes)]),
  });
  for (const chunk of chunks) socket.emit("data", Buffer.from(chunk));
  return { calls, isListening: socket.listenerCount("data") > 0 };
};

const inChunks = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

test.each([1, 4, 5, 6, 100, 100_000])(
  "the bytes of a ClientHello in chunks of %d are all returned to the connection",
  (size) => {
    const sent = madeOf([[0, nameOf("a.test")]]);
    const hello = { kind: "hello", serverName: "a.test", protocols: [] };
    expect(readFrom(inChunks(sent, size))).toEqual({
      calls: [["pause"], ["unshift", sent], ["hello", hello]],
      isListening: false,
    });
  },
);

test("a ClientHello and the bytes after it are all returned to the connection", () => {
  const bytes = Buffer.concat([HELLO, Buffer.from("more")]);
  expect(readFrom([HELLO.subarray(0, 7), bytes.subarray(7)]).calls).toEqual([
    ["pause"],
    ["unshift", bytes],
    ["hello", READ],
  ]);
});

test("a connection that begins with anything else is reported with all its bytes, and stays unpaused", () => {
  const bytes = Buffer.from("GET / HTTP/1.1");
  expect(readFrom([bytes])).toEqual({ calls: [["malformed", bytes]], isListening: false });
  const late = Buffer.from([22, 3, 1, 0, 0]);
  expect(readFrom(inChunks(late, 1))).toEqual({ calls: [["malformed", late]], isListening: false });
});

test("a connection that begins with a part of a ClientHello waits for the rest", () => {
  expect(readFrom([HELLO.subarray(0, -1)])).toEqual({ calls: [], isListening: true });
});

/** A ClientHello that ends in these bytes, after its compression methods. */
const endingIn = (end: number[]): Buffer => {
  const whole = madeOf([]);
  const body = [...whole.subarray(9, whole.length - 2), ...end];
  return Buffer.from([22, 3, 1, ...vector([1, 0, ...vector(body)])]);
};

test.each<[string, Buffer]>([
  ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["one byte of something else", Buffer.from([0x47])],
  ["an empty record", Buffer.from([22, 3, 1, 0, 0])],
  ["another handshake message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
  ["a record that is too large", Buffer.from([22, 3, 1, 0x40, 0x01])],
  ["a message that is too large", Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 0x01])],
  ["a repeated extension", TWO_NAMES],
  ["a name with a NUL", madeOf([[0, nameOf("a.test\0.b.test")]])],
  ["an empty name", madeOf([[0, nameOf("")]])],
  ["a name with a final dot", madeOf([[0, nameOf("a.test.")]])],
  ["two names", madeOf([[0, vector([0, ...vector([97]), 0, ...vector([98])])]])],
  ["no protocols in ALPN", madeOf([[16, vector([])]])],
  ["an empty protocol in ALPN", madeOf([[16, vector([0])]])],
  ["bytes after a list", madeOf([[16, [...vector([1, 97]), 0]]])],
  ["bytes after a list of names", madeOf([[0, [...nameOf("a.test"), 0]]])],
  ["a byte after a name", madeOf([[0, vector([0, ...vector([97]), 0])]])],
  ["a name that ends beyond its list", madeOf([[0, vector([0, 0, 5, 97])]])],
  ["a name of another type", madeOf([[0, vector([1, ...vector([97])])]])],
  ["a name of 254 characters", madeOf([[0, nameOf(`${"a.".repeat(126)}bb`)]])],
  ["a first label of 64 characters", madeOf([[0, nameOf("a".repeat(64))]])],
  ["a label of 64 characters", madeOf([[0, nameOf(`a.${"b".repeat(64)}`)]])],
  ["an empty label", madeOf([[0, nameOf("a..b")]])],
  ["an empty protocol after another", madeOf([[16, vector([1, 97, 0])]])],
  ["half an extension", endingIn([0, 1, 0])],
  ["a byte after the extensions", endingIn([0, 0, 0])],
  ["two bytes after the extensions", endingIn([0, 0, 0, 0])],
  ["half the length of the extensions", endingIn([0])],
  ["a ServerHello", Buffer.from(madeOf([]).map((byte, index) => (index === 5 ? 2 : byte)))],
  ["a record of SSL 2", Buffer.from([22, 2])],
])("malformed input is recognized: %s", (_what, bytes) => {
  expect(parseClientHello(bytes)).toEqual({ kind: "malformed" });
});

test(`${INPUTS} mutated inputs are parsed, incomplete or malformed, without any other error`, () => {
  const random = seeded(8737);
  const kinds = new Set<string>();
  for (let input = 0; input < INPUTS; input += 1) {
    const bytes = Buffer.from(random(2) ? HELLO : inRecords(HELLO, 1 + random(600)));
    for (let change = 1 + random(4); change > 0; change -= 1) bytes[random(bytes.length)] = random(256);
    // Parsers trust lengths, so these are mutated more often.
    if (random(3) === 0) bytes[3 + random(8)] = random(256);
    const reading = parseClientHello(random(4) ? bytes : bytes.subarray(0, random(bytes.length)));
    kinds.add(reading.kind);
    if (reading.kind === "incomplete") expect(reading.bytes).toBeLessThanOrEqual(MAX_HELLO_BYTES);
  }
  expect([...kinds].toSorted()).toEqual(["hello", "incomplete", "malformed"]);
});
