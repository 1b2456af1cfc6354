import { Command, CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { explainCode } from "../db/explain-failure.ts";
import { Fault } from "../lib/errors.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { VERSION } from "../app/version.ts";
import { ApiError } from "./api-client.ts";
import { backupCommand } from "./backup.ts";
import { certificatesCommand } from "./certificates.ts";
import { deployCommand } from "./deploy.ts";
import { doctorCommand } from "./doctor.ts";
import { domainsCommand } from "./domains.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { keysCommand } from "./keys.ts";
import { openapiCommand } from "./openapi.ts";
import { restoreCommand } from "./restore.ts";
import { ordersCommand } from "./orders.ts";
import { serveCommand } from "./serve.ts";
import { suspendBetweenTurns } from "./suspend.ts";
import { Interrupted } from "./confirm.ts";
import { UsageError } from "./usage-error.ts";
import { note, print } from "./print/output.ts";
import { reasonOf } from "../lib/reason.ts";

const WRONG_USE = 2;
/** The exit code that a shell reports for a command that SIGINT ended. */
const INTERRUPTED = 130;

/** The whole command line. Each command is a file that translates flags into calls. */
const program = (): Command => {
  const root = new Command("adoption-store")
    .description("Animals offered for adoption: a JSON API with durable embedded storage, in one executable.")
    .version(VERSION, "-V, --version", "print the version")
    // Commander's own goes one level deep, and takes an unknown command for none.
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {} });
  root.addCommand(serveCommand());
  root.addCommand(keysCommand());
  root.addCommand(deployCommand());
  root.addCommand(domainsCommand());
  root.addCommand(certificatesCommand());
  root.addCommand(backupCommand());
  root.addCommand(restoreCommand());
  root.addCommand(importCommand());
  root.addCommand(exportCommand());
  root.addCommand(ordersCommand());
  root.addCommand(openapiCommand());
  root.addCommand(doctorCommand());
  root
    .command("version")
    .description("print the version")
    .action(() => print(VERSION));
  root
    .command("help")
    .description("explain a command")
    .argument("[command...]")
    .action((path: string[]) => commandAt(root, path).outputHelp());
  inherit(root);
  return root;
};

/** The command as it is called: `adoption-store keys create`. */
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

const usageFault = ({ message }: CommanderError): string =>
  message
    .replace(/^error: /, "")
    .replace(/^unknown command '(.*)'/s, (_, name: string) => `unknown command ${JSON.stringify(name)}`)
    .replaceAll("\n", " ")
    .replace(/\.$/, "");

/** Commander passes settings only to subcommands that it created. A command that only groups others prints their help. */
const inherit = (command: Command): void => {
  command.allowExcessArguments(false).exitOverride((error) => {
    throw error.exitCode === 0
      ? error
      : new UsageError(`${usageFault(error)}; see ${nameOf(command)} --help`);
  });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inherit(child);
  }
  if (command.commands.length > 0) command.allowExcessArguments().action(() => explain(command));
};

/** Commander's error about an unknown command, which suggests a similar one. Its types leave the method out. */
const refuseUnknown = (command: Command, name: string): never => {
  command.args = [name];
  return (command as Command & { unknownCommand(): never }).unknownCommand();
};

/** The command with this path, such as `keys create`. @throws UsageError */
const commandAt = (root: Command, path: readonly string[]): Command =>
  path.reduce(
    (command, name) =>
      command.commands.find((child) => child.name() === name) ?? refuseUnknown(command, name),
    root,
  );

const explain = (command: Command): void => {
  const [unknown] = command.args;
  if (unknown !== undefined) refuseUnknown(command, unknown);
  command.outputHelp();
};

/** Runs one command. @returns the exit code: 0, 1 for a failure, 2 for wrong use, 130 for Ctrl-C */
export const run = async (argv: readonly string[]): Promise<number> => {
  suspendBetweenTurns();
  try {
    await program().parseAsync([...argv], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander printed help or the version.
    if (error instanceof CommanderError) return 0;
    if (error instanceof ConfigError || error instanceof UsageError) {
      note(error.message);
      return WRONG_USE;
    }
    if (error instanceof OperatorError || error instanceof ApiError || error instanceof Fault) {
      note(error.message);
      return 1;
    }
    const message = reasonOf(error);
    // Only for an error with its own code: an error with a cause already says what to do.
    const { code } = error as { code?: unknown };
    const explanation = typeof code === "string" ? explainCode(code) : undefined;
    note(explanation === undefined ? message : `${message}: ${explanation}`);
    return error instanceof Interrupted ? INTERRUPTED : 1;
  }
};
