import { rmSync } from "node:fs";
import { and, desc, eq, gt, isNotNull, isNull } from "drizzle-orm";
import { takeLock } from "../db/file-lock.ts";
import type { Database } from "../db/open.ts";
import { imports } from "../db/schema/imports.ts";
import type { NewPet as Animal, PetStatus } from "../pets/pet.ts";

/** An animal as it is written to a file; the category's digits, as text. */
export type ExportedPet = [id: number, name: string, categoryId: string, status: PetStatus | null];

/** How far an import came. */
export interface Progress {
  /** SHA-256 of so many bytes of the file. */
  hash: string;
  bytes: number;
  read: number;
  added: number;
  rejected: number;
  rejectedBytes: number;
  /** SHA-256 of so many bytes of the file of rejected rows; null if that was not written down. */
  rejectedHash: string | null;
}

export interface Import extends Progress {
  id: number;
  file: string;
  head: string;
  /** The path of the file of rejected rows. */
  rejectedFile: string | null;
  startedAt: number;
  finishedAt: number | null;
}

/** A category that rows belong to has been deleted since they were read. */
export class CategoryGone extends Error {
  override name = "CategoryGone";
  constructor() {
    super("a category was deleted meanwhile: the same command goes on here");
  }
}

/** Another import of the same file has written meanwhile. */
export class ConcurrentImport extends Error {
  override name = "Overtaken";
  constructor() {
    super("another import of this file is under way: wait until it has ended");
  }
}

export interface Imports {
  /** All that were begun: those that ended too early, then the one that came farthest first. */
  all(): Import[];
  /**
   * Writes down that an import has begun; with `anew`, one of the same file that ended too early is forgotten.
   * @param newest id of those that were seen: one of the same file that began since is in the way, also if it has ended
   * @returns its id. @throws Overtaken
   */
  start(of: Omit<Import, "id" | "finishedAt">, anew: boolean, newest: number): Promise<number>;
  /** Keeps other runs, of whatever process, from going on with an import until it is disposed of. @throws Overtaken */
  hold(id: number): Disposable;
  /** Writes down how an import goes on, if it is still where it was when it was read. @throws Overtaken */
  resume(one: Import): Promise<void>;
  /**
   * Adds animals and writes down that the import came so far, if it is at `from` bytes, in one atomic step.
   * @throws Overtaken, CategoryGone
   */
  addRows(id: number, from: number, progress: Progress, animals: readonly Animal[]): Promise<void>;
  finish(id: number, now: number): Promise<void>;
}

/** Tells whether a category has a record. */
export const categoryLookup = ({ client }: Database): ((categoryId: bigint) => boolean) => {
  const found = client.prepare<unknown, [bigint]>("SELECT 1 FROM categories WHERE id = ?1");
  return (categoryId) => found.get(categoryId) !== null;
};

/**
 * Adds animals by one statement, from JSON: the index of words is written once for each statement, which takes two thirds of
 * the time that rows of fifty together take.
 */
const petInserter = ({ client }: Database, strictCategories: boolean) => {
  const insert = client.prepare<unknown, [number, string]>(
    `INSERT INTO pets (name, category_id, status, created_at)
     SELECT value ->> 0, value ->> 1, value ->> 2, ?1 FROM json_each(?2)
     ${strictCategories ? "WHERE value ->> 1 IN (SELECT id FROM categories)" : ""}`,
  );
  return (animals: readonly Animal[], now: number) => {
    const rows = animals.map(({ name, categoryId, status = null }) => [
      // As a parameter of its own would be stored: half a pair of UTF-16 is no character.
      name.toWellFormed(),
      JSON.rawJSON(String(categoryId)),
      status,
    ]);
    if (insert.run(now, JSON.stringify(rows)).changes !== rows.length) throw new CategoryGone();
  };
};

export interface ImportRepositoryOptions {
  now(): number;
  strictCategories?: boolean;
  /** A file that whoever works on an import holds the lock of; one is left only where that was killed. */
  lockPath(id: number): string;
}

export const importRepository = (
  database: Database,
  { now, strictCategories = false, lockPath }: ImportRepositoryOptions,
): Imports => {
  const { orm, commit, client } = database;
  const insert = petInserter(database, strictCategories);
  // Pages that many rows touch go into the database file once in a while, not after every few transactions.
  client.run("PRAGMA wal_autocheckpoint=8000");
  // What a statement could undo lies in memory: in a file it is two writes a row as soon as a table has triggers.
  client.run("PRAGMA temp_store=MEMORY");
  const adding = (animals: readonly Animal[]) => ({
    query: { all: () => insert(animals, now()) },
    values: {},
  });
  const hold = (id: number): Disposable => {
    const path = lockPath(id);
    const lock = takeLock(path);
    if (!lock) throw new ConcurrentImport();
    return {
      [Symbol.dispose]() {
        rmSync(path, { force: true });
        lock.release();
      },
    };
  };
  /** Sets what an import is now, if it came to `from` bytes. */
  const moving = (id: number, from: number, to: Partial<Import>) => {
    const moved = orm
      .update(imports)
      .set(to)
      .where(and(eq(imports.id, id), eq(imports.bytes, from)))
      .returning({ id: imports.id })
      .prepare();
    const query = {
      all() {
        if (moved.all().length === 0) throw new ConcurrentImport();
      },
    };
    return { query, values: {} };
  };
  return {
    hold,
    all: () => orm.select().from(imports).orderBy(isNotNull(imports.finishedAt), desc(imports.bytes)).all(),
    async start(of, anew, newest) {
      const isUnderWay = and(eq(imports.head, of.head), isNull(imports.finishedAt));
      const before = anew ? orm.select({ id: imports.id }).from(imports).where(isUnderWay).get() : undefined;
      using _ = before && hold(before.id);
      const forgotten = orm.delete(imports).where(isUnderWay).prepare();
      const begun = orm
        .insert(imports)
        .values(of)
        .onConflictDoNothing()
        .returning({ id: imports.id })
        .prepare();
      const since = orm
        .select({ id: imports.id })
        .from(imports)
        .where(and(eq(imports.head, of.head), gt(imports.id, newest)))
        .prepare();
      const alone = {
        all() {
          if (since.all().length > 0) throw new ConcurrentImport();
        },
      };
      const [, [row]] = await commit([
        { query: anew ? forgotten : alone, values: {} },
        { query: begun, values: {} },
      ]);
      if (!row) throw new ConcurrentImport();
      return row.id;
    },
    async resume({ id, head, bytes, rejectedFile, rejectedBytes, rejectedHash }) {
      const to = { head, rejectedFile, rejectedBytes, rejectedHash, finishedAt: null };
      await commit([moving(id, bytes, to)]);
    },
    async addRows(id, from, { hash, bytes, read, added, rejected, rejectedBytes, rejectedHash }, animals) {
      const progress = { hash, bytes, read, added, rejected, rejectedBytes, rejectedHash };
      await commit([moving(id, from, progress), adding(animals)]);
    },
    async finish(id, finishedAt) {
      const finished = orm.update(imports).set({ finishedAt }).where(eq(imports.id, id)).prepare();
      await commit([{ query: finished, values: {} }]);
    },
  };
};

const PAGE = 2000;

/**
 * All animals ascending by id, or those of one status (null: without one), in pages, as they were in one moment. Ends the moment
 * when it is left.
 */
export function* exportPages(
  { client }: Database,
  status: PetStatus | null | undefined,
): Generator<ExportedPet[]> {
  const filter = status === undefined ? "" : status === null ? "status IS NULL AND" : "status = ?3 AND";
  const page = client.prepare<unknown, (string | number)[]>(
    `SELECT id, name, CAST(category_id AS TEXT), status FROM pets WHERE ${filter} id > ?1 ORDER BY id LIMIT ?2`,
  );
  client.run("BEGIN");
  try {
    for (let after = 0; ;) {
      const rows = page.values(after, PAGE, ...(status ? [status] : [])) as ExportedPet[];
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.[0] ?? after;
    }
  } finally {
    client.run("COMMIT");
  }
}

/** How many animals an export will have. */
export const countPets = ({ client }: Database): number =>
  client.query<{ count: number }, []>("SELECT count(*) AS count FROM pets").get()?.count ?? 0;
