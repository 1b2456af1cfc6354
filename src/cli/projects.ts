import { SHARED } from "../config/shared-settings.ts";
import { projectAddresses } from "../projects/addresses.ts";
import { fromProject } from "../projects/model.ts";
import { allPages, PAGE_SIZE } from "./print/output.ts";
import { list, resource } from "./resource.ts";
import { configBeside } from "./settings.ts";

const listProjects = list({
  name: "list",
  description: "list projects, with their plans and addresses",
  takes: { "--q <text>": "only those whose slug or name contains this text" },
  examples: { "Find the projects of a customer": "adoption-store projects list --q rescue" },
  async rows({ q: text }, { platform: { projects }, config }) {
    const found = await allPages((cursor: string | undefined) =>
      projects.list({ text, limit: PAGE_SIZE, cursor }),
    );
    return found.map((project) => fromProject(project, projectAddresses(config, config.port)));
  },
  columns: {
    PROJECT: ({ slug }) => slug,
    NAME: ({ name }) => name,
    PLAN: ({ plan }) => plan,
    ADDRESS: ({ address }) => address,
  },
  empty: "No projects. Publish one: adoption-store deploy DIRECTORY --project SLUG --create",
});

export const projectsCommand = resource({
  name: "projects",
  description: "list projects; the server may be running",
  readConfig: configBeside,
  hiddenSettings: SHARED,
  actions: [listProjects],
});
