import { Fault, faultResponse } from "../lib/errors.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";

const ALIVE = JSON.stringify({ status: "alive" });

const notReady = (message: string, retryAfter: number) =>
  faultResponse(new Fault("not_ready", message, { "retry-after": String(retryAfter) }));

/** Adds the headers that the frame would add. */
const complete = (request: Request, response: Response): Response => {
  response.headers.set("x-request-id", requestIdOf(request.headers.get("x-request-id")));
  completeHeaders(response.headers, false);
  return response;
};

/** Responds to every request while the database is migrated: only `/livez` is 200. */
export const respondWhileMigrating = (request: Request): Response =>
  complete(
    request,
    new URL(request.url).pathname === "/livez"
      ? new Response(ALIVE, { headers: { "content-type": "application/json", "cache-control": "no-store" } })
      : notReady("migrating the database; the log shows the progress. Try again later.", 5),
  );

/**
 * Responds with 503 to every request, `/livez` included, from when the ports are open until the first key is written: a
 * script that waits for any other response can then read the key.
 */
export const respondWhileStarting = (request: Request): Response =>
  complete(request, notReady("starting; try again in a moment.", 1));
