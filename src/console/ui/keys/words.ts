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
  states: { revoked: "Revoked", expired: "Expired" },
  never: "Never",
  rotate: "Rotate",
  revoke: "Revoke",
} as const;

export const NEW = {
  /** Around when the own key expires. */
  ownEnd: ["Your own key expires", ". This one will expire then at the latest."],
  windows: { s: "per second", min: "per minute", h: "per hour" },
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
