import { type Fault, fieldFault } from "../lib/errors.ts";
import type { FieldRule } from "../lib/field-problems.ts";
import { HOSTNAME_REFUSALS } from "../lib/hostname.ts";

/** Why a project cannot have a host name as its domain. */
export const NAME_REFUSALS = {
  ...HOSTNAME_REFUSALS,
  own_name: "is one of this service's own names, or a parent of one",
  special_use: "is a special-use name, which nobody can hold as a domain",
} as const;

export type NameRefusal = keyof typeof NAME_REFUSALS;

/** `format` unless it is listed. */
const RULES: Partial<Record<NameRefusal, FieldRule>> = {
  empty: "blank",
  too_long: "too_long",
  public_suffix: "reserved",
  own_name: "reserved",
  special_use: "reserved",
};

/** The fault for a host name that a project cannot have. */
export const refusedName = (reason: NameRefusal): Fault =>
  fieldFault(
    "invalid_request",
    { field: "hostname", rule: RULES[reason] ?? "format", reason },
    `hostname: ${NAME_REFUSALS[reason]}`,
  );
