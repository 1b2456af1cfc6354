/** RFC 4343: names compare without case in ASCII only; `toLowerCase` alone would fold the Kelvin sign into a `k`. */
export const lowerName = (name: string): string =>
  name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The form in which names are kept and compared: ASCII letters in lower case, no final dot. The root is "". */
export const canonicalName = (name: string): string => lowerName(name).replace(/\.$/, "");

/** True for a name in a zone, and for the zone itself. Both are canonical. */
export const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);
