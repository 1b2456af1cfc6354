import { and, asc, eq, gt, ne, notExists, sql } from "drizzle-orm";
import type { Keep } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { categories, pets } from "../db/schema/pets.ts";

export type { Keep } from "../db/kept-responses.ts";

export interface Category {
  id: number;
  name: string;
}

export interface CategoryChange {
  name?: string | undefined;
}

/** Why a category stayed as it was; `precondition_failed`: it is no longer what was expected. */
export type Refusal = "not_found" | "precondition_failed" | "category_name_taken" | "category_in_use";

export interface Categories {
  /** Stores the category under an id that was never given out, in one atomic step; undefined if another has the name. */
  add(name: string, keep?: Keep<Category>): Promise<Category | undefined>;
  find(id: number): Promise<Category | undefined>;
  /** Ascending by id, from behind `after`. */
  list(page: { after: number; limit: number }): Promise<Category[]>;
  /** Changes what is named, in one atomic step, if the category is what is expected. */
  change(id: number, change: CategoryChange, expected?: Category): Promise<Category | { refused: Refusal }>;
  /** Removes the category unless an animal names it, in one atomic step, if it is what is expected. @returns why not */
  remove(id: number, expected?: Category): Promise<Refusal | undefined>;
}

const COLUMNS = { id: categories.id, name: categories.name };

/**
 * A name as it is compared: compatible forms and cases of a letter are one, and so is white space, which counts between
 * words only. A row that was written when it counted everywhere keeps what it has until it is renamed.
 */
const foldName = (name: string): string =>
  name.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();

/** Why nothing was written, by what there is. */
const refusalOf = (
  present: Category | undefined,
  expected: Category | undefined,
  otherwise: Refusal,
): Refusal => {
  if (!present) return "not_found";
  return expected && expected.name !== present.name ? "precondition_failed" : otherwise;
};

export const categoryRepository = ({ orm, commit }: Database): Categories => {
  const value = sql.placeholder;
  const byId = eq(categories.id, value("id"));
  const found = orm.select(COLUMNS).from(categories).where(byId).limit(1).prepare();
  const listed = orm
    .select(COLUMNS)
    .from(categories)
    .where(gt(categories.id, value("after")))
    .orderBy(asc(categories.id))
    .limit(value("limit"))
    .prepare();
  const inserted = orm
    .insert(categories)
    .values({ name: value("name"), folded: value("folded") })
    .onConflictDoNothing({ target: categories.folded })
    .returning(COLUMNS)
    .prepare();
  const isExpected = sql`(${value("expected")} is null or ${categories.name} = ${value("expected")})`;
  // A table that is updated has no alias of its own: the condition's is another's.
  const others = orm
    .select({ one: sql`1` })
    .from(sql`${categories} as other`)
    .where(and(eq(sql`other.folded`, value("folded")), ne(sql`other.id`, value("id"))));
  const changed = orm
    .update(categories)
    .set({
      name: sql`coalesce(${value("name")}, ${categories.name})`,
      folded: sql`coalesce(${value("folded")}, ${categories.folded})`,
    })
    .where(and(byId, isExpected, notExists(others)))
    .returning(COLUMNS)
    .prepare();
  const named = orm
    .select({ one: sql`1` })
    .from(pets)
    .where(eq(pets.categoryId, value("id")));
  const removed = orm
    .delete(categories)
    .where(and(byId, isExpected, notExists(named)))
    .returning({ id: categories.id })
    .prepare();

  return {
    async add(name, keep) {
      const [[row]] = await commit(
        [{ query: inserted, values: { name, folded: foldName(name) } }],
        keep && (([[added]]) => added && keep(added)),
      );
      return row;
    },
    async find(id) {
      return found.get({ id });
    },
    async list(page) {
      return listed.all({ ...page });
    },
    async change(id, { name }, expected) {
      const values = {
        id,
        name: name ?? null,
        folded: name === undefined ? null : foldName(name),
        expected: expected?.name ?? null,
      };
      // Read in the same step: what there is says why nothing was changed.
      const [[row], [present]] = await commit([
        { query: changed, values },
        { query: found, values: { id } },
      ]);
      return row ?? { refused: refusalOf(present, expected, "category_name_taken") };
    },
    async remove(id, expected) {
      const [[row], [present]] = await commit([
        { query: removed, values: { id, expected: expected?.name ?? null } },
        { query: found, values: { id } },
      ]);
      return row ? undefined : refusalOf(present, expected, "category_in_use");
    },
  };
};
