import { type FinishRequest, namedMethod } from "../http/finish-request.ts";
import { Fault, faultResponse } from "../lib/errors.ts";
import { completeHeaders, requestIdOf } from "../http/headers.ts";
import type { Destination } from "./hosts.ts";

/** The Error body of a fault, with the headers of every response. */
export const errorResponse = (fault: Fault): Response => {
  const response = faultResponse(fault);
  completeHeaders(response.headers, false);
  return response;
};

/** Completes the response to a request that reaches no route: adds its request id, counts it and logs it. */
export type FinishUnrouted = (request: Request, response: Response) => Response;

export const finishUnrouted =
  (conclude: FinishRequest): FinishUnrouted =>
  (request, response) =>
    conclude(response, {
      requestId: requestIdOf(request.headers.get("x-request-id")),
      method: namedMethod(request.method),
      route: "",
      startedAt: performance.now(),
      keyId: 0,
    });

const MALFORMED = new Fault("invalid_request", "The Host header is not a host name with a port.");
const MISDIRECTED = new Fault("misdirected");

/** Why nothing is served under the Host of a request: it is malformed, or nothing is published under it. */
export const hostFault = ({ kind }: Destination): Fault => (kind === "malformed" ? MALFORMED : MISDIRECTED);

/** Responds to a request over HTTPS for another host than its connection's: 421 (RFC 9110 section 15.5.20). */
export const misdirectedResponse =
  (readHost: (host: string | null) => Destination, finish: FinishUnrouted) =>
  (request: Request): Response =>
    finish(request, errorResponse(hostFault(readHost(request.headers.get("host")))));
