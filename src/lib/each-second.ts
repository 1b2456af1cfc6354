const SECOND_MS = 1000;

/** Adds up counts, and reports their sum at most once a second. */
export const eachSecond = (report: (sum: number) => void) => {
  let sum = 0;
  return (count: number) => {
    if (sum === 0)
      setTimeout(() => {
        report(sum);
        sum = 0;
      }, SECOND_MS).unref();
    sum += count;
  };
};
