/** RFC 4343: names compare without case in ASCII only; `toLowerCase` alone would fold the Kelvin sign into a `k`. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The form in which names are compared: ASCII letters in lower case, no final dot. The root is "". */
export const canonicalName = (name: string): string => lower(name).replace(/\.$/, "");

export const isSameName = (one: string, other: string): boolean =>
  canonicalName(one) === canonicalName(other);

/** The name and its parents, up to the top-level domain: `a.b.c` gives `a.b.c`, `b.c`, `c`. */
export const withParents = (name: string): string[] => {
  const labels = canonicalName(name).split(".");
  return labels.map((_, at) => labels.slice(at).join("."));
};

/** True for a name that a query can have: printable ASCII in labels of 1 to 63, 253 in all. Names in answers can be anything. */
export const isQueryable = (name: string): boolean =>
  name.length <= 253 &&
  /^[!-~]+$/.test(name) &&
  name.split(".").every(({ length }) => length > 0 && length < 64);
