import { csvLine, guard } from "./csv-writer.ts";
import type { Exported } from "./repository.ts";

/** Writes animals in one form. */
export interface ExportForm {
  heading: string;
  lineOf(animal: Exported): string;
}

/** Integers are written with all their digits; `JSON.stringify` of a number would round them. */
const json = ([id, name, categoryId, status]: Exported): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === null ? "" : `,"status":"${status}"`}}\n`;

export const exportForm = (format: "csv" | "ndjson", { guarded }: { guarded: boolean }): ExportForm =>
  format === "ndjson"
    ? { heading: "", lineOf: json }
    : {
        heading: csvLine(["id", "name", "categoryId", "status"]),
        lineOf: ([id, name, categoryId, status]) =>
          csvLine([String(id), guarded ? guard(name) : name, categoryId, status ?? ""]),
      };

/** A page of animals as text. */
export const textOf = (animals: readonly Exported[], { lineOf }: ExportForm): string => {
  let text = "";
  for (const animal of animals) text += lineOf(animal);
  return text;
};
