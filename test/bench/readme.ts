import { join } from "node:path";

export const README = join(import.meta.dir, "../../README.md");

interface Row {
  what: string;
  /** Where the figures are: the beginning of a section's heading, a row, and columns. */
  section: string;
  row: string;
  columns: readonly string[];
  /** The row of the peer; its last cell begins with the ratio, such as "4.20 times". */
  peer?: { row: string; say: (ratio: string) => string };
}

const OURS = { row: "adoption-store", columns: ["requests/s per core"] };

const ROWS: readonly Row[] = [
  {
    what: "`GET /v1/pets?limit=20` of 100,000 animals",
    section: "Reading",
    ...OURS,
    peer: { row: "PocketBase, Go", say: (ratio) => `PocketBase needs ${ratio} the CPU` },
  },
  {
    what: "`POST /v1/pets`, on disk before the response, 64 clients",
    section: "Writing",
    ...OURS,
    peer: { row: "PocketBase, Go", say: (ratio) => `${ratio} the rate of PocketBase` },
  },
  {
    what: "a page of 10 KB of a site",
    section: "Sites",
    ...OURS,
    peer: { row: "Caddy", say: (ratio) => `Caddy needs ${ratio} the CPU` },
  },
  {
    what: "import of a CSV of 1,000,000 rows",
    section: "Bulk",
    row: "import of the CSV",
    columns: ["took", "memory"],
  },
  {
    what: "start with 100,000 animals, to the first response",
    section: "Start",
    row: "a database with 100,000 animals",
    columns: ["median"],
  },
];

const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of a section's table, the heading first. */
const tableOf = (page: string, section: string): string[][] =>
  (page.split(/^## /m).find((text) => text.startsWith(section)) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map(cellsOf);

const requests = (column: string, cell: string): string =>
  column.startsWith("requests/s") ? `${cell} ${column}` : cell;

/** @returns undefined if the page does not have a figure */
const lineOf = (page: string, { what, section, row, columns, peer }: Row): string | undefined => {
  const [heading = [], ...rows] = tableOf(page, section);
  const cells = rows.find(([name]) => name === row);
  const figures = columns.map((column) => cells?.[heading.indexOf(column)]);
  const target = rows.find(([name]) => name === peer?.row)?.at(-1) ?? "";
  const [ratio] = /^[\d.]+ times/.exec(target) ?? [""];
  if (figures.some((figure) => !figure) || (peer && ratio === "")) return undefined;
  const measured = figures.map((figure, index) => requests(columns[index] ?? "", figure ?? "")).join(", ");
  return `| ${what} | ${measured} | ${peer?.say(ratio) ?? ""} |`;
};

/** README with the figures of the page; undefined if the page lacks one of them. */
export const withFigures = (readme: string, page: string): string | undefined => {
  const lines = ROWS.map((row) => lineOf(page, row));
  if (lines.includes(undefined)) return undefined;
  const table = ["| workload | measured | compared with a peer |", "| --- | ---: | ---: |", ...lines].join(
    "\n",
  );
  const start = readme.indexOf("\n|", readme.indexOf("## How fast it is")) + 1;
  const end = readme.indexOf("\n\n", start);
  return readme.slice(0, start) + table + readme.slice(end);
};
