import { hasAborted } from "../http/abort.ts";
import { Fault } from "../lib/errors.ts";
import { type FinishUnrouted, errorResponse } from "./error-response.ts";

const TRAILERS = new Fault(
  "invalid_request",
  "Trailer: this server does not take trailer fields over HTTP/1.1; send the request without them.",
);
const BROKEN = new Fault("invalid_request", "The chunked body is not valid.");

/** True for a request of HTTP/1.1 whose body comes in chunks (RFC 9112 section 7.1). */
export const isChunked = ({ headers }: Request): boolean => headers.has("transfer-encoding");

/**
 * Responds to a chunked request and closes its connection. Bun 1.4.4 calls the handler before it has read the trailer
 * section, and then parses trailer fields as a request, to which it responds with 400: on an open connection, the client
 * would take that for the response to its next request.
 */
export const respondToChunked = async (
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
  finish: FinishUnrouted,
): Promise<Response> => {
  const respond = async () => {
    if (request.headers.has("trailer")) return finish(request, errorResponse(TRAILERS));
    // The client already has the parser's response. This one is for the log.
    if (await hasAborted(request)) return finish(request, errorResponse(BROKEN));
    return answer(request);
  };
  const response = await respond();
  response.headers.set("connection", "close");
  return response;
};
