const numbers = new Intl.NumberFormat("en");

/** "1,234" */
export const formatCount = (count: number): string => numbers.format(count);

/** "1 animal", "1,234 animals" */
export const pluralize = (count: number, thing: string, things = `${thing}s`): string =>
  `${formatCount(count)} ${count === 1 ? thing : things}`;
