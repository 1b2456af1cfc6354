import { isToken } from "../../lib/random.ts";
import type { Grant } from "../../http/scopes.ts";
import { DAY_MS } from "../../lib/time.ts";

/** Passkeys of one person. */
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 60;

/** A way to sign in: a WebAuthn credential. Times are milliseconds UTC. */
export interface Passkey {
  id: number;
  /** The name that the person gave it. */
  name: string;
  createdAt: number;
  lastUsedAt: number | undefined;
}

/** A person who signs in to the console. Times are milliseconds UTC. */
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

/** The way a person signed in. */
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

/** The permissions of each role. The manual shows this table. */
export const ROLES = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
} as const satisfies Record<string, readonly Grant[]>;

export type Role = keyof typeof ROLES;

export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

const SCOPES_OF = Object.fromEntries(
  Object.entries(ROLES).map(([role, grants]) => [role, new Set<Grant>(grants)]),
) as unknown as Record<Role, ReadonlySet<Grant>>;

export const scopesOf = (role: Role): ReadonlySet<Grant> => SCOPES_OF[role];

/** How long an invitation can be accepted. */
export const INVITATION_DAYS = 7;
export const INVITATION_MS = INVITATION_DAYS * DAY_MS;

/** The stored form of a token: its SHA-256, hexadecimal; undefined if the text is not a token. */
export const hashOfToken = (token: string): string | undefined =>
  isToken(token) ? Bun.SHA256.hash(token, "hex") : undefined;

/** The address of an invitation. Browsers do not send the part after the `#`, so no log has the token. */
export const invitationLink = (origin: string, token: string): string =>
  `${origin}/console/invitation#${token}`;

/** The address that signs the operator in. Here, too, the token follows the `#`. */
export const signInLink = (origin: string, token: string): string => `${origin}/console/sign-in#${token}`;
