import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { record, changesBetween } from "../../data/db/audit.ts";
import { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import type { Database } from "../../data/db/open.ts";
import { categories, pets } from "../../data/db/schema/pets.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { foldName } from "../../lib/text.ts";

export type { StoreResponse } from "../../data/db/kept-responses.ts";

export type Category = Pick<typeof categories.$inferSelect, "id" | "name">;

export interface CategoryChange {
  name?: string | undefined;
}

/** Why a write was refused: the code of a fault. `precondition_failed`: the category has changed since it was read. */
export type Refusal = "not_found" | "precondition_failed" | "category_name_taken" | "category_in_use";

/** Why nothing was written. `present` was read in the same transaction. */
const refusalOf = (
  present: Category | undefined,
  expected: Category | undefined,
  otherwise: Refusal,
): Refusal => {
  if (!present) return "not_found";
  return expected && expected.name !== present.name ? "precondition_failed" : otherwise;
};

const COLUMNS = columnsOf(categories, "id", "name");
const HAS_ID = sql`${categories.id} = ${value("id")}`;
const IS_EXPECTED = sql`(${value("expected")} IS NULL OR ${categories.name} = ${value("expected")})`;

const FIND = statement<Category>(sql`SELECT ${COLUMNS} FROM ${categories} WHERE ${HAS_ID}`);

const LIST = statement<Category>(sql`
  SELECT ${COLUMNS}
  FROM ${categories}
  WHERE ${categories.id} > ${value("after")}
  ORDER BY ${categories.id}
  LIMIT ${value("limit")}`);

const INSERT = statement<Category>(sql`
  ${insert(categories, valuesFor("name", "folded"))}
  ON CONFLICT (folded) DO NOTHING
  RETURNING ${COLUMNS}`);

// An updated table cannot have an alias, so the other rows get one.
const other = alias(categories, "other");

const UPDATE = statement<Category>(sql`
  ${update(categories, {
    name: sql`coalesce(${value("name")}, ${categories.name})`,
    folded: sql`coalesce(${value("folded")}, ${categories.folded})`,
  })}
  WHERE ${HAS_ID}
    AND ${IS_EXPECTED}
    AND NOT EXISTS (
      SELECT 1 FROM ${categories} AS ${other}
      WHERE ${other.folded} = ${value("folded")} AND ${other.id} <> ${value("id")})
  RETURNING ${COLUMNS}`);

const DELETE = statement<Pick<Category, "id">>(sql`
  DELETE FROM ${categories}
  WHERE ${HAS_ID}
    AND ${IS_EXPECTED}
    AND NOT EXISTS (SELECT 1 FROM ${pets} WHERE ${pets.categoryId} = ${value("id")})
  RETURNING ${categories.id} AS id`);

export const categoryRepository = ({ client, commit }: Database) => {
  return {
    /** Stores the category under an id that was never used, in one atomic step; undefined if another has the name. */
    async add(name: string, act: Act, keep?: StoreResponse<Category>): Promise<Category | undefined> {
      const [[row]] = await commit([INSERT.with({ name, folded: foldName(name) })], ([[added]]) =>
        added
          ? [...record(act, { action: "category.added", id: added.id, label: name }), ...storing(keep, added)]
          : [],
      );
      return row;
    },
    find: async (id: number): Promise<Category | undefined> => FIND.get(client, { id }),
    /** Categories with an id above `after`, ascending by id. */
    list: async (page: { after: number; limit: number }): Promise<Category[]> => LIST.all(client, page),
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
        [FIND.with(values), UPDATE.with(values)],
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
      const values = { id, expected: expected?.name ?? null };
      const [[present], [row]] = await commit(
        [FIND.with(values), DELETE.with(values)],
        ([[before], [deleted]]) =>
          record(act, before && deleted && { action: "category.deleted", id, label: before.name }),
      );
      return row ? undefined : refusalOf(present, expected, "category_in_use");
    },
  };
};
