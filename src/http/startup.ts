import { Fault, faultResponse } from "../lib/errors.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";

const ALIVE = JSON.stringify({ status: "alive" });

const notReady = (message: string, retryAfter: number) =>
  faultResponse(new Fault("not_ready", message, { "retry-after": String(retryAfter) }));

/** Sets the headers that the lifecycle sets once the service has started. */
const complete = (request: Request, response: Response): Response => {
  response.headers.set("x-request-id", requestIdOf(request.headers.get("x-request-id")));
  completeHeaders(response.headers, false);
  return response;
};

/** Responds while the database is being migrated, or loaded from a cluster: 200 to `/livez`, 503 to everything else. */
export const respondWhilePreparing = (request: Request): Response =>
  complete(
    request,
    new URL(request.url).pathname === "/livez"
      ? new Response(ALIVE, { headers: { "content-type": "application/json", "cache-control": "no-store" } })
      : notReady("The database is being prepared; the log shows the progress. Try again later.", 5),
  );

/**
 * Responds with 503 to every request, even to `/livez`, until the first key is written: a script that waits for any other
 * response can then read the key.
 */
export const respondWhileStarting = (request: Request): Response =>
  complete(request, notReady("The service is starting; try again in a moment.", 1));
