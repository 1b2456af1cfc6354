/** A name without case and separators. */
const lettersOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "");

/** True if the names differ by one extra, missing or wrong letter, or by two swapped letters. */
const isOneEditFrom = (one: string, other: string): boolean => {
  const longest = Math.max(one.length, other.length);
  let start = 0;
  while (start < longest && one[start] === other[start]) start++;
  let end = 0;
  while (end < longest - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === [...right].toReversed().join("");
};

/**
 * The candidate that a name was probably meant to be; undefined if none is similar.
 * @param minLength candidates with fewer letters are not considered
 */
export const closest = (name: string, candidates: readonly string[], minLength = 0): string | undefined => {
  const letters = lettersOf(name);
  const long = candidates.filter((candidate) => lettersOf(candidate).length >= minLength);
  return (
    long.find((candidate) => lettersOf(candidate) === letters) ??
    long.find((candidate) => isOneEditFrom(letters, lettersOf(candidate)))
  );
};
