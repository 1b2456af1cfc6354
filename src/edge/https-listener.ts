import { Fault, faultResponse } from "../lib/errors.ts";
import type { Handler } from "./dispatch.ts";
import type { ChallengeCertificate } from "../protocols/tls/alpn-challenges.ts";
import type { RequestContext } from "../protocols/tls/backend.ts";
import type { CertificateStore } from "./certificate-store.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { type TlsListener, listenTls } from "../protocols/tls/listener.ts";
import type { PlainHttpResponse } from "../protocols/tls/refusals.ts";

const withHstsHeader = async (answering: Response | Promise<Response>, seconds: number) => {
  const answer = await answering;
  answer.headers.set("strict-transport-security", `max-age=${seconds}`);
  return answer;
};

/** The response to a client that speaks plain HTTP to this port. */
const plainHttpResponse = async (): Promise<PlainHttpResponse> => {
  const message = "This port speaks HTTPS: use https:// in place of http://.";
  const response = faultResponse(new Fault("invalid_request", message));
  return { contentType: response.headers.get("content-type") ?? "", body: await response.text() };
};

export interface HttpsListener extends TlsListener {
  /** The connection over which a request came; undefined if it did not come over HTTPS. */
  contextOf(request: Request): RequestContext | undefined;
}

/** A name that was removed has no open connection after so long. */
const WATCH_MS = 50;

/** Listens for HTTPS under the names that are secured. @throws what the operating system says, such as EADDRINUSE */
export const listenHttps = async ({
  host,
  port,
  names,
  challenge,
  fetch,
  misdirected,
  fresh,
  version,
  foreignVersion,
  connections = DEFAULT_LIMITS.connections,
}: {
  host: string;
  port: number;
  names: CertificateStore;
  /** Certificates for TLS-ALPN-01 (RFC 8737), while an authority is expected. */
  challenge: ChallengeCertificate;
  fetch: Handler;
  /** Answers a request whose Host is not its connection's. */
  misdirected: Handler;
  /** Waits until every change that was acknowledged before shows. */
  fresh: () => Promise<void>;
  /** Changes with every change. */
  version: () => number;
  /** Changes with every change that another process made. */
  foreignVersion: () => number;
  /** How many may be open at once. */
  connections?: number;
}): Promise<HttpsListener> => {
  const visits = new WeakMap<Request, RequestContext>();
  const front = await listenTls({
    host,
    port,
    contexts: names,
    challenge,
    limits: { connections },
    plainHttp: await plainHttpResponse(),
    misdirected,
    fetch(request, visit) {
      visits.set(request, visit);
      const seconds = names.hstsMaxAge(visit.serverName);
      return seconds === 0 ? fetch(request) : withHstsHeader(fetch(request), seconds);
    },
  });
  names.onWithdrawn(front.drop);
  // What another process removed or renewed; what this one does shows at once.
  let seen = version();
  let seenForeign = foreignVersion();
  const watch = async () => {
    await fresh();
    if (version() === seen) return;
    seen = version();
    names.withdraw();
    if (foreignVersion() === seenForeign) return;
    seenForeign = foreignVersion();
    names.clear();
  };
  const watching = setInterval(() => void watch(), WATCH_MS);
  return {
    ...front,
    contextOf: (request) => visits.get(request),
    async stop(graceMs) {
      clearInterval(watching);
      await front.stop(graceMs);
    },
  };
};
