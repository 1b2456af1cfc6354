/** The ends of a counted repetition, one to each side. */
const ofCount = (source: string): string[] =>
  [...source.matchAll(/(?<=\{[0-9,]*)(?<![0-9])[0-9]+(?=[0-9,]*\})/g)].flatMap(({ 0: count, index }) =>
    [Number(count) + 1, Number(count) - 1]
      .filter((other) => other >= 0)
      .map((other) => source.slice(0, index) + other + source.slice(index + count.length)),
  );

/** Every place of some part that is neither escaped nor in a class, replaced. */
const ofPart = (source: string, part: RegExp, replacement: string): string[] =>
  [...mask(source).matchAll(part)].map(
    ({ 0: found, index }) => source.slice(0, index) + replacement + source.slice(index + found.length),
  );

/** The same text with `x` for all that is escaped or in a class, but for a class's own brackets and its `^`. */
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
 * A few mutations of a regular expression: without an anchor or the flag `i`, a class turned round, a repetition that is
 * optional or not, a count one off. @param literal as it is written, with its slashes
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
