import { OperatorError } from "../../lib/operator-error.ts";
import { createEmpty } from "../../lib/ownership.ts";
import { quantity } from "../../lib/quantity.ts";
import { reasonOf } from "../../lib/reason.ts";
import { resultCode } from "../../lib/storage-errors.ts";
import { assertSound } from "../db/integrity.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { REPLICA, hasTable } from "../db/schema-check.ts";
import { type Client, openCopy } from "../db/snapshot.ts";
import { ensureStoreId } from "../db/store-id.ts";
import { WITH_FILES } from "../db/stored-deploys.ts";
import { openPages } from "./pages.ts";
import { type FoundTable, readTables } from "./read.ts";
import type { Value } from "./record.ts";
import { type Shape, shapesIn, valuesOf } from "./shape.ts";
import type { Range } from "./trees.ts";

/** What of a table a salvage saved, and what it could not. */
export interface TableReport {
  table: string;
  saved: number;
  /** The ids of lost rows. Some may belong to rows that were deleted before. */
  missing: Range[];
  /** Rows that are readable but break a rule of the store. */
  refused: { id: number; reason: string }[];
  /** Saved rows whose text is damaged. */
  garbled: number[];
}

/** True if a row of the table is lost, or not saved as it was. */
export const hasLoss = ({ missing, refused, garbled }: TableReport): boolean =>
  missing.length + refused.length + garbled.length > 0;

export const rowsIn = ({ tables }: SalvageReport): number =>
  tables.reduce((sum, { saved }) => sum + saved, 0);

/** Tables that derive from others, or that SQLite and the migrations write. */
const DERIVED =
  /^(pets_indexed|pet_names|pet_times|pet_counts_by_\w+|letter_folds|migrations|sqlite_\w+|\w+_words(_\w+)?)$/;

/** These come first: the words of an order contain the name of its animal. */
const FIRST = "pets";

/** How many migrations the database had; all if that is unreadable. @throws OperatorError if this program is too old */
const levelOf = (tags: readonly string[]): number => {
  const unknown = tags.find((tag) => !migrations.some((one) => one.tag === tag));
  if (unknown !== undefined && tags.length > migrations.length)
    throw new OperatorError(
      `the database is newer than this program (it has migration ${unknown}): upgrade the program`,
    );
  return migrations.findLastIndex(({ tag }) => tags.includes(tag)) + 1 || migrations.length;
};

type OnProgress = (line: string) => void;

/** How many rows there are between two lines of progress. */
const PROGRESS_ROWS = 10_000;

class DamagedName extends Error {}

/** Refuses the damaged name of a file, which no constraint checks, and `assertSound` does. */
const assertManifest = ({ name, columns }: Shape, values: readonly Value[]): void => {
  const manifest =
    WITH_FILES.includes(name) && values[columns.findIndex((column) => column.name === "manifest")];
  if (typeof manifest === "string" && !/^[0-9a-f]{64}$/.test(manifest))
    throw new DamagedName("the name of its manifest is damaged");
};

const saveTable = (client: Client, { shape, rows, missing, unknown }: FoundTable, onProgress: OnProgress) => {
  const { name } = shape;
  // A table without a numeric key keeps its rowids, by which the report names its rows.
  const names = [...(shape.rowid < 0 ? ["rowid"] : []), ...shape.columns.map((column) => `"${column.name}"`)];
  const insert = client.query(
    `INSERT INTO "${name}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  const report: TableReport = { table: name, saved: 0, missing: [], refused: [], garbled: [] };
  for (const cell of rows()) {
    try {
      const values = valuesOf(shape, cell);
      assertManifest(shape, values);
      insert.run(...(shape.rowid < 0 ? [cell.id] : []), ...values);
      report.saved++;
      if (cell.isGarbled) report.garbled.push(cell.id);
      if (report.saved % PROGRESS_ROWS === 0) onProgress(`${name}: ${quantity(report.saved, "row")}`);
    } catch (error) {
      if (!(error instanceof DamagedName) && !resultCode(error).startsWith("SQLITE_CONSTRAINT")) throw error;
      report.refused.push({ id: cell.id, reason: reasonOf(error) });
    }
  }
  report.missing = missing();
  for (const id of unknown())
    report.refused.push({ id, reason: "no index has this id, which may be damaged; the row was saved" });
  return report;
};

/** Builds the counts, names and words of the saved animals. Their events are not new. */
const derive = (client: Client): void => {
  if (hasTable(client, "pets_indexed"))
    client.run(
      "UPDATE pets_indexed SET counted_to = coalesce((SELECT max(id) FROM pets), 0), indexed_to = coalesce((SELECT max(id) FROM pets), 0)",
    );
  if (hasTable(client, "pet_events")) client.run("DELETE FROM pet_events");
};

/** Clears references to lost rows. A row that must have one is refused. */
const clearReferences = (client: Client, reports: readonly TableReport[]): void => {
  const broken = client.query<{ table: string; rowid: number; parent: string; fkid: number }, []>(
    "PRAGMA foreign_key_check",
  );
  for (let found = broken.all(); found.length > 0; found = broken.all())
    for (const { table, rowid, parent, fkid } of found) {
      const { column, isRequired } = client
        .query<{ column: string; isRequired: number }, [string, string, number]>(
          `SELECT l."from" AS "column", "notnull" AS isRequired FROM pragma_foreign_key_list(?) l
          JOIN pragma_table_info(?) c ON c.name = l."from" WHERE l.id = ?`,
        )
        .get(table, table, fkid) ?? { column: "", isRequired: 1 };
      if (!isRequired) client.run(`UPDATE "${table}" SET "${column}" = NULL WHERE rowid = ?`, [rowid]);
      else client.run(`DELETE FROM "${table}" WHERE rowid = ?`, [rowid]);
      const report = reports.find((one) => one.table === table);
      if (!report) continue;
      report.saved -= isRequired;
      const reason = `its row in ${parent} is lost${isRequired ? "" : "; the row was saved without that reference"}`;
      report.refused.push({ id: rowid, reason });
    }
};

/** Keeps ids from being given again, also those of lost rows. */
const keepSequences = (
  client: Client,
  sequences: ReadonlyMap<string, number>,
  reports: readonly TableReport[],
): void => {
  for (const { table, missing } of reports) {
    const end = missing.at(-1);
    const last = Math.max(sequences.get(table) ?? 0, end?.to ?? end?.from ?? 0);
    client.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [last, table]);
    if (sequences.has(table))
      client.run(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
        [table, last, table],
      );
  }
};

/**
 * Copies every readable row of a database and its log into a new database of this version, derives everything else from the rows,
 * and checks the result. The files of the source are only read. If it fails, the caller removes `target`.
 * @throws OperatorError if this program is too old, or UnsoundDatabase
 */
export const salvage = (source: string, target: string, onProgress: OnProgress = () => {}) => {
  onProgress("Reading the damaged file");
  using pages = openPages(source);
  const reading = readTables(pages);
  createEmpty(target);
  using client = openCopy(target);
  migrate(client, migrations.slice(0, levelOf(reading.tags())));
  const { tables, sequences } = reading.find(shapesIn(client), (name) => !DERIVED.test(name));
  client.run("PRAGMA foreign_keys=OFF");
  client.run("BEGIN");
  const { first = [], others = [] } = Object.groupBy(tables, ({ shape }) =>
    shape.name === FIRST ? "first" : "others",
  );
  const reports = first.map((table) => saveTable(client, table, onProgress));
  onProgress("Building names, counts and search words");
  derive(client);
  reports.push(...others.map((table) => saveTable(client, table, onProgress)));
  clearReferences(client, reports);
  keepSequences(client, sequences, reports);
  client.run("COMMIT");
  client.run("PRAGMA foreign_keys=ON");
  migrate(client, migrations);
  ensureStoreId(client);
  onProgress("Checking the database");
  assertSound(client);
  return {
    tables: reports.toSorted((one, other) => (one.table < other.table ? -1 : 1)),
    /** Damaged parts of the log, and parts of a commit without its end. */
    lostFrames: pages.log.lostFrames,
    openFrames: pages.log.openFrames,
    /** False if the list of free pages is damaged, so that rows which were deleted may be back. */
    isFreeListWhole: reading.isFreeListWhole,
    isReplica: reading.hasTable(REPLICA),
  };
};

export type SalvageReport = ReturnType<typeof salvage>;
