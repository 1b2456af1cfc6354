import { encodeNames } from "../../../lib/url-path.ts";
import { type Captures, type PathPattern, captureNames, exactPath, parsePattern } from "./path-pattern.ts";
import { type RuleFault, type RuleLimits, RuleProblem, TooManyRules, parseLines } from "./rule-lines.ts";

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

const BASE = "http://site.invalid";

/** Parses a destination, and splits it at the names that the first path captures. @throws RuleProblem */
const parseDestination = (
  text: string,
  status: RedirectRule["status"],
  names: ReadonlySet<string>,
): RedirectRule["to"] => {
  const refused = (problem: string) => new RuleProblem(problem, text);
  const url = URL.parse(text, BASE);
  if (!url) throw refused("is not an address");
  const isPath = text.startsWith("/");
  if (isPath ? url.origin !== BASE : !/^https?:\/\//i.test(text))
    throw refused("must be a path that begins with one /, or an address with http: or https:");
  if (url.username !== "" || url.password !== "") throw refused("has a user name or a password");
  if (text.includes("*")) throw refused("has a *: write :splat for what the * matched");
  if (status === 200 && !isPath)
    throw refused("is on another host, and status 200 serves only files of this site");
  if (status === 200 && (url.search !== "" || url.hash !== ""))
    throw refused("has a query or a fragment, which a file does not have");
  const path = url.pathname + url.search + url.hash;
  for (const [, name = ""] of path.matchAll(/\/:([A-Za-z]\w*)/g))
    if (!names.has(name)) throw refused(`uses :${name}, which the first path does not have`);
  const parts = path.split(/(:[A-Za-z]\w*)/).map((part) => {
    const capture = part.startsWith(":") ? part.slice(1) : "";
    return names.has(capture) ? { capture } : part;
  });
  if (parts.filter((part) => typeof part !== "string").length > MAX_CAPTURES)
    throw refused(`uses more than ${MAX_CAPTURES} placeholders: each can be as long as an address`);
  return isPath ? parts : [url.origin, ...parts];
};

const STATUS = /^(\d{3})(!?)$/;

/** @throws RuleProblem */
const parseStatus = (text: string): Pick<RedirectRule, "status" | "isForced"> => {
  const [, digits, mark] = STATUS.exec(text) ?? [];
  const status = [...REDIRECT_STATUSES, 200 as const].find((known) => String(known) === digits);
  if (status === undefined)
    throw new RuleProblem(`is not a status: use 200, ${REDIRECT_STATUSES.join(", ")}`, text);
  return { status, isForced: mark === "!" };
};

/** @throws RuleProblem */
const parseRedirect = (text: string): RedirectRule => {
  const all = text.split(/\s+/);
  const comment = all.findIndex((word) => word.startsWith("#"));
  const words = comment === -1 ? all : all.slice(0, comment);
  if (words.some((word) => /^\w+=/.test(word)))
    throw new RuleProblem("has a condition or a query parameter, which is not supported");
  if (words.length < 2 || words.length > 3)
    throw new RuleProblem("must have a path, a destination and optionally a status");
  const [path = "", destination = "", code = "301"] = words;
  const from = parsePattern(path);
  const { status, isForced } = parseStatus(code);
  return { from, to: parseDestination(destination, status, captureNames(from)), status, isForced };
};

/** Parses a `_redirects` file. Rules that are refused are left out, and each has its fault. */
export const parseRedirects = (text: string): { rules: RedirectRule[]; faults: RuleFault[] } => {
  const rules: RedirectRule[] = [];
  let patterns = 0;
  const faults = parseLines(text, REDIRECT_LIMITS, (line) => {
    const rule = parseRedirect(line);
    rules.push(rule);
    if (exactPath(rule.from) === undefined) patterns++;
    if (rules.length > MAX_REDIRECTS)
      throw new TooManyRules(`is more than the limit of ${MAX_REDIRECTS} rules`);
    if (patterns > MAX_PATTERNS)
      throw new TooManyRules(`is more than the limit of ${MAX_PATTERNS} rules with a placeholder or a splat`);
  });
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
