import { Command } from "commander";
import { commandServices } from "../app/command-services.ts";
import { SHARED } from "../config/saved-settings.ts";
import { projectAddresses } from "../projects/addresses.ts";
import { fromProject } from "../projects/model.ts";
import { withDatabase } from "./database.ts";
import { withExamples } from "./help/texts.ts";
import { type Columns, allPages, printList } from "./print/list.ts";
import { configBeside, withSettings } from "./settings.ts";

const PAGE_SIZE = 100;

type Project = ReturnType<typeof fromProject>;

const COLUMNS: Columns<Project> = {
  PROJECT: ({ slug }) => slug,
  NAME: ({ name }) => name,
  PLAN: ({ plan }) => plan,
  ADDRESS: ({ address }) => address,
};

const listCommand = () =>
  withExamples(new Command("list"), [
    "Find the projects of a customer",
    "adoption-store projects list --q rescue",
  ])
    .description("list projects, with their plans and addresses")
    .option("--q <text>", "only those whose slug or name contains this text")
    .option("--json", "print JSON")
    .action(async (options: Record<string, unknown> & { q?: string; json?: boolean }) => {
      const config = configBeside(options);
      const found = await withDatabase(config, (database) => {
        const { projects } = commandServices(config, database).platform;
        return allPages((cursor: string | undefined) =>
          projects.list({ text: options.q, limit: PAGE_SIZE, cursor }),
        );
      });
      const addresses = projectAddresses(config, config.port);
      printList(
        found.map((project) => fromProject(project, addresses)),
        COLUMNS,
        {
          json: options.json,
          empty: "No projects. Publish one: adoption-store deploy DIRECTORY --project SLUG --create",
        },
      );
    });

export const projectsCommand = (): Command =>
  new Command("projects")
    .description("list projects; the server may be running")
    .addCommand(withSettings(listCommand(), [], SHARED));
