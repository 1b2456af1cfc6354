import { canonicalName } from "../../lib/hostname.ts";

export const isSameName = (a: string, b: string): boolean => canonicalName(a) === canonicalName(b);

/** The name and its parents, up to the top-level domain: `a.b.c` gives `a.b.c`, `b.c`, `c`. */
export const withParents = (name: string): string[] => {
  const labels = canonicalName(name).split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
};

/** RFC 8555 section 8.4: the name of the TXT record of a challenge for a domain, also for the wildcard below it. */
export const challengeNameOf = (domain: string): string => `_acme-challenge.${domain.replace(/^\*\./, "")}`;

/** True for a name that a query can have: printable ASCII in labels of 1 to 63, 253 in all. Names in answers can be anything. */
export const isQueryable = (name: string): boolean =>
  name.length <= 253 &&
  /^[!-~]+$/.test(name) &&
  name.split(".").every(({ length }) => length > 0 && length < 64);
