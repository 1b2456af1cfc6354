import { Argument, Command } from "commander";
import bash from "./completion/bash.sh" with { type: "text" };
import fish from "./completion/fish.sh" with { type: "text" };
import zsh from "./completion/zsh.sh" with { type: "text" };
import { withoutSettings } from "./help/globals.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";

const SCRIPTS = { bash, zsh, fish } as const;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

const TEXTS: CommandTexts = {
  notes: [
    "Ids and names of keys, people, categories, projects, domains and orders come from the store that the command selects, if the user may read it. Completion changes no files.",
    "Nothing is installed by itself: save the script where your shell looks for it, and open a new terminal.",
  ],
  examples: [
    {
      text: "bash, for yourself; for all users /etc/bash_completion.d/adoption-store",
      line: "adoption-store completion bash \\\n  > ~/.local/share/bash-completion/completions/adoption-store",
    },
    {
      text: "zsh, in a directory of $fpath",
      line: "adoption-store completion zsh > ~/.zfunc/_adoption-store",
    },
    {
      text: "fish",
      line: "adoption-store completion fish \\\n  > ~/.config/fish/completions/adoption-store.fish",
    },
  ],
};

export const completionCommand = (): Command =>
  withoutSettings(
    withTexts(new Command("completion"), TEXTS)
      .summary("print a script that completes commands in a shell")
      .description(
        "print a script with which the Tab key completes commands, options, values, files, and the ids and names of the store",
      )
      .addArgument(new Argument("<shell>", "the shell").choices(SHELLS)),
  ).action((shell: keyof typeof SCRIPTS) => {
    process.stdout.write(SCRIPTS[shell]);
  });
