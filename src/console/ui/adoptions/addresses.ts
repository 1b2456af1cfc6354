import { addressOf } from "../parts/address.ts";
import { idOf } from "../parts/id.ts";
import { type Status, isStatus } from "./order.ts";

/** Which adoptions are shown. */
export interface Filter {
  /** Undefined: of all. */
  status: Status | undefined;
  /** Only those of this one. */
  animal: number | undefined;
}

/** What is to be done next is shown first; of one animal, all of it. */
const usual = (animal: number | undefined): Status | undefined =>
  animal === undefined ? "placed" : undefined;

const ALL = "all";

/** The filter that an address names. */
export const filterOf = (query: Record<string, string | undefined>): Filter => {
  const { status } = query;
  const animal = idOf(query["animal"]);
  if (status === ALL) return { status: undefined, animal };
  return { status: isStatus(status) ? status : usual(animal), animal };
};

/** Where adoptions are shown, or what can be done to one. What is not named is as usual. */
export const adoptionsPath = (filter: Partial<Filter> = {}, ...parts: (string | number)[]): string => {
  const { animal } = filter;
  const status = "status" in filter ? filter.status : usual(animal);
  return addressOf(["/console/adoptions", ...parts].join("/"), {
    status: status === usual(animal) ? undefined : (status ?? ALL),
    animal,
  });
};
