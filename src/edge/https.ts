import { Fault, faultResponse } from "../http/faults.ts";
import type { Fetch } from "./dispatch.ts";
import type { Challenge } from "./tls/challenges.ts";
import type { Visit } from "./tls/application.ts";
import { type KeyPair, type SecureContexts, secureContexts } from "./tls/contexts.ts";
import { type Front, listenTls } from "./tls/front.ts";

/** The certificates in use, by host name in lower case, for names that are served. */
export interface SecuredNames {
  /** True if connections to this name can be secured now. */
  has(hostname: string): boolean;
  find: SecureContexts["find"];
  /** Seconds for which browsers may be told to come over HTTPS only (RFC 6797); 0: they are not told. */
  lasting(hostname: string): number;
  /** The name has another certificate from the next handshake on. */
  renewed(hostname: string): void;
  /** Any name may have another one. */
  forget(): void;
  /** Names that were found and are served no longer. */
  withdrawn(): string[];
}

export interface SecuredNamesSettings {
  keyPair(hostname: string): (KeyPair & { renewals: number }) | undefined;
  /** The most seconds that browsers are told. */
  hstsMaxAge: number;
  isServed(hostname: string): boolean;
  failed(hostname: string, error: unknown): void;
}

const lastingAnswer = async (answering: Response | Promise<Response>, seconds: number) => {
  const answer = await answering;
  answer.headers.set("strict-transport-security", `max-age=${seconds}`);
  return answer;
};

const DAY_SECONDS = 24 * 60 * 60;

export const securedNames = ({
  keyPair,
  hstsMaxAge,
  isServed,
  failed,
}: SecuredNamesSettings): SecuredNames => {
  const renewals = new Map<string, number>();
  const read = (hostname: string) => {
    const pair = keyPair(hostname);
    renewals.set(hostname, pair?.renewals ?? 0);
    return pair;
  };
  const contexts = secureContexts({ read, failed });
  const found = new Set<string>();
  const find = (hostname: string) => {
    if (!isServed(hostname)) return undefined;
    const context = contexts.find(hostname);
    if (context) found.add(hostname);
    return context;
  };
  return {
    find,
    has: (hostname) => find(hostname) !== undefined,
    lasting(hostname) {
      const worked = renewals.get(hostname) ?? 0;
      // Not before a renewal has shown that certificates go on coming; then a day, and twice as long with each.
      return worked === 0 ? 0 : Math.min(hstsMaxAge, DAY_SECONDS * 2 ** Math.min(worked - 1, 16));
    },
    renewed: contexts.drop,
    forget: contexts.clear,
    withdrawn() {
      const gone = [...found].filter((hostname) => !isServed(hostname));
      for (const hostname of gone) {
        found.delete(hostname);
        renewals.delete(hostname);
        contexts.drop(hostname);
      }
      return gone;
    },
  };
};

export interface HttpsListener extends Front {
  /** The connection over which a request came; undefined if it did not come over HTTPS. */
  visitOf(request: Request): Visit | undefined;
  /** Ends the connections of names that are served no longer. */
  withdraw(): void;
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
  fresh,
  version,
  foreignVersion,
}: {
  host: string;
  port: number;
  names: SecuredNames;
  /** Certificates for TLS-ALPN-01 (RFC 8737), while an authority is expected. */
  challenge: Challenge;
  fetch: Fetch;
  /** Waits until every change that was acknowledged before shows. */
  fresh: () => Promise<void>;
  /** Changes with every change. */
  version: () => number;
  /** Changes with every change that another process made. */
  foreignVersion: () => number;
}): Promise<HttpsListener> => {
  const visits = new WeakMap<Request, Visit>();
  const front = await listenTls({
    host,
    port,
    contexts: names,
    challenge,
    misdirected: () => faultResponse(new Fault("misdirected")),
    fetch(request, visit) {
      visits.set(request, visit);
      const seconds = names.lasting(visit.serverName);
      return seconds === 0 ? fetch(request) : lastingAnswer(fetch(request), seconds);
    },
  });
  const withdraw = () => {
    for (const name of names.withdrawn()) front.drop(name);
  };
  // What another process removed or renewed; what this one does shows at once.
  let seen = version();
  let seenForeign = foreignVersion();
  const watch = async () => {
    await fresh();
    if (version() === seen) return;
    seen = version();
    withdraw();
    if (foreignVersion() === seenForeign) return;
    seenForeign = foreignVersion();
    names.forget();
  };
  const watching = setInterval(() => void watch(), WATCH_MS);
  return {
    ...front,
    visitOf: (request) => visits.get(request),
    withdraw,
    async stop(graceMs) {
      clearInterval(watching);
      await front.stop(graceMs);
    },
  };
};
