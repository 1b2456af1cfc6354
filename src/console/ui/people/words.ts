import type { components } from "../../../client/types/platform.d.ts";
import type { FormWords } from "../parts/field-words.ts";
import type { Question } from "../parts/leaving.ts";

type Role = components["schemas"]["Person"]["role"];

/** The roles: the title of each, "as a volunteer", and its permissions. */
export const ROLES: Record<Role, { name: string; as: string; may: string }> = {
  volunteer: { name: "Volunteer", as: "a volunteer", may: "Sees animals. Starts and changes adoptions." },
  staff: {
    name: "Staff",
    as: "staff",
    may: "Adds, changes and deletes animals and categories. Starts and changes adoptions.",
  },
  administrator: {
    name: "Administrator",
    as: "an administrator",
    may: "May do everything, including projects, keys and people.",
  },
};

export const LIST = {
  columns: {
    name: "Name",
    email: "E-mail",
    role: "Role",
    ways: "Signs in with",
    lastSeen: "Last seen",
    actions: "Actions",
  },
  remove: "Remove",
} as const;

export const ADD = {
  name: "Name",
} as const;

/** The forms' texts about their fields. */
export const FIELDS: FormWords = {
  name: { missing: "Enter a name.", otherwise: "Enter a name without line breaks or tabs." },
  email: {
    missing: "Enter an e-mail address.",
    otherwise: "Enter a valid e-mail address.",
    rules: { taken: "Another person has this e-mail address." },
  },
  role: {
    otherwise: "Choose a role.",
    rules: { forbidden: "You can't give a role that may do more than you." },
  },
};

export const INVITATION = {
  what: "the link",
  titleOf: (name: string) => `Invitation for “${name}”`,
  once: "This link is shown only once, and works once.",
  send: "Send it to them now. Anyone who has it can sign in as them until it is used or expires.",
  label: "The link",
  expires: "It expires",
  stored: "I have sent it",
  done: "Done",
} as const;

/** Asked before the user leaves a link that has not been copied. */
export const UNSENT: Question = {
  title: "Close without copying the link?",
  text: "It is shown only once. You can invite them again later.",
  stay: "Keep it open",
  leave: "Close",
};

export const YOU = {
  columns: { name: "Name", created: "Added", lastUsed: "Last used", actions: "Actions" },
  remove: "Remove",
  unsupported: "Passkeys need a current browser and an https:// address.",
} as const;

export const SESSIONS = {
  title: "Where you are signed in",
  columns: { device: "Device", opened: "Signed in", lastUsed: "Last used", actions: "Actions" },
  unknown: "Unknown",
} as const;

export const PASSKEY = {
  fields: {
    name: { otherwise: "Enter a name without line breaks or tabs." },
  } satisfies FormWords,
} as const;
