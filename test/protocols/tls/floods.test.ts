import { expect, test } from "bun:test";
import { PREFACE } from "../../../src/protocols/tls/frames.ts";
import { frame, framesIn, request } from "./http2-frames.ts";
import { askHttp2, closed, eventually, listenerFor, http2To, received, tlsTo } from "./listeners.ts";

const MANY = 20_000;

/** Stream 1: a request whose body does not end. */
const OPENED = Buffer.concat([PREFACE, frame(4, 0, 0), request("POST")]);
const GOAWAY = 7;
const ENHANCE_YOUR_CALM = 11;

const sayHello = async (port: number, first: Buffer) => {
  const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["h2"] });
  socket.write(first);
  return socket;
};

test.each<[string, Buffer, Buffer]>([
  ["empty DATA", OPENED, frame(0, 0, 1)],
  ["DATA of one byte", OPENED, frame(0, 0, 1, [1])],
  ["DATA of padding", OPENED, frame(0, 8, 1, [9, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ["WINDOW_UPDATE", OPENED, frame(8, 0, 0, [0, 0, 0, 1])],
  ["PRIORITY", OPENED, frame(2, 0, 1, [0, 0, 0, 3, 16])],
  ["PING", OPENED, frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])],
  ["SETTINGS", OPENED, frame(4, 0, 0)],
  ["frames of an unknown type", OPENED, frame(0xbb, 0, 0)],
])("a flood of %s ends its connection with GOAWAY, and no other", async (_what, first, one) => {
  const { port, listener } = await listenerFor({
    limits: { lingerMs: 50 },
    fetch: async (request) => {
      await request.arrayBuffer();
      return new Response("read");
    },
  });
  const calm = await http2To(port, "a.test");
  const wild = await sayHello(port, first);
  const end = received(wild);
  wild.write(Buffer.concat(Array<Buffer>(MANY).fill(one)));
  const last = framesIn(Buffer.from(await end, "latin1")).at(-1);
  // RFC 9113 section 6.8: the last stream, then the error code.
  expect([last?.type, last?.body]).toEqual([GOAWAY, Buffer.from([0, 0, 0, 1, 0, 0, 0, ENHANCE_YOUR_CALM])]);
  await eventually(() => listener.connections() === 1);
  expect(await askHttp2(calm)).toEqual({ status: 200, text: "read" });
});

test.each<[string, Buffer, Buffer]>([
  ["CONTINUATION", Buffer.concat([PREFACE, frame(4, 0, 0), frame(1, 0, 1)]), frame(9, 0, 1)],
  ["resets that the client provokes", OPENED, frame(8, 0, 1, [0, 0, 0, 0])],
])("a flood of %s ends its connection", async (_what, first, one) => {
  const { port, listener } = await listenerFor({ limits: { lingerMs: 50 } });
  const wild = await sayHello(port, first);
  wild.write(Buffer.concat(Array<Buffer>(MANY).fill(one)));
  await eventually(() => listener.connections() === 0);
});

test.each<[string, string]>([
  ["HTTP/1.1", "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"],
  ["another preface", "PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n"],
])("a client that negotiates HTTP/2 and sends %s is closed without a response", async (_what, text) => {
  const { port } = await listenerFor();
  expect(await received(await sayHello(port, Buffer.from(text)))).toBe("");
});

test.each([["http/1.1"], undefined])(
  "a client that negotiates %p and sends HTTP/2 is closed: nothing would limit its frames",
  async (ALPNProtocols) => {
    const { port } = await listenerFor();
    for (const pieces of [[OPENED], [OPENED.subarray(0, 10), OPENED.subarray(10)]]) {
      const socket = await tlsTo(port, "a.test", ALPNProtocols && { ALPNProtocols });
      const end = closed(socket);
      for (const piece of pieces) {
        socket.write(piece);
        await Bun.sleep(10);
      }
      await end;
    }
  },
);

test("a client may send the preface in single bytes", async () => {
  const { port } = await listenerFor();
  const socket = await sayHello(port, Buffer.alloc(0));
  for (const byte of Buffer.concat([PREFACE, frame(4, 0, 0), request("GET", 1)]))
    socket.write(Uint8Array.of(byte));
  await eventually(() => socket.bytesRead > 0);
  expect(socket.closed).toBe(false);
});

test("a client that downloads through a small window, or uploads in small frames, is not a flood", async () => {
  const body = Buffer.alloc(4_000_000, "x");
  const { port } = await listenerFor({
    limits: { lingerMs: 50 },
    fetch: async (request) => new Response(request.method === "POST" ? await request.arrayBuffer() : body),
  });
  const session = await http2To(port, "a.test");
  const responses = await Promise.all([
    askHttp2(session),
    askHttp2(session, { ":method": "POST" }, body),
    askHttp2(session),
  ]);
  expect(responses.map(({ status, text }) => [status, text.length])).toEqual(
    Array.from({ length: 3 }, () => [200, body.length]),
  );
});
