import type { Database } from "../db/open.ts";
import { csvLine, guardFormula } from "../lib/csv-writer.ts";
import type { PetStatus } from "../pets/pet.ts";

/** An animal as it is exported. The id of the category is text, so that it keeps all digits. */
type ExportedPet = [
  id: number,
  name: string,
  categoryId: string,
  /** The category's name; null if the category has no record. */
  category: string | null,
  status: PetStatus | null,
];

const PAGE_ROWS = 2000;

/**
 * All animals, or those of one status (null: without one), ascending by id, in pages of one snapshot. The snapshot ends with
 * the iteration.
 */
export function* exportPages(
  { client }: Database,
  status: PetStatus | null | undefined,
): Generator<ExportedPet[]> {
  const filter =
    status === undefined ? "" : status === null ? "pets.status IS NULL AND" : "pets.status = ?3 AND";
  const pageStatement = client.prepare<unknown, (string | number)[]>(
    `SELECT pets.id, pets.name, CAST(pets.category_id AS TEXT), categories.name, pets.status
     FROM pets LEFT JOIN categories ON categories.id = pets.category_id
     WHERE ${filter} pets.id > ?1 ORDER BY pets.id LIMIT ?2`,
  );
  client.run("BEGIN");
  try {
    for (let after = 0; ;) {
      const rows = pageStatement.values(after, PAGE_ROWS, ...(status ? [status] : [])) as ExportedPet[];
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE_ROWS) return;
      after = rows.at(-1)?.[0] ?? after;
    }
  } finally {
    client.run("COMMIT");
  }
}

export const countPets = ({ client }: Database): number =>
  client.query<{ count: number }, []>("SELECT count(*) AS count FROM pets").get()?.count ?? 0;

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
