import { join } from "node:path";
import { README, withFigures } from "./readme.ts";

/** The page of the manual that holds the tables. */
const PAGE = join(import.meta.dir, "../../src/pages/manual/background/performance.md");

/** The first section that the bench writes. Those before it are written by hand. */
const FIRST = "## Machine";

const sectionsOf = (text: string): string[] =>
  text
    .split(/^(?=## )/m)
    .map((section) => section.trim())
    .filter((section) => section !== "");

const headingOf = (section: string): string => section.split("\n", 1)[0] ?? "";

/** The page with the sections of a whole run instead of those of an earlier one. */
export const withAll = (page: string, measured: string): string => {
  const sections = sectionsOf(page);
  const first = sections.findIndex((section) => headingOf(section) === FIRST);
  const byHand = first < 0 ? sections : sections.slice(0, first);
  return `${[...byHand, ...sectionsOf(measured)].join("\n\n")}\n`;
};

/** The page with some sections measured again: each replaces the one with its heading, or goes to the end. */
export const withSome = (page: string, measured: string, date: string): string => {
  const later = sectionsOf(measured).filter((section) => headingOf(section) !== FIRST);
  const fresh = new Map(
    later.map((section) => [headingOf(section), `${section}\n\nMeasured again on ${date}.`]),
  );
  const kept = sectionsOf(page).map((section) => {
    const replacement = fresh.get(headingOf(section));
    fresh.delete(headingOf(section));
    return replacement ?? section;
  });
  return `${[...kept, ...fresh.values()].join("\n\n")}\n`;
};

/** Writes what was measured into the page, and README's figures from it. `bun run format` lays both out. */
export const writePage = async (replace: (page: string) => string): Promise<void> => {
  const page = replace(await Bun.file(PAGE).text());
  await Bun.write(PAGE, page);
  const readme = withFigures(await Bun.file(README).text(), page);
  if (readme) await Bun.write(README, readme);
  else console.error("README stays as it is: the page does not have all of its figures");
};
