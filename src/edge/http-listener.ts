import { Fault, faultResponse } from "../lib/errors.ts";
import type { WithoutIdleTimeout } from "../http/idle-timeout.ts";

export interface HttpListener {
  /** Where it listens, as a client on this machine reaches it. */
  url: string;
  port: number;
  /** The address of the peer that sent this request; "" if it has gone. */
  peerOf(request: Request): string;
  withoutIdleTimeout: WithoutIdleTimeout;
  /** Stops accepting and waits, at most `graceMs`, for what is in flight; then closes everything. */
  stop(graceMs: number): Promise<void>;
}

/** Seconds after which Bun closes a connection that is silent, or whose request does not end. */
const IDLE_SECONDS = 30;
const SWEEP_MS = 20;
/** The same for what ends because the server does, and is not taken. */
const LAST_SECONDS = 1;

const shownHost = (host: string): string => {
  if (host === "127.0.0.1" || host === "::1" || host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};

/** Listens for HTTP/1.1. @throws what the operating system says, such as EADDRINUSE */
export const listenHttp = ({
  host,
  port,
  fetch,
}: {
  host: string;
  port: number;
  fetch: (request: Request) => Response | Promise<Response>;
}): HttpListener => {
  /** The requests that Bun knows, by those that stand for them. */
  const originals = new WeakMap<Request, Request>();
  /** A request without a Host, as HTTP/1.0 may send it, has a path for its URL, which nothing else reads. */
  const fetchUnnamed = (request: Request) => {
    const named = new Request(`http://localhost${request.url}`, request);
    originals.set(named, request);
    return fetch(named);
  };
  let stopping = false;
  const server = Bun.serve({
    hostname: host,
    port,
    fetch: (request) => (request.url.startsWith("/") ? fetchUnnamed(request) : fetch(request)),
    idleTimeout: IDLE_SECONDS,
    reusePort: false,
    // The rooms limit bodies and answer with the Error shape; Bun's own limit would answer with nothing.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    error: () => faultResponse(new Fault("internal_error")),
  });
  const listeningOn = server.port ?? port;
  return {
    url: `http://${shownHost(host)}:${listeningOn}`,
    port: listeningOn,
    peerOf: (request) => server.requestIP(originals.get(request) ?? request)?.address ?? "",
    async withoutIdleTimeout(request, work) {
      const original = originals.get(request) ?? request;
      server.timeout(original, 0);
      try {
        return await work();
      } finally {
        // The connection may be used again, or its client may have vanished.
        server.timeout(original, stopping ? LAST_SECONDS : IDLE_SECONDS);
      }
    },
    async stop(graceMs) {
      stopping = true;
      const ended = server.stop(false);
      // A connection that a client keeps open for its next request has nothing in flight.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const late = setTimeout(() => void server.stop(true), graceMs);
      server.closeIdleConnections();
      await ended;
      clearInterval(sweep);
      clearTimeout(late);
    },
  };
};
