import { getTableColumns, sql } from "drizzle-orm";
import { type AuditEntry, changesBetween, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import type { Database } from "../../data/db/open.ts";
import { type CatchUp, petIndex, type RequestIndex, type Unindexed } from "../../data/db/pet-index.ts";
import { isOpen, orders } from "../../data/db/schema/orders.ts";
import { categories, pets } from "../../data/db/schema/pets.ts";
import {
  columnsOf,
  insert,
  type Query,
  statement,
  update,
  value,
  valuesFor,
} from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { foldLetters } from "../../lib/letter-folds.ts";
import { toSearch } from "../../lib/search.ts";
import { type CountedPets, petCounts, type StatusCounts } from "./count-queries.ts";
import { isReady, petsByIdOrder } from "./id-order-queries.ts";
import { petsByKeyOrder } from "./key-order-queries.ts";
import {
  hasKeys,
  isDescending,
  type NewPet,
  type Pet,
  type PetChange,
  type PetSort,
  sortKeyOf,
} from "./pet.ts";
import { makeNameWords, storingNameWords } from "./word-queries.ts";
import { COLUMNS, type ListedPet, type PetPage, type Reader, type Row, toPet } from "./queries.ts";

export type { StoreResponse } from "../../data/db/kept-responses.ts";
export type { RequestIndex } from "../../data/db/pet-index.ts";

/** The animal after a change, or before its deletion; or why nothing was written. */
export type WriteResult =
  | { pet: Pet }
  | { refused: "not_found" | "precondition_failed" | "category_not_found" }
  | { refused: "pet_in_order"; order: number };

/** A stored animal. Every write increments the revision. */
export interface StoredPet extends Pet {
  revision: number;
}

/** A change of one animal, if it still is `expected`. */
interface RequestedChange {
  id: number;
  change: PetChange;
  expected?: StoredPet | undefined;
}

const HAS_ID = sql`${pets.id} = ${value("id")}`;
const OF_OPEN_ORDER = sql`${orders.petId} = ${pets.id} AND ${isOpen(orders.status)}`;
const HAS_NO_OPEN_ORDER = sql`NOT EXISTS (SELECT 1 FROM ${orders} WHERE ${OF_OPEN_ORDER})`;

/** True if the animal was not written since the client's copy was compared, or if the client expects nothing. */
const IS_EXPECTED = sql`(${value("revision")} IS NULL OR ${pets.revision} = ${value("revision")})`;

/** True unless categories are strict and the new one does not exist. */
const HAS_CATEGORY = sql`(NOT ${value("strict")} OR ${value("categoryId")} IS NULL
    OR EXISTS (SELECT 1 FROM ${categories} WHERE ${categories.id} = ${value("categoryId")}))`;

const INSERT = statement<{ id: number }>(sql`
  ${insert(pets, valuesFor("name", "categoryId", "status", "createdAt"))}
  WHERE ${HAS_CATEGORY}
  RETURNING ${pets.id} AS id`);

const FIND = statement(
  sql`SELECT ${COLUMNS}, ${columnsOf(pets, "revision")} FROM ${pets} WHERE ${HAS_ID}`,
).as((row: Row & { revision: number }): StoredPet => ({ ...toPet(row), revision: row.revision }));

/** An animal before or after a write. */
type Written = typeof pets.$inferSelect;
const WRITTEN = columnsOf(pets);

/** Columns that no change sets. The audit log has the changes of all others. */
const FIXED: ReadonlySet<string> = new Set(["id", "createdAt", "updatedAt", "revision"]);
const CHANGEABLE = Object.keys(getTableColumns(pets)).filter((name) => !FIXED.has(name)) as (keyof Written)[];

/** The animal before a write, in its transaction, and the conditions that may stop the write. */
interface State extends Written {
  isExpected: number;
  hasCategory: number;
  openOrder: number | null;
}

const STATE = statement<State>(sql`
  SELECT ${WRITTEN}, ${IS_EXPECTED} AS isExpected, ${HAS_CATEGORY} AS hasCategory,
    (SELECT ${orders.id} FROM ${orders} WHERE ${OF_OPEN_ORDER}) AS openOrder
  FROM ${pets}
  WHERE ${HAS_ID}`);

const UPDATE = statement<Written>(sql`
  ${update(pets, {
    name: sql`coalesce(${value("name")}, ${pets.name})`,
    categoryId: sql`coalesce(${value("categoryId")}, ${pets.categoryId})`,
    status: sql`iif(${value("keepsStatus")}, ${pets.status}, ${value("status")})`,
    updatedAt: value("now"),
  })}
  WHERE ${HAS_ID}
    AND ${IS_EXPECTED}
    AND ${HAS_CATEGORY}
    AND (${value("keepsStatus")} OR ${pets.status} IS ${value("status")} OR ${HAS_NO_OPEN_ORDER})
  RETURNING ${WRITTEN}`);

const DELETE = statement<Written>(sql`
  DELETE FROM ${pets}
  WHERE ${HAS_ID} AND ${IS_EXPECTED} AND ${HAS_NO_OPEN_ORDER}
  RETURNING ${WRITTEN}`);

const resultOf = (written: Written | undefined, state: State | undefined): WriteResult => {
  if (written) return { pet: toPet(written) };
  if (!state) return { refused: "not_found" };
  if (!state.isExpected) return { refused: "precondition_failed" };
  if (!state.hasCategory) return { refused: "category_not_found" };
  if (state.openOrder === null) throw new Error("a write was refused without a reason");
  return { refused: "pet_in_order", order: state.openOrder };
};

const changeValues = ({ id, change, expected }: RequestedChange, now: number) => ({
  now,
  revision: expected?.revision ?? null,
  id,
  name: change.name ?? null,
  categoryId: change.categoryId ?? null,
  status: change.status ?? null,
  keepsStatus: Number(change.status === undefined),
});

const changedEntry = (before: Written, after: Written): AuditEntry => ({
  action: "pet.changed",
  id: after.id,
  label: after.name,
  changes: changesBetween(before, after, CHANGEABLE),
});

const renaming = (before: Written | undefined, after: Written | undefined): readonly Statement[] =>
  before && after && before.name !== after.name ? storingNameWords(after.id, after.name, before.name) : [];

/** Writes whose conditions are part of the SQL, so that no other write comes between check and write. */
const conditionalWrites = ({ commit }: Database, strict: number) => {
  // The state is read before the write, in its transaction: it has the previous values, or the reason for a refusal.
  const write = async (
    query: Query<Written>,
    values: object,
    act: Act,
    entryOf: (before: Written, after: Written) => AuditEntry,
  ): Promise<WriteResult> => {
    const [[state], [written]] = await commit(
      [STATE.with(values), query.with(values)],
      ([[before], [after]]) => [
        ...record(act, before && after && entryOf(before, after)),
        ...renaming(before, after),
      ],
    );
    return resultOf(written, state);
  };

  return {
    /**
     * Changes the animal in one atomic step, if it still is `expected` and, for a new status, no open order holds it.
     */
    change: (id: number, change: PetChange, act: Act, expected?: StoredPet) =>
      write(UPDATE, { ...changeValues({ id, change, expected }, act.now), strict }, act, changedEntry),
    /** Makes many changes in one transaction, in this order. A change that is refused stops no other. */
    async changeMany(
      requested: readonly RequestedChange[],
      act: Act,
      keep?: StoreResponse<WriteResult[]>,
    ): Promise<WriteResult[]> {
      const statements = requested
        .map((one) => ({ ...changeValues(one, act.now), strict }))
        .flatMap((values) => [STATE.with(values), UPDATE.with(values)]);
      const pairs = (rows: readonly (readonly Written[])[]) =>
        requested.map((_, index) => ({
          before: rows[2 * index]?.[0] as State | undefined,
          after: rows[2 * index + 1]?.[0],
        }));
      const resultsOf = (rows: readonly (readonly Written[])[]) =>
        pairs(rows).map(({ before, after }) => resultOf(after, before));
      const rows = await commit(statements, (written) => [
        ...pairs(written).flatMap(({ before, after }) =>
          record(act, before && after && changedEntry(before, after)),
        ),
        ...pairs(written).flatMap(({ before, after }) => renaming(before, after)),
        ...storing(keep, resultsOf(written)),
      ]);
      return resultsOf(rows);
    },
    /** Deletes the animal in one atomic step, if it still is `expected` and no open order holds it. */
    remove: (id: number, act: Act, expected?: StoredPet) =>
      write(
        DELETE,
        { id, categoryId: null, revision: expected?.revision ?? null, strict },
        act,
        ({ name: label }) => ({ action: "pet.deleted", id, label }),
      ),
  };
};

const listsOf = (reader: Reader) => {
  const byId = petsByIdOrder(reader);
  const byKey = petsByKeyOrder(reader, byId);
  return (page: PetPage, ready = isReady): ListedPet[] | Promise<ListedPet[]> =>
    hasKeys(page) ? ready().then(() => byKey(page)) : byId(page, ready);
};

const compareKeys = (sort: PetSort, one: ListedPet, other: ListedPet): number => {
  if (sortKeyOf(sort) !== "name") return Number(one.key ?? 0) - Number(other.key ?? 0);
  // As SQLite compares texts.
  return Buffer.compare(Buffer.from(foldLetters(one.name)), Buffer.from(foldLetters(other.name)));
};

const compare =
  (sort: PetSort) =>
  (one: ListedPet, other: ListedPet): number =>
    (compareKeys(sort, one, other) || one.id - other.id) * (isDescending(sort) ? -1 : 1);

/** A page of animals from two sources. An animal whose id was typed may be in both. */
const mergePages = (pages: readonly ListedPet[][], { sort, limit }: PetPage): ListedPet[] => {
  const byId = new Map(pages.flat().map((pet) => [pet.id, pet]));
  return [...byId.values()].toSorted(compare(sort)).slice(0, limit);
};

/**
 * Lists and counts animals. Reads of the index of words or names wait until it has every animal. If the storage refuses to
 * write it, the animals that it lacks come from a copy in memory.
 */
const indexedReads = (reader: Reader, catchUp: CatchUp) => {
  const listIndexed = listsOf(reader);
  const counts = petCounts(reader);

  const countIndexed = async (filters: CountedPets, idQuery: number | null): Promise<StatusCounts> => {
    const unindexed = await catchUp();
    const found = { ...(await counts.byStatus(filters)) };
    if (!unindexed) return found;
    const all = { status: undefined, ids: undefined, after: undefined, limit: Number.MAX_SAFE_INTEGER };
    // An animal whose id was typed is found without the index.
    const more = await listsOf(unindexed)({ ...all, ...filters, sort: "id" });
    for (const { id, status = "none" } of more) if (id !== idQuery) found[status] += 1;
    return unindexed.isCurrent() ? found : countIndexed(filters, idQuery);
  };

  return {
    list(page: PetPage): ListedPet[] | Promise<ListedPet[]> {
      let unindexed: Unindexed | undefined;
      const listing = listIndexed(page, async () => {
        unindexed = await catchUp();
      });
      if (!(listing instanceof Promise)) return listing;
      return listing.then(async (found) =>
        unindexed ? mergePages([found, await listsOf(unindexed)(page)], page) : found,
      );
    },
    counts: {
      addedAfter: counts.addedAfter,
      ofCategories: counts.ofCategories,
      /** The animals that match, by status: those of a category, those that a search finds, or all. */
      byStatus(filters: CountedPets): StatusCounts | Promise<StatusCounts> {
        const search = toSearch(filters.q);
        return search ? countIndexed(filters, search.idQuery) : counts.byStatus(filters);
      },
    },
  };
};

/** @param strictCategories an animal may belong only to a category that exists */
export const petRepository = (
  database: Database,
  {
    strictCategories = false,
    requestIndex,
  }: { strictCategories?: boolean; requestIndex?: RequestIndex | undefined } = {},
) => {
  const { client, commit } = database;
  const strict = Number(strictCategories);
  const { catchUp, ...indexing } = petIndex(database, requestIndex);
  const { list, counts } = indexedReads(database, catchUp);

  return {
    ...conditionalWrites(database, strict),
    /**
     * Stores the animal under an id that was never used, and resolves when it is on disk. Undefined if categories are strict
     * and the animal's own does not exist, as checked in the same atomic step.
     */
    async add(pet: NewPet, act: Act, keep?: StoreResponse<Pet>): Promise<Pet | undefined> {
      const values = { ...pet, status: pet.status ?? null, createdAt: act.now, strict };
      const [[row]] = await commit([INSERT.with(values)], ([[added]]) =>
        added
          ? [
              ...record(act, { action: "pet.added", id: added.id, label: pet.name }),
              ...storingNameWords(added.id, pet.name),
              ...storing(keep, { id: added.id, ...pet }),
            ]
          : [],
      );
      return row && { id: row.id, ...pet };
    },
    find: (id: number): StoredPet | undefined => FIND.get(client, { id }),
    list,
    counts,
    indexing,
    makeWords: () => makeNameWords(database),
  };
};

export type PetRepository = ReturnType<typeof petRepository>;
