import { chmodSync, rmSync } from "node:fs";
import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import { readBodyWithin } from "../http/body.ts";
import { Fault, faultOf, faultResponse } from "../lib/errors.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";
import type { Handler } from "./http-listener.ts";

/** Reads of the API that depend on nothing but the database and the request's key. */
const PLAIN_READ =
  /^https?:\/\/[^/]*\/v1\/(?:(?:pets|categories|store\/orders)(?:\/\d+)?|statistics(?:\/categories)?)(?:\?[^#]*)?$/;

/** No route has such a path, and `fetch` would not send it as it is. */
export const UNROUTABLE = /^https?:\/\/[^/]*\/\/|#/;

/** True for a request that a worker may respond to by itself. No route has TRACE, and `fetch` drops the body of its response. */
export const isForWorker = ({ method, url }: Pick<Request, "method" | "url">): boolean =>
  method === "TRACE" ||
  UNROUTABLE.test(url) ||
  ((method === "GET" || method === "HEAD") && PLAIN_READ.test(url));

/** The header in which a worker sends its owner's token, and the scheme and the client's address of a request. */
const CLIENT = "x-worker-client";
/** A longer body is streamed. */
const SMALL_BODY_BYTES = 16 * 1024;
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
type Body = ConstructorParameters<typeof Response>[0];

/** Headers about the connection to the client (RFC 9110 section 7.6.1), or about a body that is on its way. */
const NOT_FORWARDED = ["connection", "keep-alive", "te", "upgrade", "expect"] as const;
/** Statuses whose responses have no body. */
export const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The socket to which a worker sends requests. */
export interface OwnerSocket {
  path: string;
  /** Only this owner accepts it: if `fetch` repeats a request, the next server on the same path refuses it. */
  token: string;
}

/** The path and the query of a URL, as the client sent them. */
export const pathIn = (url: string): string => url.slice(url.indexOf("/", "https://".length));

/** @param name of a header that only the receiver reads @param value its value */
export const headersFor = (request: Request, name: string, value: string): Headers => {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  for (const other of NOT_FORWARDED) headers.delete(other);
  // `fetch` then sends its own, which asks for the API as an empty one does.
  if (headers.get("host") === "") headers.delete("host");
  // `fetch` would add codings that the client does not accept.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return headers;
};

const ALL_SENT = Promise.resolve();

/** A body, and a promise that resolves once the client has sent all of it. */
const bodyOf = async (request: Request): Promise<{ body: Body; sent: Promise<void> }> => {
  if (!request.body) return { body: null, sent: ALL_SENT };
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) <= SMALL_BODY_BYTES)
    return { body: await readBodyWithin(request, SMALL_BODY_BYTES), sent: ALL_SENT };
  const { promise, resolve } = Promise.withResolvers<void>();
  return { body: request.body.pipeThrough(new TransformStream({ flush: () => resolve() })), sent: promise };
};

/** The chunks of a body; `onEnd` is called when it has ended, also by the client. */
async function* chunksOf(body: ReadableStream<Uint8Array>, onEnd: () => void) {
  try {
    yield* body;
  } finally {
    onEnd();
  }
}

/** Why a request that reached the owner has no response. */
const lostFault = ({ method }: Request): Fault =>
  SAFE_METHODS.has(method)
    ? new Fault("not_ready", "The server is restarting; try again.", { "retry-after": "1" })
    : new Fault("outcome_unknown");

/** Lets the owner of this worker respond to a request, and passes its response on. */
export const forwarder = ({
  socket,
  peerOf,
  isDirect,
  withoutIdleTimeout,
  stopping,
  finish,
}: {
  socket: OwnerSocket;
  peerOf: (request: Request) => string;
  isDirect: (request: Request) => boolean;
  withoutIdleTimeout: WithoutIdleTimeout;
  /** Aborted when this worker stops. */
  stopping: AbortSignal;
  finish: FinishUnrouted;
}): Handler => {
  const send = async (request: Request, body: Body): Promise<Response> => {
    const { method, signal } = request;
    const client = `${socket.token} ${isDirect(request) ? "https" : "http"} ${peerOf(request)}`;
    // The owner reads the host from its header, and the scheme from that of the worker.
    return fetch(`http://localhost${pathIn(request.url)}`, {
      unix: socket.path,
      method,
      headers: headersFor(request, CLIENT, client),
      body,
      signal,
      redirect: "manual",
      decompress: false,
    });
  };

  /** A stream of events lasts until its body ends. While this worker stops, a client that does not read holds nothing up. */
  const passOn = (request: Request, { status, headers, body }: Response): Response => {
    if (!body || NULL_BODY.has(status)) return new Response(null, { status, headers });
    if (!headers.get("content-type")?.startsWith("text/event-stream"))
      return new Response(body, { status, headers });
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      stopping.removeEventListener("abort", end);
      resolve();
    };
    stopping.addEventListener("abort", end);
    void withoutIdleTimeout(request, () => promise, { hasSeparateLimit: true });
    return new Response(chunksOf(body, end), { status, headers });
  };

  return async (request) => {
    let read: Awaited<ReturnType<typeof bodyOf>>;
    try {
      read = await bodyOf(request);
    } catch (error) {
      return finish(request, errorResponse(faultOf(error)));
    }
    const response = send(request, read.body);
    // The owner may take its time; a client that stalls in its body may not.
    void read.sent.then(() => withoutIdleTimeout(request, () => response.catch(() => undefined)));
    try {
      return passOn(request, await response);
    } catch {
      const lost = errorResponse(lostFault(request));
      // No client waits for the response to an aborted request.
      return request.signal.aborted ? lost : finish(request, lost);
    }
  };
};

/** The client of a request that another process has forwarded. */
export interface ForwardedClient {
  address: string;
  /** The request arrived over HTTPS. */
  isDirect: boolean;
  /** The connection to the other process is closed when it is silent. */
  hasTimeout: boolean;
}

export type ForwardedListener = ReturnType<typeof listenForForwarded>;

/** Listens for the requests that workers forward, on a socket that only this user can open. */
export const listenForForwarded = ({ path, token }: OwnerSocket, fetch: Handler) => {
  const clients = new WeakMap<Request, ForwardedClient>();
  // A killed server leaves its socket file.
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    fetch(request) {
      const [sent, scheme, address = ""] = (request.headers.get(CLIENT) ?? "").split(" ");
      if (sent !== token) return errorResponse(new Fault("not_ready"));
      const isDirect = scheme === "https";
      clients.set(request, { address, isDirect, hasTimeout: false });
      if (isDirect)
        Object.defineProperty(request, "url", {
          value: `https${request.url.slice("http".length)}`,
          configurable: true,
        });
      return fetch(request);
    },
    // Missing in the types, but without it Bun 1.4.4 would close silent connections of workers too.
    ...({ idleTimeout: 0 } as object),
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    error: () => faultResponse(new Fault("internal_error")),
  });
  chmodSync(path, 0o600);
  return {
    /** The client of a request that a worker forwarded. */
    clientOf: (request: Request) => clients.get(request),
    stop: async (): Promise<void> => {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
};
