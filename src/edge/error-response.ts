import { type FinishRequest, methodLabel } from "../http/finish-request.ts";
import { Fault, faultResponse } from "../lib/errors.ts";
import { completeHeaders, requestIdOf } from "../http/headers.ts";
import type { Destination } from "./hosts.ts";

/** The response to a fault, with the headers that every response has. */
export const errorResponse = (fault: Fault): Response => {
  const response = faultResponse(fault);
  completeHeaders(response.headers, false);
  return response;
};

/** Completes the response to a request that reaches no route: adds a request id, counts it and logs it. */
export type FinishUnrouted = (request: Request, response: Response) => Response;

export const finishUnrouted =
  (finishRequest: FinishRequest): FinishUnrouted =>
  (request, response) =>
    finishRequest(response, {
      requestId: requestIdOf(request.headers.get("x-request-id")),
      method: methodLabel(request.method),
      route: "",
      startedAt: performance.now(),
      keyId: 0,
    });

const MALFORMED = new Fault("invalid_request", "The Host header is not a host name with a port.");
const MISDIRECTED = new Fault("misdirected");

/** Why a request with this Host is not served: the Host is malformed, or no site has it. */
export const hostFault = ({ kind }: Destination): Fault => (kind === "malformed" ? MALFORMED : MISDIRECTED);

/** Responds to requests over HTTPS whose host is not their connection's: 421 (RFC 9110 section 15.5.20). */
export const misdirectedResponse =
  (parseHost: (host: string | null) => Destination, finish: FinishUnrouted) =>
  (request: Request): Response =>
    finish(request, errorResponse(hostFault(parseHost(request.headers.get("host")))));
