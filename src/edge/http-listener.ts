import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import { Fault, faultResponse } from "../lib/errors.ts";
import type { TlsListenerOptions } from "../protocols/tls/listener.ts";

/** Handles requests, as Bun's `fetch` option does. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** A handler that is replaced while listeners call it. */
export const replaceableHandler = (first: Handler) => {
  let current = first;
  return {
    handle: (request: Request) => current(request),
    replace(next: Handler) {
      current = next;
    },
  };
};

export type HttpListener = ReturnType<typeof listenHttp>;

/** Bun closes a silent connection, or one whose request does not end, after this time. */
const IDLE_SECONDS = 30;
/** Shorter bodies must arrive within the idle timeout. */
const MIN_LONG_BODY_BYTES = 1024;
/** The idle timeout while the server stops, for a client that does not read its last response. */
const STOPPING_IDLE_SECONDS = 1;
const SWEEP_MS = 20;

const urlHost = (host: string): string => {
  if (host === "127.0.0.1" || host === "::1" || host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};

/** True for a body that may take longer than the idle timeout. Its reader limits the time. */
const hasLongBody = ({ method, headers }: Request): boolean =>
  method !== "GET" &&
  (Number(headers.get("content-length")) > MIN_LONG_BODY_BYTES || headers.get("transfer-encoding") !== null);

/** Listens for HTTP/1.1. @throws the operating system's error, such as EADDRINUSE */
export const listenHttp = ({
  host,
  port,
  fetch,
  reusePort = false,
}: Pick<TlsListenerOptions, "host" | "port" | "reusePort"> & { fetch: Handler }) => {
  /** The request that Bun knows, for each replacement by `fetchWithoutHost`. */
  const originals = new WeakMap<Request, Request>();
  /** A request without a Host, as in HTTP/1.0, has only a path as its URL. */
  const fetchWithoutHost = (request: Request) => {
    const named = new Request(`http://localhost${request.url}`, request);
    originals.set(named, request);
    return fetch(named);
  };
  /** The requests on connections that may be silent for any time. */
  const kept = new WeakSet<Request>();
  let stopping = false;
  const server = Bun.serve({
    hostname: host,
    port,
    fetch(request) {
      const respond = request.url.startsWith("/") ? fetchWithoutHost : fetch;
      return hasLongBody(request)
        ? withoutIdleTimeout(request, async () => respond(request))
        : respond(request);
    },
    idleTimeout: IDLE_SECONDS,
    reusePort,
    // Routes limit their bodies and respond with an Error. Bun's limit would respond with an empty body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    error: () => faultResponse(new Fault("internal_error")),
  });
  const withoutIdleTimeout: WithoutIdleTimeout = async (request, work) => {
    const original = originals.get(request) ?? request;
    server.timeout(original, 0);
    try {
      return await work();
    } finally {
      // The client may use the connection again, or may have vanished.
      if (!kept.has(original)) server.timeout(original, stopping ? STOPPING_IDLE_SECONDS : IDLE_SECONDS);
    }
  };
  const listeningOn = server.port ?? port;
  return {
    /** The address for clients on this machine. */
    url: `http://${urlHost(host)}:${listeningOn}`,
    port: listeningOn,
    /** The address of the peer that sent this request; "" if its connection has ended. */
    peerOf: (request: Request): string => server.requestIP(originals.get(request) ?? request)?.address ?? "",
    withoutIdleTimeout,
    /** Disables the idle timeout of the request's connection. */
    keepOpen(request: Request): void {
      kept.add(request);
      server.timeout(request, 0);
    },
    /** Stops accepting and waits, at most `graceMs`, for requests in flight. Then it closes all connections. */
    async stop(graceMs: number): Promise<void> {
      stopping = true;
      const ended = server.stop(false);
      // Connections that clients keep open for their next request have nothing in flight.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const graceTimer = setTimeout(() => void server.stop(true), graceMs);
      server.closeIdleConnections();
      await ended;
      clearInterval(sweep);
      clearTimeout(graceTimer);
    },
  };
};
