import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { openSockets } from "../../../src/edge/connection-limit/sockets.ts";
import { listenHttp } from "../../../src/edge/http-listener.ts";
import { eventually } from "../../protocols/tls/listeners.ts";
import { atEnd } from "../../support/store.ts";

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
  sockets?.closeUnread(new Set([listener.port]), STALL_MS);
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
