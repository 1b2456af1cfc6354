import { chmodSync, rmSync } from "node:fs";
import type { WithoutIdleTimeout } from "../http/idle-timeout.ts";
import { readBodyWithin } from "../http/body-limit.ts";
import { Fault, faultOf, faultResponse } from "../lib/errors.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";
import type { Handler } from "./handler.ts";

/** The header in which a worker sends its owner's token, and the scheme and the client's address of a request. */
const CLIENT = "x-worker-client";
/** A longer body is streamed. */
const SMALL_BODY_BYTES = 16 * 1024;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
type Body = ConstructorParameters<typeof Response>[0];

/** They are about the connection to the client (RFC 9110 section 7.6.1), or about a body that is on its way. */
const NOT_FORWARDED = ["connection", "keep-alive", "te", "upgrade", "expect"] as const;
/** Statuses whose responses have no body. */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Where a worker sends requests. */
export interface OwnerSocket {
  path: string;
  /** Only this owner knows it: a repeated request never reaches the next server on the same path. */
  token: string;
}

interface ForwarderOptions {
  socket: OwnerSocket;
  peerOf(request: Request): string;
  isDirect(request: Request): boolean;
  withoutIdleTimeout: WithoutIdleTimeout;
  finish: FinishUnrouted;
}

const headersFor = (request: Request, client: string): Headers => {
  const headers = new Headers(request.headers);
  headers.set(CLIENT, client);
  for (const name of NOT_FORWARDED) headers.delete(name);
  // `fetch` would add codings that the client does not accept.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return headers;
};

const bodyOf = (request: Request): Promise<Uint8Array> | ReadableStream | undefined => {
  if (!request.body) return undefined;
  const length = request.headers.get("content-length");
  return length !== null && Number(length) <= SMALL_BODY_BYTES
    ? readBodyWithin(request, SMALL_BODY_BYTES)
    : request.body;
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
  finish,
}: ForwarderOptions): Handler => {
  const send = async (request: Request, body: Body): Promise<Response> => {
    const { method, url, signal } = request;
    const headers = headersFor(
      request,
      `${socket.token} ${isDirect(request) ? "https" : "http"} ${peerOf(request)}`,
    );
    // Over the socket every request is plain HTTP.
    const target = url.startsWith("https:") ? `http:${url.slice("https:".length)}` : url;
    return fetch(target, {
      unix: socket.path,
      method,
      headers,
      body,
      signal,
      redirect: "manual",
      decompress: false,
    });
  };

  /** A stream of events lasts until its body ends. */
  const passOn = (request: Request, { status, headers, body }: Response): Response => {
    if (!body || NULL_BODY.has(status)) return new Response(null, { status, headers });
    if (!headers.get("content-type")?.startsWith("text/event-stream"))
      return new Response(body, { status, headers });
    const { promise, resolve } = Promise.withResolvers<void>();
    void withoutIdleTimeout(request, () => promise);
    return new Response(chunksOf(body, resolve), { status, headers });
  };

  return async (request) => {
    let body: Body;
    try {
      body = ((await bodyOf(request)) as Body) ?? null;
    } catch (error) {
      return finish(request, errorResponse(faultOf(error)));
    }
    try {
      return passOn(request, await withoutIdleTimeout(request, () => send(request, body)));
    } catch {
      return finish(request, errorResponse(lostFault(request)));
    }
  };
};

/** The client of a request that a worker forwarded. */
interface ForwardedClient {
  address: string;
  /** True if the request arrived over HTTPS. */
  isDirect: boolean;
}

export type ForwardedListener = ReturnType<typeof listenForForwarded>;

/** Listens for the requests that workers forward, on a socket that only this user can open. */
export const listenForForwarded = ({ path, token }: OwnerSocket, fetch: Handler) => {
  const clients = new WeakMap<Request, ForwardedClient>();
  // Of a server that was killed.
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    fetch(request) {
      const [sent, scheme, address = ""] = (request.headers.get(CLIENT) ?? "").split(" ");
      if (sent !== token) return errorResponse(new Fault("not_ready"));
      const isDirect = scheme === "https";
      clients.set(request, { address, isDirect });
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
    clientOf: (request: Request): ForwardedClient | undefined => clients.get(request),
    stop: async (): Promise<void> => {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
};
