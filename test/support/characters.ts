import fc from "fast-check";

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character except half surrogate pairs, like the unit "binary" of `fc.string`. With that unit, each process first builds
 * a table of all 1,112,064 characters, which takes a second.
 */
export const character = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count));
