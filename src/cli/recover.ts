import { resolve } from "node:path";
import { type Recovered, recoverInto } from "../operate/backups/recover.ts";
import { type TableReport, hasLoss, rowsIn } from "../data/recovery/salvage.ts";
import { shellQuoted } from "../data/data-dir/shell.ts";
import { quantity } from "../lib/quantity.ts";
import { command } from "./command.ts";
import {
  type Columns,
  formatBytes,
  formatCount,
  formatNames,
  listText,
  note,
  print,
  progressLine,
} from "./print/output.ts";
import { configOf } from "./settings.ts";

/** The most ranges or rows on one line. `--json` has all. */
const MAX_NAMED = 20;

const formatRanges = (ranges: TableReport["missing"]): string =>
  formatNames(
    ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to ?? ""}`)),
    MAX_NAMED,
  );

const COLUMNS: Columns<TableReport> = {
  TABLE: ({ table }) => table,
  SAVED: ({ saved }) => formatCount(saved),
  "MISSING IDS": ({ missing }) => formatRanges(missing) || "none",
};

const linesOf = ({ table, refused, garbled }: TableReport): string[] => [
  ...refused.slice(0, MAX_NAMED).map(({ id, reason }) => `${table} ${id}: ${reason}`),
  ...(refused.length > MAX_NAMED
    ? [`${table}: ${refused.length - MAX_NAMED} more rows; --json lists all`]
    : []),
  ...(garbled.length > 0
    ? [`${table}: saved with damaged text: ${formatNames(garbled.map(String), MAX_NAMED)}`]
    : []),
];

const printRecovered = ({ dataDir, report, sites }: Recovered): void => {
  print(listText(report.tables, COLUMNS, "No table"));
  const lines = report.tables.flatMap(linesOf);
  if (lines.length > 0) print(["", "Rows that were not saved, or saved with changes:", ...lines].join("\n"));
  print(`Total: ${quantity(rowsIn(report), "row")} saved`);
  if (sites.files > 0) print(`Sites: ${quantity(sites.files, "file")}, ${formatBytes(sites.bytes)}`);
  print(`To start the server: adoption-store serve --data-dir ${shellQuoted(dataDir)}`);
};

const areOf = (count: number): string => (count === 1 ? "is" : "are");

/** What the recovered store may lack, or have too much. */
const doubtsIn = ({ report, sites }: Recovered) =>
  [
    sites.missing > 0 &&
      `${quantity(sites.missing, "file")} of deployed sites ${areOf(sites.missing)} missing or damaged: deploy those sites again`,
    report.lostFrames > 0 &&
      `${quantity(report.lostFrames, "part")} of the log ${areOf(report.lostFrames)} damaged: some of the latest changes are lost, above all those to rows that are listed as missing`,
    report.openFrames > 0 &&
      "the log ends inside a write, which is not part of the recovered store; it was not acknowledged, unless the log was cut",
    !report.isFreeListWhole &&
      report.tables.some(hasLoss) &&
      "the list of free pages is damaged: rows that were deleted, or earlier versions of rows, may be back",
    report.isReplica && "the database was a replica of a cluster; the recovered store is outside the cluster",
  ].filter((doubt) => doubt !== false);

export const recoverCommand = command({
  name: "recover",
  summary: "save the readable rows of a damaged database",
  description:
    "read the damaged database of DATA_DIR page by page, and save all readable rows in a new directory; stop the server first",
  takes: {
    "<directory>": "a new directory for the recovered store",
    "--json": "print JSON",
  },
  notes: [
    "First try adoption-store doctor --repair, which loses nothing. The damaged database stays as it is. For each table, the output has the number of saved rows and the ids of missing ones, which may include ids of rows that were deleted earlier. The newest backup may have the missing rows.",
  ],
  examples: { "Save all readable rows in the directory recovered": "recovered" },
  async run({ directory, ...flags }) {
    const { dataDir } = configOf(flags);
    using progress = progressLine();
    const recovered = await recoverInto(dataDir, resolve(directory), Date.now(), progress.show);
    progress.end();
    for (const doubt of doubtsIn(recovered)) note(doubt);
    return { json: recovered, text: () => printRecovered(recovered) };
  },
});
