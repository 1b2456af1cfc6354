import { SINGLE_VALUES, nameProblem, valueProblem } from "./header-names.ts";
import { type PathPattern, matchPattern, parsePattern } from "./path-pattern.ts";
import { type RuleFault, type RuleLimits, RuleProblem, TooManyRules, parseLines } from "./rule-lines.ts";

/** A response can have all headers of the file, so that the file is small. */
export const HEADER_LIMITS = { bytes: 32_768, lineCharacters: 2000 } as const satisfies RuleLimits;
/** A request compares its path with each. */
export const MAX_HEADER_PATHS = 100;

/** One block of `_headers`. */
export interface HeaderRule {
  path: PathPattern;
  /** In the order of the file. A header without a value removes the values of earlier blocks. */
  headers: { name: string; value?: string }[];
}

/** The headers for one path. */
export interface PathHeaders {
  /** Identifies the blocks that they come from, among those of one site. */
  key: string;
  values: ReadonlyMap<string, string>;
}

/** @throws RuleProblem */
const parseHeader = (text: string): { name: string; value?: string } => {
  const [, detached] = /^!\s*([\w-]+)$/.exec(text) ?? [];
  if (detached !== undefined) return { name: detached.toLowerCase() };
  const [, written, untrimmed = ""] = /^([\w-]+):(.*)$/.exec(text) ?? [];
  if (written === undefined) throw new RuleProblem("must be Name: value, ! Name, or a path", text);
  const [name, value] = [written.toLowerCase(), untrimmed.trim()];
  const problem = nameProblem(name) ?? valueProblem(name, value);
  if (problem !== undefined) throw new RuleProblem(problem, written);
  return { name, value };
};

const isPath = (text: string): boolean => text.startsWith("/") || /^https?:\/\//i.test(text);

/** Parses a `_headers` file. Lines that are refused are left out, and each has its fault. */
export const parseHeaders = (text: string): { rules: HeaderRule[]; faults: RuleFault[] } => {
  const rules: HeaderRule[] = [];
  let hasPath = false;

  const addPath = (line: string): void => {
    hasPath = true;
    rules.push({ path: parsePattern(line), headers: [] });
    if (rules.length > MAX_HEADER_PATHS)
      throw new TooManyRules(`is more than the limit of ${MAX_HEADER_PATHS} paths`);
  };
  const addHeader = (line: string): void => {
    const header = parseHeader(line);
    if (!hasPath) throw new RuleProblem("is a header before the first path");
    rules.at(-1)?.headers.push(header);
  };

  const faults = parseLines(text, HEADER_LIMITS, (line) => (isPath(line) ? addPath(line) : addHeader(line)));
  return { rules, faults };
};

const apply = (values: Map<string, string>, { headers }: HeaderRule): void => {
  const own = new Set<string>();
  for (const { name, value } of headers) {
    const earlier = SINGLE_VALUES.has(name) && !own.has(name) ? undefined : values.get(name);
    own.add(name);
    if (value === undefined) values.delete(name);
    else values.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
};

/** The headers for a decoded path without its leading slash; undefined without any. */
export const headersFor = (rules: readonly HeaderRule[], path: string): PathHeaders | undefined => {
  const matching = rules.flatMap((rule, at) => (matchPattern(rule.path, path) ? [at] : []));
  if (matching.length === 0) return undefined;
  const values = new Map<string, string>();
  for (const at of matching) apply(values, rules[at] as HeaderRule);
  return { key: matching.join(","), values };
};
