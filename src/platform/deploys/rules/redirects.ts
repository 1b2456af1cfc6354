import { encodeNames } from "../../../lib/url-path.ts";
import { type Captures, type PathPattern, captureNames, exactPath, parsePattern } from "./path-pattern.ts";
import { type RuleFault, type RuleLimits, lineFault, quote, readRuleLines } from "./rule-lines.ts";

/** Bytes and line length bound the memory that the rules of one site take. */
export const REDIRECT_LIMITS = { bytes: 262_144, lineCharacters: 1000 } as const satisfies RuleLimits;
export const MAX_REDIRECTS = 2000;
/** Of them, those with a placeholder or a splat: a request compares its path with each. */
export const MAX_PATTERNS = 100;

const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** In a destination: a visitor's path can be long, and each is as long as the part that it stands for. */
export const MAX_CAPTURES = 10;

/** One line of `_redirects`. */
export interface RedirectRule {
  from: PathPattern;
  /** Encoded; text and names of captures in turn. */
  to: readonly (string | { capture: string })[];
  /** 200: the file at `to` is served at the address that was asked for. */
  status: RedirectStatus | 200;
  /** True if it applies even to a path with a file. */
  isForced: boolean;
}

type Parsed<Value> = Value | { problem: string };

const BASE = "http://site.invalid";

const urlProblem = (url: URL, text: string): string | undefined => {
  const isPath = text.startsWith("/");
  if (isPath ? url.origin !== BASE : !/^https?:\/\//i.test(text))
    return "must be a path that begins with one /, or an address with http: or https:";
  return url.username === "" && url.password === "" ? undefined : "has a user name or a password";
};

/** Splits a destination at the names that `from` captures. */
const parseTemplate = (text: string, names: ReadonlySet<string>): Parsed<{ parts: RedirectRule["to"] }> => {
  const parts = text.split(/(:[A-Za-z]\w*)/).map((part) => {
    const capture = part.startsWith(":") ? part.slice(1) : "";
    return names.has(capture) ? { capture } : part;
  });
  for (const [, name = ""] of text.matchAll(/\/:([A-Za-z]\w*)/g))
    if (!names.has(name)) return { problem: `uses :${name}, which the first path does not have` };
  if (parts.filter((part) => typeof part !== "string").length > MAX_CAPTURES)
    return { problem: `uses more than ${MAX_CAPTURES} placeholders: each can be as long as an address` };
  return { parts };
};

const parseDestination = (
  text: string,
  status: RedirectRule["status"],
  names: ReadonlySet<string>,
): Parsed<{ parts: RedirectRule["to"] }> => {
  const url = URL.parse(text, BASE);
  if (!url) return { problem: "is not an address" };
  const problem = urlProblem(url, text);
  if (problem !== undefined) return { problem };
  const isPath = text.startsWith("/");
  if (text.includes("*")) return { problem: "has a *: write :splat for what the * matched" };
  if (status === 200 && !isPath)
    return { problem: "is on another host, and status 200 serves only files of this site" };
  if (status === 200 && (url.search !== "" || url.hash !== ""))
    return { problem: "has a query or a fragment, which a file does not have" };
  const path = url.pathname + url.search + url.hash;
  const template = parseTemplate(path, names);
  return "problem" in template || isPath ? template : { parts: [url.origin, ...template.parts] };
};

const STATUS = /^(\d{3})(!?)$/;

const parseStatus = (text: string): Parsed<Pick<RedirectRule, "status" | "isForced">> => {
  const [, digits, mark] = STATUS.exec(text) ?? [];
  const status = [...REDIRECT_STATUSES, 200 as const].find((known) => String(known) === digits);
  if (status !== undefined) return { status, isForced: mark === "!" };
  return { problem: `${quote(text)} is not a status: use 200, ${REDIRECT_STATUSES.join(", ")}` };
};

const shapeProblem = (words: readonly string[]): string | undefined => {
  if (words.some((word) => /^\w+=/.test(word)))
    return "has a condition or a query parameter, which is not supported";
  return words.length < 2 || words.length > 3
    ? "must have a path, a destination and optionally a status"
    : undefined;
};

const parseLine = (text: string): Parsed<RedirectRule> => {
  const all = text.split(/\s+/);
  const comment = all.findIndex((word) => word.startsWith("#"));
  const words = comment === -1 ? all : all.slice(0, comment);
  const shape = shapeProblem(words);
  if (shape !== undefined) return { problem: shape };
  const [path = "", destination = "", code = "301"] = words;
  const from = parsePattern(path);
  if ("problem" in from) return { problem: `${quote(path)} ${from.problem}` };
  const status = parseStatus(code);
  if ("problem" in status) return status;
  const to = parseDestination(destination, status.status, captureNames(from));
  return "problem" in to
    ? { problem: `${quote(destination)} ${to.problem}` }
    : { from, to: to.parts, ...status };
};

/** The limit that the last rule exceeds; undefined if it exceeds none. */
const countProblem = (rules: readonly RedirectRule[], patterns: number): string | undefined => {
  if (rules.length > MAX_REDIRECTS) return `is more than the limit of ${MAX_REDIRECTS} rules`;
  if (patterns > MAX_PATTERNS)
    return `is more than the limit of ${MAX_PATTERNS} rules with a placeholder or a splat`;
  return undefined;
};

/** Parses a `_redirects` file. Rules that are refused are left out, and each has its fault. */
export const parseRedirects = (text: string): { rules: RedirectRule[]; faults: RuleFault[] } => {
  const rules: RedirectRule[] = [];
  const faults: RuleFault[] = [];
  let patterns = 0;
  for (const { number, text: line } of readRuleLines(text)) {
    const long = lineFault(line, REDIRECT_LIMITS);
    const parsed = long === undefined ? parseLine(line) : { problem: long };
    if ("problem" in parsed) {
      faults.push({ line: number, problem: parsed.problem });
      continue;
    }
    rules.push(parsed);
    if (exactPath(parsed.from) === undefined) patterns++;
    const problem = countProblem(rules, patterns);
    if (problem !== undefined) return { rules, faults: [...faults, { line: number, problem }] };
  }
  return { rules, faults };
};

/**
 * The destination of a rule, encoded. Captures cannot add a host, a query or a line: they are encoded name by name, and a path
 * begins with one slash even if a capture is empty.
 */
export const destinationOf = ({ to }: RedirectRule, captures: Captures): string => {
  const parts = to.map((part) =>
    typeof part === "string" ? part : encodeNames(captures.get(part.capture) ?? ""),
  );
  return parts.join("").replace(/^\/+/, "/");
};
