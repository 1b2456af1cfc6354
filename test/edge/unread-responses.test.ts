import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { openSockets } from "../../src/edge/sockets.ts";
import { watchUnread } from "../../src/edge/unread-responses.ts";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { eventually } from "../protocols/tls/listeners.ts";
import { atEnd } from "../support/store.ts";

const sockets = openSockets();
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
    const ports = new Set([listener.port]);
    const watch = watchUnread({ ports, sockets, stallMs: STALL_MS, onClosed: () => {} });
    atEnd(() => watch.stop());
  }
  atEnd(() => listener.stop(0));
  return { port: listener.port, open };
};

const request = async (port: number, path: string): Promise<Socket> => {
  const socket = connect({ host: "127.0.0.1", port }).on("error", () => {});
  atEnd(() => socket.destroy());
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
};

test.if(sockets !== undefined)(
  "only the connection of a client that reads nothing is closed, although it keeps sending",
  async () => {
    const { port, open } = endless();
    const unread = await request(port, "/large");
    unread.pause();
    const sending = setInterval(() => unread.write("GET"), PAUSE_MS);
    atEnd(() => clearInterval(sending));
    const slow = await request(port, "/large-and-slow");
    slow.pause();
    slow.on("data", () => {});
    const reading = setInterval(() => {
      slow.resume();
      setTimeout(() => slow.pause(), PAUSE_MS);
    }, STALL_MS / 3);
    atEnd(() => clearInterval(reading));
    const events = await request(port, "/events");
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
  const watch = watchUnread({
    ports: new Set(),
    sockets: {
      unacknowledged() {
        acknowledged += bytes(step++);
        return [{ descriptor: 7, acknowledged }];
      },
      shutdown: (descriptor) => closed.push(descriptor),
    },
    stallMs: 60,
    onClosed: () => {},
  });
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
