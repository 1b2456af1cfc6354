import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { openSockets } from "../../src/edge/sockets.ts";
import { watchConnections } from "../../src/edge/connection-limit.ts";
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
  let closedOnes = 0;
  const watch = watchConnections({
    ports: new Set([listener.port]),
    limits: { connections, connectionsPerClient },
    sockets,
    onClosed: (count) => void (closedOnes += count),
  });
  atEnd(async () => {
    await watch.stop();
    await listener.stop(0);
  });
  return { port: listener.port, finish: slow.resolve, closed: () => closedOnes };
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
  const { port, closed: count } = watched({ connectionsPerClient: 8 });
  const flood = await manyFrom("127.0.0.1", port, 80);
  const other = await connectFrom("127.0.0.2", port);
  await eventually(() => openOnes(flood).length === 8);
  expect(count()).toBe(72);
  expect(await ask(other)).toStartWith("HTTP/1.1 200 OK");
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
