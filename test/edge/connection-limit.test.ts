import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { openSockets } from "../../src/edge/sockets.ts";
import { closeUnread, excessOf, limitConnections, shareOfClient } from "../../src/edge/connection-limit.ts";
import { atEnd } from "../support/store.ts";
import { eventually } from "../protocols/tls/listeners.ts";

const sockets = openSockets();
/** Only Linux can enforce the limits. */
const onLinux = test.if(sockets !== undefined);

/** A listener with limits; `/slow` responds when the test lets it. */
const watched = ({ connections = 100, connectionsPerClient = 100, host = "127.0.0.1" } = {}) => {
  if (!sockets) throw new Error("this test needs Linux");
  const slow = Promise.withResolvers<void>();
  const listener = listenHttp({
    host,
    port: 0,
    async fetch(request) {
      if (request.url.endsWith("/slow")) await slow.promise;
      return new Response("here");
    },
  });
  let logged = 0;
  const watch = limitConnections({
    ports: [listener.port],
    limits: { connections, connectionsPerClient },
    trustsProxy: false,
    sockets,
    log: { warn: ({ count }: { count: number }) => void (logged += count) },
  });
  atEnd(async () => {
    await watch.stop();
    await listener.stop(0);
  });
  return { port: listener.port, finish: slow.resolve, logged: () => logged };
};

const connectFrom = async (localAddress: string, port: number, host = "127.0.0.1"): Promise<Socket> => {
  const socket = connect({ host, port, localAddress }).on("error", () => {});
  atEnd(() => socket.destroy());
  await once(socket, "connect");
  return socket;
};

/** With a first byte each: Linux hands a connection without one to Bun only after a second. */
const manyFrom = async (localAddress: string, port: number, count: number): Promise<Socket[]> => {
  const all = await Promise.all(Array.from({ length: count }, () => connectFrom(localAddress, port)));
  for (const socket of all) socket.write("G");
  return all;
};

const ask = async (socket: Socket, path = "/"): Promise<string> => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
};

const openOnes = (all: readonly Socket[]) => all.filter((socket) => !socket.closed);

onLinux("a client keeps no more connections than its limit, and another client gets a response", async () => {
  const { port, logged } = watched({ connectionsPerClient: 8 });
  const flood = await manyFrom("127.0.0.1", port, 80);
  const other = await connectFrom("127.0.0.2", port);
  await eventually(() => openOnes(flood).length === 8);
  await eventually(() => logged() === 72);
  expect(await ask(other)).toStartWith("HTTP/1.1 200 OK");
  expect(logged()).toBe(72);
});

onLinux(
  "when all clients together have too many connections, the client with the most loses some",
  async () => {
    const { port } = watched({ connections: 20 });
    const few = await manyFrom("127.0.0.2", port, 6);
    const many = await manyFrom("127.0.0.1", port, 60);
    await eventually(() => openOnes(many).length === 14);
    expect(openOnes(few)).toHaveLength(6);
  },
);

onLinux("the connections that were idle longest are closed", async () => {
  const { port } = watched({ connectionsPerClient: 8 });
  const idle = await manyFrom("127.0.0.1", port, 8);
  await Bun.sleep(100);
  const recent = await manyFrom("127.0.0.1", port, 6);
  await eventually(() => openOnes(idle).length === 2);
  expect(openOnes(recent)).toHaveLength(6);
});

onLinux("a request in progress gets its response while idle connections are closed", async () => {
  const { port, finish } = watched({ connectionsPerClient: 8 });
  const busy = await connectFrom("127.0.0.1", port);
  const response = ask(busy, "/slow");
  const silent = await Promise.all(Array.from({ length: 20 }, () => connectFrom("127.0.0.1", port)));
  await eventually(() => openOnes(silent).length === 7);
  finish();
  expect(await response).toEndWith("here");
});

onLinux("connections to other ports of the process are left alone", async () => {
  const { port } = watched({ connectionsPerClient: 2 });
  const other = watched();
  const elsewhere = await manyFrom("127.0.0.1", other.port, 30);
  const here = await manyFrom("127.0.0.1", port, 30);
  await eventually(() => openOnes(here).length === 2);
  expect(openOnes(elsewhere)).toHaveLength(30);
});

onLinux("a listener for IPv6 and IPv4 counts each client by its own address", async () => {
  const { port } = watched({ connectionsPerClient: 4, host: "::" });
  const first = await manyFrom("127.0.0.1", port, 10);
  const second = await Promise.all(Array.from({ length: 10 }, () => connectFrom("::1", port, "::1")));
  for (const socket of second) socket.write("G");
  const third = await manyFrom("127.0.0.2", port, 4);
  await eventually(() => openOnes(first).length === 4 && openOnes(second).length === 4);
  expect(openOnes(third)).toHaveLength(4);
});

/** Sockets of clients, by their addresses: the first of each is idle longest. */
const socketsOf = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([address, count], client) =>
    Array.from({ length: count }, (_, index) => ({ address, descriptor: client * 1000 + index })),
  );
const idleMs = (descriptor: number) => 1000 - (descriptor % 1000);

/** How many each client loses. */
const lossesOf = (counts: Record<string, number>, connections: number, connectionsPerClient: number) => {
  const excess = excessOf(socketsOf(counts), { connections, connectionsPerClient }, idleMs);
  const losses = Map.groupBy(excess, ({ address }) => address);
  return Object.fromEntries([...losses].map(([address, sockets]) => [address, sockets.length]));
};

test.each<[string, Record<string, number>, number, number, Record<string, number>]>([
  ["within both limits no client loses any", { a: 5, b: 5 }, 10, 5, {}],
  ["a client beyond its own limit loses the rest", { a: 7, b: 5 }, 100, 5, { a: 2 }],
  ["beyond the limit of all, the client with the most loses", { a: 9, b: 2 }, 8, 100, { a: 3 }],
  ["clients with the most lose until they are equal", { a: 9, b: 7, c: 1 }, 9, 100, { a: 5, b: 3 }],
  ["connections that a client loses anyway are not taken from others", { a: 90, b: 5 }, 10, 5, { a: 85 }],
  ["without a limit for a client, only all together are limited", { a: 900 }, 901, Infinity, {}],
])("%s", (_what, counts, connections, perClient, losses) => {
  expect(lossesOf(counts, connections, perClient)).toEqual(losses);
});

test("the connections that have been idle longest are closed", () => {
  const excess = excessOf(socketsOf({ a: 5 }), { connections: 10, connectionsPerClient: 3 }, idleMs);
  expect(excess.map(({ descriptor }) => descriptor)).toEqual([0, 1]);
});

test("addresses of one IPv6 network count as one client", () => {
  const counts = { "2001:db8:0:1:0:0:0:1": 3, "2001:db8:0:1:0:0:0:2": 3, "2001:db8:0:2:0:0:0:1": 3 };
  const excess = excessOf(socketsOf(counts), { connections: 100, connectionsPerClient: 4 }, idleMs);
  expect(excess).toHaveLength(2);
});

test.each([
  [1, 256],
  [2, 256],
  [4, 128],
  [16, 32],
])("of the 256 connections of a client, each of %i processes allows %i", (processes, allowed) => {
  expect(shareOfClient(256, processes)).toBe(allowed);
});

const QUIET = { warn: () => {} };
/** Longer than a busy machine delays a client that reads. */
const STALL_MS = 1500;
/** Between lines of events, and how long a slow client reads. */
const PAUSE_MS = 50;
const CHUNK = new Uint8Array(64 * 1024);
const LINE = new Uint8Array(10);

/** A listener whose responses have no end: `/large` sends all that the client reads, `/events` a line now and then. */
const endless = () => {
  const open = new Set<string>();
  const listener = listenHttp({
    host: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      open.add(pathname);
      request.signal.addEventListener("abort", () => open.delete(pathname));
      const body = new ReadableStream(
        {
          async pull(controller) {
            if (pathname === "/events") await Bun.sleep(PAUSE_MS);
            controller.enqueue(pathname === "/events" ? LINE : CHUNK);
          },
        },
        { highWaterMark: 0 },
      );
      // As for event streams: only the operating system limits the time.
      void listener.withoutIdleTimeout(request, () => new Promise(() => {}));
      return new Response(body);
    },
  });
  if (sockets) {
    const watch = closeUnread({ ports: [listener.port], sockets, log: QUIET, stallMs: STALL_MS });
    atEnd(() => watch.stop());
  }
  atEnd(() => listener.stop(0));
  return { port: listener.port, open };
};

const requested = async (port: number, path: string): Promise<Socket> => {
  const socket = await connectFrom("127.0.0.1", port);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
};

onLinux(
  "only the connection of a client that reads nothing is closed, although it keeps sending",
  async () => {
    const { port, open } = endless();
    const unread = await requested(port, "/large");
    unread.pause();
    const sending = setInterval(() => unread.write("GET"), PAUSE_MS);
    atEnd(() => clearInterval(sending));
    const slow = await requested(port, "/large-and-slow");
    slow.pause();
    slow.on("data", () => {});
    const reading = setInterval(() => {
      slow.resume();
      setTimeout(() => slow.pause(), PAUSE_MS);
    }, STALL_MS / 3);
    atEnd(() => clearInterval(reading));
    const events = await requested(port, "/events");
    events.resume();
    await eventually(() => open.size === 3);
    await eventually(() => !open.has("/large"));
    await Bun.sleep(STALL_MS);
    expect([...open].toSorted()).toEqual(["/events", "/large-and-slow"]);
  },
);

/** One connection whose client acknowledges `bytes` every 10 ms, for a time limit of 60 ms. @returns the closed descriptors */
const closedAt = async (bytes: (step: number) => number): Promise<number[]> => {
  const closed: number[] = [];
  let [step, acknowledged] = [0, 10_000];
  const acknowledging = {
    unacknowledged() {
      acknowledged += bytes(step++);
      return [{ descriptor: 7, acknowledged }];
    },
    shutdown: (descriptor: number) => closed.push(descriptor),
  };
  const watch = closeUnread({ ports: [], sockets: acknowledging as never, log: QUIET, stallMs: 60 });
  await eventually(() => step > 30 || closed.length > 0);
  await watch.stop();
  return closed;
};

test.each([
  ["that acknowledges nothing is closed", () => 0, [7]],
  ["that acknowledges 100 bytes a second is closed", () => 1, [7]],
  // 10 ms can last longer on a busy machine.
  ["that acknowledges 2,000 bytes a second stays", () => 20, []],
  ["whose descriptor belongs to a new one from time to time stays", (step: number) => -(step % 3), []],
])("a connection %s", async (_, bytes, expected) => {
  expect(await closedAt(bytes)).toEqual(expected);
});
