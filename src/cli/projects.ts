import { Command } from "commander";
import { commandServices } from "../app/command-services.ts";
import { SHARED } from "../config/shared-settings.ts";
import { projectAddresses } from "../projects/addresses.ts";
import { fromProject } from "../projects/model.ts";
import { withDatabase } from "./database.ts";
import { withExamples } from "./help/texts.ts";
import { allPages, printList } from "./print/output.ts";
import { configBeside, withSettings } from "./settings.ts";

const listCommand = () =>
  withExamples(new Command("list"), [
    "Find the projects of a customer",
    "adoption-store projects list --q rescue",
  ])
    .description("list projects, with their plans and addresses")
    .option("--q <text>", "only those whose slug or name contains this text")
    .option("--json", "print JSON")
    .action(async ({ q: text, json, ...flags }: Record<string, unknown> & { q?: string; json?: boolean }) => {
      const config = configBeside(flags);
      const found = await withDatabase(config, (database) =>
        allPages((cursor: string | undefined) =>
          commandServices(config, database).platform.projects.list({ text, limit: 100, cursor }),
        ),
      );
      const rows = found.map((project) => fromProject(project, projectAddresses(config, config.port)));
      printList(
        rows,
        {
          PROJECT: ({ slug }) => slug,
          NAME: ({ name }) => name,
          PLAN: ({ plan }) => plan,
          ADDRESS: ({ address }) => address,
        },
        { json, empty: "No projects. Publish one: adoption-store deploy DIRECTORY --project SLUG --create" },
      );
    });

export const projectsCommand = (): Command =>
  new Command("projects")
    .description("list projects; the server may be running")
    .addCommand(withSettings(listCommand(), [], SHARED));
