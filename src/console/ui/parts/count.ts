const numbers = new Intl.NumberFormat("en");

/** "1,234" */
export const inWords = (count: number): string => numbers.format(count);

/** "1 animal", "1,234 animals" */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${inWords(count)} ${count === 1 ? thing : things}`;
