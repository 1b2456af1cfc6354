import { basename } from "node:path";
import { sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import { commitDecided, type Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { importChanges, imports } from "../../data/db/schema/imports.ts";
import { pets } from "../../data/db/schema/pets.ts";
import {
  columnsOf,
  type Connection,
  insertRow,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { fieldsOf } from "../pets/fields/repository.ts";
import { fromStored } from "../pets/profile/profile.ts";
import { storingProfile } from "../pets/profile/repository.ts";
import { storingNameWords } from "../pets/word-queries.ts";
import { changing, type StoredBefore } from "./change-queries.ts";
import type { PresentPet } from "./changes.ts";
import { findPresent, isOfImport } from "./present-queries.ts";
import type { Import } from "./repository.ts";

type Change = typeof importChanges.$inferSelect;

/** An import cannot be undone, or not completely. The message names the reason. */
export class UndoRefused extends Error {
  override name = "UndoRefused";
}

/** An animal that the import had deleted. It has a new id. */
interface Readded {
  name: string;
  id: number;
  before: number;
}

/** Undone changes: the numbers of animals that were deleted and restored, and those that were added again. */
export interface Undone {
  deleted: number;
  restored: number;
  readded: Readded[];
}

/** How many changes a transaction undoes. */
const SLICE = 200;
const NEWEST = Number.MAX_SAFE_INTEGER;

const FIND = statement<Import>(
  sql`SELECT ${columnsOf(imports)} FROM ${imports} WHERE ${imports.id} = ${value("id")}`,
);

const LAST = statement<{ id: number | null }>(sql`SELECT max(${imports.id}) AS id FROM ${imports}`);

/** The newest changes first. */
const CHANGES = statement<Change>(sql`
  SELECT ${columnsOf(importChanges)} FROM ${importChanges}
  WHERE ${importChanges.importId} = ${value("importId")} AND ${importChanges.id} < ${value("before")}
  ORDER BY ${importChanges.id} DESC
  LIMIT ${SLICE}`);

const IS_IN_RANGE = sql`${pets.id} BETWEEN ${value("from")} AND ${value("to")}`;

const CHANGED_SINCE = statement<{ id: number; name: string }>(sql`
  SELECT ${columnsOf(pets, "id", "name")} FROM ${pets}
  WHERE ${IS_IN_RANGE} AND ${pets.updatedAt} IS NOT NULL`);

const DELETE_ADDED = statement<{ id: number }>(
  sql`DELETE FROM ${pets} WHERE ${IS_IN_RANGE} RETURNING ${pets.id} AS id`,
);

const REMOVE = statement(sql`
  DELETE FROM ${importChanges}
  WHERE ${importChanges.id} IN (SELECT value FROM json_each(${value("ids")}))`);

const ADD_AGAIN = statement<{ id: number }>(sql`
  ${insertRow(pets, valuesFor("name", "categoryId", "status", "createdAt"))} RETURNING ${pets.id} AS id`);

const END = statement(sql`
  ${update(imports, { undoneAt: value("now"), finishedAt: sql`coalesce(${imports.finishedAt}, ${value("now")})` })}
  WHERE ${imports.id} = ${value("id")}`);

const OLD = statement<{ id: number }>(sql`
  SELECT ${importChanges.id} AS id FROM ${imports}
  CROSS JOIN ${importChanges} ON ${importChanges.importId} = ${imports.id}
  WHERE ${imports.startedAt} < ${value("before")}
  LIMIT ${SLICE}`);

const beforeOf = ({ before }: Change): StoredBefore => JSON.parse(before ?? "{}") as StoredBefore;

const refusal = (id: number, name: string, reason: string) =>
  new UndoRefused(
    `${name} (animal ${id}) ${reason} since the import: nothing is undone. Restore the other animals by hand`,
  );

const referenceOf = (change: Change): string | undefined =>
  (JSON.parse(beforeOf(change).profile) as { reference?: string }).reference;

/** @throws UndoRefused if an animal was changed since the import, or if another has its reference */
const assertUnchanged = (
  connection: Connection,
  importId: number,
  changes: readonly Change[],
): ReadonlyMap<number, PresentPet> => {
  for (const { kind, petId: from, toId: to } of changes) {
    const changed = kind === "added" ? CHANGED_SINCE.get(connection, { from, to }) : undefined;
    if (changed) throw refusal(changed.id, changed.name, "was changed");
  }
  const others = changes.filter(({ kind }) => kind !== "added");
  const ids = others.map(({ petId }) => String(petId));
  const present = new Map(findPresent(connection, "id", ids).map((pet) => [pet.id, pet]));
  for (const change of others) {
    if (change.kind === "deleted") continue;
    const pet = present.get(change.petId);
    if (!pet) throw refusal(change.petId, beforeOf(change).name, "was deleted");
    if (pet.updatedAt !== change.at) throw refusal(pet.id, pet.name, "was changed");
  }
  const owners = new Map(others.map((change) => [referenceOf(change), change.petId]));
  const references = [...owners.keys()].filter((reference) => reference !== undefined);
  const taken = findPresent(connection, "reference", references).find(
    ({ id, profile }) =>
      owners.get(profile["reference"] as string) !== id && !isOfImport(connection, importId, id),
  );
  if (taken) throw refusal(taken.id, taken.name, "got a reference of the store");
  return present;
};

const run = (connection: Connection, statements: readonly Statement[]): void => {
  for (const { query, values } of statements) query.all(connection, values);
};

/** Restores an animal, or adds it again if the import has deleted it. @returns the animal that was added */
const restore = (
  connection: Connection,
  change: Change,
  present: PresentPet | undefined,
  now: number,
): Readded | undefined => {
  const { categoryId, status, profile, name, createdAt } = beforeOf(change);
  const fields = fieldsOf(connection);
  const members = fromStored(profile, fields) ?? {};
  const after = { name, categoryId: BigInt(categoryId), ...(status && { status }), profile: members };
  if (change.kind === "changed" && present) {
    run(connection, changing({ before: present, after }, fields, now));
    return undefined;
  }
  const [added] = ADD_AGAIN.all(connection, { ...after, status, createdAt });
  if (!added) throw new Error("SQLite returned no id");
  run(connection, [...storingNameWords(added.id, name), ...storingProfile(added.id, members, fields)]);
  return { name, id: added.id, before: change.petId };
};

/** The next changes to undo in one transaction: a range of added animals, or others. */
const nextChanges = (connection: Connection, importId: number): Change[] => {
  const changes = CHANGES.all(connection, { importId, before: NEWEST });
  const range = changes.findIndex(({ kind }) => kind === "added");
  return range === -1 ? changes : changes.slice(0, Math.max(1, range));
};

const undoNext = (connection: Connection, importId: number, now: number): Undone & { isLast: boolean } => {
  const changes = nextChanges(connection, importId);
  const present = assertUnchanged(connection, importId, changes);
  const undone: Undone = { deleted: 0, restored: 0, readded: [] };
  for (const change of changes) {
    const { kind, petId: from, toId: to } = change;
    if (kind === "added") undone.deleted += DELETE_ADDED.all(connection, { from, to }).length;
    else {
      const added = restore(connection, change, present.get(from), now);
      if (added) undone.readded.push(added);
      else undone.restored++;
    }
  }
  run(connection, [REMOVE.with({ ids: JSON.stringify(changes.map(({ id }) => id)) })]);
  return { ...undone, isLast: CHANGES.get(connection, { importId, before: NEWEST }) === undefined };
};

export const undoRepository = ({ client, commit }: Database) => ({
  /** The import with an id, or the last one. */
  find: (id = LAST.get(client)?.id ?? 0): Import | undefined => FIND.get(client, { id }),
  hasChanges: (importId: number): boolean => CHANGES.get(client, { importId, before: NEWEST }) !== undefined,
  /** Checks every change of an import. @throws UndoRefused */
  check(importId: number): void {
    for (let before = NEWEST; ;) {
      const changes = CHANGES.all(client, { importId, before });
      assertUnchanged(client, importId, changes);
      if (changes.length < SLICE) return;
      before = changes.at(-1)?.id ?? 0;
    }
  },
  /** Undoes the next changes of an import in one atomic step. @throws UndoRefused if an animal was changed meanwhile */
  undoNext: ({ id, file }: Import, act: Act) =>
    commitDecided(commit, (connection) => {
      const undone = undoNext(connection, id, act.now);
      const entry = { action: "import.undone", id, label: basename(file) } as const;
      return undone.isLast ? [undone, END.with({ id, now: act.now }), ...record(act, entry)] : [undone];
    }),
  /** Removes the changes of old imports, a slice at a time. @returns true if more may follow */
  async sweep(before: number): Promise<boolean> {
    const ids = OLD.all(client, { before }).map(({ id }) => id);
    if (ids.length > 0) await commit([REMOVE.with({ ids: JSON.stringify(ids) })]);
    return ids.length === SLICE;
  },
});
