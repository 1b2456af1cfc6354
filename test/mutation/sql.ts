/** Each changes what a statement means and keeps it valid. */
const REPLACEMENTS: readonly (readonly [part: RegExp, other: string])[] = [
  [/\bAND\b/g, "OR"],
  [/(?<!INSERT )\bOR\b/g, "AND"],
  [/ (?:=|IS) (?!NOT|NULL|DISTINCT)/g, " <> "],
  [/ <> /g, " = "],
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/\bIS NULL\b/g, "IS NOT NULL"],
  [/\bIS NOT NULL\b/g, "IS NULL"],
  [/\bNOT EXISTS\b/g, "EXISTS"],
  [/\bNOT IN\b/g, "IN"],
  [/\b(?:min|max)\(/g, "count("],
  [/ DESC\b/g, ""],
  [/\bDISTINCT /g, ""],
];

/** Mutations of a part of a statement that has no placeholder. */
export const sqlMutations = (text: string): string[] =>
  REPLACEMENTS.flatMap(([part, other]) =>
    [...text.matchAll(part)].map(
      ({ 0: found, index }) => text.slice(0, index) + other + text.slice(index + found.length),
    ),
  );
