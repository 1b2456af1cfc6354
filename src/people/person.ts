import type { Grant } from "../lib/scopes.ts";
import type { Role } from "./role.ts";

/** Passkeys of one person. */
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 60;

/** A way to sign in: a WebAuthn credential. Times are milliseconds UTC. */
export interface Passkey {
  id: number;
  /** What the person calls it. */
  name: string;
  createdAt: number;
  lastUsedAt: number | undefined;
}

/** Somebody who signs in to the console. Times are milliseconds UTC. */
export interface Person {
  id: number;
  name: string;
  email: string;
  role: Role;
  /** Identifies them to authenticators: base64url. */
  handle: string;
  createdAt: number;
  lastSeenAt: number | undefined;
  /** When their open invitation expires, or expired. */
  invitedUntil: number | undefined;
  passkeys: Passkey[];
  /** The OpenID Connect issuers that they have signed in with. */
  issuers: string[];
}

/** How a person signed in. */
export interface SignIn {
  /** Of the person. */
  readonly id: number;
  /** Undefined: by an account at an OpenID Connect provider. */
  readonly passkeyId: number | undefined;
}

/** The site that passkeys are for. An authenticator signs its origin, and offers a passkey on its host name only. */
export interface RelyingParty {
  /** As browsers send it: `https://shelter.example.org`. */
  origin: string;
  /** Its host name. */
  id: string;
}

/** A challenge, and the response of an authenticator to it. */
export interface SignedChallenge {
  response: object;
  challenge: string;
  /** Marks the challenge as used, once the response is verified; false if it was used before. */
  spend(): Promise<boolean>;
}

/** The person of a request, as `Caller` has it. */
export interface SignedInPerson {
  kind: "person";
  id: number;
  name: string;
  email: string;
  role: Role;
  scopes: ReadonlySet<Grant>;
  rate: undefined;
  expiresAt: undefined;
}
