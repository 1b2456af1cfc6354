import { timingSafeEqual } from "node:crypto";
import { readBodyWithin } from "../http/body.ts";
import { Fault, faultOf } from "../lib/errors.ts";
import type { Connections } from "./connections.ts";
import { copyOf, originalOf } from "./copies.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";
import {
  type ForwardedClient,
  NULL_BODY,
  SAFE_METHODS,
  UNROUTABLE,
  headersFor,
  pathIn,
} from "./forwarding.ts";
import type { Handler } from "./http-listener.ts";

/** The header in which a node sends the other's token, and the method, its own id and the client's address of a request. */
const NODE_REQUEST = "x-node-request";
/** The header of its response: whether it has written, or may have. */
const NODE_RESPONSE = "x-node-response";
/** A larger body is handled where it arrives: a slow client then keeps no other node busy. */
const MAX_BYTES = 16 * 1024;
/** Bun sends 256 requests at a time, and some of them are for the engine. */
const MAX_SENT = 128;
const PROBE_MS = 1000;
/** Errors of connections that were never open. */
const NOT_SENT = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)$/;

const session = new Bun.FetchSession({ proxy: false });

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
        // The sender treats this as proof that nothing was done.
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
export const isReachable = ({ url, token }: WriteTarget): Promise<boolean> => {
  const headers = { [NODE_REQUEST]: token };
  return session.fetch(url, { method: "POST", headers, signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ status }) => status === 204,
    () => false,
  );
};

/** A small write with credentials. The others are refused, or public, or handled where they arrive. */
const isForwardable = ({ method, url, body, headers }: Request): boolean => {
  if (SAFE_METHODS.has(method) || UNROUTABLE.test(url)) return false;
  if (!headers.has("authorization") && !headers.has("cookie")) return false;
  const length = headers.get("content-length");
  return !body || (length !== null && Number(length) <= MAX_BYTES);
};

/** The other node's response; undefined if it has written nothing, and this node can handle the request. */
const accepted = ({ status, headers }: Response, content: Uint8Array): Response | undefined => {
  const mark = headers.get(NODE_RESPONSE);
  if (status === 421 || status === 431 || (status === 503 && mark === "unwritten")) return undefined;
  // Another program listens there.
  if (mark === null) return errorResponse(new Fault("outcome_unknown"));
  headers.delete(NODE_RESPONSE);
  return new Response(NULL_BODY.has(status) ? null : content, { status, headers });
};

interface WriteForwarding {
  /** Identifies this node. */
  node: string;
  /** The writer node; undefined if it is this one, or if it is unreachable. */
  target(): (WriteTarget & { lost: AbortSignal }) | undefined;
  /** Called when the target refuses connections. */
  drop(): undefined;
  /** Called when the target has responded to a request. */
  onForwarded(): void;
  speculate(run: () => Promise<Response>): Promise<{ result: Response; hasWritten: boolean }>;
  nodeRequests: NodeRequests;
  connections: Connections;
  finish: FinishUnrouted;
}

/**
 * Sends the small writes of clients to the writer node. Any node may write, so one that gets no response because
 * nothing was sent, or a response that nothing was written, handles the request itself.
 */
export const writeForwarder = ({
  node,
  target,
  drop,
  onForwarded,
  speculate,
  nodeRequests: { nodeOf },
  connections: { peerOf, withoutIdleTimeout },
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
      const response = await session.fetch(`${url}${pathIn(request.url)}`, {
        // Bun retries idempotent requests when a connection breaks, but never a POST.
        method: "POST",
        headers: headersFor(request, NODE_REQUEST, packed),
        body,
        signal: AbortSignal.any([request.signal, lost]),
        redirect: "manual",
        decompress: false,
      });
      const found = accepted(response, await response.bytes());
      if (found) onForwarded();
      return found;
    } catch (error) {
      if (NOT_SENT.test((error as NodeJS.ErrnoException).code ?? "")) return drop();
      const lost = errorResponse(new Fault("outcome_unknown"));
      // No client waits for the response to an aborted request.
      return request.signal.aborted ? lost : finish(request, lost);
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
    const isFromNode = nodeOf(request) !== undefined;
    const to = isFromNode || sending >= MAX_SENT ? undefined : target();
    const sent = to && (await withoutIdleTimeout(request, () => send(to, request, body)));
    if (sent) return sent;
    const { result, hasWritten } = await speculate(async () => api(copyOf(request, body)));
    if (isFromNode) result.headers.set(NODE_RESPONSE, hasWritten ? "written" : "unwritten");
    return result;
  };

  return (api) => (request) => (isForwardable(request) ? respond(request, api) : api(request));
};
