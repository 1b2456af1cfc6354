/** Those added just now come first, if the filter lets them through and the pages do not reach to them yet. */
export const withAdded = <One extends { id: number }>(
  listed: readonly One[],
  added: readonly One[],
  isLetThrough: (one: One) => boolean = () => true,
): One[] => {
  const known = new Set(listed.map(({ id }) => id));
  const first = added.filter((one) => !known.has(one.id) && isLetThrough(one));
  return [...first.toReversed(), ...listed];
};
