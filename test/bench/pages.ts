import { writeCursor } from "../../src/lib/pagination.ts";
import type { PetSort, PetStatus } from "../../src/store/pets/pet.ts";
import { cursorScope } from "../../src/store/pets/service.ts";

/** A list of animals, and where in it. */
export interface Place {
  /** The page begins behind this id; 0: the first page. */
  after: number;
  sort?: PetSort;
  status?: PetStatus;
  categoryId?: bigint;
  q?: string;
  ids?: number[];
}

export const path = (limit: number, { after, ...filters }: Place): string => {
  const { sort = "id", status, categoryId, q, ids } = filters;
  const filter = Object.entries(filters)
    .map(([name, value]) => (value === undefined ? "" : `&${name}=${String(value).replaceAll(" ", "%20")}`))
    .join("");
  const cursor =
    after > 0 ? `&cursor=${writeCursor(after, cursorScope({ sort, status, categoryId, q, ids }))}` : "";
  return `/v1/pets?limit=${limit}${filter}${cursor}`;
};

/** The server caches at most 1,000 pages: of these many, requested in turn, none is cached when it is requested again. */
const PAGES = 8721;
/** Prime, so that the walk leaps about: cursors repeat after 969, sizes after 9: every page of the walk is another one. */
const STRIDE = 7919;
const CURSORS = 969;

export const walk = ({ after, ...filters }: Place): string[] =>
  Array.from({ length: PAGES }, (_, step) => {
    const behind = after + 1 + ((step * STRIDE) % CURSORS);
    return `GET ${path(16 + (step % 9), { after: behind, ...filters })}`;
  });
