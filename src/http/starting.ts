import { Fault, faultResponse } from "./faults.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";

const ALIVE = JSON.stringify({ status: "alive" });

const notReady = (message: string, retryAfter: number) =>
  faultResponse(new Fault("not_ready", message, { "retry-after": String(retryAfter) }));

/** A response as the frame would complete it. */
const complete = (request: Request, response: Response): Response => {
  response.headers.set("x-request-id", requestIdOf(request.headers.get("x-request-id")));
  completeHeaders(response.headers, false);
  return response;
};

/** Answers every request while the database is migrated: the process is alive, and can do nothing else yet. */
export const answerWhileMigrating = (request: Request): Response =>
  complete(
    request,
    new URL(request.url).pathname === "/livez"
      ? new Response(ALIVE, { headers: { "content-type": "application/json", "cache-control": "no-store" } })
      : notReady(
          "migrating: the database is being brought up to date; the log says how far it is. Try again later.",
          5,
        ),
  );

/**
 * Answers every request between the moment that the ports are open and the moment that the first key is there: scripts wait
 * for any other response, `/livez` included, and then read the key.
 */
export const answerWhileStarting = (request: Request): Response =>
  complete(request, notReady("starting: try again in a moment.", 1));
