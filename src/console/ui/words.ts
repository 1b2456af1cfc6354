/** The words around the pages. */
export const APP = {
  /** Around the permission. */
  forbiddenText: ["This page needs the permission", ". Ask an administrator for it."],
} as const;

/** The words of signing in and of the session. */
export const SIGN_IN = {
  product: "Adoption store",
} as const;

export const ENDED = {
  title: "Your session has ended",
  as: {
    person: "Sign in again as",
    key: "Sign in again with the key",
  },
} as const;

/** The page of a link that signs the operator in. */
export const SIGN_IN_LINK = {
  other: "Sign in another way",
} as const;

/** Signing in without a key. */
export const PEOPLE_SIGN_IN = {
  oidc: (label: string) => `Sign in with ${label}`,
} as const;

/** The texts for a browser's errors about passkeys, by the name of the error. */
export const PASSKEY_PROBLEMS = {
  NotAllowedError: "No passkey was used. Try again when you are ready.",
  InvalidStateError: "This device already has a passkey for you. Use another device.",
  SecurityError: "Passkeys need an https:// address with a name, not a number. Ask your administrator.",
  other: "Your browser could not use a passkey. Try another browser or device.",
} as const;

/** Why a provider's visitor is not signed in, by `?sign-in=`. */
export const OIDC_PROBLEMS: Readonly<Record<string, string>> = {
  unavailable: "The other service did not respond. Try again later.",
  denied: "The other service did not sign you in. Try again, or use another way.",
  expired: "Signing in took too long, or began in another browser. Try again.",
  email_not_verified: "Verify your e-mail address with the other service, then try again.",
  unknown_person:
    "No person has this account's e-mail address. Ask an administrator to add it. To use another account, first sign out of the other service.",
  rate_limited: "Too many attempts. Wait a few minutes, then try again.",
};
