import { csvLine, guardFormula } from "../../../lib/csv-writer.ts";
import { type Category, categoryOf } from "../categories/category.ts";
import type { Animal } from "./statistics.ts";

/** Spreadsheets read a file without it in the encoding of their country. */
const BYTE_ORDER_MARK = "\ufeff";

/** The same file that `export` writes of these animals. */
export const csvOf = (animals: readonly Animal[], categories: readonly Category[]): string => {
  const rows = animals.map(({ id, name, categoryId, status }) => [
    String(id),
    guardFormula(name),
    String(categoryId),
    guardFormula(categoryOf(categories, categoryId)?.name ?? ""),
    status ?? "",
  ]);
  const lines = [["id", "name", "categoryId", "category", "status"], ...rows];
  return BYTE_ORDER_MARK + lines.map((cells) => csvLine(cells)).join("");
};
