const BEGIN = "\u2068";
const END = "\u2069";

/** Marks a name in a sentence without quotes, for `Sentence`: Unicode's first strong isolate. */
export const isolated = (name: string): string => `${BEGIN}${name.replaceAll(END, "")}${END}`;
