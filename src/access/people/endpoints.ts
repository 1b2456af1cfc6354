import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { pageAfter } from "../../lib/pagination.ts";
import { InvitedPerson, NewPerson, People, Person, PersonChange, fromInvited, fromPerson } from "./model.ts";
import type { PersonService } from "./service.ts";

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

const personId = IdInPath("Id of the person.");
const passkeyId = IdInPath("Id of the passkey.");

/** Cursors are bound to this list. */
const LIST = "people";

/**
 * People who sign in to the console, under `/platform/people`.
 * @param originOf the origin of the console, in the links of invitations
 */
export const personEndpoints = ({
  people,
  originOf,
  macros,
}: {
  people: PersonService;
  originOf(request: Request): string;
  macros: Macros;
}) => {
  const { add, list, app } = endpoints({ macros, tag: "people", scope: "people:admin" });
  list("GET /platform/people", {
    id: "listPeople",
    summary: "List people",
    description:
      "Returns a page of the people who can sign in to the console, or are invited to, in ascending order of id. If more follow, the `Link` header has the address of the next page.",
    returns: [People, "The people.", [PERSON]],
    run: async ({ query }) => {
      const { items, next } = await pageAfter(query, LIST, people.list);
      return { items: items.map(fromPerson), next };
    },
  });
  add("POST /platform/people", {
    id: "addPerson",
    summary: "Add and invite a person",
    description:
      "Adds a person, and returns the address to send to them. There they register a passkey, and are signed in. A caller can only give roles whose scopes it holds.",
    body: NewPerson,
    bodyExample: NEW,
    returns: [InvitedPerson, "The person and their invitation.", INVITED],
    faults: ["email_taken"],
    location: ({ id }) => `/platform/people/${id}`,
    run: async ({ body, caller, request }) => fromInvited(await people.add(body, caller), originOf(request)),
  });
  add("GET /platform/people/:personId", {
    id: "getPerson",
    summary: "Fetch one person",
    description: "Returns one person. A removed person is not found.",
    params: { personId },
    returns: [Person, "The person.", PERSON],
    run: async ({ params }) => fromPerson(await people.get(params.personId)),
  });
  add("PATCH /platform/people/:personId", {
    id: "changePerson",
    summary: "Change a person's name or role",
    description:
      "Changes the name or the role of a person, from their next request on. A caller can only give or take roles whose scopes it holds. The last administrator who can sign in stays one, unless a key can manage keys.",
    params: { personId },
    body: PersonChange,
    bodyExample: { role: "staff" },
    returns: [Person, "The person.", PERSON],
    faults: ["last_administrator"],
    run: async ({ params, body, caller }) => fromPerson(await people.change(params.personId, body, caller)),
  });
  add("DELETE /platform/people/:personId", {
    id: "removePerson",
    summary: "Remove a person",
    description:
      "Removes a person from the next request on, with their email address, passkeys and accounts. The audit log keeps their name. This can't be undone. The last administrator who can sign in stays, unless a key can manage keys.",
    params: { personId },
    returns: "The person is removed.",
    faults: ["last_administrator"],
    run: ({ params, caller }) => people.remove(params.personId, caller),
  });
  add("POST /platform/people/:personId/invite", {
    id: "invitePerson",
    summary: "Invite a person again",
    description:
      "Creates an invitation for a person whose first one expired, or who lost their passkey. It replaces an earlier one. Their passkeys stay valid: remove a lost one.",
    params: { personId },
    returns: [InvitedPerson, "The person and their invitation.", INVITED],
    run: async ({ params, caller, request }) =>
      fromInvited(await people.invite(params.personId, caller), originOf(request)),
  });
  add("DELETE /platform/people/:personId/passkeys/:passkeyId", {
    id: "removePasskey",
    summary: "Remove a person's passkey",
    description:
      "Removes a passkey, for example of a lost phone. It no longer signs anyone in, and the sessions that it opened end.",
    params: { personId, passkeyId },
    returns: "The passkey is removed.",
    faults: ["last_administrator"],
    run: ({ params, caller }) => people.removePasskey(params.personId, params.passkeyId, caller),
  });
  return app;
};
