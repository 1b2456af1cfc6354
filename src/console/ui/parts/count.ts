const numbers = new Intl.NumberFormat("en");

/** "1,234" */
export const formatCount = (count: number): string => numbers.format(count);

/** "1 animal", "1,234 animals" */
export const pluralize = (count: number, thing: string, things = `${thing}s`): string =>
  `${formatCount(count)} ${count === 1 ? thing : things}`;

/** "50 of 1,234 animals shown", or "1,234 animals" once there are no more. @param all undefined if it is not known */
export const shownOf = (
  shown: number,
  all: number | undefined,
  hasMore: boolean,
  thing: string,
  things = `${thing}s`,
): string => {
  if (!hasMore) return pluralize(shown, thing, things);
  if (all === undefined) return `${pluralize(shown, thing, things)} shown`;
  return `${formatCount(shown)} of ${pluralize(all, thing, things)} shown`;
};
