import { csvLine, guardFormula } from "../lib/csv-writer.ts";
import type { ExportedPet } from "./export-repository.ts";

/** How animals are written to a file. */
interface ExportFormat {
  heading: string;
  lineOf(animal: ExportedPet): string;
}

/** Writes integers with all their digits: `JSON.stringify` would round them. */
const json = ([id, name, categoryId, category, status]: ExportedPet): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${
    category === null ? "" : `,"category":${JSON.stringify(category)}`
  }${status === null ? "" : `,"status":"${status}"`}}\n`;

/** The id of the category is exact, and counts when the file is imported. Its name is for people. */
export const exportFormat = (format: "csv" | "ndjson", { isRaw }: { isRaw: boolean }): ExportFormat => {
  if (format === "ndjson") return { heading: "", lineOf: json };
  const textOf = isRaw ? (text: string) => text : guardFormula;
  return {
    heading: csvLine(["id", "name", "categoryId", "category", "status"]),
    lineOf: ([id, name, categoryId, category, status]) =>
      csvLine([String(id), textOf(name), categoryId, textOf(category ?? ""), status ?? ""]),
  };
};

export const formatPage = (animals: readonly ExportedPet[], { lineOf }: ExportFormat): string => {
  let text = "";
  for (const animal of animals) text += lineOf(animal);
  return text;
};
