import { and, eq, sql } from "drizzle-orm";
import { type Audit, type AuditEntry, auditing, changesBetween } from "../db/audit.ts";
import type { Statement } from "../db/commit.ts";
import { type StoreResponse, storing } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { type CatchUp, petIndex, type RequestIndex, type Unindexed } from "../db/pet-index.ts";
import { isOpen, orders } from "../db/schema/orders.ts";
import { categories, pets } from "../db/schema/pets.ts";
import type { Act } from "../lib/actor.ts";
import { lazy, once } from "../lib/lazy.ts";
import { foldLetters } from "../lib/letter-folds.ts";
import { toSearch } from "../lib/search.ts";
import { type CountedPets, petCounts, type StatusCounts } from "./count-queries.ts";
import { isReady, petsByIdOrder } from "./id-order-queries.ts";
import { petsByNameOrder } from "./name-order-queries.ts";
import { isByName, type NewPet, type Pet, type PetChange, type PetSort, type PetStatus } from "./pet.ts";
import { COLUMNS, type ListedPet, petOf, type PetPage, type Row, type RowValues, value } from "./queries.ts";

export type { StoreResponse } from "../db/kept-responses.ts";

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

const OPEN_ORDER = sql`${orders.petId} = ${pets.id} and ${isOpen(orders.status)}`;
const OPEN_ORDER_ID = sql<number | null>`(select ${orders.id} from ${orders} where ${OPEN_ORDER})`;
const HAS_NO_OPEN_ORDER = sql`not exists (select 1 from ${orders} where ${OPEN_ORDER})`;
const HAS_ID = eq(pets.id, value("id"));

/** True if the animal was not written since the client's copy was compared, or if the client expects nothing. */
const IS_EXPECTED = sql<number>`(${value("revision")} is null or ${pets.revision} = ${value("revision")})`;

const CATEGORY_EXISTS = sql`exists (select 1 from ${categories} where ${categories.id} = ${value("categoryId")})`;

type InsertValues = [name: string, categoryId: bigint, status: PetStatus | null, createdAt: number];

/** Not built by Drizzle: its overhead is a quarter of the cost of storing an animal. */
const prepareInsert = ({ client }: Pick<Database, "client">, strictCategories: boolean) => {
  const insertStatement = client.query<{ id: number }, InsertValues>(
    `INSERT INTO pets (name, category_id, status, created_at) SELECT ?1, ?2, ?3, ?4
     ${strictCategories ? "WHERE EXISTS (SELECT 1 FROM categories WHERE id = ?2)" : ""} RETURNING id`,
  );
  return (...values: InsertValues): Statement<{ id: number }[]> => ({
    query: { all: () => insertStatement.all(...values) },
    values: {},
  });
};

/** Not run by Drizzle, which looks up the kind of each parameter in each call: that takes twice as long as the read itself. */
const prepareFind = ({ orm, client }: Pick<Database, "orm" | "client">) => {
  const query = orm
    .select({ ...COLUMNS, revision: pets.revision })
    .from(pets)
    .where(HAS_ID);
  return client.prepare<unknown, [id: number]>(query.toSQL().sql);
};

/** The animal before a write, in its transaction, and the conditions that may stop the write. */
interface State extends Row {
  isExpected: number;
  /** 0 if categories are strict and the new one does not exist. */
  hasCategory: number;
  openOrder: number | null;
}

const toPet = ({ status, ...row }: Row): Pet => (status === null ? row : { ...row, status });

const resultOf = (written: Row | undefined, state: State | undefined): WriteResult => {
  if (written) return { pet: toPet(written) };
  if (!state) return { refused: "not_found" };
  if (!state.isExpected) return { refused: "precondition_failed" };
  if (!state.hasCategory) return { refused: "category_not_found" };
  // Nothing else stops a write.
  return { refused: "pet_in_order", order: state.openOrder as number };
};

const conditionalStatements = ({ orm }: Pick<Database, "orm">, strictCategories: boolean) => {
  const hasCategory = strictCategories
    ? sql<number>`(${value("categoryId")} is null or ${CATEGORY_EXISTS})`
    : sql<number>`1`;
  const updateStatement = orm
    .update(pets)
    .set({
      name: sql`coalesce(${value("name")}, ${pets.name})`,
      categoryId: sql`coalesce(${value("categoryId")}, ${pets.categoryId})`,
      status: sql`iif(${value("keepsStatus")}, ${pets.status}, ${value("status")})`,
    })
    .where(
      and(
        HAS_ID,
        IS_EXPECTED,
        hasCategory,
        sql`(${value("keepsStatus")} or ${pets.status} is ${value("status")} or ${HAS_NO_OPEN_ORDER})`,
      ),
    )
    .returning(COLUMNS)
    .prepare();
  const deleteStatement = orm
    .delete(pets)
    .where(and(HAS_ID, IS_EXPECTED, HAS_NO_OPEN_ORDER))
    .returning(COLUMNS)
    .prepare();
  // Runs before the write, in its transaction: it returns the previous values, or the reason for a refusal.
  const stateStatement = orm
    .select({ ...COLUMNS, isExpected: IS_EXPECTED, hasCategory, openOrder: OPEN_ORDER_ID })
    .from(pets)
    .where(HAS_ID)
    .limit(1)
    .prepare();
  return { updateStatement, deleteStatement, stateStatement };
};

const changeValues = ({ id, change, expected }: RequestedChange) => ({
  revision: expected?.revision ?? null,
  id,
  name: change.name ?? null,
  categoryId: change.categoryId ?? null,
  status: change.status ?? null,
  keepsStatus: Number(change.status === undefined),
});

const changedEntry = (before: Row, after: Row): AuditEntry => ({
  action: "pet.changed",
  id: after.id,
  label: after.name,
  changes: changesBetween(before, after, ["name", "categoryId", "status"]),
});

/** Writes whose conditions are part of the SQL, so that no other write comes between check and write. */
const conditionalWrites = (database: Database, strictCategories: boolean, record: Audit) => {
  const { updateStatement, deleteStatement, stateStatement } = conditionalStatements(
    database,
    strictCategories,
  );

  const write = async (
    query: typeof updateStatement | typeof deleteStatement,
    values: Record<string, unknown>,
    act: Act,
    entryOf: (before: Row, after: Row) => AuditEntry,
  ): Promise<WriteResult> => {
    const [[state], [written]] = await database.commit(
      [
        { query: stateStatement, values },
        { query, values },
      ],
      ([[before], [after]]) => record(act, before && after && entryOf(before, after)),
    );
    return resultOf(written, state);
  };

  return {
    /**
     * Changes the animal in one atomic step, if it still is `expected` and, for a new status, no open order holds it.
     */
    change: (id: number, change: PetChange, act: Act, expected?: StoredPet) =>
      write(updateStatement, changeValues({ id, change, expected }), act, changedEntry),
    /** Makes many changes in one transaction, in this order. A change that is refused stops no other. */
    async changeMany(
      requested: readonly RequestedChange[],
      act: Act,
      keep?: StoreResponse<WriteResult[]>,
    ): Promise<WriteResult[]> {
      const statements = requested.map(changeValues).flatMap((values) => [
        { query: stateStatement, values },
        { query: updateStatement, values },
      ]);
      const pairs = (rows: readonly (readonly Row[])[]) =>
        requested.map((_, at) => ({
          before: rows[2 * at]?.[0] as State | undefined,
          after: rows[2 * at + 1]?.[0],
        }));
      const resultsOf = (rows: readonly (readonly Row[])[]) =>
        pairs(rows).map(({ before, after }) => resultOf(after, before));
      const rows = await database.commit(statements, (written) => [
        ...pairs(written).flatMap(({ before, after }) =>
          record(act, before && after && changedEntry(before, after)),
        ),
        ...storing(keep, resultsOf(written)),
      ]);
      return resultsOf(rows);
    },
    /** Deletes the animal in one atomic step, if it still is `expected` and no open order holds it. */
    remove: (id: number, act: Act, expected?: StoredPet) =>
      write(
        deleteStatement,
        { id, categoryId: null, revision: expected?.revision ?? null },
        act,
        ({ name: label }) => ({ action: "pet.deleted", id, label }),
      ),
  };
};

type Orm = Pick<Database, "orm">;

const listsOf = (database: Orm) => {
  const byId = petsByIdOrder(database);
  const byName = once(() => petsByNameOrder(database, byId));
  return (page: PetPage, ready = isReady): ListedPet[] | Promise<ListedPet[]> =>
    isByName(page.sort) ? ready().then(() => byName()(page)) : byId(page, ready);
};

const compare =
  (sort: PetSort) =>
  (one: ListedPet, other: ListedPet): number => {
    // As SQLite compares texts.
    const names = isByName(sort)
      ? Buffer.compare(Buffer.from(foldLetters(one.name)), Buffer.from(foldLetters(other.name)))
      : 0;
    return (names || one.id - other.id) * (sort.startsWith("-") ? -1 : 1);
  };

/** A page of animals from two sources. An animal whose id was typed may be in both. */
const mergePages = (pages: readonly ListedPet[][], { sort, limit }: PetPage): ListedPet[] => {
  const byId = new Map(pages.flat().map((pet) => [pet.id, pet]));
  return [...byId.values()].toSorted(compare(sort)).slice(0, limit);
};

/**
 * Lists and counts animals. Reads of the index of words or names wait until it has every animal. If the storage refuses to
 * write it, the animals that it lacks come from a copy in memory.
 */
const indexedReads = (database: Orm, catchUp: CatchUp) => {
  const listIndexed = listsOf(database);
  const counts = lazy(() => petCounts(database));

  const countIndexed = async (filters: CountedPets, typed: number | null): Promise<StatusCounts> => {
    const unindexed = await catchUp();
    const found = { ...(await counts.byStatus(filters)) };
    if (!unindexed) return found;
    const all = { status: undefined, ids: undefined, after: undefined, limit: Number.MAX_SAFE_INTEGER };
    // An animal whose id was typed is found without the index.
    const more = await listsOf(unindexed)({ ...all, ...filters, sort: "id" });
    for (const { id, status = "none" } of more) if (id !== typed) found[status] += 1;
    return unindexed.isCurrent() ? found : countIndexed(filters, typed);
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
        return search ? countIndexed(filters, search.typed) : counts.byStatus(filters);
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
  const { commit } = database;
  const record = auditing(database);
  const insertStatement = prepareInsert(database, strictCategories);
  const findStatement = prepareFind(database);

  const { catchUp, ...indexing } = petIndex(database, requestIndex);
  const { list, counts } = indexedReads(database, catchUp);
  const writes = lazy(() => conditionalWrites(database, strictCategories, record));

  return {
    change: writes.change,
    changeMany: writes.changeMany,
    remove: writes.remove,
    /**
     * Stores the animal under an id that was never used, and resolves when it is on disk. Undefined if categories are strict
     * and the animal's own does not exist, as checked in the same atomic step.
     */
    async add(pet: NewPet, act: Act, keep?: StoreResponse<Pet>): Promise<Pet | undefined> {
      const insert = insertStatement(pet.name, pet.categoryId, pet.status ?? null, act.now);
      const [[row]] = await commit([insert], ([[added]]) =>
        added
          ? [
              ...record(act, { action: "pet.added", id: added.id, label: pet.name }),
              ...storing(keep, { id: added.id, ...pet }),
            ]
          : [],
      );
      return row && { id: row.id, ...pet };
    },
    find(id: number): StoredPet | undefined {
      const [row] = findStatement.values(id) as [...RowValues, revision: number][];
      return row && { ...petOf(row[0], row[1], row[2], row[3]), revision: row[4] };
    },
    list,
    counts,
    indexing,
  };
};

export type PetRepository = ReturnType<typeof petRepository>;
