import { type KeyPair, secureContexts } from "../protocols/tls/contexts.ts";

/** Times are milliseconds UTC. */
interface Validity {
  notBefore: number;
  notAfter: number;
  /** How many certificates the name had before this one. */
  renewals: number;
}

export interface CertificateStoreOptions {
  /** The key and the certificate of a name; undefined if it has none. */
  read(hostname: string): (KeyPair & Validity) | undefined;
  /** The largest `max-age`, in seconds. */
  hstsMaxAge: number;
  isServed(hostname: string): boolean;
  /** The name of the wildcard certificate for a name without a valid certificate of its own; undefined if there is none. */
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

/** Open connections, by the server name of their handshake. */
interface NamedConnections {
  serverNames(): Iterable<string>;
  /** Ends the connections of a name. */
  drop(serverName: string): void;
}

export type CertificateStore = ReturnType<typeof certificateStore>;

/** Certificates by their name, with when they are valid. */
const namedCertificates = ({
  read,
  version,
  now,
  onError,
}: Pick<CertificateStoreOptions, "read" | "version" | "now" | "onError">) => {
  const validities = new Map<string, Validity>();
  /** Names that had no certificate at `versionSeen`. Every request over HTTP asks for its name. */
  const missing = new Set<string>();
  let versionSeen = version();

  const readAndRemember = (name: string) => {
    const pair = read(name);
    if (pair) validities.set(name, pair);
    else {
      if (missing.size >= MAX_NAMES) missing.clear();
      missing.add(name);
    }
    return pair;
  };
  const contexts = secureContexts({ read: readAndRemember, onError });

  const isMissing = (name: string): boolean => {
    const current = version();
    if (current !== versionSeen) missing.clear();
    versionSeen = current;
    return missing.has(name);
  };
  return {
    contextOf: (name: string) => (isMissing(name) ? undefined : contexts.find(name)),
    isValid(name: string): boolean {
      const { notBefore = Infinity, notAfter = 0 } = validities.get(name) ?? {};
      return notBefore <= now() && now() < notAfter;
    },
    renewalsOf: (name: string): number => validities.get(name)?.renewals ?? 0,
    drop: contexts.drop,
    clear: contexts.clear,
    forget(name: string): void {
      validities.delete(name);
      contexts.drop(name);
    },
  };
};

/** The certificates of served names, by host name in lower case. A valid one for exactly that name goes before a wildcard. */
export const certificateStore = (options: CertificateStoreOptions) => {
  const { hstsMaxAge, isServed, wildcardFor = () => undefined } = options;
  const { contextOf, isValid, renewalsOf, drop, clear, forget } = namedCertificates(options);
  const attached: NamedConnections[] = [];

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
      const renewals = renewalsOf(name);
      if (renewals === 0 || !isValid(name)) return 0;
      // Not before the first renewal, which shows that renewals work; then a day, and twice as long with each.
      return Math.min(hstsMaxAge, DAY_SECONDS * 2 ** Math.min(renewals - 1, 16));
    },
    /** Reads the certificate of a name again for its next handshake. */
    refresh: drop,
    /** Reads all certificates again. */
    clear,
    /** Adds connections that `withdraw` may end. */
    attach: (connections: NamedConnections): void => void attached.push(connections),
    /**
     * Ends the connections of names that are no longer served. It asks only about names with connections, whose number is
     * limited: a client can ask for any name below a wildcard.
     */
    withdraw(): void {
      for (const { serverNames, drop: dropConnections } of attached)
        for (const hostname of serverNames()) {
          if (isServed(hostname)) continue;
          forget(hostname);
          dropConnections(hostname);
        }
    },
  };
};
