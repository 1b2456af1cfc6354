import { Fault, faultResponse } from "./faults.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";

const ALIVE = JSON.stringify({ status: "alive" });

const responseTo = (request: Request): Response =>
  new URL(request.url).pathname === "/livez"
    ? new Response(ALIVE, { headers: { "content-type": "application/json", "cache-control": "no-store" } })
    : faultResponse(
        new Fault(
          "not_ready",
          "migrating: the database is being brought up to date; the log says how far it is. Try again later.",
          { "retry-after": "5" },
        ),
      );

/** Answers every request while the database is migrated: the process is alive, and can do nothing else yet. */
export const answerWhileMigrating = (request: Request): Response => {
  const response = responseTo(request);
  response.headers.set("x-request-id", requestIdOf(request.headers.get("x-request-id")));
  completeHeaders(response.headers, false);
  return response;
};
