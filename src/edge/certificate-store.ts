import { type KeyPair, secureContexts } from "../protocols/tls/contexts.ts";
import type { TlsListener } from "../protocols/tls/listener.ts";
import { lruCache } from "../lib/lru.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import { type HostNames, parseHostHeader } from "./hosts.ts";

/** Times are milliseconds UTC. */
interface Validity {
  notBefore: number;
  notAfter: number;
  /** How many certificates the name had before this one. */
  renewals: number;
}

interface CertificateStoreOptions {
  /** The key and the certificate of a name; undefined if it has none. */
  read(hostname: string): (KeyPair & Validity) | undefined;
  /** The largest `max-age`, in seconds. */
  hstsMaxAge: number;
  isServed(hostname: string): boolean;
  /** The name of the wildcard certificate for a name without its own valid certificate; undefined if none matches. */
  wildcardFor?(hostname: string): string | undefined;
  /** Changes with every write to the database. */
  version(): number;
  now(): number;
  /** Called when a certificate cannot be used. */
  onError(hostname: string, error: unknown): void;
}

const DAY_SECONDS = 24 * 60 * 60;
/** A client can ask for any name below a wildcard. */
const MAX_NAMES = 100_000;

/** The certificates of served names, by host name in lower case. A valid one for exactly that name goes before a wildcard. */
export const certificateStore = ({
  read,
  hstsMaxAge,
  isServed,
  wildcardFor = () => undefined,
  version,
  now,
  onError,
}: CertificateStoreOptions) => {
  const validities = new Map<string, Validity>();
  /** Names without a certificate. Every request over HTTP asks for its name. */
  const missing = lruCache<string, true>({ maxEntries: MAX_NAMES, version });
  const attached: Pick<TlsListener, "serverNames" | "drop">[] = [];

  const readAndRemember = (name: string) => {
    const pair = read(name);
    if (pair) validities.set(name, pair);
    else missing.set(name, true);
    return pair;
  };
  const contexts = secureContexts({ read: readAndRemember, onError });

  const contextOf = (name: string) => (missing.get(name) ? undefined : contexts.find(name));
  const isValid = (name: string): boolean => {
    const { notBefore = Infinity, notAfter = 0 } = validities.get(name) ?? {};
    return notBefore <= now() && now() < notAfter;
  };
  const isUsable = (name: string): boolean => contextOf(name) !== undefined && isValid(name);
  /** The name of the certificate for a host name. */
  const nameFor = (hostname: string): string => {
    // First: it costs no query, and every request over HTTPS comes here.
    if (isUsable(hostname)) return hostname;
    const wildcard = wildcardFor(hostname);
    return wildcard === undefined || contextOf(wildcard) === undefined ? hostname : wildcard;
  };
  const find = (hostname: string) => (isServed(hostname) ? contextOf(nameFor(hostname)) : undefined);

  return {
    /** Also finds a certificate that is not valid now: a visitor over HTTPS then sees when it expired. */
    find,
    /** True if the name has a certificate that is valid now, so that visitors can be redirected to HTTPS. */
    hasValid: (hostname: string): boolean => find(hostname) !== undefined && isValid(nameFor(hostname)),
    /** The `max-age` of Strict-Transport-Security (RFC 6797), in seconds; 0: send no such header. */
    hstsMaxAge(hostname: string): number {
      const name = nameFor(hostname);
      const { renewals = 0 } = validities.get(name) ?? {};
      if (renewals === 0 || !isValid(name)) return 0;
      // Not before the first renewal, which shows that renewals work; then a day, and twice as long with each.
      return Math.min(hstsMaxAge, DAY_SECONDS * 2 ** Math.min(renewals - 1, 16));
    },
    /** Reads the certificate of a name again for its next handshake. */
    refresh: contexts.drop,
    /** Reads all certificates again. */
    clear: contexts.clear,
    /** Adds connections that `withdraw` may end. */
    attach: (connections: (typeof attached)[number]): void => void attached.push(connections),
    /**
     * Ends the connections of names that are no longer served. It asks only about names with connections, whose number is
     * limited: a client can ask for any name below a wildcard.
     */
    withdraw(): void {
      for (const { serverNames, drop } of attached)
        for (const hostname of serverNames()) {
          if (isServed(hostname)) continue;
          validities.delete(hostname);
          contexts.drop(hostname);
          drop(hostname);
        }
    },
  };
};

export type CertificateStore = ReturnType<typeof certificateStore>;

/** Versions of the database, which other processes change too. */
interface Versions {
  /** Waits until the versions are current enough. @throws EngineUnavailable */
  recent(): Promise<void>;
  /** Changes with every change. */
  version(): number;
  /** Changes with every change by another process. */
  foreignVersion(): number;
}

/** How long the connections of a removed name may stay open. */
const WATCH_MS = 50;

/** Updates a store after changes by other processes. This process updates the store itself when it changes a certificate. */
export const watchCertificates = (
  store: Pick<CertificateStore, "withdraw" | "clear">,
  { recent, version, foreignVersion }: Versions,
  onError: (error: unknown) => void,
): Poller => {
  let seen = version();
  let seenForeign = foreignVersion();
  const watch = async () => {
    await recent();
    if (version() === seen) return;
    seen = version();
    store.withdraw();
    if (foreignVersion() === seenForeign) return;
    seenForeign = foreignVersion();
    store.clear();
  };
  return repeat(WATCH_MS, watch, {
    // Until the engine of a cluster is reachable again, requests of sites get no content: see dispatch.ts.
    onError: (error) => (error instanceof EngineUnavailable ? undefined : onError(error)),
  });
};

/** Looks up sites; undefined if no site has the name. */
interface Sites {
  bySlug(slug: string): unknown;
  byHostname(hostname: string): { kind: string; stage?: string } | undefined;
}

/**
 * True for host names of the API, of sites and of suspended domains, spelled in lower case and without a port or a final dot.
 */
export const servedBy =
  (sites: Sites, hosts: HostNames) =>
  (hostname: string): boolean => {
    const place = parseHostHeader(hostname, hosts);
    if (place.kind === "api") return hosts.api.has(hostname);
    if (place.kind === "project")
      return hostname === `${place.slug}.${hosts.platformDomain}` && sites.bySlug(place.slug) !== undefined;
    if (place.kind === "malformed" || hostname !== place.hostname) return false;
    const site = sites.byHostname(hostname);
    // A suspended domain keeps its certificate, so that visitors get a page over HTTPS.
    return site !== undefined && (site.kind !== "unserved" || site.stage === "suspended");
  };
