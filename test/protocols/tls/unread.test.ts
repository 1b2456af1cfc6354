import { expect, test } from "bun:test";
import type { TLSSocket } from "node:tls";
import type { HandleRequest } from "../../../src/protocols/tls/backend.ts";
import type { ConnectionLimits } from "../../../src/protocols/tls/connections.ts";
import {
  DATA,
  END_STREAM,
  HEADERS,
  PING,
  PREFACE,
  RST_STREAM,
  WINDOW_UPDATE,
} from "../../../src/protocols/tls/frames.ts";
import { frame, framesIn, initialWindow, number, request } from "./http2-frames.ts";
import { eventually, listenerFor, received, tlsTo } from "./listeners.ts";

const CANCEL = 8;
const DEFAULT_WINDOW = 65_535;
const STALL_MS = 300;
/** For responses that must not be reset: a busy machine may delay a client by most of it. */
const LONG_STALL_MS = 1000;
const PAGE = "x".repeat(100_000);

/** An HTTP/2 client that grants only what a test grants, and sends a PING many times within `STALL_MS`. */
const clientOf = async (port: number, window: number) => {
  const socket: TLSSocket = await tlsTo(port, "a.test", { ALPNProtocols: ["h2"] });
  socket.on("error", () => {});
  let bytes: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => void (bytes = Buffer.concat([bytes, chunk])));
  socket.write(Buffer.concat([PREFACE, initialWindow(window)]));
  const pings = setInterval(() => socket.write(frame(PING, 0, 0, Buffer.alloc(8))), STALL_MS / 10);
  socket.once("close", () => clearInterval(pings));
  const frames = (stream: number) => framesIn(bytes).filter((one) => one.stream === stream);
  return {
    socket,
    get: (stream: number, path: string) => void socket.write(request("GET", END_STREAM, stream, path)),
    /** Sends headers, and a part of the body. */
    startPost(stream: number, path: string) {
      socket.write(Buffer.concat([request("POST", 0, stream, path), frame(DATA, 0, stream, number(0))]));
    },
    grant: (stream: number, count: number) =>
      void socket.write(frame(WINDOW_UPDATE, 0, stream, number(count))),
    /** The code of the RST_STREAM of a stream. */
    resetCode: (stream: number) =>
      frames(stream)
        .find(({ type }) => type === RST_STREAM)
        ?.body.readUInt32BE(0),
    hasBegun: (stream: number) => frames(stream).some(({ type }) => type === HEADERS),
    hasEnded: (stream: number) =>
      frames(stream).some(({ type, flags }) => type <= HEADERS && flags & END_STREAM),
    length: (stream: number) =>
      frames(stream)
        .filter(({ type }) => type === DATA)
        .reduce((sum, { body }) => sum + body.length, 0),
  };
};

const listen = async (fetch: HandleRequest, limits: Partial<ConnectionLimits> = {}) => {
  let stalled = 0;
  let refused = 0;
  const { port, listener } = await listenerFor({
    fetch,
    limits: { stallMs: STALL_MS, ...limits },
    onStalled: (count) => void (stalled += count),
    onRefused: () => void (refused += 1),
  });
  return { port, listener, stalled: () => stalled, refused: () => refused };
};

test.each([
  ["closes the window of the stream", 0],
  ["leaves the window of the connection exhausted", 1_000_000],
])(
  "a response over HTTP/2 is reset when its client %s, despite PINGs, and the connection stays",
  async (_what, window) => {
    let aborted = 0;
    const { port, stalled, listener } = await listen((request) => {
      request.signal.addEventListener("abort", () => (aborted += 1));
      return new Response(request.url.endsWith("/page") ? PAGE : null);
    });
    const client = await clientOf(port, window);
    client.get(1, "/page");
    await eventually(() => client.resetCode(1) !== undefined);
    expect(client.resetCode(1)).toBe(CANCEL);
    await eventually(() => aborted === 1 && listener.responses().open === 0);
    expect(stalled()).toBe(1);
    client.get(3, "/empty");
    await eventually(() => client.hasEnded(3));
  },
);

test.each([
  ["stream", 0, 1],
  ["connection", 1_000_000, 0],
])(
  "a response over HTTP/2 is reset when its client opens the window of the %s too slowly",
  async (_which, window, granted) => {
    const { port, stalled } = await listen(() => new Response(PAGE));
    const client = await clientOf(port, window);
    client.get(1, "/page");
    const granting = setInterval(() => client.grant(granted, 1), STALL_MS / 10);
    await eventually(() => client.resetCode(1) !== undefined);
    clearInterval(granting);
    expect(stalled()).toBe(1);
  },
);

test("a response over HTTP/2 continues while its client reads slowly, but above the minimum rate", async () => {
  const { port, stalled } = await listen(() => new Response(PAGE), { stallMs: LONG_STALL_MS });
  const client = await clientOf(port, 0);
  client.get(1, "/page");
  for (const end = performance.now() + 1.5 * LONG_STALL_MS; performance.now() < end; await Bun.sleep(50))
    client.grant(1, 100);
  client.grant(1, PAGE.length);
  client.grant(0, PAGE.length);
  await eventually(() => client.hasEnded(1));
  expect(client.length(1)).toBe(PAGE.length);
  expect(stalled()).toBe(0);
});

test("a response over HTTP/2 is not reset immediately if earlier responses used up the window of the connection", async () => {
  const page = PAGE.slice(0, DEFAULT_WINDOW);
  const { port } = await listen(() => new Response(page), { stallMs: LONG_STALL_MS });
  const client = await clientOf(port, 1_000_000);
  client.get(1, "/page");
  await eventually(() => client.hasEnded(1));
  await Bun.sleep(1.1 * LONG_STALL_MS);
  client.get(3, "/page");
  await eventually(() => client.hasBegun(3));
  // Stalled responses are looked for four times within this time.
  await Bun.sleep(0.3 * LONG_STALL_MS);
  client.grant(0, DEFAULT_WINDOW);
  await eventually(() => client.hasEnded(3));
  expect(client.resetCode(3)).toBeUndefined();
});

test("a response over HTTP/2 is not reset while its handler is slow or has nothing to send", async () => {
  const silent = new ReadableStream({ start: (controller) => controller.enqueue("first") });
  const { port } = await listen(async (request) => {
    if (request.url.endsWith("/silent")) return new Response(silent);
    await Bun.sleep(3 * STALL_MS);
    return new Response();
  });
  const client = await clientOf(port, 1000);
  client.get(1, "/silent");
  client.get(3, "/slow");
  await eventually(() => client.hasEnded(3));
  expect([client.resetCode(1), client.resetCode(3)]).toEqual([undefined, undefined]);
});

test("a response over HTTP/2 with a separate limit is reset when its client blocks it, despite PINGs, and another one stays", async () => {
  const aborted: string[] = [];
  const { port, stalled } = await listen((request, { withoutIdleTimeout }) => {
    const ended = Promise.withResolvers<void>();
    const events = new ReadableStream({
      async pull(controller) {
        await Bun.sleep(STALL_MS / 30);
        controller.enqueue("event");
      },
    });
    request.signal.addEventListener("abort", () => {
      aborted.push(new URL(request.url).pathname);
      ended.resolve();
    });
    void withoutIdleTimeout(() => ended.promise, { hasSeparateLimit: true });
    return new Response(events);
  });
  const client = await clientOf(port, 8);
  client.get(1, "/blocked");
  client.get(3, "/read");
  client.grant(3, DEFAULT_WINDOW);
  await eventually(() => client.resetCode(1) !== undefined && aborted.length > 0);
  expect([client.resetCode(1), client.length(1)]).toEqual([CANCEL, 8]);
  const length = client.length(3);
  await eventually(() => client.length(3) > length);
  expect([aborted, client.resetCode(3), stalled()]).toEqual([["/blocked"], undefined, 1]);
});

test("a blocked client that never completes a frame loses its connection", async () => {
  const { port } = await listen(() => new Response(PAGE));
  const client = await clientOf(port, 0);
  const closed = Promise.withResolvers<void>();
  client.socket.once("close", () => closed.resolve());
  client.get(1, "/page");
  await eventually(() => client.hasBegun(1));
  // The PINGs that follow count as part of this frame.
  client.socket.write(frame(0xbb, 0, 0, Buffer.alloc(16_000)).subarray(0, 100));
  await closed.promise;
});

const listenForBodies = async () => {
  let readingEnded = false;
  const { port } = await listen((request) => {
    void request.bytes().catch(() => (readingEnded = true));
    return new Response("late", { status: 408, headers: { Connection: "close" } });
  });
  return { port, readingEnded: () => readingEnded };
};

test("a response over HTTP/2 before the end of the request's body ends the reading of the body and resets the stream with NO_ERROR", async () => {
  const { port, readingEnded } = await listenForBodies();
  const client = await clientOf(port, 1000);
  client.startPost(1, "/");
  await eventually(() => client.resetCode(1) !== undefined && readingEnded());
  expect([client.hasEnded(1), client.resetCode(1)]).toEqual([true, 0]);
});

test("a response over HTTP/1.1 before the end of the request's body ends the reading of the body and closes the connection", async () => {
  const { port, readingEnded } = await listenForBodies();
  const socket = await tlsTo(port, "a.test", { ALPNProtocols: ["http/1.1"] });
  socket.write("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nx");
  expect(await received(socket)).toStartWith("HTTP/1.1 408");
  await eventually(readingEnded);
});

test("requests beyond the limit of a client's responses wait until earlier responses have ended", async () => {
  let started = 0;
  const { port, listener } = await listen(
    () => {
      started += 1;
      return new Response(PAGE);
    },
    { responsesPerClient: 2, stallMs: 10_000 },
  );
  const client = await clientOf(port, 0);
  for (const stream of [1, 3]) client.get(stream, "/page");
  await eventually(() => client.hasBegun(1) && client.hasBegun(3));
  client.get(5, "/page");
  await Bun.sleep(50);
  expect([started, listener.responses().open]).toEqual([2, 2]);
  client.grant(1, PAGE.length);
  client.grant(0, PAGE.length);
  await eventually(() => client.hasBegun(5));
  expect([started, listener.responses().open]).toEqual([3, 2]);
});

test("requests beyond the limit of a client's responses get an empty 503 if as many wait already, or after the time limit", async () => {
  const { port, refused, listener } = await listen(() => new Response(PAGE), { responsesPerClient: 1 });
  const client = await clientOf(port, 0);
  client.get(1, "/page");
  await eventually(() => client.hasBegun(1));
  client.get(3, "/page");
  client.get(5, "/page");
  await eventually(() => client.hasEnded(5));
  expect([client.hasBegun(3), client.length(5), refused()]).toEqual([false, 0, 1]);
  expect(listener.responses().open).toBe(1);
  // The stalled response is reset after the same time.
  await eventually(() => client.hasBegun(3));
  expect(client.resetCode(1)).toBe(CANCEL);
});

test("requests beyond the limit of a client's responses wait for responses that are exempt only from the idle timeout", async () => {
  let started = 0;
  const work = Promise.withResolvers<Response>();
  const { port, listener } = await listen(
    (_request, { withoutIdleTimeout }) => {
      started += 1;
      return withoutIdleTimeout(() => work.promise);
    },
    { responsesPerClient: 1, stallMs: 10_000 },
  );
  const client = await clientOf(port, 0);
  client.get(1, "/page");
  await eventually(() => started === 1);
  client.get(3, "/page");
  await Bun.sleep(50);
  expect([started, listener.responses().open]).toEqual([1, 1]);
  work.resolve(new Response());
  await eventually(() => started === 2);
});

test("the limit of a client's responses does not count those that have a separate limit, until it ends", async () => {
  const ended = Promise.withResolvers<void>();
  const { port, listener } = await listen(
    (_request, { withoutIdleTimeout }) => {
      void withoutIdleTimeout(() => ended.promise, { hasSeparateLimit: true });
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue("event") }));
    },
    { responsesPerClient: 1 },
  );
  const client = await clientOf(port, 1000);
  for (const stream of [1, 3, 5]) {
    client.get(stream, "/events");
    // A refused request would get no event.
    await eventually(() => client.length(stream) > 0);
  }
  expect(listener.responses().open).toBe(0);
  ended.resolve();
  await eventually(() => listener.responses().open > 0);
  client.socket.destroy();
  await eventually(() => listener.responses().open === 0);
});
