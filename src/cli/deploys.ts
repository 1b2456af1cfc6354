import { Command, Option } from "commander";
import { siteRoot } from "../deploys/site-root.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { type Plan, PLAN_NAMES } from "../projects/plan.ts";
import { type Api, apiClient, ApiError } from "./api-client.ts";
import { withExamples } from "./help/texts.ts";
import type { Listing } from "./pack.ts";
import {
  type Columns,
  formatBytes,
  formatNames,
  note,
  print,
  printJson,
  printList,
  progressLine,
  relativeTime,
} from "./print/output.ts";
import { availableConfig, clientOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

interface DeployOptions extends Record<string, unknown> {
  project: string;
  create?: boolean;
  plan: Plan;
  keyFile?: string;
  json?: boolean;
}

interface Project {
  slug: string;
  address: string;
}

interface Deploy {
  id: number;
  status: "succeeded" | "failed";
  reason?: string;
  active: boolean;
  files: number;
  bytes: number;
  createdAt: string;
  preview?: string;
}

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
const findProject = async (api: Api, { project: slug, create, plan }: DeployOptions): Promise<Project> => {
  try {
    return await api.call<Project>("GET", `/platform/projects/${encodeURIComponent(slug)}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    if (!create)
      throw new UsageError(
        `there is no project ${JSON.stringify(slug)}: check the slug, or create it with --create`,
      );
    return api.call<Project>("POST", "/platform/projects", { json: { slug, name: slug, plan } });
  }
};

const upload = async (api: Api, directory: string, { files, bytes }: Listing, slug: string) => {
  const { packFiles } = await import("./pack.ts");
  const progress = progressLine();
  let packedFiles = 0;
  let packedBytes = 0;
  let failure: Error | undefined;
  const body = packFiles(directory, files, {
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
    return await api.call<Deploy>("POST", `/platform/projects/${slug}/deploys`, {
      body,
      type: "application/gzip",
    });
  } catch (error) {
    // If packing failed here, the request failed because of that.
    throw failure ?? error;
  } finally {
    progress.end();
  }
};

/** The options with which a command finds the server. */
const withServer = (command: Command): Command =>
  command
    .option(
      "--server <url>",
      "address of the server (env ADOPTION_STORE_URL; default BASE_URL or http://localhost:PORT)",
    )
    .option(
      "--key-file <file>",
      "file with an API key (default DATA_DIR/admin.key; env ADOPTION_STORE_KEY holds the key itself)",
    );

export const deployCommand = (): Command =>
  withSettings(
    withServer(
      withExamples(
        new Command("deploy"),
        ["Publish ./site as a new project", "adoption-store deploy site --project docs --create"],
        [
          "Publish to a server on another machine",
          "adoption-store deploy site --project docs \\\n  --server https://adopt.example.org --key-file deploy.key",
        ],
      )
        .summary("publish a directory as a site")
        .description("publish a directory of static files as a project's site, and print its address")
        .argument("<directory>", "directory to publish; its index.html is the start page")
        .requiredOption("--project <slug>", "the project, such as docs")
        .option("--create", "create the project if it does not exist")
        .addOption(
          new Option("--plan <plan>", "plan of a new project; custom domains need pro")
            .choices(PLAN_NAMES)
            .default("free"),
        ),
    ).option("--json", "print the deploy as JSON"),
    [],
    ["baseUrl", "port"],
  ).action(async (directory: string, options: DeployOptions) => {
    const config = availableConfig(options);
    const { listDirectory } = await import("./pack.ts");
    const listing = await listDirectory(directory);
    assertSite(listing);
    const api = apiClient(clientOf(options, config), config, options.keyFile);
    const project = await findProject(api, options);
    noteSkipped(listing);
    // As in serve: the upload takes longer than the JIT takes to compile it.
    Bun.unsafe.setJITPolicy(1);
    const start = performance.now();
    const deploy = await upload(api, directory, listing, project.slug);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (options.json) return printJson({ ...deploy, address: project.address });
    print(
      `Deploy ${deploy.id}: ${quantity(deploy.files, "file")}, ${formatBytes(deploy.bytes)}, in ${seconds} s`,
    );
    print(project.address);
    if (deploy.preview !== undefined) print(`Preview: ${deploy.preview}`);
  });

interface ListOptions extends Record<string, unknown> {
  project: string;
  keyFile?: string;
  json?: boolean;
}

/** The largest page of the API. */
const MAX_DEPLOYS = 100;

const columnsAt = (now: number): Columns<Deploy> => ({
  ID: ({ id }) => String(id),
  STATUS: ({ status, active }) => (active ? "live" : status),
  FILES: ({ files }) => String(files),
  SIZE: ({ bytes }) => formatBytes(bytes),
  CREATED: ({ createdAt }) => relativeTime(Date.parse(createdAt), now),
  "PREVIEW OR REASON": ({ preview, reason }) => preview ?? reason ?? "-",
});

const listCommand = () =>
  withSettings(
    withServer(
      withExamples(new Command("list"), [
        "See which deploy is live, and where to preview the others",
        "adoption-store deploys list --project docs",
      ])
        .description(`list a project's newest deploys, at most ${MAX_DEPLOYS}`)
        .requiredOption("--project <slug>", "the project, such as docs"),
    ).option("--json", "print JSON"),
    [],
    ["baseUrl", "port"],
  ).action(async (options: ListOptions) => {
    const config = availableConfig(options);
    const api = apiClient(clientOf(options, config), config, options.keyFile);
    const path = `/platform/projects/${encodeURIComponent(options.project)}/deploys?limit=${MAX_DEPLOYS}`;
    printList(await api.call<Deploy[]>("GET", path), columnsAt(Date.now()), {
      json: options.json,
      empty: `No deploys. Publish one: adoption-store deploy DIRECTORY --project ${options.project}`,
    });
  });

export const deploysCommand = (): Command =>
  new Command("deploys").description("list the deploys of a project").addCommand(listCommand());
