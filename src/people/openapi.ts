import { operation } from "../http/operation.ts";

const TAGS = ["people"];
const NEW = { name: "Ada Byron", email: "ada@example.org", role: "volunteer" };
const PERSON = {
  id: 3,
  ...NEW,
  createdAt: "2026-11-20T09:30:00.000Z",
  lastSeenAt: "2026-11-20T10:00:00.000Z",
  passkeys: [{ id: 4, name: "Ada's phone", createdAt: "2026-11-20T09:31:00.000Z" }],
  signsInWith: [],
};
const INVITED = {
  id: 3,
  ...NEW,
  createdAt: "2026-11-20T09:30:00.000Z",
  invitedUntil: "2026-11-27T09:30:00.000Z",
  passkeys: [],
  signsInWith: [],
  invitation: {
    link: "https://shelter.example.org/console/invitation#(43 characters)",
    expiresAt: "2026-11-27T09:30:00.000Z",
  },
};

export const listPeople = operation({
  operationId: "listPeople",
  summary: "List people",
  description:
    "Returns a page of the people who can sign in to the console, or are invited to, in ascending order of id. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: {
    200: { description: "The people.", headers: ["Link", "Next-Cursor"], example: [PERSON] },
  },
});

export const addPerson = operation({
  operationId: "addPerson",
  summary: "Add and invite a person",
  description:
    "Adds a person, and returns the address to send to them. There they register a passkey, and are signed in. A caller can only give roles whose scopes it holds.",
  tags: TAGS,
  bodyExample: NEW,
  responses: {
    201: { description: "The person and their invitation.", headers: ["Location"], example: INVITED },
  },
  faults: ["email_taken"],
});

export const getPerson = operation({
  operationId: "getPerson",
  summary: "Fetch one person",
  description: "Returns one person. A removed person is not found.",
  tags: TAGS,
  responses: { 200: { description: "The person.", example: PERSON } },
});

export const changePerson = operation({
  operationId: "changePerson",
  summary: "Change a person's name or role",
  description:
    "Changes the name or the role of a person, from their next request on. A caller can only give or take roles whose scopes it holds. The last administrator who can sign in stays one, unless a key can manage keys.",
  tags: TAGS,
  bodyExample: { role: "staff" },
  responses: { 200: { description: "The person.", example: PERSON } },
  faults: ["last_administrator"],
});

export const removePerson = operation({
  operationId: "removePerson",
  summary: "Remove a person",
  description:
    "Removes a person from the next request on, with their email address, passkeys and accounts. The audit log keeps their name. This can't be undone. The last administrator who can sign in stays, unless a key can manage keys.",
  tags: TAGS,
  responses: { 204: { description: "The person is removed." } },
  faults: ["last_administrator"],
});

export const invitePerson = operation({
  operationId: "invitePerson",
  summary: "Invite a person again",
  description:
    "Creates an invitation for a person whose first one expired, or who lost their passkey. It replaces an earlier one. Their passkeys stay valid: remove a lost one.",
  tags: TAGS,
  responses: { 200: { description: "The person and their invitation.", example: INVITED } },
});

export const removePasskey = operation({
  operationId: "removePasskey",
  summary: "Remove a person's passkey",
  description:
    "Removes a passkey, for example of a lost phone. Nobody can sign in with it any more, and the sessions that it opened end.",
  tags: TAGS,
  responses: { 204: { description: "The passkey is removed." } },
  faults: ["last_administrator"],
});
