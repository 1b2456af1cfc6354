import { type RandomBytes, randomToken } from "../lib/random.ts";
import type { Clock } from "../lib/time.ts";
import type { BrowserStates } from "./repository.ts";
import { hashOf, seal, unseal } from "./seal.ts";

/** What the service must remember while a visitor signs in or registers a passkey. */
export type Ceremony =
  /** A signature by any passkey. */
  | { readonly kind: "authentication"; readonly challenge: string }
  /** A new passkey of this person. */
  | { readonly kind: "registration"; readonly challenge: string; readonly personId: number }
  /** A visit to the OpenID Connect provider. */
  | { readonly kind: "oidc"; readonly nonce: string; readonly verifier: string; readonly returnTo: string };

type Of<Kind extends Ceremony["kind"]> = Extract<Ceremony, { kind: Kind }>;

/** Signing in at a provider may take a password and a second factor. */
export const CEREMONY_MS = {
  authentication: 5 * 60_000,
  registration: 5 * 60_000,
  oidc: 15 * 60_000,
} as const;

/** Both are needed to find a ceremony, and to open what it holds. */
const tokenOf = (id: string, visitor: string): string => `${id} ${visitor}`;

/** Ceremonies in progress: each is for one browser, for minutes, and used once, by whichever process of a store it ends in. */
export const createCeremonies = ({
  states,
  clock,
  randomBytes,
  maxPending = 10_000,
}: {
  states: Pick<BrowserStates, "add" | "take">;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Beyond these, the oldest ends. */
  maxPending?: number;
}) => {
  const newToken = () => randomToken(randomBytes);
  return {
    newToken,
    /** @param visitor the token in their cookie @returns the id of the ceremony */
    async begin(ceremony: Ceremony, visitor: string, id = newToken()): Promise<string> {
      const token = tokenOf(id, visitor);
      const now = clock.now();
      await states.add(
        {
          hash: hashOf(token),
          kind: "ceremony",
          holder: undefined,
          sealed: seal(token, ceremony),
          usedAt: now,
          until: now + CEREMONY_MS[ceremony.kind],
        },
        { max: maxPending },
      );
      return id;
    },
    /** Ends a ceremony. Undefined if it has ended, expired, or is another visitor's or of another kind. */
    async take<Kind extends Ceremony["kind"]>(
      kind: Kind,
      id: string,
      visitor: string | undefined,
    ): Promise<Of<Kind> | undefined> {
      if (visitor === undefined) return undefined;
      const token = tokenOf(id, visitor);
      const state = await states.take("ceremony", hashOf(token));
      const ceremony = state && (unseal(token, state.sealed) as Ceremony | undefined);
      return state && state.until > clock.now() && ceremony?.kind === kind
        ? (ceremony as Of<Kind>)
        : undefined;
    },
  };
};

export type Ceremonies = ReturnType<typeof createCeremonies>;
