import type { components } from "../../../client/types/platform.d.ts";
import type { FormWords } from "../parts/field-words.ts";
import type { Question } from "../parts/leaving.ts";

/** The meaning of each scope. */
export const PERMISSIONS: Record<components["schemas"]["Key"]["scopes"][number], string> = {
  "*": "Full access including future permissions",
  "pets:read": "Read animals and categories",
  "pets:write": "Add, change and delete animals and categories",
  "orders:read": "Read adoptions",
  "orders:write": "Start and change adoptions",
  "platform:read": "Read projects, deploys and domains",
  "platform:write": "Change projects, deploys and domains",
  "metrics:read": "Read /metrics",
  "audit:read": "Read the history: who changed what",
  "keys:admin": "Create, list, rotate and revoke keys",
  "people:admin": "Add, invite, change and remove people",
};

export const LIST = {
  title: "Keys",
  create: "Create key",
  columns: {
    name: "Name",
    permissions: "Permissions",
    created: "Created",
    lastUsed: "Last used",
    expires: "Expires",
    rateLimit: "Rate limit",
    deprecated: "Deprecated calls",
    actions: "Actions",
  },
  everything: "Full access",
  yours: "Yours",
  states: { revoked: "Revoked", expired: "Expired" },
  prefix: "How its secret begins",
  never: "Never",
  none: "None",
  rotate: "Rotate",
  revoke: "Revoke",
  explained:
    "Calls to operations that will be removed, counted since the server started. Tell the people who use these keys.",
} as const;

export const NEW = {
  title: "Create key",
  name: "Name",
  nameHint: "Who or what will use the key.",
  permissions: "Permissions",
  permissionsHint: "Choose only what the key needs.",
  rateLimit: "Rate limit",
  noLimit: "Leave empty for no limit.",
  limitedLike: (rate: string) =>
    `Your own key is limited to ${rate}. This key gets the same limit unless you enter a lower one.`,
  period: "Requests per period",
  expires: "Expires",
  /** Around when the own key expires. */
  ownEnd: ["Your own key expires", ". This one will expire then at the latest."],
  windows: { s: "per second", min: "per minute", h: "per hour" },
  noEnd: "At the end of this day. Leave empty for a key that does not expire.",
  submit: "Create key",
} as const;

/** The form's texts about its fields. */
export const FIELDS: FormWords = {
  name: { missing: "Enter a name.", otherwise: "Enter a name without line breaks or tabs." },
  scopes: {
    missing: "Choose at least one permission.",
    rules: { forbidden: "You don't have all of these permissions yourself." },
  },
  rateLimit: {
    otherwise: "Enter a whole number, such as 600.",
    rules: { forbidden: "Your own key has a lower rate limit. Enter that or less." },
  },
  expiresAt: {
    otherwise: "Enter a complete date.",
    rules: {
      minimum: "Choose a day that is not over yet.",
      maximum: "Choose a year before 10000.",
      forbidden: "Your own key expires earlier. Choose that day or an earlier one.",
    },
  },
};

export const SECRET = {
  what: "the secret",
  titleOf: (name: string) => `Secret of “${name}”`,
  once: "This secret is shown only once.",
  store: "Store it in a safe place now, such as a password manager. Anyone who has it can use the key.",
  label: "The secret",
  stored: "I have stored it",
  done: "Done",
} as const;

/** Asked before the user leaves a secret that has not been copied. */
export const UNSTORED: Question = {
  title: "Close without storing the secret?",
  text: "It is shown only once. Without it, nobody can use the key.",
  stay: "Keep it open",
  leave: "Close",
};

export const ROTATE = {
  title: "Rotate key",
  text: (prefix: string) =>
    `gets a new secret. The old one, which begins with ${prefix}, can stay valid for a while, so that you have time to replace it everywhere.`,
  own: "You are signed in with this key. When the old secret expires, sign in with the new one.",
  grace: "How long should the old secret stay valid?",
  graces: {
    none: "Not at all: it expires at once",
    hour: "For an hour",
    day: "For a day",
    week: "For a week",
    month: "For 30 days",
  },
  submit: "Create new secret",
} as const;

export const REVOKE = {
  title: "Revoke key",
  text: "will stop working at once. Every client that uses it will be refused. This can't be undone.",
  own: "You are signed in with this key. You will be signed out.",
  last: "No other key or administrator can grant all of its permissions. After that, only this command on the server can:",
  force: "Revoke it anyway",
  submit: "Revoke",
  done: (name: string) => `“${name}” revoked`,
} as const;

export const ONE = {
  loading: "Loading the key",
  revoked: "This key is already revoked.",
  beyond: "This key has more permissions, a later expiry or a higher rate limit than you have.",
} as const;
