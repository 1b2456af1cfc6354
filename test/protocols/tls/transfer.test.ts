import { describe, expect, test } from "bun:test";
import { responseBudget } from "../../../src/protocols/tls/response-budget.ts";
import { DEFAULT_LIMITS } from "../../../src/protocols/tls/connections.ts";
import { listenBackend } from "../../../src/protocols/tls/backend.ts";
import {
  askHttp2,
  testCa,
  eventually,
  REFUSALS,
  listenerFor,
  http2To,
  received,
  tlsTo,
} from "./listeners.ts";

const MEBIBYTE = 1024 * 1024;
const LARGE = 200 * MEBIBYTE;
/** More than the buffers and windows of a connection hold. */
const WHOLE = 64 * MEBIBYTE;
const PIECE = Buffer.alloc(MEBIBYTE, "x");
/** Buffers, and garbage that is not collected yet. A whole transfer would exceed it. */
const MAX_GROWTH = 150 * MEBIBYTE;

/** Sends as fast as the reader reads. */
const source = (bytes: number, sent: (bytes: number) => void = () => {}): ReadableStream<Uint8Array> => {
  let left = bytes;
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(PIECE));
        left -= PIECE.length;
        sent(bytes - left);
        if (left <= 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
};

const lengthOf = async (stream: AsyncIterable<Uint8Array> | null): Promise<number> => {
  let length = 0;
  for await (const chunk of stream ?? []) length += chunk.length;
  return length;
};

const readAll = async (port: number, protocol: "http2" | "http1.1", body?: ReadableStream<Uint8Array>) => {
  const response = await fetch(`https://localhost:${port}/`, {
    protocol,
    tls: { ca: testCa.root },
    ...(body && { method: "POST", body }),
  });
  return response;
};

/** The peak growth of this process's memory while `work` runs. */
const growthDuring = async (work: () => Promise<void>): Promise<number> => {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let maximum = before;
  const watch = setInterval(() => {
    Bun.gc(false);
    maximum = Math.max(maximum, process.memoryUsage.rss());
  }, 20);
  await work();
  clearInterval(watch);
  return maximum - before;
};

describe.each(["http1.1", "http2"] as const)("64 MiB over %s", (protocol) => {
  test("a download arrives whole", async () => {
    const { port } = await listenerFor({ fetch: () => new Response(source(WHOLE)) });
    expect(await lengthOf((await readAll(port, protocol)).body)).toBe(WHOLE);
  });

  test("an upload arrives whole", async () => {
    const { port } = await listenerFor({
      fetch: async (request) => new Response(String(await lengthOf(request.body))),
    });
    const response = await readAll(port, protocol, source(WHOLE));
    expect(await response.text()).toBe(String(WHOLE));
  });
});

test("a client that does not read slows down its handler, and no other client", async () => {
  let produced = 0;
  const { port } = await listenerFor({
    fetch: (request) =>
      new Response(request.url.endsWith("/large") ? source(LARGE, (bytes) => (produced = bytes)) : "small"),
  });
  const growth = await growthDuring(async () => {
    const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
    socket.pause();
    socket.write("GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await eventually(() => produced > 0);
    expect((await askHttp2(await http2To(port, "a.test"))).text).toBe("small");
    await Bun.sleep(500);
  });
  expect(produced).toBeLessThan(LARGE / 2);
  expect(growth).toBeLessThan(MAX_GROWTH);
});

test("a handler that does not read slows down the client, and gets every byte in the end", async () => {
  let sent = 0;
  let sentMeanwhile = LARGE;
  const { port } = await listenerFor({
    fetch: async (request) => {
      await Bun.sleep(500);
      sentMeanwhile = sent;
      return new Response(new Bun.CryptoHasher("sha256").update(await request.bytes()).digest("hex"));
    },
  });
  const body = source(LARGE / 4, (bytes) => (sent = bytes));
  const digest = await (await readAll(port, "http1.1", body)).text();
  const expected = new Bun.CryptoHasher("sha256");
  for (let left = LARGE / 4; left > 0; left -= PIECE.length) expected.update(PIECE);
  expect(digest).toBe(expected.digest("hex"));
  expect(sentMeanwhile).toBeLessThan(LARGE / 4);
});

test("a response that closes its connection arrives whole at a client that reads late", async () => {
  const { port } = await listenerFor({ fetch: () => new Response(Buffer.alloc(20 * MEBIBYTE)) });
  const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
  await Bun.sleep(300);
  const response = await received(socket);
  expect(response.length - response.indexOf("\r\n\r\n") - 4).toBe(20 * MEBIBYTE);
});

test("the backend refuses connections to its own port", async () => {
  let asked = 0;
  const application = listenBackend({
    ...REFUSALS,
    budget: responseBudget(DEFAULT_LIMITS),
    fetch: () => {
      asked += 1;
      return new Response();
    },
  });
  const response = await fetch(`http://127.0.0.1:${application.port}/`, { headers: { Host: "a.test" } });
  expect(response.status).toBe(403);
  expect(asked).toBe(0);
  application.stop();
});
