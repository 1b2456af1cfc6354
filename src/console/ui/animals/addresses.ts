import { addressOf } from "../parts/address.ts";
import { idOf } from "../parts/id.ts";
import type { Animal } from "./statistics.ts";
import { type Status, isStatus } from "./statuses.ts";

/** Which animals are shown: those that all of it lets through. */
export interface Filter {
  status?: Status | undefined;
  /** Words that their names begin with. */
  q?: string | undefined;
  /** The number of their category, in plain digits: it may be one that no double holds. */
  category?: string | undefined;
  /** Only this one. */
  id?: number | undefined;
}

/** The filter that an address names; what is none is left out. */
export const filterOf = (query: Record<string, string | undefined>): Filter => {
  const { status, q, category, id } = query;
  return {
    status: isStatus(status) ? status : undefined,
    q: q?.trim() ? q : undefined,
    category: category && /^-?\d{1,30}$/.test(category) ? String(BigInt(category)) : undefined,
    id: idOf(id),
  };
};

/** Whether it surely lets an animal through: what a search finds, only the API tells. */
export const letsThrough = ({ status, q, category, id }: Filter, animal: Animal): boolean =>
  q === undefined &&
  (id === undefined || animal.id === id) &&
  (status === undefined || animal.status === status) &&
  (category === undefined || String(animal.categoryId) === category);

/** Whether it lets through less than a status does. */
export const isNarrow = ({ q, category, id }: Filter): boolean =>
  q !== undefined || category !== undefined || id !== undefined;

/** Where animals are shown, or what can be done to one. */
export const animalsPath = (filter: Filter = {}, ...parts: (string | number)[]): string => {
  const { status, q, category, id } = filter;
  return addressOf(["/console/animals", ...parts].join("/"), {
    status,
    q: q?.trim() ? q : undefined,
    category: category || undefined,
    id,
  });
};
