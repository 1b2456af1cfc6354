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

const MAX_QUOTED_CHARACTERS = 80;

/** A part of a line, safe to print on one line. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text);

/** Refuses a line, or a part of it. */
export class RuleProblem extends Error {
  override name = "RuleProblem";
  constructor(problem: string, part?: string) {
    super(part === undefined ? problem : `${quote(part)} ${problem}`);
  }
}

/** Refuses a line, and does not read the lines after it. */
export class TooManyRules extends RuleProblem {
  override name = "TooManyRules";
}

/** The lines of a file, in any of the usual line ends, without the spaces around them. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim());

/** Parses the lines of a file but empty ones and comments. @param parse throws RuleProblem @returns the faults of refused lines */
export const parseLines = (
  text: string,
  { lineCharacters }: RuleLimits,
  parse: (line: string) => void,
): RuleFault[] => {
  const faults: RuleFault[] = [];
  for (const [at, line] of linesOf(text).entries()) {
    if (line === "" || line.startsWith("#")) continue;
    try {
      if (line.length > lineCharacters) throw new RuleProblem(`is longer than ${lineCharacters} characters`);
      parse(line);
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
      faults.push({ line: at + 1, problem: error.message });
      if (error instanceof TooManyRules) return faults;
    }
  }
  return faults;
};
