import { type Static, t } from "elysia";
import { Email, Id, OneOf, Text, Time, storedText } from "../../http/schemas.ts";
import { formatTime } from "../../lib/time.ts";
import {
  INVITATION_DAYS,
  invitationLink,
  MAX_PASSKEY_NAME,
  MAX_PASSKEYS,
  type Passkey as StoredPasskey,
  type Person as StoredPerson,
  ROLE_NAMES,
  ROLES,
} from "./person.ts";
import type { Invitation as StoredInvitation } from "./service.ts";

export const MAX_PERSON_NAME = 100;

const PersonName = Text("PersonName", {
  max: MAX_PERSON_NAME,
  description: "The person's name, as colleagues see it.",
  examples: ["Ada Byron"],
});

const PersonEmail = Email({
  description: "The person's email address. No two people have the same, whatever the case of its letters.",
  examples: ["ada@example.org"],
});

const scopesByRole = ROLE_NAMES.map(
  (role) => `\`${role}\`: ${ROLES[role].map((grant) => `\`${grant}\``).join(", ")}`,
).join("; ");

const Role = OneOf("Role", ROLE_NAMES, {
  $id: "Role",
  description: `What the person may do, as a set of scopes. ${scopesByRole}.`,
  examples: ["volunteer"],
});

export const NewPerson = t.Object(
  { name: PersonName, email: PersonEmail, role: Role },
  { $id: "NewPerson", additionalProperties: false, description: "A person to add and invite." },
);

export const PersonChange = t.Object(
  { name: t.Optional(PersonName), role: t.Optional(Role) },
  {
    $id: "PersonChange",
    additionalProperties: false,
    description: "The fields to change. Absent fields keep their value.",
  },
);

const PasskeyName = Text("PasskeyName", {
  max: MAX_PASSKEY_NAME,
  description: "What the person calls the passkey.",
  examples: ["Ada's phone"],
});

const Passkey = t.Object(
  {
    id: Id("Unique identifier of the passkey.", 4),
    name: storedText(PasskeyName),
    createdAt: Time("When the passkey was registered.", "2026-11-20T09:30:00.000Z"),
    lastUsedAt: t.Optional(Time("When it was last used to sign in.", "2026-11-20T10:00:00.000Z")),
  },
  { $id: "Passkey", description: "A WebAuthn credential that a person signs in with." },
);

const fields = {
  id: Id("Unique identifier of the person.", 3),
  name: storedText(PersonName),
  email: storedText(PersonEmail),
  role: Role,
  createdAt: Time("When the person was added.", "2026-11-20T09:30:00.000Z"),
  lastSeenAt: t.Optional(
    Time("When the person last used the console, accurate to a few seconds.", "2026-11-20T10:00:00.000Z"),
  ),
  invitedUntil: t.Optional(
    Time(
      "When the invitation that the person has not accepted yet expires, or expired.",
      "2026-11-27T09:30:00.000Z",
    ),
  ),
  passkeys: t.Array(Passkey, {
    maxItems: MAX_PASSKEYS,
    description: "The passkeys that the person signs in with, oldest first.",
  }),
  signsInWith: t.Array(
    t.String({ description: "An OpenID Connect issuer.", examples: ["https://login.example.org"] }),
    { description: "The OpenID Connect issuers that the person has signed in with." },
  ),
};

export const Person = t.Object(fields, {
  $id: "Person",
  description: "A person who signs in to the console.",
});

export const People = t.Array(Person, {
  $id: "People",
  maxItems: 100,
  description: "People in ascending order of id.",
});

const Invitation = t.Object(
  {
    link: t.String({
      description:
        "The address to send to the person. It works once, and is shown only here: the service stores no part of it that could be used.",
      examples: ["https://shelter.example.org/console/invitation#(43 characters)"],
    }),
    expiresAt: Time(
      `When the invitation expires: ${INVITATION_DAYS} days after it was made.`,
      "2026-11-27T09:30:00.000Z",
    ),
  },
  { $id: "Invitation", description: "An invitation to sign in for the first time." },
);

export const InvitedPerson = t.Object(
  { ...fields, invitation: Invitation },
  { $id: "InvitedPerson", description: "A person with the invitation to send to them." },
);

const fromPasskey = ({ id, name, createdAt, lastUsedAt }: StoredPasskey): Static<typeof Passkey> => ({
  id,
  name,
  createdAt: formatTime(createdAt),
  ...(lastUsedAt !== undefined && { lastUsedAt: formatTime(lastUsedAt) }),
});

/** A person as JSON. */
export const fromPerson = (person: StoredPerson): Static<typeof Person> => ({
  id: person.id,
  name: person.name,
  email: person.email,
  role: person.role,
  createdAt: formatTime(person.createdAt),
  ...(person.lastSeenAt !== undefined && { lastSeenAt: formatTime(person.lastSeenAt) }),
  ...(person.invitedUntil !== undefined && { invitedUntil: formatTime(person.invitedUntil) }),
  passkeys: person.passkeys.map(fromPasskey),
  signsInWith: person.issuers,
});

/** @param origin of the console, for the link */
export const fromInvited = (
  { person, invitation }: { person: StoredPerson; invitation: StoredInvitation },
  origin: string,
): Static<typeof InvitedPerson> => ({
  ...fromPerson(person),
  invitation: {
    link: invitationLink(origin, invitation.token),
    expiresAt: formatTime(invitation.expiresAt),
  },
});
