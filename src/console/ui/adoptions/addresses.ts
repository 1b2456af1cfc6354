import { addressOf } from "../parts/address.ts";
import { idOf } from "../parts/id.ts";
import { type Status, isStatus } from "./order.ts";

/** The adoptions to show: those that match both fields. */
export interface Filter {
  /** Undefined: any status. */
  status: Status | undefined;
  /** The id of an animal; undefined: any animal. */
  animal: number | undefined;
}

/** The status that is shown by default: those to work on next, or all adoptions of one animal. */
const defaultStatus = (animal: number | undefined): Status | undefined =>
  animal === undefined ? "placed" : undefined;

const ALL = "all";

/** Reads the filter from an address. */
export const filterOf = (query: Record<string, string | undefined>): Filter => {
  const { status } = query;
  const animal = idOf(query["animal"]);
  if (status === ALL) return { status: undefined, animal };
  return { status: isStatus(status) ? status : defaultStatus(animal), animal };
};

/** The address of the list, or of an action on an adoption. Absent filters have their default. */
export const adoptionsPath = (filter: Partial<Filter> = {}, ...parts: (string | number)[]): string => {
  const { animal } = filter;
  const status = "status" in filter ? filter.status : defaultStatus(animal);
  return addressOf(["/console/adoptions", ...parts].join("/"), {
    status: status === defaultStatus(animal) ? undefined : (status ?? ALL),
    animal,
  });
};
