import type { WithoutIdleTimeout } from "../http/idle-timeout.ts";
import type { HttpsListener } from "./https-listener.ts";
import type { Listener } from "./http-listener.ts";

/** The connections that requests came over. */
export interface Connections {
  /** The address of the peer that sent a request; "" if it has gone. */
  peerOf(request: Request): string;
  /** True if a request came straight from its client, over HTTPS: what proxies would have added to it is not believed. */
  isDirect(request: Request): boolean;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The connections of these listeners. Without any, no request has a peer, and no connection times out. */
export const connectionsOf = (plain: readonly Listener[], https?: HttpsListener): Connections => {
  const listenerOf = (request: Request) => plain.find((one) => one.peerOf(request) !== "") ?? plain[0];
  return {
    peerOf: (request) => https?.visitOf(request)?.address ?? listenerOf(request)?.peerOf(request) ?? "",
    isDirect: (request) => https?.visitOf(request) !== undefined,
    withoutIdleTimeout(request, work) {
      const visit = https?.visitOf(request);
      if (visit) return visit.withoutIdleTimeout(work);
      return listenerOf(request)?.withoutIdleTimeout(request, work) ?? work();
    },
  };
};
