import type { Clock } from "../lib/time.ts";
import { type KeyAndCertificate, alpnCertificate } from "../protocols/acme/tls-alpn.ts";
import type { Handshakes } from "./complete-order.ts";

/** Adds the certificates of TLS-ALPN-01 challenges (RFC 8737) to `pending`, which the HTTPS port presents. */
export const pendingHandshakes = (pending: Map<string, KeyAndCertificate>, clock: Clock): Handshakes => ({
  async add(hostname, keyAuthorization) {
    pending.set(hostname, await alpnCertificate(hostname, keyAuthorization, clock.now()));
  },
  remove: (hostname) => void pending.delete(hostname),
});
