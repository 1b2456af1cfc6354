import { constants } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";

/** A private key and its certificate chain, leaf first, both PEM. */
export interface KeyPair {
  key: string;
  cert: string;
}

/**
 * Mozilla's "intermediate" (Server Side TLS 5.7), but for DHE, which BoringSSL has not, and in the server's order, which
 * scanners ask for. Without tickets: a resumed session shows no certificate, so that it would outlive the one that was
 * withdrawn.
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

/** @throws what the library says of a key or chain that it cannot use */
export const secureContext = ({ key, cert }: KeyPair): SecureContext => {
  if (key === "" || cert === "") throw new Error("The key or the certificate is empty.");
  return createSecureContext({ ...INTERMEDIATE, key, cert });
};

export interface SecureContexts {
  /** The context of a name in lower case; undefined if it has none that can be used. */
  find(name: string): SecureContext | undefined;
  /** Forgets a name: the next `find` reads it again. */
  drop(name: string): void;
  clear(): void;
  /** How many names are held, those that cannot be used too. */
  readonly count: number;
}

const MOST = 10_000;

/**
 * Contexts by server name, made when they are first asked for; the `most` that were used last are held. A key or chain that
 * cannot be used is told to `failed` once, and not tried again until it is dropped; a `read` that throws is told every time.
 */
export const secureContexts = ({
  read,
  most = MOST,
  onError = () => {},
}: {
  /** Undefined if the name has no certificate. */
  read: (name: string) => KeyPair | undefined;
  most?: number;
  onError?: (name: string, error: unknown) => void;
}): SecureContexts => {
  /** In the order of their last use; undefined: cannot be used. */
  const held = new Map<string, SecureContext | undefined>();

  const hold = (name: string, context: SecureContext | undefined) => {
    held.set(name, context);
    for (const oldest of held.keys()) {
      if (held.size <= most) return;
      held.delete(oldest);
    }
  };

  const make = (name: string, pair: KeyPair): SecureContext | undefined => {
    try {
      return secureContext(pair);
    } catch (error) {
      onError(name, error);
      return undefined;
    }
  };

  const load = (name: string): SecureContext | undefined => {
    try {
      const pair = read(name);
      if (!pair) return undefined;
      const context = make(name, pair);
      hold(name, context);
      return context;
    } catch (error) {
      onError(name, error);
      return undefined;
    }
  };

  return {
    find(name) {
      if (!held.has(name)) return load(name);
      const context = held.get(name);
      held.delete(name);
      held.set(name, context);
      return context;
    },
    drop: (name) => void held.delete(name),
    clear: () => held.clear(),
    get count() {
      return held.size;
    },
  };
};
