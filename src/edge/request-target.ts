import { Fault } from "../lib/errors.ts";
import { STANDING } from "../http/headers.ts";
import { errorResponse } from "./error-response.ts";

const ALLOW = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

const NO_TUNNEL = new Fault(
  "method_not_allowed",
  "This server is not a proxy: send requests for its own resources.",
  // Bun 1.4.4 takes the bytes after CONNECT for the tunnel's, and would not respond to the next request.
  { allow: ALLOW, connection: "close" },
);

/**
 * The response to a request whose target is not a resource: CONNECT names another server (RFC 9110 section 9.3.6), and
 * `OPTIONS *` means the server as a whole (section 9.3.7). Undefined for other requests.
 */
export const respondToServerTarget = ({ method, url }: Request): Response | undefined => {
  if (method === "CONNECT") return errorResponse(NO_TUNNEL);
  return url === "*"
    ? new Response(null, { status: 204, headers: { allow: ALLOW, ...STANDING } })
    : undefined;
};
