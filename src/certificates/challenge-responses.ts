import { lruCache } from "../lib/lru.ts";
import type { Clock } from "../lib/time.ts";
import { type KeyAndCertificate, alpnCertificate } from "../protocols/acme/tls-alpn.ts";
import type { Probes } from "./probes.ts";
import type { Certificates } from "./repository.ts";

interface ResponseOptions {
  certificates: Pick<Certificates, "keyAuthorization" | "pendingAuthorization">;
  probes: Pick<Probes, "responseTo" | "authorizationFor" | "isName">;
  /** True for names that this service tries to reach itself. */
  isProbed(hostname: string): Promise<boolean>;
  /** Waits for the writes of other processes: one of them may have placed the order. */
  fresh(): Promise<void>;
  clock: Clock;
}

const MAX_CERTIFICATES = 200;
/** A certificate is valid for a day. */
const RENEWED_MS = 12 * 60 * 60_000;

/**
 * The responses to the challenges of CAs, and to those that the service sets itself. They follow from the rows of certificates,
 * so any process of the store responds, whichever placed the order.
 */
export const challengeResponses = ({ certificates, probes, isProbed, fresh, clock }: ResponseOptions) => {
  const made = lruCache<string, Promise<KeyAndCertificate>>({ maxEntries: MAX_CERTIFICATES });

  const certificateFor = (hostname: string, authorization: string): Promise<KeyAndCertificate> => {
    const now = clock.now();
    const key = `${hostname} ${authorization} ${Math.floor(now / RENEWED_MS)}`;
    const pair = made.get(key) ?? alpnCertificate(hostname, authorization, now);
    made.set(key, pair);
    return pair;
  };

  // The engine of a cluster may be away: what is known here is then as good as nothing, or right.
  const tryFresh = () => fresh().catch(() => {});

  /** The key authorization that a handshake of this name proves; undefined if nothing is asked for it. */
  const authorizationOf = async (hostname: string): Promise<string | undefined> =>
    certificates.pendingAuthorization(hostname) ??
    (probes.isName(hostname) || (await isProbed(hostname)) ? probes.authorizationFor(hostname) : undefined);

  return {
    /** The body over HTTP (RFC 8555 section 8.3); undefined if the token is unknown. */
    async overHttp(hostname: string, token: string): Promise<string | undefined> {
      const probe = probes.responseTo(hostname, token);
      if (probe !== undefined) return probe;
      await tryFresh();
      return certificates.keyAuthorization(hostname, token);
    },
    /** The certificate in a handshake (RFC 8737 section 3); undefined if none is asked for. */
    async inHandshake(hostname: string): Promise<KeyAndCertificate | undefined> {
      await tryFresh();
      const authorization = await authorizationOf(hostname);
      return authorization === undefined ? undefined : certificateFor(hostname, authorization);
    },
    /** The key authorization of the pending order of a name. */
    async pending(hostname: string): Promise<string | undefined> {
      await tryFresh();
      return certificates.pendingAuthorization(hostname);
    },
  };
};
