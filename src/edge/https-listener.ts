import { Fault, faultResponse } from "../lib/errors.ts";
import { eachSecond, type Logger } from "../lib/log.ts";
import type { RequestContext } from "../protocols/tls/backend.ts";
import { listenTls, type PlainHttpResponse, type TlsListenerOptions } from "../protocols/tls/listener.ts";
import type { CertificateStore } from "./certificate-store.ts";
import type { Handler } from "./http-listener.ts";

const withHstsHeader = async (response: Response | Promise<Response>, seconds: number): Promise<Response> => {
  const { headers } = await response;
  headers.set("strict-transport-security", `max-age=${seconds}`);
  return response;
};

/** The response to a client that speaks plain HTTP to this port. */
const plainHttpResponse = async (): Promise<PlainHttpResponse> => {
  const message = "This port speaks HTTPS: use https:// instead of http://.";
  const response = faultResponse(new Fault("invalid_request", message));
  return { contentType: response.headers.get("content-type") ?? "", body: await response.text() };
};

type HttpsListenerOptions = Pick<TlsListenerOptions, "host" | "port" | "reusePort" | "limits"> &
  Required<Pick<TlsListenerOptions, "challenge" | "misdirected">> & {
    certificates: CertificateStore;
    fetch: Handler;
    log?: Pick<Logger, "warn">;
  };

/**
 * Listens for HTTPS under the names in the store. Connections of a name end when it is withdrawn.
 * @throws the operating system's error, such as EADDRINUSE
 */
export const listenHttps = async ({ certificates, fetch, log, ...options }: HttpsListenerOptions) => {
  const contexts = new WeakMap<Request, RequestContext>();
  const onRefused = eachSecond((count) =>
    log?.warn({ count }, "requests over HTTP/2 beyond the limits of open responses got 503"),
  );
  const listener = await listenTls({
    ...options,
    contexts: certificates,
    onStalled: eachSecond((count) =>
      log?.warn({ count }, "responses over HTTP/2 that clients did not read were reset"),
    ),
    onRefused: () => onRefused(1),
    plainHttp: await plainHttpResponse(),
    fetch(request, context) {
      contexts.set(request, context);
      const seconds = certificates.hstsMaxAge(context.serverName);
      return seconds === 0 ? fetch(request) : withHstsHeader(fetch(request), seconds);
    },
  });
  certificates.attach(listener);
  return {
    ...listener,
    /** The connection of a request; undefined if the request did not arrive over HTTPS. */
    contextOf: (request: Request) => contexts.get(request),
  };
};

export type HttpsListener = Awaited<ReturnType<typeof listenHttps>>;
