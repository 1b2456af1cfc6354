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
  title: "People",
  add: "Add person",
  table: "List of people",
  empty: "No people yet",
  emptyText: "Add yourself as an administrator first, then your colleagues. People sign in without a key.",
  columns: {
    name: "Name",
    email: "E-mail",
    role: "Role",
    ways: "Signs in with",
    lastSeen: "Last seen",
    actions: "Actions",
  },
  you: "You",
  never: "Never",
  change: "Edit",
  invite: "Invite again",
  remove: "Remove",
  passkeys: (count: number) => `${count} ${count === 1 ? "passkey" : "passkeys"}`,
  invited: "Invited",
  expires: "Expires",
  expired: "Invitation expired",
} as const;

export const ADD = {
  title: "Add person",
  name: "Name",
  nameHint: "As colleagues know them.",
  email: "E-mail address",
  role: "Role",
  submit: "Add person",
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

export const CHANGE = {
  title: "Edit person",
  submit: "Save",
  done: (name: string) => `“${name}” changed`,
  own: "This is you. With another role, you may not be able to change it back.",
} as const;

export const INVITE = {
  title: "Invite again",
  text: "gets a new link to sign in. An earlier link stops working. Remove the passkeys of lost devices.",
  passkeys: "Passkeys",
  submit: "Create link",
  removePasskey: (name: string) => `Remove the passkey ${name}`,
  removed: (name: string) => `Passkey “${name}” removed`,
} as const;

export const REMOVE = {
  title: "Remove person",
  text: "will be signed out and can't sign in again. Their e-mail address and passkeys are deleted. Their name stays in the history. This can't be undone.",
  own: "This is you. You will be signed out.",
  submit: "Remove",
  done: (name: string) => `“${name}” removed`,
} as const;

export const ONE = {
  loading: "Loading the person",
  beyond: "You can't change somebody who may do more than you.",
} as const;

export const YOU = {
  title: "You",
  passkeys: "Your passkeys",
  explained:
    "A passkey signs you in with your fingerprint, face or PIN. Add one for each device. Remove passkeys that you do not recognize.",
  add: "Add passkey",
  table: "List of passkeys",
  columns: { name: "Name", created: "Added", lastUsed: "Last used", actions: "Actions" },
  never: "Never",
  remove: "Remove",
  unsupported: "Passkeys need a current browser and an https:// address.",
} as const;

export const SESSIONS = {
  title: "Where you are signed in",
  explained: "End the sessions that you do not recognize.",
  columns: { device: "Device", opened: "Signed in", lastUsed: "Last used", actions: "Actions" },
  current: "This session",
  unknown: "Unknown",
  end: "End",
  endOne: (device: string) => `End the session: ${device}`,
  ended: (device: string) => `Session ended: ${device}`,
  endOthers: "End all other sessions",
  endedOthers: "All other sessions ended",
} as const;

export const PASSKEY = {
  addTitle: "Add passkey",
  name: "Name",
  nameHint: "Optional, such as “My phone”.",
  submit: "Add passkey",
  added: "Passkey added",
  removeTitle: "Remove passkey",
  removeText: "will no longer sign you in, and its sessions end. Delete it on your device too.",
  removeSubmit: "Remove",
  removed: (name: string) => `Passkey “${name}” removed`,
  fields: {
    name: { otherwise: "Enter a name without line breaks or tabs." },
  } satisfies FormWords,
} as const;

export const WELCOME = {
  title: (name: string) => `Welcome, ${name}`,
  product: "Adoption store",
  invited: (role: string) => `You are invited to sign in here as ${role}, with the e-mail address`,
  how: "Create a passkey to sign in with this device: with your fingerprint, face or PIN.",
  device: "Name of this device",
  deviceHint: "Optional, such as “My phone”.",
  create: "Create passkey and sign in",
  oidcHint: "Use the account with this e-mail address.",
  loading: "Loading the invitation",
  problem: "This invitation doesn't work",
  incomplete: "The link is incomplete. Copy all of it, or ask for a new one.",
  signIn: "Go to sign-in",
  expires: "This invitation expires",
} as const;
