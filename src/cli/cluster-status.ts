import { Command } from "commander";
import type { EngineMember } from "../cluster/log.ts";
import type { NodeEntry } from "../cluster/nodes.ts";
import type { ClusterProblem, ClusterReport, ReportedClaim } from "../cluster/report.ts";
import { describeDatabaseUrl } from "../lib/database-url.ts";
import { quantity } from "../lib/quantity.ts";
import { readCluster } from "./cluster-facts.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { coloured, heading } from "./print/colour.ts";
import { formatBytes, formatCount } from "./print/format.ts";
import { type Columns, printList } from "./print/list.ts";
import { print, printJson } from "./print/output.ts";
import { relativeTime } from "./print/relative-time.ts";
import { configOf } from "./settings.ts";

const LABEL_WIDTH = 11;

const memberText = ({ address, problem, isLeader }: EngineMember): string => {
  if (problem !== undefined) return `${address} ${coloured("red", "FAILED")} (${problem})`;
  return isLeader ? `${address} (leader)` : address;
};

const engineTexts = ({ engine: { version, members, bytes } }: ClusterReport, url: string): string[] => [
  [
    version ?? coloured("red", "cannot be reached"),
    url,
    bytes !== undefined && `${formatBytes(bytes)} stored`,
  ]
    .filter(Boolean)
    .join(", "),
  ...members.map(memberText),
];

const logText = ({ log }: ClusterReport): string => {
  if (!log) return "not known";
  return log.head ? `${log.head.log} at position ${formatCount(log.head.position)}` : "none yet";
};

const PLACES = { engine: "in the engine", objects: "in object storage" } as const;

const snapshotText = ({ log }: ClusterReport, now: number): string => {
  const { head, snapshot } = log ?? {};
  if (!head || !snapshot) return log ? "none" : "not known";
  const { position, madeAt, compressed, store } = snapshot;
  return `position ${formatCount(position)}, ${quantity(head.position - position, "record")} behind the log, made ${relativeTime(madeAt, now)}, ${formatBytes(compressed)} ${PLACES[store]}`;
};

const linesOf = (label: string, [first = "", ...rest]: readonly string[]): string[] => [
  `${heading(label)}${" ".repeat(LABEL_WIDTH - label.length)}${first}`,
  ...rest.map((line) => " ".repeat(LABEL_WIDTH) + line),
];

const workOf = ({ id }: NodeEntry, claims: readonly ReportedClaim[]): string =>
  claims
    .filter(({ node }) => node === id)
    .map(({ name }) => name)
    .join(", ") || "-";

const nodeColumns = (head: number, claims: readonly ReportedClaim[], now: number): Columns<NodeEntry> => ({
  NODE: ({ name }) => name,
  ID: ({ id }) => id.slice(0, 8),
  VERSION: ({ version }) => version,
  POSITION: ({ position }) => formatCount(position),
  BEHIND: ({ position }) => formatCount(Math.max(0, head - position)),
  ADDRESS: ({ address }) => address,
  STARTED: ({ since }) => relativeTime(since, now),
  CLAIMS: (node) => workOf(node, claims),
});

const printStatus = (
  report: ClusterReport,
  problems: readonly ClusterProblem[],
  url: string,
  now: number,
): void => {
  const { log } = report;
  for (const line of [
    ...linesOf("engine", engineTexts(report, url)),
    ...linesOf("log", [logText(report)]),
    ...linesOf("snapshot", [snapshotText(report, now)]),
  ])
    print(line);
  if (log && log.nodes.length > 0) {
    print("");
    // A node tells its position every two seconds: it may be ahead of the end that was asked for before.
    printList(log.nodes, nodeColumns(log.head?.position ?? 0, log.claims, now), { json: false, empty: "" });
  }
  if (problems.length > 0) print("");
  for (const { isFailure, text } of problems)
    print(`${isFailure ? coloured("red", "FAILED ") : coloured("yellow", "warning")}    ${text}`);
};

const TEXTS: CommandTexts = {
  notes: [
    "The command asks etcd or PostgreSQL. It needs neither a server nor a DATA_DIR, and changes nothing. Nodes tell their position every two seconds, so BEHIND is a little high in a busy cluster.",
  ],
  exitCodes: { 0: "all is well", 1: "something is wrong: the last lines say what" },
  examples: [
    { text: "Show the nodes, the engine and the log", line: "adoption-store cluster status" },
    {
      text: "Alert from a timer when something is wrong",
      line: "adoption-store cluster status > /dev/null || echo look at the cluster",
    },
  ],
};

export const clusterStatusCommand = (): Command =>
  withTexts(new Command("status"), TEXTS)
    .summary("show the nodes, the engine and the log")
    .description(
      "show the nodes of the cluster, its engine, its log and its newest snapshot, and what is wrong",
    )
    .action(async (options: Record<string, unknown>) => {
      const config = configOf(options);
      const now = Date.now();
      const { report, problems } = await readCluster(config, now);
      if (options["json"]) printJson({ ...report, problems });
      else
        printStatus(report, problems, config.databaseUrl ? describeDatabaseUrl(config.databaseUrl) : "", now);
      process.exitCode = problems.length === 0 ? 0 : 1;
    });
