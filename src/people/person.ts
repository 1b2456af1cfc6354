import type { Grant } from "../lib/scopes.ts";
import type { Role } from "./role.ts";

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
  id: number;
  /** Undefined: by an account at an OpenID Connect provider. */
  passkeyId: number | undefined;
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
