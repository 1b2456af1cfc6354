import { Command } from "commander";
import { VERSION } from "../app/version.ts";
import { withoutSettings } from "./help/globals.ts";
import { manualPage } from "./help/man.ts";
import { withExamples } from "./help/texts.ts";
import { print } from "./print/output.ts";

export const manCommand = (): Command =>
  withoutSettings(
    withExamples(
      new Command("man"),
      ["Read it", "adoption-store man | man -l -"],
      [
        "Install it for all users, so that man adoption-store finds it",
        "adoption-store man \\\n  | sudo tee /usr/local/share/man/man1/adoption-store.1 > /dev/null",
      ],
    ).description("print the manual page, for man"),
  ).action(function (this: Command) {
    if (this.parent) print(manualPage(this.parent, VERSION));
  });
