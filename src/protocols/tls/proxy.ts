import type { TLSSocket } from "node:tls";
import type { Socket, SocketHandler } from "bun";
import { frameBudget } from "./frame-budget.ts";
import {
  frameOf,
  frameReader,
  GOAWAY,
  matchPreface,
  PREFACE,
  RST_STREAM,
  type PrefaceMatch,
} from "./frames.ts";
import { watchResponses } from "./responses.ts";
import type { Connection, ConnectionLimits } from "./connections.ts";

/** `foreign`: not HTTP/2. `flood`: more frames without payload than any client needs. */
type Verdict = "fine" | "foreign" | "flood";

/** RFC 9113 section 7. The sections below are of this RFC. */
const CANCEL = 0x8;
const ENHANCE_YOUR_CALM = 0xb;

const now = (): number => performance.now();

/**
 * Watches both directions of an HTTP/2 connection for a client that must be disconnected, and for responses that it does not
 * read.
 * @param onResponses called with 1 for each request and -1 for each response that ends
 */
const watchHttp2 = (onResponses: (change: 1 | -1) => void) => {
  const budget = frameBudget(now);
  const responses = watchResponses(now, onResponses);
  const incoming = frameReader(PREFACE.length, (frame, payload) => {
    responses.received(frame, payload);
    budget.spend(frame);
  });
  // A client can provoke resets instead of sending them (CVE-2025-8671).
  const outgoing = frameReader(0, (frame) => {
    responses.sent(frame);
    if (frame.type === RST_STREAM) budget.spend(frame);
  });
  const match = matchPreface();
  return {
    /** Call it with bytes from the client. */
    received(chunk: Uint8Array): Verdict {
      if (match(chunk) === "different") return "foreign";
      incoming.read(chunk);
      return budget.isExceeded() ? "flood" : "fine";
    },
    /** Call it with bytes to the client. */
    sent(chunk: Uint8Array): void {
      outgoing.read(chunk);
      budget.earn(chunk.length);
    },
    /** True while the client's headers are incomplete. */
    isInHeaders: incoming.isInHeaders,
    /** The last frame to a client that floods (section 6.8); undefined in the middle of another frame. */
    goaway: (): Uint8Array | undefined =>
      outgoing.isAtBoundary() ? frameOf(GOAWAY, 0, responses.lastStream(), ENHANCE_YOUR_CALM) : undefined,
    /** The streams of responses that the client has blocked since `time`. */
    blockedSince: responses.blockedSince,
    /** True if a frame can be added in both directions: none is incomplete, and neither is a header block. */
    canAddFrames: (): boolean =>
      [incoming, outgoing].every((reader) => reader.isAtBoundary() && !reader.isInHeaders()),
    /** Stops watching the responses. @returns the frames that reset them (section 6.4), for either side */
    reset(streams: readonly number[]): Uint8Array {
      for (const stream of streams) responses.end(stream);
      return Buffer.concat(streams.map((stream) => frameOf(RST_STREAM, stream, CANCEL)));
    },
    /** Call it when the connection ends. */
    close: responses.endAll,
  };
};

/** The data of a socket to the backend. */
interface ProxyState {
  connection: Connection;
  client: TLSSocket;
  /** Bytes that the backend has not accepted yet. The client is paused meanwhile. */
  rest: Uint8Array | undefined;
  /** Undefined over HTTP/1.1. */
  http2: ReturnType<typeof watchHttp2> | undefined;
  /** Over HTTP/1.1: finds a client that sends HTTP/2 without having negotiated it. */
  match: (chunk: Uint8Array) => PrefaceMatch;
  limits: Pick<ConnectionLimits, "lingerMs" | "stallMs">;
  /** The local port of the socket, which the backend sees as its peer's. */
  localPort: number;
  onOpen(localPort: number): void;
  onClose(localPort: number): void;
  /** Called with 1 for each request over HTTP/2 and -1 for each response that ends. */
  onResponses(change: 1 | -1): void;
  /** Called with the number of responses that were reset because the client did not read them. */
  onStalled(count: number): void;
}

const forward = (upstream: Socket<ProxyState>, chunk: Uint8Array) => {
  const state = upstream.data;
  const written = Math.max(0, upstream.write(chunk));
  state.rest = written < chunk.length ? chunk.subarray(written) : undefined;
  if (state.rest) state.client.pause();
};

/** Disconnects a client that floods, with a GOAWAY if one can be sent. Nothing more is read from it. */
const endFlood = ({ client, connection, limits }: ProxyState, goaway: Uint8Array | undefined) => {
  connection.isClosed = true;
  client.pause();
  if (!goaway) return void client.destroy();
  client.end(goaway);
  setTimeout(() => client.destroy(), limits.lingerMs).unref();
};

/** Records when incomplete headers started. */
const noteHeaders = (connection: Connection, isInHeaders: boolean) => {
  if (!isInHeaders) connection.headersStartedAt = 0;
  else if (connection.headersStartedAt === 0) connection.headersStartedAt = connection.lastActiveAt;
};

/** RFC 9113 section 3.2: HTTP/2 over TLS is negotiated. The backend would accept it without, and no limit would apply. */
const verdictOfHttp1 = (match: PrefaceMatch): Verdict => (match === "whole" ? "foreign" : "fine");

const receive = (upstream: Socket<ProxyState>, chunk: Uint8Array) => {
  const { connection, http2, match } = upstream.data;
  connection.lastActiveAt = performance.now();
  const verdict = http2 ? http2.received(chunk) : verdictOfHttp1(match(chunk));
  // RFC 9113 section 3.4: GOAWAY may be omitted, since the peer is not using HTTP/2.
  if (verdict === "foreign") return void upstream.data.client.destroy();
  if (verdict === "flood") {
    endFlood(upstream.data, http2?.goaway());
    return void upstream.end();
  }
  // Over HTTP/1.1 only the backend knows when headers are complete.
  noteHeaders(connection, http2 ? http2.isInHeaders() : connection.requestsInFlight === 0);
  forward(upstream, chunk);
};

/**
 * Resets the responses that the client has blocked for `stallMs`, on both sides. Nothing can be reset in the middle of a frame.
 * If that lasts for another `stallMs`, the connection is closed.
 */
const resetStalled = (upstream: Socket<ProxyState>, now: number) => {
  const { http2, client, connection, limits, rest, onStalled } = upstream.data;
  const streams = http2?.blockedSince(now - limits.stallMs) ?? [];
  if (!http2 || streams.length === 0 || connection.isClosed) return;
  if (rest || !http2.canAddFrames()) {
    if (http2.blockedSince(now - 2 * limits.stallMs).length > 0) client.destroy();
    return;
  }
  const frames = http2.reset(streams);
  client.write(frames);
  forward(upstream, frames);
  onStalled(streams.length);
};

const HANDLERS: SocketHandler<ProxyState> = {
  open(upstream) {
    const { client, connection, onOpen, http2 } = upstream.data;
    upstream.data.localPort = upstream.localPort;
    onOpen(upstream.localPort);
    client.once("close", () => upstream.end());
    if (http2) connection.resetStalled = (now) => resetStalled(upstream, now);
    if (client.destroyed) return void upstream.end();
    client.on("drain", () => {
      connection.lastActiveAt = performance.now();
      upstream.resume();
    });
    client.on("data", (chunk: Buffer) => {
      if (!connection.isClosed) receive(upstream, chunk);
    });
  },
  data(upstream, chunk) {
    const { client, connection, http2 } = upstream.data;
    if (connection.isClosed) return;
    http2?.sent(chunk);
    connection.lastActiveAt = performance.now();
    connection.lastSentAt = connection.lastActiveAt;
    if (!client.write(chunk)) upstream.pause();
  },
  drain(upstream) {
    const { rest, client } = upstream.data;
    if (rest) forward(upstream, rest);
    if (!upstream.data.rest) client.resume();
  },
  close(upstream) {
    const { client, connection, http2, localPort, onClose } = upstream.data;
    onClose(localPort);
    http2?.close();
    // Sends buffered responses first; a client that does not read them becomes idle. `endFlood` handles a flood.
    if (!connection.isClosed) client.destroySoon();
  },
  error() {
    // `close` follows.
  },
};

/** Pipes a client's TLS socket to the backend and back, with backpressure both ways, until one of the two closes. */
export const proxyConnection = (
  connection: Connection,
  client: TLSSocket,
  port: number,
  options: Pick<ProxyState, "limits" | "onOpen" | "onClose" | "onResponses" | "onStalled">,
): void => {
  const data: ProxyState = {
    ...options,
    connection,
    client,
    rest: undefined,
    http2: client.alpnProtocol === "h2" ? watchHttp2(options.onResponses) : undefined,
    match: matchPreface(),
    localPort: 0,
  };
  Bun.connect({ hostname: "127.0.0.1", port, data, socket: HANDLERS }).catch(() => client.destroy());
};
