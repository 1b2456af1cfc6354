import { type SQL, sql } from "drizzle-orm";
import { categories, categoryCounts, dayCounts, pets } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { type Search, toSearch } from "../../lib/search.ts";
import { PET_STATUSES, type Pet, type PetFilters } from "./pet.ts";
import { indexedTo, type Reader, ALL_IDS, findWithId, wordLookup, wordSlices } from "./queries.ts";

/** The animals to count. */
export type CountedPets = Pick<PetFilters, "q" | "categoryId">;

/** `none`: animals without a status. */
const COUNTED = [...PET_STATUSES, "none"] as const;
type Counted = (typeof COUNTED)[number];

const forEachStatus = <Value>(make: (status: Counted) => Value) =>
  Object.fromEntries(COUNTED.map((status) => [status, make(status)])) as Record<Counted, Value>;

/** The number of animals by status. */
export type StatusCounts = Record<Counted, number>;

const NO_ANIMALS: StatusCounts = forEachStatus(() => 0);

/** How many animals were added on a day. */
interface DayCount {
  /** Days since 1970. */
  day: number;
  count: number;
}

/** A result for each status. */
const countBy = (count: (status: Counted) => SQL) =>
  sql.join(
    COUNTED.map((status) => sql`${count(status)} AS ${sql.identifier(status)}`),
    sql`, `,
  );

const add = (counts: StatusCounts, more: StatusCounts): StatusCounts =>
  forEachStatus((status) => counts[status] + more[status]);

const countPets = (some: readonly Pet[]): StatusCounts => {
  const counts = { ...NO_ANIMALS };
  for (const { status } of some) counts[status ?? "none"] += 1;
  return counts;
};

// Grouping by the status, which is text, takes twice as long.
const COUNTS = countBy(
  (status) => sql`count(iif(${pets.status} ${status === "none" ? sql`IS NULL` : sql`= ${status}`}, 1, NULL))`,
);

const COUNT_SLICES = wordSlices<StatusCounts>(false, {
  read: (matching) => statement(sql`SELECT ${COUNTS} FROM ${pets} WHERE ${matching}`),
  fromPets: (found) => [countPets(found)],
});

/** Counts the animals that match a search. */
const searchCounts = async (
  reader: Reader,
  search: Search,
  categoryId: bigint | undefined,
): Promise<StatusCounts> => {
  const byWords = { ...search, idQuery: null };
  const filters = { status: undefined, categoryId };
  const bounds = { ...ALL_IDS, high: indexedTo(reader) };
  const hasWords = wordLookup(reader)(byWords);
  const withId = findWithId(reader, search, filters);
  const isUncounted = withId !== undefined && (withId.pet.id > bounds.high || !hasWords(withId));
  let counts = countPets(isUncounted ? [withId.pet] : []);
  for await (const [more = NO_ANIMALS] of COUNT_SLICES(reader)(byWords, { filters, bounds }))
    counts = add(counts, more);
  return counts;
};

const TOTALS = statement<StatusCounts>(sql`
  SELECT ${countBy((status) => sql`coalesce(sum(${dayCounts[status]}), 0)`)} FROM ${dayCounts}`);

const OF_CATEGORY = statement<StatusCounts>(sql`
  SELECT ${columnsOf(categoryCounts, ...COUNTED)}
  FROM ${categoryCounts}
  WHERE ${categoryCounts.categoryId} = ${value("categoryId")}`);

const ADDED = statement<DayCount>(sql`
  SELECT ${dayCounts.day} AS day,
    ${dayCounts.available} + ${dayCounts.pending} + ${dayCounts.sold} + ${dayCounts.none} AS count
  FROM ${dayCounts}
  WHERE ${dayCounts.day} > ${value("after")}
  ORDER BY ${dayCounts.day}`);

const OF_CATEGORIES = statement(sql`
  SELECT ${columnsOf(categories, "id", "name")}, ${countBy((status) => sql`coalesce(${categoryCounts[status]}, 0)`)}
  FROM ${categories}
  LEFT JOIN ${categoryCounts} ON ${categoryCounts.categoryId} = ${categories.id}
  WHERE ${categories.id} > ${value("after")}
  ORDER BY ${categories.id}
  LIMIT ${value("limit")}`).as(({ id, name, ...byStatus }: { id: number; name: string } & StatusCounts) => ({
  id,
  name,
  byStatus,
}));

/** Counts animals. Counts without a search come from the counts that triggers keep. */
export const petCounts = (reader: Reader) => {
  const { client } = reader;
  return {
    /** The animals that match, by status: those of a category, those that a search finds, or all. */
    byStatus({ q, categoryId }: CountedPets): StatusCounts | Promise<StatusCounts> {
      const search = toSearch(q);
      if (search) return searchCounts(reader, search, categoryId);
      if (categoryId === undefined) return TOTALS.get(client) ?? NO_ANIMALS;
      return OF_CATEGORY.get(client, { categoryId }) ?? NO_ANIMALS;
    },
    /** The days after a day on which animals were added, ascending. */
    addedAfter: (after: number): DayCount[] => ADDED.all(client, { after }),
    /** The animals of each category that has a record, ascending by the category's id. */
    ofCategories: (page: { after: number; limit: number }) => OF_CATEGORIES.all(client, page),
  };
};
