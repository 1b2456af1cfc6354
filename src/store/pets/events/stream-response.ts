import type { WithoutIdleTimeout } from "../../../lib/idle-timeout.ts";
import type { PetStreams } from "./streams.ts";

/** Responds with the stream of events after the one with the id `last`, or from now on. */
export const eventStream =
  ({
    streams,
    isAuthorized,
    withoutIdleTimeout,
  }: {
    streams: PetStreams;
    /** False once the key of the request is revoked or has expired. */
    isAuthorized(request: Request): Promise<boolean>;
    withoutIdleTimeout: WithoutIdleTimeout;
  }) =>
  (request: Request, caller: string, last: string | undefined): Response => {
    // nginx and its like would otherwise hold events back until a buffer is full.
    const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    if (request.method === "HEAD") return new Response(null, { headers });
    const reader = { caller, signal: request.signal, isAuthorized: () => isAuthorized(request) };
    const { body, ended } = streams.open(reader, last === undefined ? undefined : Number(last));
    void withoutIdleTimeout(request, () => ended, { hasSeparateLimit: true });
    return new Response(body, { headers });
  };

export type EventStream = ReturnType<typeof eventStream>;
