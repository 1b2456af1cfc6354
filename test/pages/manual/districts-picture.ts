import { join } from "node:path";
import { DISTRICTS } from "../../districts.ts";

const FILE = join(import.meta.dir, "../../../src/pages/manual/contributing/architecture.svg");

const WIDTH = 940;
const MARGIN = 20;
const GAP = 16;
const ROW = 84;
const BOX = 62;

const STYLE = `text { font-family: system-ui, sans-serif; fill: #1c2530 }
.title { font-size: 14.5px; font-weight: 600 }
.line { font-size: 12.5px }
.box { fill: #f4f6f8; stroke: #8795a5 }
@media (prefers-color-scheme: dark) {
text { fill: #e6ebf0 }
.box { fill: #1d2630; stroke: #5d6b7a }
}`;

/** A district is one level above the highest district that it imports. */
const levelOf = (district: string): number => Math.max(-1, ...(DISTRICTS[district] ?? []).map(levelOf)) + 1;

/** The districts by level, highest first. */
const levels = (): string[][] =>
  [...Map.groupBy(Object.keys(DISTRICTS), levelOf)]
    .toSorted(([a], [b]) => b - a)
    .map(([, districts]) => districts);

const describe = (imports: readonly string[]): string => {
  if (imports.length === 0) return "imports nothing";
  return imports.length > 8 ? `imports ${imports.length} districts` : `imports ${imports.join(", ")}`;
};

const boxOf = (district: string, x: number, y: number, width: number): string =>
  [
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${BOX}" rx="6"/>`,
    `<text class="title" x="${x + 12}" y="${y + 26}">${district}/</text>`,
    `<text class="line" x="${x + 12}" y="${y + 46}">${describe(DISTRICTS[district] ?? [])}</text>`,
  ].join("\n");

/** A picture of the table of imports: each district imports only districts in lower rows. */
export const districtsPicture = (): string => {
  const rows = levels();
  const boxes = rows.flatMap((districts, row) => {
    const width = (WIDTH - 2 * MARGIN - (districts.length - 1) * GAP) / districts.length;
    return districts.map((district, index) =>
      boxOf(district, Math.round(MARGIN + index * (width + GAP)), MARGIN + row * ROW, Math.round(width)),
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${2 * MARGIN + (rows.length - 1) * ROW + BOX}" role="img" aria-labelledby="title">`,
    '<title id="title">The districts of adoption-store. Each imports only districts in lower rows.</title>',
    `<style>\n${STYLE}\n</style>`,
    ...boxes,
    "</svg>\n",
  ].join("\n");
};

/** The picture in the manual. */
export const storedPicture = (): Promise<string> => Bun.file(FILE).text();

if (import.meta.main) await Bun.write(FILE, districtsPicture());
