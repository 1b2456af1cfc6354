import { timingSafeEqual } from "node:crypto";
import { readBodyWithin } from "../http/body.ts";
import { Fault, faultOf } from "../lib/errors.ts";
import type { Connections } from "./connections.ts";
import { copyOf, originalOf } from "./copies.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";
import { type ForwardedClient, NULL_BODY, SAFE_METHODS, headersFor, pathIn } from "./forwarding.ts";
import type { Handler } from "./http-listener.ts";

/** The header in which a node sends the other's token, and the method, its own id and the client's address of a request. */
const NODE_REQUEST = "x-node-request";
/** A larger body is handled where it arrives: a slow client then keeps no other node busy. */
const MAX_BYTES = 16 * 1024;
/** Bun sends 256 requests at a time, and some of them are for the engine. */
const MAX_SENT = 128;
const PROBE_MS = 1000;

/** The node to which the others send their clients' writes. */
export interface WriteTarget {
  url: string;
  /** Only this process accepts it. */
  token: string;
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** The requests that other nodes send to this one. They prove it by its token. */
export const nodeRequests = (token: string) => {
  const clients = new WeakMap<Request, ForwardedClient & { node: string }>();
  return {
    /** The client of a request that another node has sent. */
    clientOf: (request: Request) => clients.get(request),
    /** The id of the node that sent a request; undefined for the requests of clients. */
    nodeOf: (request: Request): string | undefined => clients.get(originalOf(request))?.node,
    /** Handles requests of clients and of nodes. @param keepOpen called with those of nodes */
    accept:
      (handle: Handler, keepOpen: (request: Request) => void): Handler =>
      (request) => {
        const packed = request.headers.get(NODE_REQUEST);
        if (packed === null) return handle(request);
        const [sent = "", method, node = "", address = ""] = packed.split(" ");
        // A sender takes this for proof that nothing was done.
        if (!isSame(sent, token)) return errorResponse(new Fault("misdirected"));
        keepOpen(request);
        if (method === undefined) return new Response(null, { status: 204 });
        request.headers.delete(NODE_REQUEST);
        clients.set(request, { address, isDirect: false, hasTimeout: true, node });
        return readBodyWithin(request, MAX_BYTES).then(
          (body) => handle(copyOf(request, body, method)),
          (error) => errorResponse(faultOf(error)),
        );
      },
  };
};

export type NodeRequests = ReturnType<typeof nodeRequests>;

/** Whether a node accepts requests of this one. */
export const isReachable = ({ url, token }: WriteTarget): Promise<boolean> =>
  fetch(url, {
    method: "POST",
    headers: { [NODE_REQUEST]: token },
    signal: AbortSignal.timeout(PROBE_MS),
  }).then(
    ({ status }) => status === 204,
    () => false,
  );

const isUnknown = (body: Uint8Array): boolean => {
  try {
    return (JSON.parse(Buffer.from(body).toString()) as { code?: unknown }).code === "outcome_unknown";
  } catch {
    return true;
  }
};

const hasSmallBody = ({ body, headers }: Request): boolean => {
  const length = headers.get("content-length");
  return !body || (length !== null && Number(length) <= MAX_BYTES);
};

interface WriteForwarding {
  /** Identifies this node. */
  node: string;
  /** The other node that writes for all; undefined if this one does, or if the other is unreachable. */
  target(): (WriteTarget & { lost: AbortSignal }) | undefined;
  /** Called when the target refuses connections. */
  drop(): void;
  /** Called when the target has responded to a request. */
  onForwarded(): void;
  speculate(run: () => Promise<Response>): Promise<Response>;
  nodeRequests: NodeRequests;
  connections: Connections;
  finish: FinishUnrouted;
}

/**
 * Sends the small writes of clients to the node that writes for all. Any node may write, so one that gets no response because
 * nothing was sent, or a response that nothing was written, handles the request itself.
 */
export const writeForwarder = ({
  node,
  target,
  drop,
  onForwarded,
  speculate,
  nodeRequests: { nodeOf },
  connections: { peerOf, isDirect, withoutIdleTimeout },
  finish,
}: WriteForwarding): ((api: Handler) => Handler) => {
  let sending = 0;

  /** @returns undefined if the other node has not written anything */
  const send = async (
    { url, token, lost }: WriteTarget & { lost: AbortSignal },
    request: Request,
    body: Uint8Array,
  ): Promise<Response | undefined> => {
    const packed = `${token} ${request.method} ${node} ${peerOf(request)}`;
    sending++;
    try {
      const response = await fetch(`${url}${pathIn(request.url)}`, {
        // Bun repeats methods that are idempotent when a connection breaks, and a POST never.
        method: "POST",
        headers: headersFor(request, NODE_REQUEST, packed),
        body,
        signal: AbortSignal.any([request.signal, lost]),
        redirect: "manual",
        decompress: false,
      });
      const { status, headers } = response;
      const content = await response.bytes();
      if (status === 421 || (status === 503 && !isUnknown(content))) return undefined;
      onForwarded();
      return new Response(NULL_BODY.has(status) ? null : content, { status, headers });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED")
        return finish(request, errorResponse(new Fault("outcome_unknown")));
      drop();
      return undefined;
    } finally {
      sending--;
    }
  };

  const respond = async (request: Request, api: Handler): Promise<Response> => {
    let body: Uint8Array;
    try {
      body = await readBodyWithin(request, MAX_BYTES);
    } catch (error) {
      return finish(request, errorResponse(faultOf(error)));
    }
    // Requests that arrive encrypted do not leave the node in clear text.
    const staysHere = nodeOf(request) !== undefined || isDirect(request) || sending >= MAX_SENT;
    const to = staysHere ? undefined : target();
    const sent = to && (await withoutIdleTimeout(request, () => send(to, request, body)));
    return sent ?? speculate(async () => api(copyOf(request, body)));
  };

  return (api) => (request) =>
    SAFE_METHODS.has(request.method) || !hasSmallBody(request) ? api(request) : respond(request, api);
};
