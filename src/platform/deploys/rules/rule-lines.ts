/** The limits of a file of rules. */
export interface RuleLimits {
  bytes: number;
  lineCharacters: number;
}

/** Why a line is refused. It continues the number of the line. */
export interface RuleFault {
  /** From 1; 0 for the file as a whole. */
  line: number;
  problem: string;
}

/** A line with content, without the spaces around it. */
interface RuleLine {
  number: number;
  text: string;
}

/** The lines of a file, without empty ones and comments, in any of the usual line ends. */
export const readRuleLines = (text: string): RuleLine[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line, at) => ({ number: at + 1, text: line.trim() }))
    .filter((line) => line.text !== "" && !line.text.startsWith("#"));

const MAX_QUOTED_CHARACTERS = 80;

/** A part of a line, safe to print on one line. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text);

/** The fault of a line that no rule can have. */
export const lineFault = (text: string, { lineCharacters }: RuleLimits): string | undefined =>
  text.length > lineCharacters ? `is longer than ${lineCharacters} characters` : undefined;
