/** A field of the request, and the rule that it violates. The server's manual lists the rules. */
export interface FieldProblem {
  /** Such as `adopter.email`; "" for the body as a whole. */
  name: string;
  rule: string;
  min?: number;
  max?: number;
  /** Says more of a host name, such as `wildcard`. */
  reason?: string;
}

/** RFC 9651 section 3.3.3: printable ASCII in quotes. */
const STRING = String.raw`"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"`;
const KEY = String.raw`[a-z*][a-z0-9_\-.*]*`;
const TOKEN = String.raw`[A-Za-z*][\w!#$%&'*+\-.^\`|~:/]*`;
const INTEGER = String.raw`-?[0-9]{1,15}`;

const ITEM = new RegExp(String.raw`${STRING}((?:; *${KEY}=(?:${TOKEN}|${INTEGER}))*)`, "y");
const PARAMETER = new RegExp(String.raw`; *(${KEY})=(?:(${INTEGER})|(${TOKEN}))`, "g");
const SEPARATOR = /[ \t]*,[ \t]*/y;

/** More is not sent: it is the header of another program. */
const MAX_LENGTH = 8192;

const problemOf = (name: string, parameters: string): FieldProblem | undefined => {
  const values: Record<string, string | number> = {};
  for (const [, key = "", integer, token = ""] of parameters.matchAll(PARAMETER))
    values[key] = integer === undefined ? token : Number(integer);
  const { rule, min, max, reason } = values;
  if (typeof rule !== "string") return undefined;
  return {
    name: name.replace(/\\(["\\])/g, "$1"),
    rule,
    ...(typeof min === "number" && { min }),
    ...(typeof max === "number" && { max }),
    ...(typeof reason === "string" && { reason }),
  };
};

/**
 * Reads the header `Invalid-Fields`, a list of strings with parameters (RFC 9651 section 4.2.1). Unknown parameters are
 * ignored. A header that is malformed anywhere is ignored as a whole, as the RFC requires.
 */
export const parseInvalidFields = (header: string | null): FieldProblem[] => {
  const text = (header ?? "").trim();
  if (text === "" || text.length > MAX_LENGTH) return [];
  const problems: FieldProblem[] = [];
  for (let at = 0; ; at = SEPARATOR.lastIndex) {
    ITEM.lastIndex = at;
    const found = ITEM.exec(text);
    const problem = found && problemOf(found[1] ?? "", found[2] ?? "");
    if (!problem) return [];
    problems.push(problem);
    if (ITEM.lastIndex === text.length) return problems;
    SEPARATOR.lastIndex = ITEM.lastIndex;
    if (!SEPARATOR.test(text)) return [];
  }
};
