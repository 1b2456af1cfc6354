/** Changes each bound of a counted repetition by one. */
const ofCount = (source: string): string[] =>
  [...source.matchAll(/(?<=\{[0-9,]*)(?<![0-9])[0-9]+(?=[0-9,]*\})/g)].flatMap(({ 0: count, index }) =>
    [Number(count) + 1, Number(count) - 1]
      .filter((other) => other >= 0)
      .map((other) => source.slice(0, index) + other + source.slice(index + count.length)),
  );

/** Replaces each occurrence of `part` that is neither escaped nor in a class. */
const ofPart = (source: string, part: RegExp, replacement: string): string[] =>
  [...mask(source).matchAll(part)].map(
    ({ 0: found, index }) => source.slice(0, index) + replacement + source.slice(index + found.length),
  );

/** Replaces escaped characters and the content of classes by `x`. The brackets and the `^` of a class stay. */
const mask = (source: string): string =>
  source
    .replaceAll(/\\./g, "xx")
    .replaceAll(
      /\[(\^?)([^\]]*)\]/g,
      (_, caret: string, inside: string) => `[${caret}${"x".repeat(inside.length)}]`,
    );

const isRegex = (source: string, flags: string): boolean => {
  try {
    return Boolean(new RegExp(source, flags));
  } catch {
    return false;
  }
};

/**
 * Some mutations of a regular expression: a missing anchor or flag `i`, a negated class, an optional repetition, a count that
 * is off by one. @param literal with its slashes and flags
 */
export const regexMutations = (literal: string): string[] => {
  const end = literal.lastIndexOf("/");
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  const others = [
    ...ofPart(source, /(?<!\[)\^/g, ""),
    ...ofPart(source, /\$/g, ""),
    ...ofPart(source, /\[\^/g, "["),
    ...ofPart(source, /\[(?!\^)/g, "[^"),
    ...ofPart(source, /(?<=[\])\w])\+/g, "*"),
    ...ofPart(source, /(?<=[\])\w])\*/g, "+"),
    ...ofPart(source, /(?<=[\])\w])\?/g, ""),
    ...ofCount(source),
  ].filter((other) => other !== "" && isRegex(other, flags));
  const mutants = others.map((other) => `/${other}/${flags}`);
  return flags.includes("i") ? [...mutants, `/${source}/${flags.replace("i", "")}`] : mutants;
};
