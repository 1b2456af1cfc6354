import type { ImportResult } from "../bulk/import.ts";
import type { Preview } from "../bulk/import-options.ts";
import { quantity } from "../lib/quantity.ts";
import { petStatusName } from "../pets/pet.ts";
import { printable } from "../lib/text.ts";
import { formatCount, formatNames } from "./print/format.ts";
import { print, printJson } from "./print/output.ts";
import { table } from "./print/table.ts";

const MAX_NAMES = 20;

const categoryOf = ({ pet, category }: Preview, created: readonly string[]): string => {
  if (category === undefined) return String(pet.categoryId);
  return created.includes(category) ? `${category} (new)` : category;
};

const printPreview = ({ preview, created }: ImportResult): void => {
  if (preview.length === 0) return;
  const rows = preview.map((row) => [
    String(row.line),
    printable(row.pet.name, 60),
    printable(categoryOf(row, created), 40),
    row.pet.status ? petStatusName(row.pet.status) : "-",
  ]);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  print(`${table([["LINE", "NAME", "CATEGORY", "STATUS"], ...rows], width)}\n`);
};

const summaryOf = (
  { read, added, rejected, before, rejectedBefore, blank, done }: ImportResult,
  file: string | undefined,
  isDry: boolean,
) => {
  const [verb, refused] = isDry ? ["would be added", "would be rejected"] : ["added", "rejected"];
  const now = rejected - rejectedBefore;
  const here = rejectedBefore > 0 ? ` (${formatCount(now)} in this run)` : "";
  const place = now > 0 && !isDry ? `${here}, see ${file}` : "";
  const skipped = blank > 0 ? `; ${quantity(blank, "blank row")} skipped` : "";
  const earlier = before > 0 ? ` (${formatCount(before)} in an earlier run)` : "";
  const counts = `${quantity(read, "row")} read${earlier}: ${formatCount(added)} ${verb}, ${formatCount(rejected)} ${refused}${place}${skipped}`;
  return done ? counts : `Stopped: ${counts}; run the same command again to continue`;
};

const previewJson = ({ line, pet, category }: Preview) => ({
  line,
  name: pet.name,
  category,
  status: pet.status,
});

/** Prints the result of an import. @param rejected the file of rejected rows */
export const printSummary = (
  result: ImportResult,
  {
    rejected,
    isDry,
    seconds,
    json,
  }: { rejected: string | undefined; isDry: boolean; seconds: number; json: boolean },
): void => {
  const { preview, created, ...outcome } = result;
  if (json)
    return printJson({
      ...outcome,
      createdCategories: created,
      ...(isDry && { preview: preview.map(previewJson) }),
      ...(outcome.rejected > outcome.rejectedBefore && !isDry && { rejectedFile: rejected }),
      seconds,
    });
  if (isDry) printPreview(result);
  if (created.length > 0)
    print(`Categories that ${isDry ? "would be" : "were"} created: ${formatNames(created, MAX_NAMES)}`);
  const pace = `${seconds.toFixed(1)} s, ${formatCount(Math.round((result.read - result.before) / seconds))} rows/s`;
  print(`${summaryOf(result, rejected, isDry)} (${pace})`);
};
