import { rmSync } from "node:fs";
import { basename } from "node:path";
import { and, desc, eq, gt, isNotNull, isNull } from "drizzle-orm";
import { type AuditEntry, auditing } from "../db/audit.ts";
import { takeLock } from "../db/file-lock.ts";
import type { Database } from "../db/open.ts";
import { importIndexing } from "../db/pet-index.ts";
import type { NamedCategory } from "./category-names.ts";
import { imports } from "../db/schema/imports.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import type { NewPet } from "../pets/pet.ts";

/** The progress of an import. */
export interface Progress {
  /** SHA-256 of the first `bytes` bytes of the file. */
  hash: string;
  bytes: number;
  read: number;
  added: number;
  rejected: number;
  rejectedBytes: number;
  /** SHA-256 of the first `rejectedBytes` bytes of the file of rejected rows; null if unknown. */
  rejectedHash: string | null;
}

export interface Import extends Progress {
  id: number;
  file: string;
  head: string;
  /** The columns of its fields, as JSON; null if unknown. */
  columns: string | null;
  /** The path of the file of rejected rows. */
  rejectedFile: string | null;
  startedAt: number;
  finishedAt: number | null;
}

/** A category was deleted after rows that belong to it were validated. */
export class CategoryGone extends Error {
  override name = "CategoryGone";
  constructor() {
    super("a category was deleted in the meantime: run the same command again to continue here");
  }
}

/** Another import of the same file is running, or has written in the meantime. */
export class ConcurrentImport extends Error {
  override name = "ConcurrentImport";
  constructor() {
    super("another import of this file is running: wait until it has finished");
  }
}

/** Returns a function that checks whether a category exists. */
export const categoryLookup = ({ client }: Database): ((categoryId: bigint) => boolean) => {
  const findStatement = client.prepare<unknown, [bigint]>("SELECT 1 FROM categories WHERE id = ?1");
  return (categoryId) => findStatement.get(categoryId) !== null;
};

/** The categories of a store. */
export const storedCategories = ({ client }: Pick<Database, "client">): NamedCategory[] =>
  client
    .query<{ id: string; name: string }, []>("SELECT CAST(id AS TEXT) AS id, name FROM categories")
    .all()
    .map(({ id, name }) => ({ id: BigInt(id), name }));

/** Inserts animals with one statement, from JSON: binding each value would take longer. */
const petInserter = ({ client }: Database, strictCategories: boolean) => {
  const insertStatement = client.prepare<unknown, [number, string]>(
    `INSERT INTO pets (name, category_id, status, created_at)
     SELECT value ->> 0, value ->> 1, value ->> 2, ?1 FROM json_each(?2)
     ${strictCategories ? "WHERE value ->> 1 IN (SELECT id FROM categories)" : ""}`,
  );
  return (pets: readonly NewPet[], now: number) => {
    const rows = pets.map(({ name, categoryId, status = null }) => [
      // As SQLite would store a bound parameter: half a surrogate pair is not a character.
      name.toWellFormed(),
      JSON.rawJSON(String(categoryId)),
      status,
    ]);
    if (insertStatement.run(now, JSON.stringify(rows)).changes !== rows.length) throw new CategoryGone();
  };
};

/** Returns a function that throws CategoryGone unless all these categories exist. */
const categoryAssertion = ({ client }: Database) => {
  const countStatement = client.prepare<{ count: number }, [string]>(
    "SELECT count(*) AS count FROM categories WHERE id IN (SELECT value FROM json_each(?1))",
  );
  return (ids: ReadonlySet<bigint>) => {
    if (ids.size === 0) return;
    const json = `[${[...ids].join(",")}]`;
    if (countStatement.get(json)?.count !== ids.size) throw new CategoryGone();
  };
};

/** A lock across processes. @throws ConcurrentImport if another process has it */
const holdLock = (path: string): Disposable => {
  const lock = takeLock(path);
  if (!lock) throw new ConcurrentImport();
  return {
    [Symbol.dispose]() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
};

/** Writes the record of an import; throws ConcurrentImport inside the transaction unless its progress still is `from` bytes. */
const updateIfAt = ({ orm }: Database, id: number, from: number, values: Partial<Import>) => {
  const updateStatement = orm
    .update(imports)
    .set(values)
    .where(and(eq(imports.id, id), eq(imports.bytes, from)))
    .returning({ id: imports.id })
    .prepare();
  const query = {
    all() {
      if (updateStatement.all().length === 0) throw new ConcurrentImport();
    },
  };
  return { query, values: {} };
};

/** Throws ConcurrentImport inside the transaction if an import of the same file has an id above `newestId`. */
const assertNoneSince = ({ orm }: Database, head: string, newestId: number) => {
  const sinceStatement = orm
    .select({ id: imports.id })
    .from(imports)
    .where(and(eq(imports.head, head), gt(imports.id, newestId)))
    .prepare();
  const query = {
    all() {
      if (sinceStatement.all().length > 0) throw new ConcurrentImport();
    },
  };
  return { query, values: {} };
};

interface ImportRepositoryOptions {
  now(): number;
  strictCategories?: boolean;
  /** The lock file of an import. It remains only if the process was killed. */
  lockPath(id: number): string;
}

/**
 * Returns a function that stores a new import and returns its id.
 * @throws ConcurrentImport
 */
const importStarter =
  (database: Database, hold: (id: number) => Disposable) =>
  /**
   * @param replaceInterrupted removes an interrupted import of the same file
   * @param newestId the highest id that the caller has seen: a later import of the same file, even a finished one, is a
   *   concurrent one
   */
  async (
    record: Omit<Import, "id" | "finishedAt">,
    replaceInterrupted: boolean,
    newestId: number,
  ): Promise<number> => {
    const { orm, commit } = database;
    const isInterrupted = and(eq(imports.head, record.head), isNull(imports.finishedAt));
    const interrupted = replaceInterrupted
      ? orm.select({ id: imports.id }).from(imports).where(isInterrupted).get()
      : undefined;
    using _ = interrupted && hold(interrupted.id);
    const deleteStatement = orm.delete(imports).where(isInterrupted).prepare();
    const insertStatement = orm
      .insert(imports)
      .values(record)
      .onConflictDoNothing()
      .returning({ id: imports.id })
      .prepare();
    const entry = auditing(database);
    const act = { actor: OPERATOR, now: record.startedAt };
    const label = basename(record.file);
    const [, [row]] = await commit(
      [
        replaceInterrupted
          ? { query: deleteStatement, values: {} }
          : assertNoneSince(database, record.head, newestId),
        { query: insertStatement, values: {} },
      ],
      ([, [started]]) => entry(act, started && { action: "import.started", id: started.id, label }),
    );
    if (!row) throw new ConcurrentImport();
    return row.id;
  };

/** The entry of the audit log for an import that has ended. */
const finishedEntry = ({ id, file, added, rejected }: Import): AuditEntry => ({
  action: "import.finished",
  id,
  label: basename(file),
  changes: [
    ["added", null, String(added)],
    ["rejected", null, String(rejected)],
  ],
});

export const importRepository = (
  database: Database,
  { now, strictCategories = false, lockPath }: ImportRepositoryOptions,
) => {
  const { orm, commit, client } = database;
  const insertPets = petInserter(database, strictCategories);
  const assertCategories = categoryAssertion(database);
  // Many rows change the same pages: writing these back less often saves time.
  client.run("PRAGMA wal_autocheckpoint=8000");
  // The statement journal in memory: in a file it costs two writes per row as soon as a table has triggers.
  client.run("PRAGMA temp_store=MEMORY");

  const record = auditing(database);

  /** Keeps other processes from continuing an import, until it is disposed of. @throws ConcurrentImport */
  const hold = (id: number): Disposable => holdLock(lockPath(id));

  return {
    hold,
    /** All imports: interrupted ones first, then by the bytes they have read, most first. */
    all: (): Import[] =>
      orm.select().from(imports).orderBy(isNotNull(imports.finishedAt), desc(imports.bytes)).all(),
    start: importStarter(database, hold),
    /** Reopens an import, if nothing has been added since its record was read. @throws ConcurrentImport */
    async resume({ id, bytes, ...record }: Import): Promise<void> {
      const { head, columns, rejectedFile, rejectedBytes, rejectedHash } = record;
      const values = { head, columns, rejectedFile, rejectedBytes, rejectedHash, finishedAt: null };
      await commit([updateIfAt(database, id, bytes, values)]);
    },
    /**
     * Adds animals and stores the progress in one atomic step, if the import is at `from` bytes.
     * @param needed categories that must exist
     * @throws ConcurrentImport, CategoryGone
     */
    async addRows(
      id: number,
      from: number,
      { hash, bytes, read, added, rejected, rejectedBytes, rejectedHash }: Progress,
      pets: readonly NewPet[],
      needed: ReadonlySet<bigint> = new Set(),
    ): Promise<void> {
      const progress = { hash, bytes, read, added, rejected, rejectedBytes, rejectedHash };
      const all = () => {
        assertCategories(needed);
        insertPets(pets, now());
      };
      const insert = { query: { all }, values: {} };
      await commit([updateIfAt(database, id, from, progress), insert, ...importIndexing(pets.length)]);
    },
    async finish(id: number, finishedAt: number): Promise<void> {
      const isUnfinished = and(eq(imports.id, id), isNull(imports.finishedAt));
      const finishStatement = orm
        .update(imports)
        .set({ finishedAt })
        .where(isUnfinished)
        .returning()
        .prepare();
      await commit([{ query: finishStatement, values: {} }], ([[ended]]) =>
        record({ actor: OPERATOR, now: finishedAt }, ended && finishedEntry(ended)),
      );
    },
  };
};

export type ImportRepository = ReturnType<typeof importRepository>;
