import { type RandomBytes, randomToken } from "../lib/random.ts";
import type { Clock } from "../lib/time.ts";
import { hashOf } from "./sessions.ts";

/** What the service must remember while a visitor signs in or registers a passkey. */
export type Ceremony =
  /** A signature by any passkey. */
  | { readonly kind: "authentication"; readonly challenge: string }
  /** A new passkey of this person. */
  | { readonly kind: "registration"; readonly challenge: string; readonly personId: number }
  /** A visit to the OpenID Connect provider. */
  | { readonly kind: "oidc"; readonly nonce: string; readonly verifier: string; readonly returnTo: string };

type Of<Kind extends Ceremony["kind"]> = Extract<Ceremony, { kind: Kind }>;

interface Pending {
  ceremony: Ceremony;
  /** Of the visitor's token. */
  visitor: string;
  until: number;
}

/** Signing in at a provider may take a password and a second factor. */
export const CEREMONY_MS = {
  authentication: 5 * 60_000,
  registration: 5 * 60_000,
  oidc: 15 * 60_000,
} as const;

/** Ceremonies in progress, in memory: each is for one browser, for minutes, and used once. */
export const createCeremonies = ({
  clock,
  randomBytes,
  maxPending = 10_000,
}: {
  clock: Clock;
  randomBytes: RandomBytes;
  /** Beyond these, the oldest ends. */
  maxPending?: number;
}) => {
  /** In the order in which they began. */
  const pending = new Map<string, Pending>();
  const newToken = () => randomToken(randomBytes);
  return {
    newToken,
    /** @param visitor the token in their cookie @returns the id of the ceremony */
    begin(ceremony: Ceremony, visitor: string, id = newToken()): string {
      pending.set(id, {
        ceremony,
        visitor: hashOf(visitor),
        until: clock.now() + CEREMONY_MS[ceremony.kind],
      });
      for (const [oldest] of pending) {
        if (pending.size <= maxPending) break;
        pending.delete(oldest);
      }
      return id;
    },
    /** Ends a ceremony. Undefined if it has ended, expired, or is another visitor's or of another kind. */
    take<Kind extends Ceremony["kind"]>(
      kind: Kind,
      id: string,
      visitor: string | undefined,
    ): Of<Kind> | undefined {
      const found = pending.get(id);
      if (!found || visitor === undefined || found.visitor !== hashOf(visitor)) return undefined;
      pending.delete(id);
      return found.until > clock.now() && found.ceremony.kind === kind
        ? (found.ceremony as Of<Kind>)
        : undefined;
    },
  };
};

export type Ceremonies = ReturnType<typeof createCeremonies>;
