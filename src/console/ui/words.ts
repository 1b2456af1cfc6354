/** The words around the pages. */
export const APP = {
  skip: "Skip to content",
  areas: "Areas",
  signOut: "Sign out",
  keyText: "the API key that you are signed in with",
  operatorText: "Add yourself as an administrator under People.",
  nothing: "Nothing to show",
  nothingText: "Ask an administrator for a permission that opens a page.",
  forbidden: "Not allowed",
  /** Around the permission. */
  forbiddenText: ["This page needs the permission", ". Ask an administrator for it."],
  notFound: "Not found",
  notFoundText: "There is no page at this address.",
  start: "Go to the start page.",
} as const;

/** The words of signing in and of the session. */
export const SIGN_IN = {
  product: "Adoption store",
  title: "Sign in",
  key: "API key",
  hint: "Paste the key you were given (it starts with aas_).",
  missing: "Paste the key you were given.",
  wrong: "This key doesn't work. Check that you copied all of it.",
  noCookie: "Your browser did not keep the session. Open the console at its https:// address.",
  submit: "Sign in",
  helpTitle: "I can't sign in",
  lost: "New here, or lost your device? Ask an administrator for an invitation.",
  where: "No administrator yet? On the server, run adoption-store people invite --first.",
  operator: "Operator",
  manual: "Read the manual",
} as const;

export const ENDED = {
  title: "Your session has ended",
  as: {
    person: "Sign in again as",
    key: "Sign in again with the key",
  },
  keep: "to continue. What you entered is still here.",
  operator: "To continue, open a new sign-in link in another tab. What you entered is still here.",
  again: "Sign in again to continue.",
} as const;

/** The page of a link that signs the operator in. */
export const SIGN_IN_LINK = {
  title: "Welcome",
  text: "This link signs you in once, with all permissions. Then add yourself as an administrator under People.",
  submit: "Sign in",
  problem: "This link doesn't work",
  invalid:
    "The link is incomplete, used or expired, or the store already has an administrator. Without an administrator, run adoption-store people invite --first.",
  other: "Sign in another way",
} as const;

/** Signing in without a key. */
export const PEOPLE_SIGN_IN = {
  passkey: "Sign in with a passkey",
  oidc: (label: string) => `Sign in with ${label}`,
  newTab: "This opens a new tab. Come back here when you have signed in.",
  useKey: "Use an API key",
  or: "or with a key",
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
