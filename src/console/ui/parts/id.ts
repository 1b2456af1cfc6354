/** The id that a part of an address names; undefined if it is none. */
export const idOf = (part: string | undefined): number | undefined =>
  part && /^[1-9]\d{0,14}$/.test(part) ? Number(part) : undefined;
