import type { TLSSocket } from "node:tls";
import type { Socket, SocketHandler } from "bun";
import type { Connection } from "./connections.ts";
import { frameWatch } from "./frames.ts";

/** What a loopback socket knows of its other end. */
interface Line {
  connection: Connection;
  client: TLSSocket;
  /** What the application has not taken yet; the client is not read from meanwhile. */
  rest: Uint8Array | undefined;
  /** Of the loopback socket, which the application sees as its peer's. */
  localPort: number;
  opened(localPort: number): void;
  closed(localPort: number): void;
}

const forward = (upstream: Socket<Line>, chunk: Uint8Array) => {
  const line = upstream.data;
  const written = Math.max(0, upstream.write(chunk));
  line.rest = written < chunk.length ? chunk.subarray(written) : undefined;
  if (line.rest) line.client.pause();
};

/** Of one client, in a second: browsers cancel dozens of requests when a page is left. */
const MOST_CHORES = 500;
const SECOND_MS = 1000;

/** Ends a client that resets streams, or sends the like, faster than anybody has reason to (CVE-2023-44487). */
const choreLimit = (client: TLSSocket) => {
  let since = 0;
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since > SECOND_MS) {
      since = now;
      count = 0;
    }
    if (++count > MOST_CHORES) client.destroy();
  };
};

/** Notes when headers began that are not whole; over HTTP/1.1 only the application knows when they are. */
const headerNotes = (connection: Connection, client: TLSSocket): ((chunk: Uint8Array) => void) => {
  const isInHeaders =
    client.alpnProtocol === "h2"
      ? frameWatch(choreLimit(client))
      : () => connection.handling === 0 && !connection.upgraded;
  return (chunk) => {
    connection.activeAt = performance.now();
    if (!isInHeaders(chunk)) connection.headersSince = 0;
    else if (connection.headersSince === 0) connection.headersSince = connection.activeAt;
  };
};

const HANDLERS: SocketHandler<Line> = {
  open(upstream) {
    const { client, connection, opened } = upstream.data;
    upstream.data.localPort = upstream.localPort;
    opened(upstream.localPort);
    client.once("close", () => upstream.end());
    if (client.destroyed) return void upstream.end();
    const note = headerNotes(connection, client);
    client.on("drain", () => {
      connection.activeAt = performance.now();
      upstream.resume();
    });
    client.on("data", (chunk: Buffer) => {
      note(chunk);
      forward(upstream, chunk);
    });
  },
  data(upstream, chunk) {
    const { client, connection } = upstream.data;
    connection.activeAt = performance.now();
    connection.sentAt = connection.activeAt;
    if (!client.write(chunk)) upstream.pause();
  },
  drain(upstream) {
    const { rest, client } = upstream.data;
    if (rest) forward(upstream, rest);
    if (!upstream.data.rest) client.resume();
  },
  close(upstream) {
    const { client, localPort, closed } = upstream.data;
    closed(localPort);
    // What was answered is sent first; a client that does not take it is idle.
    client.destroySoon();
  },
  error() {
    // It closes.
  },
};

/** Joins a client's TLS socket to the application on loopback, until one of them closes; neither is read faster than the other takes. */
export const relay = (
  connection: Connection,
  client: TLSSocket,
  port: number,
  { opened, closed }: Pick<Line, "opened" | "closed">,
): void => {
  const data: Line = { connection, client, rest: undefined, localPort: 0, opened, closed };
  Bun.connect({ hostname: "127.0.0.1", port, data, socket: HANDLERS }).catch(() => client.destroy());
};
