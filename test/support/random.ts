/** Returns an integer from 0 to `below - 1`; `real` returns a number from 0 to below 1. */
export interface Random {
  (below: number): number;
  real(): number;
}

/** Mulberry32: the same numbers for the same seed. */
export const seeded = (seed: number): Random => {
  let state = seed;
  const real = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Object.assign((below: number) => Math.floor(real() * below), { real });
};
