import { and, asc, eq, gt, ne, notExists, sql } from "drizzle-orm";
import { auditing, changesBetween } from "../db/audit.ts";
import { type StoreResponse, storing } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { categories, pets } from "../db/schema/pets.ts";
import type { Act } from "../lib/actor.ts";
import { foldName } from "../lib/text.ts";

export type { StoreResponse } from "../db/kept-responses.ts";

export interface Category {
  id: number;
  name: string;
}

export interface CategoryChange {
  name?: string | undefined;
}

/** Why a write was refused: the code of a fault. `precondition_failed`: the category has changed since it was read. */
export type Refusal = "not_found" | "precondition_failed" | "category_name_taken" | "category_in_use";

const COLUMNS = { id: categories.id, name: categories.name };

/** Why nothing was written. `present` was read in the same transaction. */
const refusalOf = (
  present: Category | undefined,
  expected: Category | undefined,
  otherwise: Refusal,
): Refusal => {
  if (!present) return "not_found";
  return expected && expected.name !== present.name ? "precondition_failed" : otherwise;
};

const value = sql.placeholder;
const HAS_ID = eq(categories.id, value("id"));
const IS_EXPECTED = sql`(${value("expected")} is null or ${categories.name} = ${value("expected")})`;

const prepareWrites = ({ orm }: Pick<Database, "orm">) => {
  const insertStatement = orm
    .insert(categories)
    .values({ name: value("name"), folded: value("folded") })
    .onConflictDoNothing({ target: categories.folded })
    .returning(COLUMNS)
    .prepare();
  // An updated table cannot have an alias, so the other rows get one.
  const sameName = orm
    .select({ one: sql`1` })
    .from(sql`${categories} as other`)
    .where(and(eq(sql`other.folded`, value("folded")), ne(sql`other.id`, value("id"))));
  const updateStatement = orm
    .update(categories)
    .set({
      name: sql`coalesce(${value("name")}, ${categories.name})`,
      folded: sql`coalesce(${value("folded")}, ${categories.folded})`,
    })
    .where(and(HAS_ID, IS_EXPECTED, notExists(sameName)))
    .returning(COLUMNS)
    .prepare();
  const animals = orm
    .select({ one: sql`1` })
    .from(pets)
    .where(eq(pets.categoryId, value("id")));
  const deleteStatement = orm
    .delete(categories)
    .where(and(HAS_ID, IS_EXPECTED, notExists(animals)))
    .returning({ id: categories.id })
    .prepare();
  return { insertStatement, updateStatement, deleteStatement };
};

const prepareList = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select(COLUMNS)
    .from(categories)
    .where(gt(categories.id, value("after")))
    .orderBy(asc(categories.id))
    .limit(value("limit"))
    .prepare();

export const categoryRepository = (database: Database) => {
  const { orm, commit } = database;
  const { insertStatement, updateStatement, deleteStatement } = prepareWrites(database);
  const record = auditing(database);
  const listStatement = prepareList(database);
  const findStatement = orm.select(COLUMNS).from(categories).where(HAS_ID).limit(1).prepare();

  return {
    /** Stores the category under an id that was never used, in one atomic step; undefined if another has the name. */
    async add(name: string, act: Act, keep?: StoreResponse<Category>): Promise<Category | undefined> {
      const [[row]] = await commit(
        [{ query: insertStatement, values: { name, folded: foldName(name) } }],
        ([[added]]) =>
          added
            ? [
                ...record(act, { action: "category.added", id: added.id, label: name }),
                ...storing(keep, added),
              ]
            : [],
      );
      return row;
    },
    async find(id: number): Promise<Category | undefined> {
      return findStatement.get({ id });
    },
    /** Categories with an id above `after`, ascending by id. */
    async list(page: { after: number; limit: number }): Promise<Category[]> {
      return listStatement.all({ ...page });
    },
    /** Changes the category in one atomic step, if it still is `expected`. */
    async change(
      id: number,
      { name }: CategoryChange,
      act: Act,
      expected?: Category,
    ): Promise<Category | { refused: Refusal }> {
      const values = {
        id,
        name: name ?? null,
        folded: name === undefined ? null : foldName(name),
        expected: expected?.name ?? null,
      };
      const [[present], [row]] = await commit(
        [
          { query: findStatement, values: { id } },
          { query: updateStatement, values },
        ],
        ([[before], [after]]) =>
          record(
            act,
            before &&
              after && {
                action: "category.changed",
                id,
                label: after.name,
                changes: changesBetween(before, after, ["name"]),
              },
          ),
      );
      return row ?? { refused: refusalOf(present, expected, "category_name_taken") };
    },
    /** Deletes the category in one atomic step, if it still is `expected` and no animal belongs to it. @returns why not */
    async remove(id: number, act: Act, expected?: Category): Promise<Refusal | undefined> {
      const [[present], [row]] = await commit(
        [
          { query: findStatement, values: { id } },
          { query: deleteStatement, values: { id, expected: expected?.name ?? null } },
        ],
        ([[before], [deleted]]) =>
          record(act, before && deleted && { action: "category.deleted", id, label: before.name }),
      );
      return row ? undefined : refusalOf(present, expected, "category_in_use");
    },
  };
};

export type CategoryRepository = ReturnType<typeof categoryRepository>;
