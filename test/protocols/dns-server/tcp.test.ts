import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { decode } from "dns-packet";
import { listenTcp, TCP_LIMITS, type TcpLimits } from "../../../src/protocols/dns-server/listen.ts";
import { question, testResponder } from "../../support/dns-questions.ts";
import { zoneOfLines } from "../../support/served-zones.ts";

const ZONES = [
  zoneOfLines("example.org", [
    "*.example.org A 192.0.2.80",
    ...Array.from({ length: 30 }, (_, index) => `long.example.org TXT ${index}${"x".repeat(200)}`),
  ]),
];

const framed = (packet: Buffer): Buffer =>
  Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 255]), packet]);
const asked = (id: number, name = "www.example.org", type = "A") => framed(question(name, type, { id }));

/** A server, until the scope ends. */
const listening = async (limits: Partial<TcpLimits> = {}) => {
  let questions = 0;
  const { respond } = testResponder(ZONES, { onResponse: () => (questions += 1) });
  const listener = await listenTcp("127.0.0.1", 0, respond, { ...TCP_LIMITS, ...limits });
  return { ...listener, questions: () => questions, [Symbol.dispose]: listener.stop };
};

/** A connection that collects the ids of the responses. */
const connected = async (port: number) => {
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>();
  const { promise: open, resolve: onOpen } = Promise.withResolvers<void>();
  const ids: number[] = [];
  let stream = Buffer.alloc(0);
  const socket: Socket = connect(port, "127.0.0.1", () => onOpen());
  socket.on("error", () => undefined);
  socket.on("close", () => onClose());
  socket.on("data", (chunk: Buffer) => {
    stream = Buffer.concat([stream, chunk]);
    while (stream.length >= 2 && stream.length >= 2 + stream.readUInt16BE(0)) {
      const end = 2 + stream.readUInt16BE(0);
      ids.push(decode(stream.subarray(2, end)).id ?? -1);
      stream = stream.subarray(end);
    }
  });
  await open;
  const has = async (count: number) => {
    while (ids.length < count) await Bun.sleep(2);
  };
  return { socket, ids, closed, has, [Symbol.dispose]: () => void socket.destroy() };
};

/** "open" after some time, or "closed". */
const stateOf = ({ closed }: { closed: Promise<void> }, ms = 100) =>
  Promise.race([closed.then(() => "closed"), Bun.sleep(ms).then(() => "open")]);

test("a connection gets the responses to several questions in order, even if they arrive in pieces", async () => {
  using server = await listening();
  using client = await connected(server.port);
  const stream = Buffer.concat([asked(1), asked(2), asked(3)]);
  for (let at = 0; at < stream.length; at += 7) {
    client.socket.write(stream.subarray(at, at + 7));
    await Bun.sleep(1);
  }
  client.socket.write(Buffer.concat([asked(4), asked(5)]));
  await client.has(5);
  expect(client.ids).toEqual([1, 2, 3, 4, 5]);
});

test("a connection whose client closes its side still gets its responses", async () => {
  using server = await listening();
  using client = await connected(server.port);
  const ids = Array.from({ length: 1000 }, (_, id) => id);
  client.socket.end(Buffer.concat(ids.map((id) => asked(id))));
  await client.closed;
  expect(client.ids).toEqual(ids);
});

test.each([
  ["a response", framed(Buffer.alloc(12, 0x80))],
  ["less than a header", framed(Buffer.alloc(11))],
  ["a message that is too long", Buffer.from([0x10, 0x01])],
])("a connection that sends %s is closed", async (_fact, bytes) => {
  using server = await listening();
  using client = await connected(server.port);
  client.socket.write(bytes);
  expect(await stateOf(client, 5000)).toBe("closed");
});

test("a connection without a whole question is closed, regardless of how often it sends a byte", async () => {
  using server = await listening({ idleMs: 100 });
  using client = await connected(server.port);
  const dripping = setInterval(() => client.socket.write(Buffer.from([1])), 20);
  client.socket.write(Buffer.from([1, 0]));
  expect(await stateOf(client, 5000)).toBe("closed");
  clearInterval(dripping);
});

test("a connection stays open while it sends questions", async () => {
  using server = await listening({ idleMs: 1000 });
  using client = await connected(server.port);
  for (let count = 1; count <= 12; count += 1) {
    client.socket.write(asked(count));
    await Bun.sleep(100);
  }
  await client.has(12);
  expect(client.socket.destroyed).toBe(false);
});

test("a connection with many questions lets other work run between them", async () => {
  using server = await listening();
  using client = await connected(server.port);
  const count = 20_000;
  client.socket.write(Buffer.concat(Array.from({ length: count }, (_, id) => asked(id & 0xff_ff))));
  let [before, maximum] = [0, 0];
  while (client.ids.length < count) {
    await new Promise((resolve) => setImmediate(resolve));
    maximum = Math.max(maximum, server.questions() - before);
    before = server.questions();
  }
  expect(maximum).toBeLessThan(500);
  expect(client.ids).toEqual(Array.from({ length: count }, (_, id) => id & 0xff_ff));
});

test("a connection whose client sends queries but does not read responses is closed", async () => {
  using server = await listening({ idleMs: 300 });
  using client = await connected(server.port);
  client.socket.pause();
  const many = Buffer.concat(Array.from({ length: 2000 }, (_, id) => asked(id, "long.example.org", "TXT")));
  // 12 MB of responses for each: more than the system buffers.
  for (let count = 0; count < 5; count += 1) client.socket.write(many);
  await Bun.sleep(1500);
  expect(server.questions()).toBeLessThan(5 * 2000);
  client.socket.resume();
  await client.closed;
});

test("the connections of one client are limited", async () => {
  using server = await listening({ connectionsPerClient: 2 });
  using one = await connected(server.port);
  using two = await connected(server.port);
  using three = await connected(server.port);
  expect(await stateOf(three, 5000)).toBe("closed");
  expect([await stateOf(one), await stateOf(two)]).toEqual(["open", "open"]);
  one.socket.destroy();
  await one.closed;
  // The server notices a little later.
  const isFree = async () => {
    using next = await connected(server.port);
    return (await stateOf(next)) === "open";
  };
  while (!(await isFree())) await Bun.sleep(10);
});

test("the connections of all clients are limited: the one without a question for the longest time is closed", async () => {
  using server = await listening({ connections: 2 });
  using one = await connected(server.port);
  using two = await connected(server.port);
  one.socket.write(asked(1));
  await one.has(1);
  using three = await connected(server.port);
  expect(await stateOf(two, 5000)).toBe("closed");
  expect([await stateOf(one), await stateOf(three)]).toEqual(["open", "open"]);
});

test("the connections of all clients are also limited when many open at the same moment", async () => {
  using server = await listening({ connections: 2, connectionsPerClient: 100 });
  const clients = await Promise.all(Array.from({ length: 20 }, () => connected(server.port)));
  await Bun.sleep(500);
  const states = await Promise.all(clients.map((client) => stateOf(client)));
  for (const { socket } of clients) socket.destroy();
  expect(states.filter((state) => state === "open")).toHaveLength(2);
});

test("a stop closes the connections", async () => {
  const server = await listening();
  using client = await connected(server.port);
  server.stop();
  expect(await stateOf(client, 5000)).toBe("closed");
});
