import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../lib/reason.ts";
import { isBusy, isDamage } from "../../lib/storage-errors.ts";
import { type Difference, comparisonSteps } from "./derived.ts";
import { type SqlWorker, openSqlWorker } from "./sql-worker.ts";

/** The parts of the store that users know, by the names of their tables. The first row that matches applies. */
const PARTS: readonly (readonly [part: string, tables: RegExp])[] = [
  [
    "animals",
    /^(pets|pets_indexed|pet_events|pet_counts_\w+|pet_profiles|pet_fields|pet_photos|categories|imports|import_changes)$/,
  ],
  ["search", /^(pets_words|orders_words|pet_names|pet_times|pet_search|letter_folds)/],
  ["orders", /^orders$/],
  ["sites", /^(projects|deploys|domains|domain_events|certificates|acme_\w+|notices)$/],
  ["keys", /^(keys|secrets)$/],
  ["people", /^(people|passkeys|identities|invitations|browser_states|sealing_keys)$/],
  ["audit log", /^audit_entries$/],
  ["idempotency keys", /^answers$/],
  ["schema", /^(sqlite_\w+|migrations|store_identity|replica|backup_\w+)$/],
];

/** The part that a table belongs to. */
export const partOf = (table: string): string | undefined =>
  PARTS.find(([, tables]) => tables.test(table))?.[0];

/** Some parts of the database are damaged. Its message is safe to publish. */
export class DamagedParts extends Error {
  override name = "DamagedParts";

  constructor(tables: Iterable<string>) {
    const damaged = new Set([...tables].map((table) => partOf(table) ?? "schema"));
    const [bad, good] = [true, false].map((is) =>
      PARTS.map(([part]) => part).filter((part) => damaged.has(part) === is),
    );
    super(
      `damaged: ${bad?.join(", ")}; working: ${good?.join(", ")}. Run adoption-store doctor to find the remedy`,
    );
  }
}

/** The result of a check of the whole file. `start`: when it read the file first, as a time of `performance.now()`. */
export interface FileCheck {
  readonly start: number;
  /** The problem of each damaged table. */
  readonly damage: ReadonlyMap<string, string>;
  /** Why the file could not be read. */
  readonly unreadable?: string;
  /** The derived data that differs from its rows; not compared in a damaged file. */
  readonly differences: readonly Difference[];
  /** How many pages of each table the disk has changed since the last check; without a table on a free page. */
  readonly changed?: ReadonlyMap<string, number>;
}

/** The share of the time for which a slow check reads. */
const SLOW_SHARE = 1 / 10;

/** Tells in one statement, without the contents of indexes, whether to look at each table. */
const isSound = async (client: SqlWorker): Promise<boolean> => {
  try {
    const [found] = await client.all("PRAGMA quick_check(1)");
    return found?.["quick_check"] === "ok";
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
};

const problemIn = async (client: SqlWorker, table: string): Promise<string | undefined> => {
  try {
    const [found] = await client.all("SELECT integrity_check AS state FROM pragma_integrity_check(?)", [
      table,
    ]);
    return found?.["state"] === "ok" ? undefined : String(found?.["state"]);
  } catch (error) {
    return isBusy(error) ? undefined : reasonOf(error);
  }
};

const compare = async (client: SqlWorker): Promise<Difference[]> => {
  const steps = comparisonSteps();
  let step = steps.next([]);
  while (!step.done) step = steps.next(await client.all(step.value));
  return step.value;
};

/**
 * Reads every page of a database in use, in a worker: each table with its indexes, then the derived data. A table is one
 * statement, which no write waits for.
 * @param signal ends the check, which then rejects with its reason
 * @param isQuick reads each table only if a quick check of the file finds a problem
 * @param isSlow rests after each table, and compares derived data
 * @throws an error if derived data cannot be compared in an undamaged file
 */
export const checkFile = async (
  path: string,
  {
    isQuick = false,
    isSlow = false,
    signal,
  }: { isQuick?: boolean; isSlow?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<FileCheck> => {
  let start = performance.now();
  const damage = new Map<string, string>();
  let isComparing = false;
  try {
    await using client = await openSqlWorker(path, signal);
    start = performance.now();
    if (isQuick && (await isSound(client))) return { start, damage, differences: [] };
    const tables = await client.all("SELECT name FROM sqlite_schema WHERE type = 'table'");
    // The check of `sqlite_schema` includes the free pages.
    for (const table of ["sqlite_schema", ...tables.map(({ name }) => String(name))]) {
      const begin = performance.now();
      const problem = await problemIn(client, table);
      signal?.throwIfAborted();
      if (problem !== undefined) damage.set(table, problem);
      if (isSlow) await sleep((performance.now() - begin) * (1 / SLOW_SHARE - 1), undefined, { signal });
    }
    isComparing = isSlow && damage.size === 0;
    return { start, damage, differences: isComparing ? await compare(client) : [] };
  } catch (error) {
    signal?.throwIfAborted();
    // A large comparison needs space for temporary files. A full disk is not damage.
    if (isComparing && !isDamage(error)) throw error;
    return { start, damage, unreadable: reasonOf(error), differences: [] };
  }
};
