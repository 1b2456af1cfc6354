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
  whereTitle: "Where do I get a key?",
  where:
    "Ask the person who runs this service. The very first key is in the file admin.key in its data directory.",
  manual: "Read the manual",
} as const;

export const ENDED = {
  title: "Your session has ended",
  keep: "Sign in again to continue. What you entered is still here.",
  again: "Sign in again to continue.",
} as const;
