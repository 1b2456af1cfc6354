import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import { originalOf } from "./copies.ts";
import type { ForwardedClient } from "./forwarding.ts";
import type { HttpListener } from "./http-listener.ts";
import type { HttpsListener } from "./https-listener.ts";

export type Connections = ReturnType<typeof connectionsOf>;

/** Looks up the connections of requests to these listeners. Without listeners, no request has a peer and none times out. */
export const connectionsOf = (
  http: readonly HttpListener[],
  https?: HttpsListener,
  forwarded?: { clientOf(request: Request): ForwardedClient | undefined },
) => {
  const listenerOf = (request: Request) => http.find((one) => one.peerOf(request) !== "") ?? http[0];
  const withoutIdleTimeout: WithoutIdleTimeout = (copy, work, exemption) => {
    const request = originalOf(copy);
    const context = https?.contextOf(request);
    if (context) return context.withoutIdleTimeout(work, exemption);
    // The worker's connection to the client has the timeout.
    if (forwarded?.clientOf(request)?.hasTimeout === false) return work();
    return listenerOf(request)?.withoutIdleTimeout(request, work) ?? work();
  };
  return {
    /** The address of the peer that sent a request; "" if its connection has ended. */
    peerOf(copy: Request): string {
      const request = originalOf(copy);
      return (
        https?.contextOf(request)?.address ??
        forwarded?.clientOf(request)?.address ??
        listenerOf(request)?.peerOf(request) ??
        ""
      );
    },
    /** True if a request arrived over HTTPS. Its peer is then the client, and proxy headers are ignored. */
    isDirect(copy: Request): boolean {
      const request = originalOf(copy);
      return https?.contextOf(request) !== undefined || forwarded?.clientOf(request)?.isDirect === true;
    },
    withoutIdleTimeout,
    /** Disables the idle timeout of the request's HTTP connection. */
    keepOpen: (request: Request): void => listenerOf(request)?.keepOpen(request),
  };
};
