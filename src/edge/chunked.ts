import { hasAborted } from "../http/body-limit.ts";
import { Fault } from "../lib/errors.ts";
import type { Handler } from "./handler.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";

const TRAILERS_REJECTED = new Fault(
  "invalid_request",
  "Trailer: this server does not accept trailer fields over HTTP/1.1; send the request without them.",
);
const INVALID_BODY = new Fault("invalid_request", "The chunked body is not valid.");

/** True for a request over HTTP/1.1 with a chunked body (RFC 9112 section 7.1). */
export const isChunked = ({ headers }: Request): boolean => headers.has("transfer-encoding");

/**
 * Responds to a chunked request and closes its connection. Bun 1.4.4 calls the handler before it reads the trailer section.
 * It then parses trailer fields as a request and responds with 400. On an open connection, the client would take that for
 * the response to its next request.
 */
export const respondToChunked = async (
  request: Request,
  handle: Handler,
  finish: FinishUnrouted,
): Promise<Response> => {
  const respond = async () => {
    if (request.headers.has("trailer")) return finish(request, errorResponse(TRAILERS_REJECTED));
    // The client already has the parser's response; this one is for the log.
    if (await hasAborted(request)) return finish(request, errorResponse(INVALID_BODY));
    return handle(request);
  };
  const response = await respond();
  response.headers.set("connection", "close");
  return response;
};
