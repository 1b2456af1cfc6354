import { ApiError } from "../client/api-error.ts";
import type { components } from "../client/types/platform.d.ts";
import { SHARED } from "../config/shared-settings.ts";
import { siteRoot } from "../platform/deploys/site-root.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { projectAddresses } from "../platform/projects/addresses.ts";
import { fromProject } from "../platform/projects/model.ts";
import { type Plan, PLAN_NAMES } from "../platform/projects/plan.ts";
import { command, group } from "./command.ts";
import type { Listing } from "./pack.ts";
import {
  allPages,
  type Columns,
  formatBytes,
  formatNames,
  listText,
  note,
  progressLine,
  relativeTime,
} from "./print/output.ts";
import { list, resource } from "./resource.ts";
import { type Api, dataOf, SERVER, withApi } from "./server-api.ts";
import { effectiveConfig } from "./settings.ts";
import { UsageError } from "./input.ts";

type Schemas = components["schemas"];
type Project = Schemas["Project"];
type Deploy = Schemas["Deploy"];

const MAX_NAMED = 3;

const noteSkipped = ({ skipped }: Listing) => {
  if (skipped.length === 0) return;
  note(`not published (hidden, or neither file nor directory): ${formatNames(skipped, MAX_NAMED)}`);
};

/** Refuses, before anything is sent, a site that the server would refuse. @throws UsageError */
const assertSite = ({ files }: Listing) => {
  try {
    siteRoot(files.map(({ path }) => path));
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
};

/** Finds the project, or creates it with `--create`. @throws UsageError if it does not exist */
const findProject = async (
  api: Api,
  { project: slug, create, plan }: { project: string; create: boolean | undefined; plan: Plan },
): Promise<Project> => {
  try {
    return await dataOf(api().platform.GET("/platform/projects/{slug}", { params: { path: { slug } } }));
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    if (!create)
      throw new UsageError(
        `there is no project ${JSON.stringify(slug)}: check the slug, or create it with --create`,
      );
    return dataOf(api().platform.POST("/platform/projects", { body: { slug, name: slug, plan } }));
  }
};

const upload = async (api: Api, directory: string, { files, bytes }: Listing, slug: string) => {
  const { packFiles } = await import("./pack.ts");
  using progress = progressLine();
  let packedFiles = 0;
  let packedBytes = 0;
  let failure: Error | undefined;
  const archive = packFiles(directory, files, {
    onPacked({ size }) {
      packedFiles++;
      packedBytes += size;
      const share = `${packedFiles} of ${files.length} files, ${formatBytes(packedBytes)} of ${formatBytes(bytes)}`;
      progress.show(packedFiles < files.length ? `Sending ${share}` : "Sent; the server stores it");
    },
    onError(error) {
      failure = error;
    },
  });
  try {
    const init = { params: { path: { slug } }, headers: { "content-type": "application/gzip" } };
    return await dataOf(
      api(archive).platform.POST("/platform/projects/{slug}/deploys", { ...init, body: new Blob() }),
    );
  } catch (error) {
    // If packing failed here, the request failed because of that.
    throw failure ?? error;
  }
};

export const deployCommand = command({
  name: "deploy",
  summary: "publish a directory as a site",
  description: "publish a directory of static files as a project's site, and print its address",
  takes: {
    "<directory>": "directory to publish; its index.html is the start page",
    "--project <slug>": { text: "the project, such as docs", required: true },
    "--create": "create the project if it does not exist",
    "--plan <plan>": {
      text: "plan of a new project; custom domains need pro",
      choices: PLAN_NAMES,
      fallback: "free",
    },
    ...SERVER,
    "--json": "print the deploy as JSON",
  },
  hiddenSettings: ["baseUrl", "port"],
  examples: {
    "Publish ./site as a new project": "site --project docs --create",
    "Publish to a server on another machine":
      "site --project docs \\\n  --server https://adopt.example.org --key-file deploy.key",
  },
  async run({ directory, ...input }) {
    const { listDirectory } = await import("./pack.ts");
    const listing = await listDirectory(directory);
    assertSite(listing);
    return withApi(input, async (api) => {
      const project = await findProject(api, input);
      noteSkipped(listing);
      // As in serve: the upload takes longer than the JIT takes to compile it.
      Bun.unsafe.setJITPolicy(1);
      const start = performance.now();
      const deploy = await upload(api, directory, listing, project.slug);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const { id, files, bytes, preview } = deploy;
      const lines = [
        `Deploy ${id}: ${quantity(files, "file")}, ${formatBytes(bytes)}, in ${seconds} s`,
        project.address,
        ...(preview === undefined ? [] : [`Preview: ${preview}`]),
      ];
      return { json: { ...deploy, address: project.address }, text: lines.join("\n") };
    });
  },
});

/** The largest page of the API. */
const MAX_DEPLOYS = 100;

const COLUMNS: Columns<Deploy> = {
  ID: ({ id }) => String(id),
  STATUS: ({ status, active }) => (active ? "live" : status),
  FILES: ({ files }) => String(files),
  SIZE: ({ bytes }) => formatBytes(bytes),
  CREATED: ({ createdAt }, now) => relativeTime(Date.parse(createdAt), now),
  "PREVIEW OR REASON": ({ preview, reason }) => preview ?? reason ?? "-",
};

const listDeploys = command({
  name: "list",
  description: `list a project's newest deploys, at most ${MAX_DEPLOYS}`,
  takes: {
    "--project <slug>": { text: "the project, such as docs", required: true },
    ...SERVER,
    "--json": "print JSON",
  },
  hiddenSettings: ["baseUrl", "port"],
  examples: { "See which deploy is live, and where to preview the others": "--project docs" },
  async run({ project, ...input }) {
    const params = { path: { slug: project }, query: { limit: MAX_DEPLOYS } };
    const found = await withApi(input, (api) =>
      dataOf(api().platform.GET("/platform/projects/{slug}/deploys", { params })),
    );
    const empty = `No deploys. Publish one: adoption-store deploy DIRECTORY --project ${project}`;
    return { json: found, text: listText(found, COLUMNS, empty) };
  },
});

export const deploysCommand = group({
  name: "deploys",
  description: "list the deploys of a project",
  commands: [listDeploys],
});

const listProjects = list({
  name: "list",
  description: "list projects, with their plans and addresses",
  takes: { "--q <text>": "only those whose slug or name contains this text" },
  examples: { "Find the projects of a customer": "--q rescue" },
  async rows({ q: text }, { platform: { projects }, config }) {
    const found = await allPages((page) => projects.list({ text, ...page }));
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
  readConfig: effectiveConfig,
  hiddenSettings: SHARED,
  actions: [listProjects],
});
