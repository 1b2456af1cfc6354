import { Fault, faultResponse } from "../lib/errors.ts";
import { eachSecond, type Logger } from "../lib/log.ts";
import type { AlpnChallenges, ChallengeCertificate } from "../protocols/tls/alpn-challenges.ts";
import type { RequestContext } from "../protocols/tls/backend.ts";
import type { ConnectionLimits } from "../protocols/tls/connections.ts";
import { type TlsListener, listenTls, type PlainHttpResponse } from "../protocols/tls/listener.ts";
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

export interface HttpsListener extends TlsListener {
  /** The connection of a request; undefined if the request did not arrive over HTTPS. */
  contextOf(request: Request): RequestContext | undefined;
}

/**
 * Listens for HTTPS under the names in the store. Connections of a name end when it is withdrawn.
 * @throws the operating system's error, such as EADDRINUSE
 */
export const listenHttps = async ({
  host,
  port,
  certificates,
  challenge,
  fetch,
  misdirected,
  reusePort = false,
  limits = {},
  log,
}: {
  host: string;
  port: number;
  certificates: CertificateStore;
  /** Certificates for pending TLS-ALPN-01 challenges (RFC 8737). */
  challenge: ChallengeCertificate | AlpnChallenges;
  fetch: Handler;
  /** Handles requests whose Host is not their connection's. */
  misdirected: Handler;
  /** True if other processes of this user may listen on the same port. */
  reusePort?: boolean;
  limits?: Partial<ConnectionLimits>;
  log?: Pick<Logger, "warn"> | undefined;
}): Promise<HttpsListener> => {
  const contexts = new WeakMap<Request, RequestContext>();
  const onRefused = eachSecond((count) =>
    log?.warn({ count }, "requests over HTTP/2 beyond the limits of open responses got 503"),
  );
  const listener = await listenTls({
    host,
    port,
    contexts: certificates,
    challenge,
    reusePort,
    limits,
    onStalled: eachSecond((count) =>
      log?.warn({ count }, "responses over HTTP/2 that clients did not read were reset"),
    ),
    onRefused: () => onRefused(1),
    plainHttp: await plainHttpResponse(),
    misdirected,
    fetch(request, context) {
      contexts.set(request, context);
      const seconds = certificates.hstsMaxAge(context.serverName);
      return seconds === 0 ? fetch(request) : withHstsHeader(fetch(request), seconds);
    },
  });
  certificates.attach(listener);
  return { ...listener, contextOf: (request) => contexts.get(request) };
};
