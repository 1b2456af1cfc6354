import { Command } from "commander";
import { print } from "../print/output.ts";
import { withoutSettings } from "./options.ts";

/** The command as it is called: `adoption-store keys create`. */
export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

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

export const helpCommand = (): Command =>
  withoutSettings(
    new Command("help")
      .description("explain a command, as its --help does")
      .argument("[command...]", "the command, such as keys create"),
  ).action(function (this: Command, path: string[]) {
    if (this.parent) commandAt(this.parent, path).outputHelp();
  });

/** Runs a command that only groups others: it prints its help, or refuses what it does not know. */
export const explain = (command: Command, start: string | undefined): void => {
  const [name, ...path] = command.args;
  if (name === "help") return commandAt(command, path).outputHelp();
  if (name !== undefined) refuseUnknown(command, name);
  if (start === undefined) command.outputHelp();
  else print(start);
};
