import type { Database as Client } from "bun:sqlite";
import { foldSql } from "./fold-sql.ts";
import { hasTable } from "./schema-check.ts";

/** Derived data that differs from its rows: `animals in the search`, 3. */
export interface Difference {
  of: string;
  count: number;
}

export const REMEDY = "run adoption-store doctor to find the remedy";

/** One line: what differs, and how much of it. */
export const describeDifferences = (found: readonly Difference[]): string =>
  `derived data differs from its rows (${found.map(({ of, count }) => `${of}: ${count}`).join(", ")})`;

const counted = (key: string, conditions: string) =>
  `SELECT ${key}, sum(status IS 'available'), sum(status IS 'pending'), sum(status IS 'sold'), sum(status IS NULL) FROM pets ${conditions}`;

const COUNTED = "WHERE id <= (SELECT counted_to FROM pets_indexed) GROUP BY 1";

/** Counts the keys of rows that only one of two queries returns. */
const unequal = (key: string, one: string, other: string): string => `
  SELECT count(DISTINCT ${key}) AS count FROM (
    SELECT * FROM (${one} EXCEPT ${other}) UNION ALL SELECT * FROM (${other} EXCEPT ${one}))`;

/**
 * Each query is one statement, so it sees one state. Animals above a watermark are added later, and do not count as a difference: see
 * `petsIndexed`.
 */
const COMPARISONS: readonly (readonly [of: string, sql: string])[] = [
  [
    "marks of the indexing",
    `SELECT (counted_to > seq) + (indexed_to > seq) AS count
     FROM pets_indexed, (SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = 'pets')`,
  ],
  [
    "category counts",
    unequal("category_id", counted("category_id", COUNTED), "SELECT * FROM pet_counts_by_category"),
  ],
  [
    "days of the statistics",
    unequal("day", counted("created_at / 86400000 AS day", COUNTED), "SELECT * FROM pet_counts_by_day"),
  ],
  [
    "animals in the list by name",
    `SELECT (
      SELECT count(*) FROM pets LEFT JOIN pet_names ON pet_names.id = pets.id
      WHERE pets.id <= indexed_to AND pet_names.folded IS NOT ${foldSql("pets.name")}
    ) + (
      SELECT count(*) FROM pet_names
      WHERE id > indexed_to OR NOT EXISTS (SELECT 1 FROM pets WHERE pets.id = pet_names.id)
    ) AS count FROM pets_indexed`,
  ],
  [
    "animals in the lists by time",
    `SELECT (
      SELECT count(*) FROM pets LEFT JOIN pet_times ON pet_times.id = pets.id
      WHERE pets.id <= indexed_to
        AND (pet_times.created_at, pet_times.updated_at) IS NOT (pets.created_at, coalesce(pets.updated_at, pets.created_at))
    ) + (
      SELECT count(*) FROM pet_times
      WHERE id > indexed_to OR NOT EXISTS (SELECT 1 FROM pets WHERE pets.id = pet_times.id)
    ) AS count FROM pets_indexed`,
  ],
  [
    // The last event of an animal is that of its deletion if and only if the animal is gone. Only the oldest are removed.
    "events",
    `SELECT (
      SELECT count(*) FROM (SELECT pet_id, kind, max(id) FROM pet_events GROUP BY pet_id)
      WHERE (kind = 'deleted') = EXISTS (SELECT 1 FROM pets WHERE pets.id = pet_id)
    ) + (
      SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pet_events') - min(id) + 1 - count(*), 0)
      FROM pet_events
    ) AS count`,
  ],
];

/** An animal whose name in the list by name is that of another name, so that one of the two is damaged. */
export interface DifferingName {
  id: number;
  name: string;
  /** The name in the list, in lower case and without accents. */
  folded: string;
}

export const differingNames = (client: Client): DifferingName[] =>
  client
    .query<DifferingName, []>(
      `SELECT id, name, folded FROM pets JOIN pet_names USING (id) WHERE folded IS NOT ${foldSql("name")}`,
    )
    .all();

const ADOPTER = "(coalesce(adopter_name, '') || ' ' || coalesce(adopter_email, ''))";

interface Index {
  of: string;
  table: string;
  /** Returns the id and the text of each row in the index. */
  texts: string;
}

const INDEXES: readonly Index[] = [
  {
    of: "animals in the search",
    table: "pets_words",
    texts: `SELECT id, ${foldSql("name")} || ' ' || coalesce(of_name, '') || ' ' || coalesce(of_profile, '')
      FROM pets LEFT JOIN pet_search ON pet_id = id WHERE id <= (SELECT indexed_to FROM pets_indexed)`,
  },
  {
    of: "orders in the search",
    table: "orders_words",
    texts: `SELECT orders.id, ${foldSql(ADOPTER)} || ' ' || coalesce(${foldSql("pets.name")}, '')
      FROM orders LEFT JOIN pets ON pets.id = pet_id`,
  },
];

/** Few rows, from which a differing word shows with near certainty: sums of its ids. */
const summary = (table: string) =>
  `SELECT term, count(*), sum(doc % 1000003), sum(doc * 7919 % 1000033) FROM temp.${table} GROUP BY term`;

type Rows = readonly Record<string, unknown>[];

/** As in migration 0026. */
const TOKENIZER = "unicode61 remove_diacritics 2 categories ''L* Mn Mc N* Co'' separators ''\ufe0e\ufe0f''";

const countIn = ([row]: Rows): number => Number(row?.["count"] ?? 0);

/** Compares the words of an index, and how many each row has, with those of a new index over the same texts. */
function* wordsComparison({ table, texts }: Index): Generator<string, number, Rows> {
  yield `CREATE VIRTUAL TABLE temp.new_${table} USING fts5(words, content='', detail=none, tokenize='${TOKENIZER}')`;
  yield `INSERT INTO temp.new_${table} (rowid, words) ${texts}`;
  yield `CREATE VIRTUAL TABLE temp.expected_${table} USING fts5vocab(temp, new_${table}, instance)`;
  yield `CREATE VIRTUAL TABLE temp.stored_${table} USING fts5vocab(main, ${table}, instance)`;
  const words = yield unequal("term", summary(`stored_${table}`), summary(`expected_${table}`));
  const instances = (name: string) => `SELECT term, doc FROM temp.${name}_${table}`;
  const differing =
    countIn(words) && countIn(yield unequal("doc", instances("stored"), instances("expected")));
  const sizes = (of: string) => `SELECT id, sz FROM ${of}${table}_docsize`;
  return Math.max(differing, countIn(yield unequal("id", sizes("main."), sizes("temp.new_"))));
}

/**
 * The statements that compare derived data with its rows, for a connection or a worker: each gets the rows of the last one.
 * They read one state, and write only temporary tables, which the last statement discards.
 */
export function* comparisonSteps(): Generator<string, Difference[], Rows> {
  const found: Difference[] = [];
  yield "BEGIN";
  for (const [of, sql] of COMPARISONS) found.push({ of, count: countIn(yield sql) });
  for (const index of INDEXES) found.push({ of: index.of, count: yield* wordsComparison(index) });
  yield "ROLLBACK";
  return found.filter(({ count }) => count > 0);
}

/**
 * Compares counts, statistics, names, search words and events with the rows.
 * @returns the differences; none for a database that an older version wrote, whose migration rebuilds the data
 */
export const derivedDifferences = (client: Client): Difference[] => {
  if (!hasTable(client, "pets_indexed")) return [];
  const steps = comparisonSteps();
  try {
    let step = steps.next([]);
    while (!step.done) step = steps.next(client.query<Record<string, unknown>, []>(step.value).all());
    return step.value;
  } finally {
    if (client.inTransaction) client.run("ROLLBACK");
  }
};
