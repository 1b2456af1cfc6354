/** Puts the items that were just added first, if they match the filter and are not on a loaded page. */
export const withAdded = <One extends { id: number }>(
  listed: readonly One[],
  added: readonly One[],
  matches: (one: One) => boolean = () => true,
): One[] => {
  const known = new Set(listed.map(({ id }) => id));
  const first = added.filter((one) => !known.has(one.id) && matches(one));
  return [...first.toReversed(), ...listed];
};
