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
  /** Changes with every write to the database. */
  version(): number;
  now(): number;
  /** Called when a certificate cannot be used. */
  onError(hostname: string, error: unknown): void;
}

const DAY_SECONDS = 24 * 60 * 60;

export type CertificateStore = ReturnType<typeof certificateStore>;

/** The certificates of served names, by host name in lower case. */
export const certificateStore = ({
  read,
  hstsMaxAge,
  isServed,
  version,
  now,
  onError,
}: CertificateStoreOptions) => {
  const validities = new Map<string, Validity>();
  /** Served names that had no certificate at `versionSeen`. Every request over HTTP asks for its name. */
  const missing = new Set<string>();
  let versionSeen = version();
  const callbacks: ((hostname: string) => void)[] = [];

  const readAndRemember = (hostname: string) => {
    const pair = read(hostname);
    if (pair) validities.set(hostname, pair);
    else missing.add(hostname);
    return pair;
  };
  const contexts = secureContexts({ read: readAndRemember, onError });

  const isMissing = (hostname: string): boolean => {
    const current = version();
    if (current !== versionSeen) missing.clear();
    versionSeen = current;
    return missing.has(hostname);
  };
  const find = (hostname: string) =>
    isServed(hostname) && !isMissing(hostname) ? contexts.find(hostname) : undefined;
  const isValid = (hostname: string): boolean => {
    const { notBefore = Infinity, notAfter = 0 } = validities.get(hostname) ?? {};
    return notBefore <= now() && now() < notAfter;
  };

  return {
    /** Also finds a certificate that is not valid now: a visitor over HTTPS then sees when it expired. */
    find,
    /** True if the name has a certificate that is valid now, so that visitors can be redirected to HTTPS. */
    hasValid: (hostname: string): boolean => find(hostname) !== undefined && isValid(hostname),
    /** The `max-age` of Strict-Transport-Security (RFC 6797), in seconds; 0: send no such header. */
    hstsMaxAge(hostname: string): number {
      const renewals = validities.get(hostname)?.renewals ?? 0;
      if (renewals === 0 || !isValid(hostname)) return 0;
      // Not before the first renewal, which shows that renewals work; then a day, and twice as long with each.
      return Math.min(hstsMaxAge, DAY_SECONDS * 2 ** Math.min(renewals - 1, 16));
    },
    /** Reads the certificate of a name again for its next handshake. */
    refresh: contexts.drop,
    /** Reads all certificates again. */
    clear: contexts.clear,
    /** Adds a callback, which `withdraw` calls with each name that it drops. */
    onWithdrawn: (callback: (hostname: string) => void): void => void callbacks.push(callback),
    /** Drops the names that are no longer served. */
    withdraw(): void {
      const withdrawn = [...validities.keys()].filter((hostname) => !isServed(hostname));
      for (const hostname of withdrawn) {
        validities.delete(hostname);
        contexts.drop(hostname);
        for (const callback of callbacks) callback(hostname);
      }
    },
  };
};
