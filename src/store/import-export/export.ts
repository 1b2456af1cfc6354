import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { categories, pets } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { csvLine, guardFormula } from "../../lib/csv-writer.ts";
import type { PetStatus } from "../pets/pet.ts";

/** An animal as it is exported. */
type ExportedPet = Pick<typeof pets.$inferSelect, "id" | "name" | "status"> & {
  /** Text, so that it keeps all digits. */
  categoryId: string;
  /** The category's name; null if the category has no record. */
  category: string | null;
};

const PAGE_ROWS = 2000;

const pageWhere = (condition: SQL) =>
  statement<ExportedPet>(sql`
    SELECT ${columnsOf(pets, "id", "name", "status")}, CAST(${pets.categoryId} AS TEXT) AS categoryId,
      ${categories.name} AS category
    FROM ${pets}
    LEFT JOIN ${categories} ON ${categories.id} = ${pets.categoryId}
    WHERE ${condition} AND ${pets.id} > ${value("after")}
    ORDER BY ${pets.id}
    LIMIT ${PAGE_ROWS}`);

const PAGE = pageWhere(sql`TRUE`);
const PAGE_OF_STATUS = pageWhere(sql`${pets.status} IS ${value("status")}`);

/**
 * All animals, or those of one status (null: without one), ascending by id, in pages of one snapshot. The snapshot ends with
 * the iteration.
 */
export function* exportPages(
  { client }: Database,
  status: PetStatus | null | undefined,
): Generator<ExportedPet[]> {
  const page = status === undefined ? PAGE : PAGE_OF_STATUS;
  client.run("BEGIN");
  try {
    for (let after = 0; ;) {
      const rows = page.all(client, { after, status });
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE_ROWS) return;
      after = rows.at(-1)?.id ?? after;
    }
  } finally {
    client.run("COMMIT");
  }
}

const COUNT = statement<{ count: number }>(sql`SELECT count(*) AS count FROM ${pets}`);

export const countPets = ({ client }: Database): number => COUNT.get(client)?.count ?? 0;

/** How animals are written to a file. */
interface ExportFormat {
  heading: string;
  lineOf(animal: ExportedPet): string;
}

/** Writes integers with all their digits: `JSON.stringify` would round them. */
const json = ({ id, name, categoryId, category, status }: ExportedPet): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${
    category === null ? "" : `,"category":${JSON.stringify(category)}`
  }${status === null ? "" : `,"status":"${status}"`}}\n`;

/** The id of the category is exact, and counts when the file is imported. Its name is for people. */
export const exportFormat = (format: "csv" | "ndjson", { isRaw }: { isRaw: boolean }): ExportFormat => {
  if (format === "ndjson") return { heading: "", lineOf: json };
  const textOf = isRaw ? (text: string) => text : guardFormula;
  return {
    heading: csvLine(["id", "name", "categoryId", "category", "status"]),
    lineOf: ({ id, name, categoryId, category, status }) =>
      csvLine([String(id), textOf(name), categoryId, textOf(category ?? ""), status ?? ""]),
  };
};

export const formatPage = (animals: readonly ExportedPet[], { lineOf }: ExportFormat): string => {
  let text = "";
  for (const animal of animals) text += lineOf(animal);
  return text;
};
