import { Argument, Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { Config } from "../config/config.ts";
import { MAX_EMAIL_LENGTH, isEmail } from "../lib/email.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { isLine, lineRule, quoted } from "../lib/text.ts";
import { formatTime } from "../lib/time.ts";
import { type Role, ROLE_NAMES, ROLES, signInLink } from "../people/person.ts";
import { MAX_PERSON_NAME, fromInvited, fromPerson } from "../people/model.ts";
import type { PersonService } from "../people/service.ts";
import { confirm } from "./confirm.ts";
import { whenNotFound, withDatabase } from "./database.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import {
  allPages,
  type Columns,
  note,
  print,
  printDeclined,
  printJson,
  printList,
  printResult,
  relativeTime,
} from "./print/output.ts";
import { configBeside, configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;

interface Options extends Record<string, unknown> {
  json?: boolean;
}

/** Runs `work` on the people of DATA_DIR, whether or not a server is running. */
const withPeople = <Result>(
  config: Config,
  work: (people: PersonService) => Promise<Result>,
): Promise<Result> =>
  whenNotFound(
    "see adoption-store people list",
    withDatabase(config, (database) => work(commandServices(config, database).people)),
  );

const ROLE_WIDTH = Math.max(...ROLE_NAMES.map((role) => role.length)) + 2;
const ROLE_LIST = [
  "The roles, and their scopes:",
  ...ROLE_NAMES.map((role) => `  ${role.padEnd(ROLE_WIDTH)}${ROLES[role].join(" ")}`),
].join("\n");

/** @throws UsageError */
const idOf = (text: string): number => {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`id: ${JSON.stringify(text)} is not a number; see adoption-store people list`);
};

/** @throws UsageError */
const nameOf = (text: string): string => {
  if (isLine(text, MAX_PERSON_NAME)) return text;
  throw new UsageError(`--name: ${quoted(text)} ${lineRule(MAX_PERSON_NAME)}`);
};

/** @throws UsageError */
const emailOf = (text: string): string => {
  if (isEmail(text)) return text;
  throw new UsageError(
    `--email: ${JSON.stringify(text)} is not an email address of at most ${MAX_EMAIL_LENGTH} characters`,
  );
};

/** The address of the console in invitations. */
const originOf = ({ baseUrl, port }: Config): string => baseUrl ?? `http://localhost:${port}`;

const printInvited = (
  invited: ReturnType<typeof fromInvited>,
  { json }: Options,
  { baseUrl }: Pick<Config, "baseUrl">,
) => {
  if (json) return printJson(invited);
  const { id, name, role, invitation } = invited;
  print(`Person ${id} "${name}" (${role})`);
  print(`Send them this address, which works once until ${invitation.expiresAt}:`);
  print(invitation.link);
  if (baseUrl === undefined)
    note("this address works on this machine only: for others, set BASE_URL and invite them again");
};

const addCommand = () =>
  withExamples(withTexts(new Command("add"), { notes: [ROLE_LIST] }), [
    "Add a volunteer, and print the address to send to them",
    "adoption-store people add --name 'Ada Byron' \\\n  --email ada@example.org --role volunteer",
  ])
    .description("add a person and print their invitation, which is shown only once")
    .requiredOption("--name <name>", "the name that colleagues see", nameOf)
    .requiredOption("--email <address>", "the person's email address", emailOf)
    .addOption(
      new Option("--role <role>", "what they may do: see the list of roles below")
        .choices(ROLE_NAMES)
        .makeOptionMandatory(),
    )
    .action(async (options: Options & { name: string; email: string; role: Role }) => {
      const config = configBeside(options);
      const { name, email, role } = options;
      const invited = await withPeople(config, (people) => people.add({ name, email, role }, OPERATOR));
      printInvited(fromInvited(invited, originOf(config)), options, config);
    });

/** Prints a link that signs the operator in. @throws OperatorError if the store has an administrator */
const printSignInLink = async (options: Options) => {
  const config = configBeside(options);
  const link = await withDatabase(config, (database) =>
    commandServices(config, database).signInLinks.create(),
  );
  if (!link)
    throw new OperatorError(
      "The store has an administrator. Invite them again: adoption-store people invite ID (see adoption-store people list).",
    );
  const expiresAt = formatTime(link.expiresAt);
  const address = signInLink(originOf(config), link.token);
  if (options.json) return printJson({ link: address, expiresAt });
  print(`Open this address to sign in to the console. The link works once and expires at ${expiresAt}:`);
  print(address);
};

const inviteCommand = () =>
  withExamples(
    new Command("invite"),
    ["Invite a person again after a lost passkey or an expired invitation", "adoption-store people invite 3"],
    ["Sign in to the console of a new store", "adoption-store people invite --first"],
  )
    .description("print a new invitation for a person, in place of the earlier one")
    .argument("[id]", "the person's id", idOf)
    .option("--first", "print a link that signs you in once, while there is no administrator")
    .action(async (id: number | undefined, options: Options & { first?: boolean }) => {
      if ((id === undefined) !== (options.first === true))
        throw new UsageError(
          "name either a person's id or --first: adoption-store people list shows the ids",
        );
      if (id === undefined) return printSignInLink(options);
      const config = configBeside(options);
      const invited = await withPeople(config, (people) => people.invite(id, OPERATOR));
      printInvited(fromInvited(invited, originOf(config)), options, config);
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

const columnsAt = (now: number): Columns<WirePerson> => ({
  ID: ({ id }) => String(id),
  NAME: ({ name }) => name,
  EMAIL: ({ email }) => email,
  ROLE: ({ role }) => role,
  "SIGNS IN WITH": (person) => accessOf(person, now),
  "LAST SEEN": ({ lastSeenAt }) => (lastSeenAt ? relativeTime(Date.parse(lastSeenAt), now) : "never"),
});

const listCommand = () =>
  withExamples(new Command("list"), [
    "Show who can sign in, and when they were last there",
    "adoption-store people list",
  ])
    .description("list the people who can sign in to the console")
    .action(async (options: Options) => {
      const found = await withPeople(configOf(options), (people) =>
        allPages(async (after: number | undefined) => {
          const items = await people.list({ after: after ?? 0, limit: PAGE_SIZE });
          return { items, next: items.length < PAGE_SIZE ? undefined : items.at(-1)?.id };
        }),
      );
      printList(found.map(fromPerson), columnsAt(Date.now()), {
        json: options.json,
        empty: "No people. Add one: adoption-store people add --help",
      });
    });

const roleCommand = () =>
  withExamples(withTexts(new Command("role"), { notes: [ROLE_LIST] }), [
    "Let somebody change animals too",
    "adoption-store people role 3 staff",
  ])
    .description("change a person's role, from their next request on")
    .argument("<id>", "the person's id", idOf)
    .addArgument(new Argument("<role>", "the new role").choices(ROLE_NAMES))
    .action(async (id: number, role: Role, options: Options) => {
      const person = await withPeople(configOf(options), (people) => people.change(id, { role }, OPERATOR));
      printResult(options.json, fromPerson(person), `Person ${id} "${person.name}" is now ${role}`);
    });

const removeCommand = () =>
  withExamples(new Command("remove"), ["Remove the person with id 3", "adoption-store people remove 3"])
    .description("remove a person and sign them out at once; this can't be undone")
    .argument("<id>", "the person's id", idOf)
    .option("--yes", "do not ask")
    .action(async (id: number, options: Options & { yes?: boolean }) => {
      const removed = await withPeople(configOf(options), async (people) => {
        const person = await people.get(id);
        const question = `Remove person ${id} "${person.name}" (${person.email})?`;
        if (!options.yes && !(await confirm(question))) return undefined;
        await people.remove(id, OPERATOR);
        return person;
      });
      if (!removed) return printDeclined(options.json, "Nobody was removed.");
      printResult(options.json, fromPerson(removed), `Person ${id} "${removed.name}" was removed`);
    });

export const peopleCommand = (): Command => {
  const command = new Command("people").description(
    "add, invite, list and remove the people who sign in to the console",
  );
  for (const child of [addCommand(), inviteCommand()])
    command.addCommand(withSettings(child.option("--json", "print JSON"), ["baseUrl", "port"]));
  for (const child of [listCommand(), roleCommand(), removeCommand()])
    command.addCommand(withSettings(child.option("--json", "print JSON"), []));
  return command;
};
