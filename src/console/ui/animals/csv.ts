import { type Category, categoryOf } from "../categories/category.ts";
import type { Animal } from "./statistics.ts";

const MUST_BE_QUOTED = /[",;\t\r\n]|^\s|\s$/;
/** What spreadsheets take for a formula (OWASP, CSV Injection). */
const FORMULA = /^'*[=+\-@\t\r]/;
/** Spreadsheets read a file without it in the encoding of their country. */
const BYTE_ORDER_MARK = "\ufeff";

const quote = (cell: string): string =>
  MUST_BE_QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

const guard = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The same file that `export --for-spreadsheets` writes of these animals. */
export const csvOf = (animals: readonly Animal[], categories: readonly Category[]): string => {
  const rows = animals.map(({ id, name, categoryId, status }) => [
    String(id),
    guard(name),
    String(categoryId),
    guard(categoryOf(categories, categoryId)?.name ?? ""),
    status ?? "",
  ]);
  const lines = [["id", "name", "categoryId", "category", "status"], ...rows];
  return `${BYTE_ORDER_MARK}${lines.map((cells) => `${cells.map(quote).join(",")}\n`).join("")}`;
};
