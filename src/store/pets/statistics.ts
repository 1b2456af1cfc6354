import { lruCache } from "../../lib/lru.ts";
import { cutPage, readCursor } from "../../lib/pagination.ts";
import { DAY_MS, type Clock, formatTime } from "../../lib/time.ts";
import type { CountedPets, StatusCounts } from "./count-queries.ts";
import type { PetRepository } from "./repository.ts";

/** How many days the statistics cover, today included. */
export const DAYS = 30;

/** A cursor is valid for the list of categories with their counts only. */
const CATEGORIES_SCOPE = "category-statistics";

/** Counts that are cached while nothing is written. */
const MAX_CACHED = 100;

export interface PetCounts {
  total: number;
  byStatus: StatusCounts;
  /** All animals: the last `DAYS` days in UTC, oldest first. */
  addedByDay: { date: string; count: number }[];
}

const totalOf = ({ available, pending, sold, none }: StatusCounts): number =>
  available + pending + sold + none;

export const petStatistics = ({
  counts,
  version,
  clock,
}: {
  counts: PetRepository["counts"];
  /** Changes with every write. */
  version: () => number;
  clock: Clock;
}) => {
  const cached = lruCache<string, Promise<StatusCounts>>({ maxEntries: MAX_CACHED, version });

  /** Requests between two writes share one count. A request after a write counts again. */
  const countByStatus = (filters: CountedPets): Promise<StatusCounts> => {
    const key = JSON.stringify([filters.q, filters.categoryId?.toString()]);
    const known = cached.get(key);
    if (known) return known;
    const counting = Promise.resolve(counts.byStatus(filters));
    cached.set(key, counting);
    // A failed count is repeated by the next request.
    counting.catch(() => cached.get(key) === counting && cached.delete(key));
    return counting;
  };

  /** @param today days since 1970 */
  const countByDay = (today: number) => {
    const oldest = today - DAYS + 1;
    const byDay = new Map(counts.addedAfter(oldest - 1).map(({ day, count }) => [day, count]));
    return Array.from({ length: DAYS }, (_, index) => ({
      date: formatTime((oldest + index) * DAY_MS).slice(0, 10),
      count: byDay.get(oldest + index) ?? 0,
    }));
  };

  return {
    /** Counts every write that was acknowledged before the call. */
    async read(filters: CountedPets = {}): Promise<PetCounts> {
      const byStatus = await countByStatus(filters);
      return {
        total: totalOf(byStatus),
        byStatus,
        addedByDay: countByDay(Math.floor(clock.now() / DAY_MS)),
      };
    },
    /** Counts the animals of each category that has a record, also of those without animals. @throws Fault invalid_cursor */
    ofCategories({ limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const after = cursor === undefined ? 0 : readCursor(cursor, CATEGORIES_SCOPE);
      const { items, next } = cutPage(
        counts.ofCategories({ after, limit: limit + 1 }),
        limit,
        CATEGORIES_SCOPE,
      );
      return {
        items: items.map(({ id, name, byStatus }) => ({ id, name, total: totalOf(byStatus), byStatus })),
        next,
      };
    },
  };
};
