import { isToken } from "../lib/random.ts";
import { DAY_MS } from "../lib/time.ts";

/** How long an invitation can be accepted. */
export const INVITATION_DAYS = 7;
export const INVITATION_MS = INVITATION_DAYS * DAY_MS;

/** What is stored of a token: its SHA-256, hexadecimal; undefined if the text is not a token. */
export const hashOfToken = (token: string): string | undefined =>
  isToken(token) ? Bun.SHA256.hash(token, "hex") : undefined;

/** The address of an invitation. Browsers do not send the part after the `#`, so no log has the token. */
export const invitationLink = (origin: string, token: string): string =>
  `${origin}/console/invitation#${token}`;

/** The address that signs the operator in. Here, too, the token follows the `#`. */
export const signInLink = (origin: string, token: string): string => `${origin}/console/sign-in#${token}`;
