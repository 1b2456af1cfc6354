import { type KeyPair, type SecureContexts, secureContexts } from "../protocols/tls/contexts.ts";

/** The certificates in use, by host name in lower case, for names that are served. */
export interface CertificateStore {
  /** True if visitors can be led to this name over HTTPS: it has a certificate that is valid now. */
  hasValid(hostname: string): boolean;
  /** Also with a certificate that is not valid now: whoever comes over HTTPS sees that, and when it ended. */
  find: SecureContexts["find"];
  /** Seconds for which browsers may be told to come over HTTPS only (RFC 6797); 0: they are not told. */
  hstsMaxAge(hostname: string): number;
  /** The name has another certificate from the next handshake on. */
  refresh(hostname: string): void;
  /** Any name may have another one. */
  clear(): void;
  /** Calls `drop` with each name that `withdraw` forgets. */
  onWithdrawn(drop: (hostname: string) => void): void;
  /** Forgets the names that are not served any longer. */
  withdraw(): void;
}

/** Times are milliseconds UTC. */
interface Facts {
  notBefore: number;
  notAfter: number;
  /** How many certificates the name has had before this one. */
  renewals: number;
}

export interface CertificateStoreOptions {
  keyPair(hostname: string): (KeyPair & Facts) | undefined;
  /** The most seconds that browsers are told. */
  hstsMaxAge: number;
  isServed(hostname: string): boolean;
  /** Changes with every change of what is stored. */
  version(): number;
  now(): number;
  onError(hostname: string, error: unknown): void;
}

const DAY_SECONDS = 24 * 60 * 60;

export const certificateStore = ({
  keyPair,
  hstsMaxAge,
  isServed,
  version,
  now,
  onError: failed,
}: CertificateStoreOptions): CertificateStore => {
  /** Of names that were found to have a certificate. */
  const known = new Map<string, Facts>();
  /** Names that are served and had none when the version was `seen`: every request over HTTP asks. */
  const without = new Set<string>();
  let seen = version();
  const drops: ((hostname: string) => void)[] = [];

  const read = (hostname: string) => {
    const pair = keyPair(hostname);
    if (pair) known.set(hostname, pair);
    else without.add(hostname);
    return pair;
  };
  const contexts = secureContexts({ read, onError: failed });

  const isWithout = (hostname: string): boolean => {
    const current = version();
    if (current !== seen) without.clear();
    seen = current;
    return without.has(hostname);
  };
  const find = (hostname: string) =>
    isServed(hostname) && !isWithout(hostname) ? contexts.find(hostname) : undefined;
  const isValid = (hostname: string): boolean => {
    const { notBefore = Infinity, notAfter = 0 } = known.get(hostname) ?? {};
    return notBefore <= now() && now() < notAfter;
  };

  return {
    find,
    hasValid: (hostname) => find(hostname) !== undefined && isValid(hostname),
    hstsMaxAge(hostname) {
      const worked = known.get(hostname)?.renewals ?? 0;
      if (worked === 0 || !isValid(hostname)) return 0;
      // Not before a renewal has shown that certificates go on coming; then a day, and twice as long with each.
      return Math.min(hstsMaxAge, DAY_SECONDS * 2 ** Math.min(worked - 1, 16));
    },
    refresh: contexts.drop,
    clear: contexts.clear,
    onWithdrawn: (drop) => void drops.push(drop),
    withdraw() {
      const gone = [...known.keys()].filter((hostname) => !isServed(hostname));
      for (const hostname of gone) {
        known.delete(hostname);
        contexts.drop(hostname);
        for (const drop of drops) drop(hostname);
      }
    },
  };
};
