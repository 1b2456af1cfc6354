/** The id in a part of an address; undefined if it is not an id. */
export const idOf = (part: string | undefined): number | undefined =>
  part && /^[1-9]\d{0,14}$/.test(part) ? Number(part) : undefined;
