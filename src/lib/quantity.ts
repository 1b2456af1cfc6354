/** `1 row`, `97,213 rows`. */
export const quantity = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
