import { constants } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { lruCache } from "../../lib/lru.ts";

/** A private key and its certificate chain, leaf first, both PEM. */
export interface KeyPair {
  key: string;
  cert: string;
}

/**
 * Mozilla's "intermediate" configuration (Server Side TLS 5.7) without DHE, which BoringSSL lacks, and with the server's cipher
 * order, which scanners expect. No session tickets: a resumed session presents no certificate, and would outlive a withdrawn
 * one.
 */
export const INTERMEDIATE = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  ciphers: [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
  ecdhCurve: "X25519MLKEM768:X25519:prime256v1:secp384r1",
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const satisfies SecureContextOptions;

/** @throws the library's error for a key or chain that it cannot use */
export const secureContext = ({ key, cert }: KeyPair): SecureContext => {
  if (key === "" || cert === "") throw new Error("The key or the certificate is empty.");
  return createSecureContext({ ...INTERMEDIATE, key, cert });
};

const MAX_CONTEXTS = 10_000;

/**
 * Caches contexts by server name: creating one takes about 0.5 ms. A key or chain that cannot be used is reported to
 * `onError` once, and not tried again until it is dropped. An error of `read` is reported every time.
 */
export const secureContexts = ({
  read,
  maxContexts = MAX_CONTEXTS,
  onError = () => {},
}: {
  /** The key and chain of a name; undefined if it has none. */
  read: (name: string) => KeyPair | undefined;
  maxContexts?: number;
  onError?: (name: string, error: unknown) => void;
}) => {
  /** Null for a key or chain that cannot be used. */
  const contexts = lruCache<string, SecureContext | null>({ maxEntries: maxContexts });

  const load = (name: string): SecureContext | undefined => {
    try {
      const pair = read(name);
      if (!pair) return undefined;
      contexts.set(name, null);
      const context = secureContext(pair);
      contexts.set(name, context);
      return context;
    } catch (error) {
      onError(name, error);
      return undefined;
    }
  };

  return {
    /** The context of a name in lower case; undefined without one that can be used. */
    find(name: string): SecureContext | undefined {
      const cached = contexts.get(name);
      return cached === undefined ? load(name) : (cached ?? undefined);
    },
    /** Drops a name: the next `find` reads it again. */
    drop: contexts.delete,
    clear: contexts.clear,
    /** The number of cached names, those that cannot be used included. */
    get count(): number {
      return contexts.size;
    },
  };
};

export type SecureContexts = ReturnType<typeof secureContexts>;
