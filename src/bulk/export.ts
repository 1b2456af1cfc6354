import { csvLine, guardFormula } from "./csv-writer.ts";
import type { ExportedPet } from "./repository.ts";

/** How animals are written to a file. */
interface ExportFormat {
  heading: string;
  lineOf(animal: ExportedPet): string;
}

/** Writes integers with all their digits: `JSON.stringify` would round them. */
const json = ([id, name, categoryId, status]: ExportedPet): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === null ? "" : `,"status":"${status}"`}}\n`;

export const exportFormat = (format: "csv" | "ndjson", { guarded }: { guarded: boolean }): ExportFormat =>
  format === "ndjson"
    ? { heading: "", lineOf: json }
    : {
        heading: csvLine(["id", "name", "categoryId", "status"]),
        lineOf: ([id, name, categoryId, status]) =>
          csvLine([String(id), guarded ? guardFormula(name) : name, categoryId, status ?? ""]),
      };

export const formatPage = (animals: readonly ExportedPet[], { lineOf }: ExportFormat): string => {
  let text = "";
  for (const animal of animals) text += lineOf(animal);
  return text;
};
