import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { categories, pets } from "../../data/db/schema/pets.ts";
import { petProfiles } from "../../data/db/schema/profiles.ts";
import { type Connection, columnsOf, statement, value } from "../../data/db/statement.ts";
import { csvLine, guardFormula } from "../../lib/csv-writer.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import type { Field } from "../pets/fields/field.ts";
import { fieldsOf } from "../pets/fields/repository.ts";
import type { PetStatus } from "../pets/pet.ts";
import { fromStored, type Members } from "../pets/profile/profile.ts";
import { columnsFor, type ProfileColumn, valueIn } from "./profile-columns.ts";
import type { Format } from "./read-format.ts";

/** An animal as it is exported. */
type ExportedPet = Pick<typeof pets.$inferSelect, "id" | "name" | "status"> & {
  /** Text, so that it keeps all digits. */
  categoryId: string;
  /** The category's name; null if the category has no record. */
  category: string | null;
  /** As stored; null if the animal has none. */
  profile: string | null;
};

const PAGE_ROWS = 500;

const pageWhere = (condition: SQL) =>
  statement<ExportedPet>(sql`
    SELECT ${columnsOf(pets, "id", "name", "status")}, CAST(${pets.categoryId} AS TEXT) AS categoryId,
      ${categories.name} AS category, ${petProfiles.data} AS profile
    FROM ${pets}
    LEFT JOIN ${categories} ON ${categories.id} = ${pets.categoryId}
    LEFT JOIN ${petProfiles} ON ${petProfiles.petId} = ${pets.id}
    WHERE ${condition} AND ${pets.id} > ${value("after")}
    ORDER BY ${pets.id}
    LIMIT ${PAGE_ROWS}`);

const PAGE = pageWhere(sql`TRUE`);
const PAGE_OF_STATUS = pageWhere(sql`${pets.status} IS ${value("status")}`);

const COUNT = statement<{ count: number }>(sql`SELECT count(*) AS count FROM ${pets}`);

export const countPets = ({ client }: Database): number => COUNT.get(client)?.count ?? 0;

type ExportColumn = readonly [name: string, column: ProfileColumn];

const PROFILE_TEXTS = statement<{ last: number | null; text: string }>(sql`
  SELECT max(id) AS last, group_concat(data, '') AS text
  FROM (SELECT ${petProfiles.petId} AS id, ${petProfiles.data} AS data FROM ${petProfiles}
    WHERE ${petProfiles.petId} > ${value("after")} ORDER BY ${petProfiles.petId} LIMIT 100)`);

/**
 * The columns for which a profile has a value. It reads all profiles, unless every column is in use. A search for keys in their
 * texts takes 1.3 s for a million of 400 bytes, and `json_each` three times as long.
 */
const columnsInUse = (
  connection: Connection,
  columns: readonly ExportColumn[],
  fields: readonly Field[],
): ExportColumn[] => {
  const ids = new Map(fields.map(({ name, id }) => [`custom.${name}`, String(id)]));
  /** The key of a column's values in a stored profile. No two columns have the same. */
  const keyOf = ([name, { into }]: ExportColumn) => ids.get(name) ?? into.at(-1);
  const unused = new Set(columns.map(keyOf));
  for (let after = 0; unused.size > 0;) {
    const { last = null, text = "" } = PROFILE_TEXTS.get(connection, { after }) ?? {};
    if (last === null) break;
    // A quote inside a text is escaped, so this matches keys only.
    for (const [, key = ""] of text.matchAll(new RegExp(`"(${[...unused].join("|")})":`, "g")))
      unused.delete(key);
    after = last;
  }
  return columns.filter((column) => !unused.has(keyOf(column)));
};

/** How animals are written to a file. */
interface ExportFormat {
  heading: string;
  lineOf(animal: ExportedPet, members: Members): string;
}

/** Writes integers with all their digits: `JSON.stringify` would round them. */
const ndjson = (columns: readonly ExportColumn[]): ExportFormat => ({
  heading: "",
  lineOf({ id, name, categoryId, category, status }, members) {
    let line = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`;
    if (category !== null) line += `,"category":${JSON.stringify(category)}`;
    if (status !== null) line += `,"status":"${status}"`;
    for (const [member, { into }] of columns) {
      const found = valueIn(members, into);
      if (found !== undefined) line += `,"${member}":${JSON.stringify(found)}`;
    }
    return `${line}}\n`;
  },
});

/** The id of the category is exact, and counts when the file is imported. Its name is for people. */
const csv = (columns: readonly ExportColumn[], isRaw: boolean): ExportFormat => {
  const textOf = isRaw ? (text: string) => text : guardFormula;
  const cellOf = (members: Members, { into, write }: ProfileColumn): string => {
    const found = valueIn(members, into);
    const text = found === undefined ? "" : (write?.(found) ?? "");
    return typeof found === "number" ? text : textOf(text);
  };
  return {
    heading: csvLine(
      ["id", "name", "categoryId", "category", "status"].concat(columns.map(([name]) => name)),
    ),
    lineOf({ id, name, categoryId, category, status }, members) {
      const cells = [String(id), textOf(name), categoryId, textOf(category ?? ""), status ?? ""];
      for (const [, column] of columns) cells.push(cellOf(members, column));
      return csvLine(cells);
    },
  };
};

/** The animals to export, and their form. */
export interface Selection {
  format: Format;
  /** Null: animals without a status. Undefined: all. */
  status: PetStatus | null | undefined;
  /** True if texts that a spreadsheet would interpret as formulas stay unchanged. */
  isRaw: boolean;
}

/** @throws OperatorError if the stored profile is damaged */
const membersOf = ({ id, profile }: ExportedPet, fields: readonly Field[]): Members => {
  const members = profile === null ? {} : fromStored(profile, fields);
  if (members) return members;
  throw new OperatorError(
    `the profile of animal ${id} is damaged: write it again with PUT /v1/pets/${id}/profile, then export again`,
  );
};

/** The file of an export in parts, with its animals ascending by id, of one snapshot. The snapshot ends with the iteration. */
export function* exportParts(
  { client }: Database,
  { format, status, isRaw }: Selection,
): Generator<{ text: string; animals: number }> {
  const page = status === undefined ? PAGE : PAGE_OF_STATUS;
  client.run("BEGIN");
  try {
    const fields = fieldsOf(client);
    const columns = [...columnsFor(fields)].filter(([, { write }]) => write);
    const form = format === "csv" ? csv(columnsInUse(client, columns, fields), isRaw) : ndjson(columns);
    if (form.heading !== "") yield { text: form.heading, animals: 0 };
    for (let after = 0; ;) {
      const rows = page.all(client, { after, status });
      let text = "";
      for (const row of rows) text += form.lineOf(row, membersOf(row, fields));
      if (rows.length > 0) yield { text, animals: rows.length };
      if (rows.length < PAGE_ROWS) return;
      after = rows.at(-1)?.id ?? after;
    }
  } finally {
    client.run("COMMIT");
  }
}
