import { addressOf } from "../parts/address.ts";
import { idOf } from "../parts/id.ts";
import type { Animal } from "./statistics.ts";
import { type Status, isStatus } from "./statuses.ts";

/** The animals to show: those that match every field. */
export interface Filter {
  status?: Status | undefined;
  /** Each word begins a word of the name. */
  q?: string | undefined;
  /** The id of their category, in plain digits: a double may not hold it. */
  category?: string | undefined;
  /** The id of a single animal. */
  id?: number | undefined;
}

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = (query: Record<string, string | undefined>): Filter => {
  const { status, q, category, id } = query;
  return {
    status: isStatus(status) ? status : undefined,
    q: q?.trim() ? q : undefined,
    category: category && /^-?\d{1,30}$/.test(category) ? String(BigInt(category)) : undefined,
    id: idOf(id),
  };
};

/** True if the animal certainly matches. Only the API can tell what a search finds. */
export const letsThrough = ({ status, q, category, id }: Filter, animal: Animal): boolean =>
  q === undefined &&
  (id === undefined || animal.id === id) &&
  (status === undefined || animal.status === status) &&
  (category === undefined || String(animal.categoryId) === category);

/** True if the filter has more than a status. */
export const isNarrow = ({ q, category, id }: Filter): boolean =>
  q !== undefined || category !== undefined || id !== undefined;

/** The address of the list, or of an action on an animal. */
export const animalsPath = (filter: Filter = {}, ...parts: (string | number)[]): string => {
  const { status, q, category, id } = filter;
  return addressOf(["/console/animals", ...parts].join("/"), {
    status,
    q: q?.trim() ? q : undefined,
    category: category || undefined,
    id,
  });
};
