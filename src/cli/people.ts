import type { Config } from "../config/config.ts";
import { MAX_EMAIL_LENGTH, isEmail } from "../lib/email.ts";
import { OPERATOR } from "../lib/actor.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { formatTime } from "../lib/time.ts";
import { ROLE_NAMES, ROLES, signInLink } from "../access/people/person.ts";
import { MAX_PERSON_NAME, fromInvited, fromPerson } from "../access/people/model.ts";
import type { Outcome } from "./command.ts";
import { assertConfirmed, lineOf, readId, UsageError, valueOf } from "./input.ts";
import { allAfter, glossary, note, print, relativeTime } from "./print/output.ts";
import { action, list, resource, type Store } from "./resource.ts";
import { effectiveConfig } from "./settings.ts";

const ROLE_LIST = glossary(
  "The roles, and their scopes:",
  ROLE_NAMES.map((role) => [role, ROLES[role].join(" ")]),
);

const idOf = valueOf("id", readId, "a number; see adoption-store people list");
const ID = { text: "the person's id", parse: idOf };

const nameOf = lineOf("--name", MAX_PERSON_NAME);

const emailOf = valueOf(
  "--email",
  (text) => (isEmail(text) ? text : undefined),
  `an email address of at most ${MAX_EMAIL_LENGTH} characters`,
);

const originOf = ({ baseUrl, port }: Config): string => baseUrl ?? `http://localhost:${port}`;

const invitation = (made: Parameters<typeof fromInvited>[0], config: Config): Outcome => {
  const invited = fromInvited(made, originOf(config));
  const { id, name, role, invitation: sent } = invited;
  return {
    json: invited,
    text() {
      print(`Person ${id} "${name}" (${role})`);
      print(`Send them this address, which works once until ${sent.expiresAt}:`);
      print(sent.link);
      if (config.baseUrl === undefined)
        note("this address works on this machine only: for others, set BASE_URL and invite them again");
    },
  };
};

const addPerson = action({
  name: "add",
  description: "add a person and print their invitation, which is shown only once",
  takes: {
    "--name <name>": { text: "the name that colleagues see", parse: nameOf, required: true },
    "--email <address>": { text: "the person's email address", parse: emailOf, required: true },
    "--role <role>": {
      text: "their permissions: see the list of roles below",
      choices: ROLE_NAMES,
      required: true,
    },
  },
  settings: ["baseUrl", "port"],
  notes: [ROLE_LIST],
  examples: {
    "Add a volunteer, and print the address to send to them":
      "--name 'Ada Byron' \\\n  --email ada@example.org --role volunteer",
  },
  run: async ({ name, email, role }, { people, config }) =>
    invitation(await people.add({ name, email, role }, OPERATOR), config),
});

/** A link that signs the operator in. @throws OperatorError if the store has an administrator */
const firstLink = async ({ signInLinks, config }: Store): Promise<Outcome> => {
  const made = await signInLinks.create();
  if (!made)
    throw new OperatorError(
      "The store has an administrator. Invite them again: adoption-store people invite ID (see adoption-store people list).",
    );
  const expiresAt = formatTime(made.expiresAt);
  const link = signInLink(originOf(config), made.token);
  return {
    json: { link, expiresAt },
    text: `Open this address to sign in to the console. The link works once and expires at ${expiresAt}:\n${link}`,
  };
};

const invitePerson = action({
  name: "invite",
  description: "replace a person's invitation, and print the new one",
  takes: { "[id]": ID, "--first": "print a link that signs you in once, while there is no administrator" },
  settings: ["baseUrl", "port"],
  examples: {
    "Invite a person again after a lost passkey or an expired invitation": "3",
    "Sign in to the console of a new store": "--first",
  },
  check({ id, first }) {
    if ((id === undefined) !== (first === true))
      throw new UsageError("name either a person's id or --first: adoption-store people list shows the ids");
  },
  run: async ({ id }, store) =>
    id === undefined ? firstLink(store) : invitation(await store.people.invite(id, OPERATOR), store.config),
});

type WirePerson = ReturnType<typeof fromPerson>;

/** How the person signs in, or why they cannot. */
const accessOf = ({ passkeys, signsInWith, invitedUntil }: WirePerson, now: number): string => {
  const ways = [...passkeys.map(() => "passkey"), ...signsInWith];
  if (ways.length > 0) return [...new Set(ways)].join(", ");
  if (!invitedUntil) return "none";
  const end = Date.parse(invitedUntil);
  return end > now ? `invited, ends ${relativeTime(end, now)}` : "invitation expired";
};

const listPeople = list({
  name: "list",
  description: "list the people who can sign in to the console",
  examples: { "Show who can sign in, and when they were last there": "" },
  rows: async (_, { people }) => (await allAfter(people.list)).map(fromPerson),
  columns: {
    ID: ({ id }) => String(id),
    NAME: ({ name }) => name,
    EMAIL: ({ email }) => email,
    ROLE: ({ role }) => role,
    "SIGNS IN WITH": accessOf,
    "LAST SEEN": ({ lastSeenAt }, now) => (lastSeenAt ? relativeTime(Date.parse(lastSeenAt), now) : "never"),
  },
  empty: "No people. Add one: adoption-store people add --help",
});

const changeRole = action({
  name: "role",
  description: "change a person's role, from their next request on",
  takes: { "<id>": ID, "<role>": { text: "the new role", choices: ROLE_NAMES } },
  notes: [ROLE_LIST],
  examples: { "Give person 3 the role staff": "3 staff" },
  async run({ id, role }, { people }) {
    const person = await people.change(id, { role }, OPERATOR);
    return { json: fromPerson(person), text: `Person ${id} "${person.name}" is now ${role}` };
  },
});

const removePerson = action({
  name: "remove",
  description: "remove a person and sign them out immediately; this can't be undone",
  takes: { "<id>": ID, "--yes": "do not ask" },
  examples: { "Remove the person with id 3": "3" },
  async run({ id, yes }, { people }) {
    const person = await people.get(id);
    const question = `Remove person ${id} "${person.name}" (${person.email})?`;
    await assertConfirmed(yes, question, "The person was not removed.");
    await people.remove(id, OPERATOR);
    return { json: fromPerson(person), text: `Person ${id} "${person.name}" was removed` };
  },
});

export const peopleCommand = resource({
  name: "people",
  description: "add, invite, list and remove the people who sign in to the console",
  hint: "see adoption-store people list",
  readConfig: effectiveConfig,
  actions: [addPerson, invitePerson, listPeople, changeRole, removePerson],
});
