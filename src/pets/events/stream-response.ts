import type { WithoutIdleTimeout } from "../../http/idle-timeout.ts";
import type { PetStreams } from "./streams.ts";

/** The answer that streams events behind the one with this id, or from now on. */
export type EventStream = (request: Request, keyId: number, last: string | undefined) => Response;

export const eventStream =
  ({
    streams,
    isAuthorized,
    withoutIdleTimeout,
  }: {
    streams: PetStreams;
    /** Whether the key of a request still opens anything. */
    isAuthorized(request: Request): Promise<boolean>;
    withoutIdleTimeout: WithoutIdleTimeout;
  }): EventStream =>
  (request, keyId, last) => {
    // A proxy of nginx's kind would hold events back until its buffer is full.
    const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    if (request.method === "HEAD") return new Response(null, { headers });
    const reader = { keyId, signal: request.signal, isAuthorized: () => isAuthorized(request) };
    const { body, ended } = streams.open(reader, last === undefined ? undefined : Number(last));
    void withoutIdleTimeout(request, () => ended);
    return new Response(body, { headers });
  };
