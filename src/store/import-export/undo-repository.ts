import { basename } from "node:path";
import { sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import { commitDecided, type Statement } from "../../data/db/commit.ts";
import type { Database } from "../../data/db/open.ts";
import { importChanges, imports } from "../../data/db/schema/imports.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petProfiles } from "../../data/db/schema/profiles.ts";
import {
  columnsOf,
  type Connection,
  insert,
  insertRow,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Actor } from "../../lib/actor.ts";
import { DAY_MS, formatTime } from "../../lib/time.ts";
import { fieldsOf } from "../pets/fields/repository.ts";
import { fromStored } from "../pets/profile/profile.ts";
import { storingProfile } from "../pets/profile/repository.ts";
import { storingNameWords } from "../pets/word-queries.ts";
import { changing, type StoredBefore } from "./change-queries.ts";
import { yieldThread } from "./pacing.ts";
import { findPresent, isOfImport } from "./present-queries.ts";
import { type Import, type StoreResponse, storing } from "./repository.ts";

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
interface Undone {
  deleted: number;
  restored: number;
  readded: Readded[];
}

type UndoneImport = Undone & Pick<Import, "id" | "file">;

export interface UndoOptions {
  actor: Actor;
  now(): number;
  /** True in a server: its requests need the thread, too. */
  sharesThread: boolean;
  /** Stores the response in the last transaction. */
  keep?: StoreResponse<UndoneImport> | undefined;
}

const UNDO_DAYS = 30;
/** How long an import can be undone: older changes are removed. */
const UNDO_MS = UNDO_DAYS * DAY_MS;

/** How many changes a transaction undoes or removes. */
const SLICE = 200;
/** In a server, whose requests wait for one such transaction: 10 ms. */
const SHARED_SLICE = 50;
const NEWEST = Number.MAX_SAFE_INTEGER;

const FIND = statement<Import>(
  sql`SELECT ${columnsOf(imports)} FROM ${imports} WHERE ${imports.id} = ${value("id")}`,
);

const LAST = statement<{ id: number | null }>(sql`SELECT max(${imports.id}) AS id FROM ${imports}`);

/** The newest changes first. */
const CHANGES = statement<Change>(sql`
  SELECT ${columnsOf(importChanges)} FROM ${importChanges}
  WHERE ${importChanges.importId} = ${value("importId")}
  ORDER BY ${importChanges.id} DESC
  LIMIT ${value("limit")}`);

const RANGE = statement<{ first: number; last: number }>(sql`
  SELECT coalesce(min(${importChanges.id}), 0) AS first, coalesce(max(${importChanges.id}), -1) AS last
  FROM ${importChanges} WHERE ${importChanges.importId} = ${value("importId")}`);

/** A range of changes, all of them checked in one statement. */
const IN_RANGE = sql`${importChanges.importId} = ${value("importId")}
    AND ${importChanges.id} BETWEEN ${value("from")} AND ${value("to")}`;

/** The animals that were changed since, or deleted. */
const CHANGED_SINCE = statement<{ id: number; name: string; isDeleted: number }>(sql`
  SELECT coalesce(${pets.id}, ${importChanges.petId}) AS id,
    coalesce(${pets.name}, ${importChanges.before} ->> 'name') AS name, ${pets.id} IS NULL AS isDeleted
  FROM ${importChanges}
  LEFT JOIN ${pets} ON ${pets.id} BETWEEN ${importChanges.petId} AND ${importChanges.toId}
  WHERE ${IN_RANGE}
    AND (${importChanges.kind} = 'changed' OR (${importChanges.kind} = 'added' AND ${pets.updatedAt} IS NOT NULL))
    AND NOT EXISTS (
      SELECT 1 FROM ${importChanges} AS own
      WHERE own.pet_id = ${pets.id} AND own.to_id = own.pet_id AND own.import_id = ${value("importId")}
        AND own.at = ${pets.updatedAt})`);

/** The animals that have the reference of another that the import has changed or deleted. */
const TAKEN = statement<{ id: number; name: string }>(sql`
  SELECT ${columnsOf(pets, "id", "name")} FROM ${importChanges}
  JOIN ${petProfiles} ON ${petProfiles.reference} = ${importChanges.before} ->> 'profile' ->> 'reference'
  JOIN ${pets} ON ${pets.id} = ${petProfiles.petId}
  WHERE ${IN_RANGE} AND ${pets.id} <> ${importChanges.petId}`);

const DELETE_ADDED = statement<{ id: number }>(
  sql`DELETE FROM ${pets} WHERE ${pets.id} BETWEEN ${value("from")} AND ${value("to")} RETURNING ${pets.id} AS id`,
);

const REMOVE = statement(sql`
  DELETE FROM ${importChanges}
  WHERE ${importChanges.id} IN (SELECT value FROM json_each(${value("ids")}))`);

/** Takes the last animals from a range. */
const SHORTEN = statement(sql`
  ${update(importChanges, { toId: value("toId") })} WHERE ${importChanges.id} = ${value("id")}`);

const ADD_AGAIN = statement<{ id: number }>(sql`
  ${insertRow(pets, {
    ...valuesFor("name", "categoryId", "status", "createdAt"),
    updatedAt: value("now"),
  })} RETURNING ${pets.id} AS id`);

/** `moved`: the animals that an undo has written, each as [its id before, the time of its last change before, its id now]. */
const MOVED = sql`json_each(${value("moved")})`;

const NEW_ID = sql`(SELECT value ->> 2 FROM ${MOVED} WHERE value ->> 0 = ${importChanges.petId})`;

/** The changes of earlier imports are the last ones again. */
const MOVE_CHANGES = statement(sql`
  ${update(importChanges, { petId: NEW_ID, toId: NEW_ID, at: value("now") })}
  WHERE ${importChanges.toId} = ${importChanges.petId}
    AND ${importChanges.petId} IN (SELECT value ->> 0 FROM ${MOVED})
    AND (${importChanges.petId}, ${importChanges.at}) IN (SELECT value ->> 0, value ->> 1 FROM ${MOVED})`);

/** Gives an animal of a range its own change: a range has only one time. Ranges never overlap. */
const MOVE_ADDED = statement(sql`
  ${insert(importChanges, {
    importId: importChanges.importId,
    kind: sql`'added'`,
    petId: sql`value ->> 2`,
    toId: sql`value ->> 2`,
    at: sql`iif(value ->> 1 = ${importChanges.at}, ${value("now")}, ${importChanges.at})`,
  })}
  FROM ${MOVED} CROSS JOIN ${importChanges} ON ${importChanges.id} = (
    SELECT range.id FROM ${importChanges} AS range
    WHERE range.to_id > range.pet_id AND range.pet_id <= value ->> 0
    ORDER BY range.pet_id DESC LIMIT 1)
  WHERE value ->> 0 <= ${importChanges.toId}
    AND (value ->> 1 = ${importChanges.at} OR value ->> 2 <> value ->> 0)`);

const END = statement(sql`
  ${update(imports, { undoneAt: value("now"), finishedAt: sql`coalesce(${imports.finishedAt}, ${value("now")})` })}
  WHERE ${imports.id} = ${value("id")}`);

const OLD = statement<{ id: number }>(sql`
  SELECT ${importChanges.id} AS id FROM ${imports}
  CROSS JOIN ${importChanges} ON ${importChanges.importId} = ${imports.id}
  WHERE ${imports.startedAt} < ${value("before")}
  LIMIT ${SLICE}`);

/** The last import that has changed an animal after another. */
const LATER = statement<{ importId: number }>(sql`
  SELECT ${columnsOf(importChanges, "importId")} FROM ${importChanges}
  WHERE ${importChanges.petId} = ${value("petId")} AND ${importChanges.toId} = ${importChanges.petId}
    AND ${importChanges.importId} > ${value("importId")}
  ORDER BY ${importChanges.importId} DESC`);

const refusal = ({ id, name }: { id: number; name: string }, reason: string) =>
  new UndoRefused(
    `${name} (animal ${id}) ${reason}: nothing more is undone. Restore the other animals by hand`,
  );

/** @throws UndoRefused if an animal of these changes was changed since the import, or if another has its reference */
const assertUnchanged = (connection: Connection, importId: number, from = 0, to = NEWEST): void => {
  const changed = CHANGED_SINCE.get(connection, { importId, from, to });
  const later = changed && LATER.get(connection, { importId, petId: changed.id });
  if (later)
    throw new UndoRefused(
      `${changed.name} (animal ${changed.id}) was changed by import ${later.importId}: undo that one first`,
    );
  if (changed)
    throw refusal(
      changed,
      changed.isDeleted ? "was deleted since the import" : "was changed since the import",
    );
  const taken = TAKEN.all(connection, { importId, from, to }).find(
    ({ id }) => !isOfImport(connection, importId, id),
  );
  if (taken) throw refusal(taken, "now has the reference of an animal that the undo would restore");
};

/** Checks all changes of an import, while other requests run. @throws UndoRefused */
const assertAllUnchanged = async (connection: Connection, importId: number): Promise<void> => {
  const { first = 0, last = -1 } = RANGE.get(connection, { importId }) ?? {};
  for (let from = first; from <= last; from += SLICE) {
    assertUnchanged(connection, importId, from, from + SLICE - 1);
    await yieldThread();
  }
};

const run = (connection: Connection, statements: readonly Statement[]): void => {
  for (const { query, values } of statements) query.all(connection, values);
};

type Moved = [before: number, changedAt: number, now: number];

/** Restores an animal, or adds it again if the import has deleted it. */
const restore = (
  connection: Connection,
  { petId, kind, before }: Change,
  now: number,
): { moved: Moved; readded: Readded[] } => {
  const { categoryId, status, profile, name, createdAt, updatedAt } = JSON.parse(
    before ?? "{}",
  ) as StoredBefore;
  const fields = fieldsOf(connection);
  const members = fromStored(profile, fields) ?? {};
  const after = { name, categoryId: BigInt(categoryId), ...(status && { status }), profile: members };
  // A restarted update may have changed an animal twice, so each change reads it again.
  const [present] = kind === "changed" ? findPresent(connection, "id", [String(petId)]) : [];
  if (present) {
    run(connection, changing({ before: present, after }, fields, now));
    return { moved: [petId, updatedAt ?? createdAt, petId], readded: [] };
  }
  const [added] = ADD_AGAIN.all(connection, { ...after, status: status ?? null, createdAt, now });
  if (!added) throw new Error("SQLite returned no id");
  run(connection, [...storingNameWords(added.id, name), ...storingProfile(added.id, members, fields)]);
  return {
    moved: [petId, updatedAt ?? createdAt, added.id],
    readded: [{ name, id: added.id, before: petId }],
  };
};

/** The next changes to undo in one transaction: a range of added animals, or its end, or changes of single ones. */
const nextChanges = (
  connection: Connection,
  importId: number,
  sharesThread: boolean,
): { changes: Change[]; isPart: boolean } => {
  const changes = CHANGES.all(connection, { importId, limit: sharesThread ? SHARED_SLICE : SLICE });
  const index = changes.findIndex(({ petId, toId }) => toId > petId);
  const range = changes[0];
  if (index !== 0 || !range)
    return { changes: index === -1 ? changes : changes.slice(0, index), isPart: false };
  const petId = sharesThread ? Math.max(range.petId, range.toId - SHARED_SLICE + 1) : range.petId;
  return { changes: [{ ...range, petId }], isPart: petId > range.petId };
};

const undoNext = (
  connection: Connection,
  importId: number,
  now: number,
  sharesThread: boolean,
): Undone & { isLast: boolean } => {
  const { changes, isPart } = nextChanges(connection, importId, sharesThread);
  assertUnchanged(connection, importId, changes.at(-1)?.id, changes[0]?.id);
  const undone: Undone = { deleted: 0, restored: 0, readded: [] };
  const moved: Moved[] = [];
  for (const change of changes) {
    const { kind, petId: from, toId: to } = change;
    if (kind === "added") undone.deleted += DELETE_ADDED.all(connection, { from, to }).length;
    else {
      const restored = restore(connection, change, now);
      moved.push(restored.moved);
      undone.readded.push(...restored.readded);
      if (restored.readded.length === 0) undone.restored++;
    }
  }
  const values = { moved: JSON.stringify(moved), now };
  const rest = changes.map(({ id, petId }) => SHORTEN.with({ id, toId: petId - 1 }));
  run(connection, [
    ...(isPart ? rest : [REMOVE.with({ ids: JSON.stringify(changes.map(({ id }) => id)) })]),
    MOVE_CHANGES.with(values),
    MOVE_ADDED.with(values),
  ]);
  return { ...undone, isLast: CHANGES.get(connection, { importId, limit: 1 }) === undefined };
};

/** The import, if it can be undone. @throws UndoRefused */
const findUndoable = (connection: Connection, id = LAST.get(connection)?.id ?? 0): Import => {
  const found = FIND.get(connection, { id });
  if (!found)
    throw new UndoRefused(
      id === 0
        ? "no file was imported: there is nothing to undo"
        : `there is no import ${id}: leave out the id to undo the last one`,
    );
  const name = `import ${id} of ${basename(found.file)}`;
  const hasChanges = CHANGES.get(connection, { importId: id, limit: 1 }) !== undefined;
  if (found.undoneAt !== null && !hasChanges)
    throw new UndoRefused(
      `${name} was undone on ${formatTime(found.undoneAt)}: to undo an earlier import, use import --undo ID (adoption-store audit lists the ids)`,
    );
  if (found.added + found.updated + found.absent > 0 && !hasChanges)
    throw new UndoRefused(`${name} is older than ${UNDO_DAYS} days, so it can no longer be undone`);
  return found;
};

export const undoRepository = ({ client, commit }: Database) => ({
  /**
   * Undoes an import, or the last one: deletes its new animals and restores the others. All animals are checked before the
   * first is written. An undo that was interrupted continues when it is called again.
   * @param hold keeps other processes from continuing the import
   * @throws UndoRefused if an animal was changed since the import; ConcurrentImport while it is running
   */
  async undo(
    wanted: number | undefined,
    hold: (id: number) => Disposable,
    { actor, now, sharesThread, keep }: UndoOptions,
  ): Promise<UndoneImport> {
    const { id, file } = findUndoable(client, wanted);
    using _ = hold(id);
    // Another process may have undone it before.
    findUndoable(client, id);
    await assertAllUnchanged(client, id);
    let undone: Undone = { deleted: 0, restored: 0, readded: [] };
    for (let isLast = false; !isLast;) {
      await yieldThread();
      const act = { actor, now: now() };
      const next = await commitDecided(commit, (connection) => {
        const slice = undoNext(connection, id, act.now, sharesThread);
        const entry = { action: "import.undone", id, label: basename(file) } as const;
        const all = {
          deleted: undone.deleted + slice.deleted,
          restored: undone.restored + slice.restored,
          readded: [...undone.readded, ...slice.readded],
        };
        const last = () => [...record(act, entry), ...storing(keep, { id, file, ...all })];
        // From the first slice on, no import continues this one: it would miss what is undone already.
        const end = END.with({ id, now: act.now });
        return [{ all, isLast: slice.isLast }, end, ...(slice.isLast ? last() : [])];
      });
      ({ all: undone, isLast } = next);
    }
    return { id, file, ...undone };
  },
  /** Removes the changes of old imports, a slice at a time. @returns true if more may follow */
  async sweep(now: number): Promise<boolean> {
    const ids = OLD.all(client, { before: now - UNDO_MS }).map(({ id }) => id);
    if (ids.length > 0) await commit([REMOVE.with({ ids: JSON.stringify(ids) })]);
    return ids.length === SLICE;
  },
});
