import { addressOf, onPage } from "../parts/address.ts";
import { type Animal, type Status, isStatus } from "./animal.ts";

/** The animals to show: those that match every field. */
export interface Filter {
  status?: Status | undefined;
  /** Each word begins a word of the name, or is the animal's id. */
  q?: string | undefined;
  /** The id of their category, in plain digits: a double may not hold it. */
  category?: string | undefined;
}

const SORTS = ["-id", "id", "name", "-name"] as const;
export type Sort = (typeof SORTS)[number];

/** The newest first: new animals are what people work with. */
export const DEFAULT_SORT: Sort = "-id";

/** A list of animals: which, and in what order. */
export interface View extends Filter {
  sort?: Sort | undefined;
}

const isSort = (text: string | undefined): text is Sort =>
  (SORTS as readonly (string | undefined)[]).includes(text);

/** Reads the list from an address. Malformed fields are left out, and so is the default order. */
export const viewOf = (query: Record<string, string | undefined>): View => {
  const { status, q, category, sort } = query;
  return {
    status: isStatus(status) ? status : undefined,
    q: q?.trim() ? q : undefined,
    category: category && /^-?\d{1,30}$/.test(category) ? String(BigInt(category)) : undefined,
    sort: isSort(sort) && sort !== DEFAULT_SORT ? sort : undefined,
  };
};

/** True if the animal's status and category match. Only the API can evaluate a search. */
export const mayMatch = ({ status, category }: Filter, animal: Animal): boolean =>
  (status === undefined || animal.status === status) &&
  (category === undefined || String(animal.categoryId) === category);

/** True if the animal certainly matches. */
export const letsThrough = (filter: Filter, animal: Animal): boolean =>
  filter.q === undefined && mayMatch(filter, animal);

/** True if the filter has more than a status. */
export const isNarrow = ({ q, category }: Filter): boolean => q !== undefined || category !== undefined;

const queryOf = ({ status, q, category, sort }: View) => ({
  status,
  q: q?.trim() ? q : undefined,
  category: category || undefined,
  sort: sort === DEFAULT_SORT ? undefined : sort,
});

/** The address of the list, or of an action that is shown above it. */
export const animalsPath = (view: View = {}, ...parts: (string | number)[]): string =>
  addressOf(["/console/animals", ...parts].join("/"), queryOf(view));

/** The address of an animal's own page, or of an action that is shown above it. The list to go back to is kept. */
export const animalPath = (id: number, view: View = {}, ...parts: string[]): string =>
  addressOf(["/console/animals", id, ...parts].join("/"), {
    ...queryOf(view),
    ...onPage(parts),
  });
