import { existsSync, readFileSync } from "node:fs";
import { ApiError } from "../client/api-error.ts";
import { type Client, createClient } from "../client/client.ts";
import type { Fetch, Reply } from "../client/transport.ts";
import type { components } from "../client/types/platform.d.ts";
import type { Client as ClientSettings } from "../config/client.ts";
import type { Config } from "../config/config.ts";
import { adminKeyPath } from "../data/data-dir/paths.ts";
import { isWellFormed } from "../access/keys/secret.ts";
import { printable } from "../lib/text.ts";
import { SHARED } from "../config/shared-settings.ts";
import { siteRoot } from "../platform/deploys/site-root.ts";
import { OperatorError } from "../lib/operator-error.ts";
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
import { availableConfig, clientOf, effectiveConfig } from "./settings.ts";
import { UsageError } from "./input.ts";

/** The API's messages are shorter. */
const MAX_MESSAGE = 1000;

/** @throws OperatorError if the file holds something else: it must not be sent to a server */
const readKey = (path: string): string => {
  const text = readFileSync(path, "utf8").trim();
  if (isWellFormed(text)) return text;
  throw new OperatorError(`${path} does not contain an API key: name another file with --key-file`);
};

/** @throws OperatorError */
const keyOf = ({ key }: ClientSettings, { dataDir }: Config, keyFile: string | undefined): string => {
  const path = keyFile ?? adminKeyPath(dataDir);
  if (keyFile === undefined && key !== undefined) return key;
  if (existsSync(path)) return readKey(path);
  throw new OperatorError(
    `no API key, because ${path} does not exist: name a file with a key with --key-file, or set ADOPTION_STORE_KEY`,
  );
};

/** Bun's message for a refused connection does not mention the refusal. */
const connectionFault = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ECONNREFUSED" || code === "ConnectionRefused"
    ? "connection refused"
    : message.replace(/ Is the computer able to access the url\?$/, "");

/** Why a request failed, and the remedy. Another service may have responded, perhaps a proxy. */
const describe = (server: string, { status, code, message, cause }: ApiError): string => {
  if (code === "unreachable")
    return `no response from ${server} (${connectionFault(cause as Error)}): start the server with adoption-store serve, or name another with --server`;
  if (code !== "unreadable") return printable(message, MAX_MESSAGE);
  return status < 400
    ? `${server} did not respond with JSON: is it adoption-store? Check --server`
    : `${server} responded with status ${status}, but not as adoption-store does: check --server, and the proxy in front of it`;
};

/** @throws ApiError if the response is not JSON */
const dataOf = async <Data>(reply: Promise<Reply<Data>>): Promise<Data> => {
  const { data, response } = await reply;
  if (typeof data === "object" && data !== null) return data;
  throw new ApiError(response.status, "unreadable", "The response is not JSON.");
};

/** Sends a request. The client itself sends no stream, because it could not repeat that. Uploading an archive may take long. */
const fetchWith =
  (archive: ReadableStream<Uint8Array> | undefined): Fetch =>
  (url, init) =>
    fetch(url, { ...init, ...(archive && { body: archive }), redirect: "error", timeout: false });

/** The platform's operations on a server. @param archive sent as the body, while it is packed */
type Api = (archive?: ReadableStream<Uint8Array>) => Client["platform"];

/** Runs `work` with the API of a server. Requests are not repeated, so that a wrong address is reported immediately. */
const withApi = async <Result>(
  input: { server: string | undefined; keyFile: string | undefined },
  work: (api: Api) => Promise<Result>,
): Promise<Result> => {
  const config = availableConfig(input);
  const client = clientOf(input, config);
  const apiKey = keyOf(client, config, input.keyFile);
  const options = { baseUrl: client.server, apiKey, maxRetries: 0, timeoutMs: 0 };
  try {
    return await work((archive) => createClient({ ...options, fetch: fetchWith(archive) }).platform);
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(describe(client.server, error)) : error;
  }
};

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
    return await dataOf(api().GET("/platform/projects/{slug}", { params: { path: { slug } } }));
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
    if (!create)
      throw new UsageError(
        `there is no project ${JSON.stringify(slug)}: check the slug, or create it with --create`,
      );
    return dataOf(api().POST("/platform/projects", { body: { slug, name: slug, plan } }));
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
      api(archive).POST("/platform/projects/{slug}/deploys", { ...init, body: new Blob() }),
    );
  } catch (error) {
    // If packing failed here, the request failed because of that.
    throw failure ?? error;
  }
};

const SERVER = {
  "--server <url>":
    "address of the server (env ADOPTION_STORE_URL; default BASE_URL or http://localhost:PORT)",
  "--key-file <file>":
    "file with an API key (default DATA_DIR/admin.key; env ADOPTION_STORE_KEY holds the key itself)",
} as const;

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
      dataOf(api().GET("/platform/projects/{slug}/deploys", { params })),
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
