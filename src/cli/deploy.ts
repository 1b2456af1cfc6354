import { Command, Option } from "commander";
import { quantity } from "../bulk/quantity.ts";
import { siteRoot } from "../deploys/site-root.ts";
import { PLAN_NAMES, type Plan } from "../projects/plan.ts";
import { type Api, ApiError, apiClient } from "./api-client.ts";
import type { Listing } from "./pack.ts";
import { formatBytes } from "./print/format.ts";
import { progressLine } from "./print/progress.ts";
import { clientOf, configBeside, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { note, print, printJson } from "./print/output.ts";
import { reasonOf } from "../lib/reason.ts";

interface Options extends Record<string, unknown> {
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
  files: number;
  bytes: number;
}

const MAX_NAMED = 3;

const sayOfSkipped = ({ skipped }: Listing) => {
  if (skipped.length === 0) return;
  const named = skipped.slice(0, MAX_NAMED).join(", ");
  const more = skipped.length > MAX_NAMED ? `, and ${skipped.length - MAX_NAMED} more` : "";
  note(`not published (hidden, or no file): ${named}${more}`);
};

/** Refuses what the server would refuse, before anything is sent. @throws UsageError */
const assertSite = ({ files }: Listing) => {
  try {
    siteRoot(files.map(({ path }) => path));
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
};

/** The project, made if that is asked for. @throws UsageError if there is none */
const findProject = async (api: Api, { project: slug, create, plan }: Options): Promise<Project> => {
  try {
    return await api.call<Project>("GET", `/platform/projects/${encodeURIComponent(slug)}`);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    if (!create) throw new UsageError(`there is no project ${JSON.stringify(slug)}; --create makes it`);
    return api.call<Project>("POST", "/platform/projects", { json: { slug, name: slug, plan } });
  }
};

const upload = async (api: Api, directory: string, { files, bytes }: Listing, slug: string) => {
  const { packFiles } = await import("./pack.ts");
  const shown = progressLine();
  let packed = 0;
  let sent = 0;
  let failure: Error | undefined;
  const body = packFiles(directory, files, {
    packed({ size }) {
      packed++;
      sent += size;
      const share = `${packed} of ${files.length} files, ${formatBytes(sent)} of ${formatBytes(bytes)}`;
      shown.show(packed < files.length ? `Sending ${share}` : "Sent; the server stores it");
    },
    failed(error) {
      failure = error;
    },
  });
  try {
    return await api.call<Deploy>("POST", `/platform/projects/${slug}/deploys`, {
      body,
      type: "application/gzip",
    });
  } catch (error) {
    // What broke off on this side is no fault of the server's.
    throw failure ?? error;
  } finally {
    shown.end();
  }
};

export const deployCommand = (): Command =>
  withSettings(
    new Command("deploy")
      .description("publish a directory of static files as a project's site, and print its address")
      .argument("<directory>", "what to publish; its index.html is the start page")
      .requiredOption("--project <slug>", "the project, such as docs")
      .option("--create", "make the project if there is none")
      .addOption(
        new Option("--plan <plan>", "its plan then: custom domains need pro")
          .choices(PLAN_NAMES)
          .default("free"),
      )
      .option(
        "--server <url>",
        "the server (env ADOPTION_STORE_URL, default BASE_URL or http://localhost:PORT)",
      )
      .option(
        "--key-file <file>",
        "file with an API key (or env ADOPTION_STORE_KEY, default DATA_DIR/admin.key)",
      )
      .option("--json", "print the deploy as JSON"),
    ["dataDir", "baseUrl", "port"],
  ).action(async (directory: string, options: Options) => {
    const config = configBeside(options);
    const { listDirectory } = await import("./pack.ts");
    const listing = await listDirectory(directory);
    assertSite(listing);
    const api = apiClient(clientOf(options, config), config, options.keyFile);
    const project = await findProject(api, options);
    sayOfSkipped(listing);
    // As in serve: what follows takes longer than compiling it.
    Bun.unsafe.setJITPolicy(1);
    const start = performance.now();
    const deploy = await upload(api, directory, listing, project.slug);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (options.json) return printJson({ ...deploy, address: project.address });
    print(
      `Deploy ${deploy.id}: ${quantity(deploy.files, "file")}, ${formatBytes(deploy.bytes)}, in ${seconds} s`,
    );
    print(project.address);
  });
