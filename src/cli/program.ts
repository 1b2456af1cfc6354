import type { Command } from "commander";
import { VERSION } from "../lib/version.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand, restoreCommand } from "./backup.ts";
import { categoriesCommand } from "./categories.ts";
import { certificatesCommand } from "./certificates.ts";
import { clockCommand } from "./clock.ts";
import { clusterCommand } from "./cluster.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { deployCommand, deploysCommand, projectsCommand } from "./projects.ts";
import { doctorCommand } from "./doctor.ts";
import { domainsCommand } from "./domains.ts";
import { exportCommand } from "./export.ts";
import { explain, HELP, helpCommand } from "./help.ts";
import { addGlobalOptions, EXIT_CODES, fullName, group } from "./command.ts";
import { importCommand } from "./import.ts";
import { keysCommand } from "./keys.ts";
import { manCommand, openapiCommand, versionCommand } from "./information.ts";
import { ordersCommand } from "./orders.ts";
import { peopleCommand } from "./people.ts";
import { heading } from "./print/output.ts";
import { petsCommand } from "./pets.ts";
import { recoverCommand } from "./recover.ts";
import { serveCommand } from "./serve.ts";
import { serviceCommand } from "./service.ts";
import { statusCommand } from "./status.ts";
import { upgradeCommand } from "./upgrade.ts";
import { UsageError } from "./input.ts";

/** Commander's messages about wrong use, in our words. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/^error: /, ""],
  [/\n/g, " "],
  [/\.$/, ""],
  [/^unknown (command|option) '(.*?)'/, 'unknown $1 "$2"'],
  [/^required option '(.*)' not specified$/, "the option $1 is missing"],
  [/^missing required argument '(.*)'$/, "the argument <$1> is missing"],
  [/^option '(--[\w-]+).*' argument missing$/, "$1 needs a value"],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/,
    '$2: "$1" is not one of $3',
  ],
  [/^too many arguments\b.*?: (.*)$/, "too many arguments: $1"],
  [
    /^option '(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)$/,
    '$1: "$2" is not one of $3',
  ],
];

/** Describes the mistake in a command line, in one line. @param message Commander's */
const usageMessage = (message: string): string =>
  REWRITES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);

/** All commands by the heading of help under which they appear. A new command is one more name here. */
const COMMANDS: Readonly<Record<string, readonly (() => Command)[]>> = {
  "Run a server:": [
    serveCommand,
    statusCommand,
    serviceCommand,
    upgradeCommand,
    doctorCommand,
    configCommand,
    clockCommand,
    clusterCommand,
  ],
  "Animals and adoptions:": [petsCommand, categoriesCommand, importCommand, exportCommand, ordersCommand],
  "Backups:": [backupCommand, restoreCommand, recoverCommand],
  "Keys, people, sites and domains:": [
    keysCommand,
    peopleCommand,
    projectsCommand,
    deployCommand,
    deploysCommand,
    domainsCommand,
    certificatesCommand,
  ],
  "Information:": [auditCommand, openapiCommand, completionCommand, manCommand, versionCommand, helpCommand],
};

/** The output of `adoption-store` without arguments. */
const start = () => `${heading(`adoption-store ${VERSION}`)}
Animals offered for adoption: a JSON API with durable storage.

${heading("Start here:")}
  adoption-store serve            run a server, with its data in ./data
  adoption-store service install  run it as a service of this machine
  adoption-store status           show whether it runs, and at which addresses
  adoption-store serve --help     show its settings: ports, HTTPS, backups

All commands: adoption-store help`;

const NOTES = [
  "A command uses the store that --data-dir or DATA_DIR names. Without them, it uses the store in ./data. If that directory has no store, it uses the store of the installed service. On the service's store, it uses the service's settings, even if --data-dir names the store. Only serve, restore and cluster join create a store.",
  "The first source that has the setting wins: its flag, its environment variable, the environment file of the service, the configuration file, the server running on the same DATA_DIR, the default. Each variable may have the prefix ADOPTION_STORE_.",
];

/** Commander passes settings only to subcommands that it created. A command that only groups others prints their help. */
const inherit = (command: Command): void => {
  command.allowExcessArguments(false).exitOverride((error) => {
    throw error.exitCode === 0
      ? error
      : new UsageError(`${usageMessage(error.message)}; see ${fullName(command)} --help`);
  });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inherit(child);
  }
  if (command.commands.length === 0) return;
  command
    .allowExcessArguments()
    .usage("<command>")
    .action(() => explain(command, command.parent ? undefined : start()));
};

/** The whole command line. Each command is a file that translates flags into calls. */
export const program = (): Command => {
  const root = group({
    name: "adoption-store",
    description: "Animals offered for adoption: a JSON API with durable storage, in one executable.",
    notes: NOTES,
    exitCodes: EXIT_CODES,
    commands: [],
  })()
    // Commander's own handles one level only, and ignores an unknown command.
    .helpCommand(false)
    .configureHelp(HELP)
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {} });
  addGlobalOptions(root, VERSION);
  for (const [heading, commands] of Object.entries(COMMANDS))
    for (const make of commands) root.addCommand(make().helpGroup(heading));
  inherit(root);
  return root;
};
