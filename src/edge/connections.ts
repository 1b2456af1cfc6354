import type { WithoutIdleTimeout } from "../http/idle-timeout.ts";
import type { HttpsListener } from "./https-listener.ts";
import type { HttpListener } from "./http-listener.ts";

/** The connections that requests came over. */
export interface Connections {
  /** The address of the peer that sent a request; "" if it has gone. */
  peerOf(request: Request): string;
  /** True if a request came straight from its client, over HTTPS: what proxies would have added to it is not believed. */
  isDirect(request: Request): boolean;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The connections of these listeners. Without any, no request has a peer, and no connection times out. */
export const connectionsOf = (plain: readonly HttpListener[], https?: HttpsListener): Connections => {
  const listenerOf = (request: Request) => plain.find((one) => one.peerOf(request) !== "") ?? plain[0];
  return {
    peerOf: (request) => https?.contextOf(request)?.address ?? listenerOf(request)?.peerOf(request) ?? "",
    isDirect: (request) => https?.contextOf(request) !== undefined,
    withoutIdleTimeout(request, work) {
      const visit = https?.contextOf(request);
      if (visit) return visit.withoutIdleTimeout(work);
      return listenerOf(request)?.withoutIdleTimeout(request, work) ?? work();
    },
  };
};
