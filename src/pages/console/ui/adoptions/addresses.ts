import { addressOf, idOf, onPage } from "../parts/address.ts";
import { type Status, isStatus } from "./order.ts";

/** The adoptions to show: those that match every field. */
export interface Filter {
  /** Undefined: any status. */
  status: Status | undefined;
  /** The id of an animal; undefined: any animal. */
  animal: number | undefined;
  /** Each word begins a word of the adopter's name or address or of the animal's name, or is the adoption's id. */
  q: string | undefined;
}

/** The newest or the oldest first. */
export type Sort = "-id" | "id";

/** A list of adoptions: which, and in what order. */
export interface View extends Filter {
  sort: Sort;
}

/** The status that is shown by default: those to work on next; all of one animal, and all that a search finds. */
const defaultStatus = ({ animal, q }: Partial<Filter>): Status | undefined =>
  animal === undefined && q === undefined ? "placed" : undefined;

const ALL = "all";

/** Reads the list from an address. */
export const viewOf = (query: Record<string, string | undefined>): View => {
  const { status } = query;
  const q = query["q"]?.trim() ? query["q"] : undefined;
  const narrow = { animal: idOf(query["animal"]), q };
  const sort = query["sort"] === "id" ? "id" : "-id";
  if (status === ALL) return { status: undefined, ...narrow, sort };
  return { status: isStatus(status) ? status : defaultStatus(narrow), ...narrow, sort };
};

const queryOf = (view: Partial<View>) => {
  const { animal, sort } = view;
  const q = view.q?.trim() ? view.q : undefined;
  const usual = defaultStatus({ animal, q });
  const status = "status" in view ? view.status : usual;
  return {
    status: status === usual ? undefined : (status ?? ALL),
    animal,
    q,
    sort: sort === "id" ? sort : undefined,
  };
};

/** The address of the list, or of an action that is shown above it. Absent fields have their default. */
export const adoptionsPath = (view: Partial<View> = {}, ...parts: (string | number)[]): string =>
  addressOf(["/console/adoptions", ...parts].join("/"), queryOf(view));

/** The list after another text was typed. A search from the default list finds adoptions of every status. */
export const searchPath = (view: View, text: string): string => {
  const q = text.trim() ? text : undefined;
  const { status, ...rest } = { ...view, q };
  return status === defaultStatus(view) ? adoptionsPath(rest) : adoptionsPath({ ...rest, status });
};

/** The address of an adoption's own page, or of an action that is shown above it. */
export const adoptionPath = (id: number, ...parts: string[]): string =>
  addressOf(["/console/adoptions", id, ...parts].join("/"), onPage(parts));
