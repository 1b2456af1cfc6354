import { rmSync } from "node:fs";
import { basename } from "node:path";
import { sql } from "drizzle-orm";
import { type AuditEntry, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import { takeLock } from "../../data/db/file-lock.ts";
import type { Database } from "../../data/db/open.ts";
import { importIndexing } from "../../data/db/pet-index.ts";
import type { NamedCategory } from "./category-names.ts";
import { importChanges, imports } from "../../data/db/schema/imports.ts";
import { categories, pets } from "../../data/db/schema/pets.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Actor } from "../../lib/actor.ts";
import { fieldsOf } from "../pets/fields/repository.ts";
import type { NewPet } from "../pets/pet.ts";
export { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import { assertUnchanged, type BatchChanges, storingChanges } from "./change-queries.ts";

export type Import = typeof imports.$inferSelect;

/** The numbers of an import's rows. */
export const COUNTS = ["read", "added", "rejected", "repeated", "updated", "unchanged", "absent"] as const;
const POSITION = ["hash", "bytes", "rejectedBytes", "rejectedHash"] as const;

/** The progress of an import. */
export type Progress = Pick<Import, (typeof COUNTS)[number] | (typeof POSITION)[number]>;

type NewImport = Omit<
  Import,
  "id" | "finishedAt" | "undoneAt" | "repeated" | "updated" | "unchanged" | "absent"
>;

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

const FIND_CATEGORY = statement(sql`
  SELECT 1 FROM ${categories} WHERE ${categories.id} = ${value("categoryId")}`);

/** Returns a function that checks whether a category exists. */
export const categoryLookup =
  ({ client }: Database) =>
  (categoryId: bigint): boolean =>
    FIND_CATEGORY.get(client, { categoryId }) !== undefined;

const CATEGORIES = statement(sql`SELECT ${columnsOf(categories, "id", "name")} FROM ${categories}`).as(
  ({ id, name }: Pick<typeof categories.$inferSelect, "id" | "name">): NamedCategory => ({
    id: BigInt(id),
    name,
  }),
);

/** The categories of a store. */
export const storedCategories = ({ client }: Pick<Database, "client">): NamedCategory[] =>
  CATEGORIES.all(client);

const COUNT_CATEGORIES = statement<{ count: number }>(sql`
  SELECT count(*) AS count FROM ${categories}
  WHERE ${categories.id} IN (SELECT value FROM json_each(${value("needed")}))`);

/** Inserts animals with one statement, from JSON: binding each value would take longer. */
const ADD_PETS = statement(sql`
  ${insert(pets, {
    name: sql`value ->> 0`,
    categoryId: sql`value ->> 1`,
    status: sql`value ->> 2`,
    createdAt: value("now"),
  })}
  FROM json_each(${value("pets")})
  WHERE NOT ${value("strict")} OR value ->> 1 IN (SELECT ${categories.id} FROM ${categories})`);

/** The rows of the statement before it. */
const CHANGES = statement<{ rows: number }>(sql`SELECT changes() AS rows`);

const jsonOf = (added: readonly NewPet[]): string =>
  JSON.stringify(
    added.map(({ name, categoryId, status = null }) => [
      // As SQLite would store a bound parameter: half a surrogate pair is not a character.
      name.toWellFormed(),
      JSON.rawJSON(String(categoryId)),
      status,
    ]),
  );

/** A lock across processes. @throws ConcurrentImport if another process has it */
const holdLock = (path: string): Disposable => {
  // An import holds it for seconds, and waiting would stop all requests.
  const lock = takeLock(path, 0);
  if (!lock) throw new ConcurrentImport();
  return {
    [Symbol.dispose]() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
};

const IS_INTERRUPTED = sql`${imports.head} = ${value("head")} AND ${imports.finishedAt} IS NULL`;
const IS_AS_READ = sql`${imports.id} = ${value("id")} AND ${imports.bytes} = ${value("from")}`;

const ALL = statement<Import>(sql`
  SELECT ${columnsOf(imports)} FROM ${imports}
  WHERE ${imports.undoneAt} IS NULL
  ORDER BY ${imports.finishedAt} IS NOT NULL, ${imports.bytes} DESC`);

const LISTED = statement(sql`
  SELECT ${columnsOf(imports)}, EXISTS (
    SELECT 1 FROM ${importChanges} WHERE ${importChanges.importId} = ${imports.id}) AS canUndo
  FROM ${imports} WHERE ${imports.id} BETWEEN ${value("from")} AND ${value("to")}
  ORDER BY ${imports.id} DESC LIMIT ${value("limit")}`).as(
  ({ canUndo, ...row }: Import & { canUndo: number }) => ({ ...row, canUndo: canUndo !== 0 }),
);

/** Imports with ids in a range, the newest first. */
export const listImports = ({ client }: Database, range: { from: number; to: number; limit: number }) =>
  LISTED.all(client, range);

const FIND_INTERRUPTED = statement<{ id: number }>(sql`
  SELECT ${imports.id} AS id FROM ${imports} WHERE ${IS_INTERRUPTED}`);

/** It can still be undone. */
const END_INTERRUPTED = statement<never>(sql`
  ${update(imports, { finishedAt: value("startedAt") })} WHERE ${IS_INTERRUPTED}`);

const FIND_NEWER = statement<{ id: number }>(sql`
  SELECT ${imports.id} AS id FROM ${imports}
  WHERE ${imports.head} = ${value("head")} AND ${imports.id} > ${value("newestId")} AND ${imports.undoneAt} IS NULL`);

const START = statement<{ id: number }>(sql`
  ${insert(imports, {
    ...valuesFor("file", "head", "hash", "bytes", "read", "added", "rejected"),
    ...valuesFor("rejectedFile", "rejectedBytes", "rejectedHash", "columns", "startedAt"),
  })}
  ON CONFLICT DO NOTHING
  RETURNING ${imports.id} AS id`);

const RESUME = statement<{ id: number }>(sql`
  ${update(imports, {
    ...valuesFor("head", "columns", "rejectedFile", ...POSITION, ...COUNTS),
    finishedAt: null,
  })}
  WHERE ${IS_AS_READ}
  RETURNING ${imports.id} AS id`);

const PROGRESS = statement<{ id: number }>(sql`
  ${update(imports, valuesFor(...POSITION, ...COUNTS))}
  WHERE ${IS_AS_READ}
  RETURNING ${imports.id} AS id`);

const FINISH = statement<Import>(sql`
  ${update(imports, { finishedAt: value("finishedAt") })}
  WHERE ${imports.id} = ${value("id")} AND ${imports.finishedAt} IS NULL
  RETURNING ${columnsOf(imports)}`);

interface ImportRepositoryOptions {
  /** Who imports, for the audit log. */
  actor: Actor;
  now(): number;
  strictCategories?: boolean;
  /** The lock file of an import. It remains only if the process was killed. */
  lockPath(id: number): string;
}

/** The entry of the audit log for an import that has ended. */
const finishedEntry = ({ id, file, added, rejected, updated, absent }: Import): AuditEntry => ({
  action: "import.finished",
  id,
  label: basename(file),
  changes: [
    ["added", null, String(added)],
    ["rejected", null, String(rejected)],
    ...(updated > 0 ? [["updated", null, String(updated)] as const] : []),
    ...(absent > 0 ? [["absent", null, String(absent)] as const] : []),
  ],
});

/** Prepares a connection that only an import uses. */
export const tuneForImport = ({ writer }: Pick<Database, "writer">): void => {
  // Many rows change the same pages: writing these back less often saves time.
  writer.run("PRAGMA wal_autocheckpoint=8000");
  // The statement journal in memory: in a file it costs two writes per row as soon as a table has triggers.
  writer.run("PRAGMA temp_store=MEMORY");
};

export const importRepository = (
  database: Database,
  { actor, now, strictCategories = false, lockPath }: ImportRepositoryOptions,
) => {
  const { commit, client } = database;

  /** Keeps other processes from continuing an import, until it is disposed of. @throws ConcurrentImport */
  const hold = (id: number): Disposable => holdLock(lockPath(id));

  return {
    hold,
    /** All imports that were not undone: interrupted ones first, then by the bytes they have read, most first. */
    all: (): Import[] => ALL.all(client),
    /**
     * Stores a new import and returns its id.
     * @param replaceInterrupted ends an interrupted import of the same file
     * @param newestId the highest id that the caller has seen: a later import of the same file, even a finished one, is a
     *   concurrent one
     * @throws ConcurrentImport
     */
    async start(started: NewImport, replaceInterrupted: boolean, newestId: number): Promise<number> {
      const interrupted = replaceInterrupted ? FIND_INTERRUPTED.get(client, started) : undefined;
      using _ = interrupted && hold(interrupted.id);
      const act = { actor, now: started.startedAt };
      const label = basename(started.file);
      const first = replaceInterrupted ? END_INTERRUPTED : FIND_NEWER;
      const [, [row]] = await commit(
        [first.with({ ...started, newestId }), START.with(started)],
        ([newer, [added]]) => {
          if (newer.length > 0 || !added) throw new ConcurrentImport();
          return record(act, { action: "import.started", id: added.id, label });
        },
      );
      if (!row) throw new ConcurrentImport();
      return row.id;
    },
    /** Reopens an import, if it is still at `from` bytes. @throws ConcurrentImport */
    async resume(state: Import, from: number): Promise<void> {
      await commit([RESUME.with({ ...state, from })], ([[resumed]]) => {
        if (!resumed) throw new ConcurrentImport();
        return [];
      });
    },
    /**
     * Adds, updates and deletes animals and stores the progress in one atomic step, if the import is at `from` bytes.
     * @param needed categories that must exist
     * @throws ConcurrentImport, CategoryGone, StoreChanged
     */
    async write(
      id: number,
      from: number,
      progress: Progress,
      changes: BatchChanges,
      needed: ReadonlySet<bigint> = new Set(),
    ): Promise<void> {
      const { added } = changes;
      const at = now();
      await commit(
        [
          PROGRESS.with({ ...progress, id, from }),
          COUNT_CATEGORIES.with({ needed: `[${[...needed].join(",")}]` }),
          ADD_PETS.with({ pets: jsonOf(added), now: at, strict: Number(strictCategories) }),
          CHANGES.with(),
        ],
        ([[ready], [found], , [inserted]], connection) => {
          if (!ready) throw new ConcurrentImport();
          if (found?.count !== needed.size || inserted?.rows !== added.length) throw new CategoryGone();
          const fields = fieldsOf(connection);
          assertUnchanged(connection, changes, fields);
          return [...storingChanges(id, changes, fields, at), ...importIndexing(added.length)];
        },
      );
    },
    /** @param keep stores the response in the same transaction */
    async finish(id: number, finishedAt: number, keep: () => readonly Statement[] = () => []): Promise<void> {
      await commit([FINISH.with({ id, finishedAt })], ([[ended]]) => [
        ...record({ actor, now: finishedAt }, ended && finishedEntry(ended)),
        ...keep(),
      ]);
    },
  };
};

export type ImportRepository = ReturnType<typeof importRepository>;
