/** The ids above `low` and up to `high`. */
export interface IdSlice {
  low: number;
  high: number;
}

/** The largest slice: a search of it takes some milliseconds, after which other requests run. */
const MAX_SLICE_IDS = 100_000;

/**
 * Cuts a range of ids into slices, from the lowest or from the highest id. Each covers twice as many ids as the one before,
 * up to a limit.
 */
export function* idSlices({ low, high }: IdSlice, isDescending: boolean, first: number): Generator<IdSlice> {
  let rest = { low, high };
  for (let size = first; rest.low < rest.high; size = Math.min(2 * size, MAX_SLICE_IDS)) {
    const cut = isDescending ? Math.max(rest.high - size, rest.low) : Math.min(rest.low + size, rest.high);
    yield isDescending ? { low: cut, high: rest.high } : { low: rest.low, high: cut };
    rest = isDescending ? { low: rest.low, high: cut } : { low: cut, high: rest.high };
  }
}
