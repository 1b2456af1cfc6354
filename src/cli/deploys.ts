import { Command } from "commander";
import { apiClient } from "./api-client.ts";
import { withExamples } from "./help/texts.ts";
import { formatBytes } from "./print/format.ts";
import { type Columns, printList } from "./print/list.ts";
import { relativeTime } from "./print/relative-time.ts";
import { clientOf, availableConfig, withSettings } from "./settings.ts";

interface Options extends Record<string, unknown> {
  project: string;
  keyFile?: string;
  json?: boolean;
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
    withExamples(new Command("list"), [
      "See which deploy is live, and where to preview the others",
      "adoption-store deploys list --project docs",
    ])
      .description(`list a project's newest deploys, at most ${MAX_DEPLOYS}`)
      .requiredOption("--project <slug>", "the project, such as docs")
      .option(
        "--server <url>",
        "address of the server (env ADOPTION_STORE_URL; default BASE_URL or http://localhost:PORT)",
      )
      .option(
        "--key-file <file>",
        "file with an API key (default DATA_DIR/admin.key; env ADOPTION_STORE_KEY holds the key itself)",
      )
      .option("--json", "print JSON"),
    [],
    ["baseUrl", "port"],
  ).action(async (options: Options) => {
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
