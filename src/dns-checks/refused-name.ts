import { type Fault, fieldFault } from "../lib/errors.ts";
import type { FieldRule } from "../lib/field-problems.ts";
import {
  HOSTNAME_REFUSALS,
  type Hostname,
  type ParsedHostname,
  pairOf,
  parseDomainName,
  parseHostname,
  withoutWildcard,
} from "../lib/hostname.ts";
import { type ReservedNames, isReservedName, isSpecialUse } from "./own-names.ts";

/** Why a project cannot have a host name as its domain. */
export const NAME_REFUSALS = {
  ...HOSTNAME_REFUSALS,
  own_name: "is one of this service's own names, or a parent of one",
  special_use: "is a special-use name, which nobody can hold as a domain",
  wildcard_unsupported:
    "is a wildcard, which needs DNS-01 challenges: the operator must set HTTPS_PORT, and NAMESERVER, DNS_UPDATE_SERVER or DNS_CHALLENGE_HOOK",
} as const;

export type NameRefusal = keyof typeof NAME_REFUSALS;

/** `format` unless it is listed. */
const RULES: Partial<Record<NameRefusal, FieldRule>> = {
  empty: "blank",
  too_long: "too_long",
  public_suffix: "reserved",
  own_name: "reserved",
  special_use: "reserved",
  wildcard_unsupported: "conflict",
};

/** The fault for a host name that a project cannot have. @param field of the request */
export const refusedName = (reason: NameRefusal, field = "hostname"): Fault =>
  fieldFault(
    "invalid_request",
    { field, rule: RULES[reason] ?? "format", reason },
    `${field}: ${NAME_REFUSALS[reason]}`,
  );

/** @throws Fault invalid_request */
const accept = (parsed: ParsedHostname, reservedNames: ReservedNames, field: string): Hostname => {
  if (!parsed.ok) throw refusedName(parsed.refusal, field);
  // A wildcard is refused with its domain: its certificate is valid for names of the service below it.
  const name = withoutWildcard(parsed.hostname.ascii);
  if (isReservedName(name, reservedNames)) throw refusedName("own_name", field);
  if (isSpecialUse(name)) throw refusedName("special_use", field);
  return parsed.hostname;
};

/** Parses a host name that a project can have, as a person types it. @throws Fault invalid_request */
export const acceptableHostname = (
  typed: string,
  reservedNames: ReservedNames,
  field = "hostname",
): Hostname => accept(parseHostname(typed), reservedNames, field);

/** The same for a domain of a project, which can be a wildcard if the service can use DNS-01. @throws Fault invalid_request */
export const acceptableDomain = (
  typed: string,
  reservedNames: ReservedNames,
  hasWildcards: boolean,
): Hostname => {
  const hostname = accept(parseDomainName(typed), reservedNames, "hostname");
  if (hostname.isWildcard && !hasWildcards) throw refusedName("wildcard_unsupported");
  return hostname;
};

/** The name with or without `www`, if there is one. @throws Fault invalid_request if a project cannot have it */
export const acceptablePair = (hostname: Hostname, reservedNames: ReservedNames): string | undefined => {
  const pair = pairOf(hostname);
  return pair && acceptableHostname(pair, reservedNames, "pair").ascii;
};
