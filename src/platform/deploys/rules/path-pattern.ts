import { decodePath } from "../../../lib/url-path.ts";
import { RuleProblem, quote } from "./rule-lines.ts";

/**
 * A path with placeholders, which match one name each, and at most one splat, which matches anything. It is matched from left
 * to right without going back, so that the time is linear in the length of the path.
 */
export interface PathPattern {
  /** The segments before the splat. */
  head: readonly (string | { placeholder: string })[];
  /** The rest after the splat; undefined without one. */
  tail: string | undefined;
}

/** The decoded values of a pattern's placeholders and splat. */
export type Captures = ReadonlyMap<string, string>;

/** The name under which a rule refers to the splat. */
const SPLAT = "splat";

const PLACEHOLDER = /^:([A-Za-z]\w*)$/;

const namesIn = (path: string): string[] =>
  path.split("/").flatMap((name) => PLACEHOLDER.exec(name)?.[1] ?? []);

const problemOf = (path: string): string | undefined => {
  const names = namesIn(path);
  const [, tail = "", ...more] = path.split("*");
  if (more.length > 0) return "may have only one *";
  const malformed = path.split("/").find((name) => name.startsWith(":") && !PLACEHOLDER.test(name));
  if (malformed !== undefined) return `${quote(malformed)} is not a placeholder, such as :name`;
  if (tail.includes("/:")) return "may have no placeholder after the *";
  if (names.includes(SPLAT)) return `:${SPLAT} is reserved for the *`;
  return names.length === new Set(names).size ? undefined : "has the same placeholder twice";
};

const headOf = (path: string): PathPattern["head"] =>
  path.split(/(?<=^|\/)(:[A-Za-z]\w*)(?=\/|$)/).map((part) => {
    const [, placeholder] = PLACEHOLDER.exec(part) ?? [];
    return placeholder === undefined ? part : { placeholder };
  });

/** Parses the path of a rule, percent-encoded. @throws RuleProblem */
export const parsePattern = (encoded: string): PathPattern => {
  const refused = (problem: string) => new RuleProblem(problem, encoded);
  if (/^https?:\/\//i.test(encoded))
    throw refused("has a host: write only the path, which applies to every name of the site");
  if (!encoded.startsWith("/")) throw refused("must begin with /");
  if (/[?#]/.test(encoded)) throw refused("has a query or a fragment, which cannot be matched");
  const path = decodePath(encoded);
  if (path === undefined) throw refused("is not a path that a site can have");
  const problem = problemOf(path);
  if (problem !== undefined) throw refused(problem);
  const [head = "", tail] = path.split("*");
  return { head: headOf(head), tail };
};

/** The path of a pattern that matches only one; undefined for every other pattern. */
export const exactPath = ({ head, tail }: PathPattern): string | undefined => {
  const [only = ""] = head;
  return tail === undefined && head.length <= 1 && typeof only === "string" ? only : undefined;
};

/** The names that a rule with this pattern may refer to. */
export const captureNames = ({ head, tail }: PathPattern): ReadonlySet<string> =>
  new Set([
    ...head.flatMap((part) => (typeof part === "string" ? [] : [part.placeholder])),
    ...(tail === undefined ? [] : [SPLAT]),
  ]);

const matchExactly = ({ head, tail }: PathPattern, path: string): Captures | undefined => {
  const captures = new Map<string, string>();
  let at = 0;
  for (const part of head) {
    const slash = path.indexOf("/", at);
    const end = slash === -1 ? path.length : slash;
    if (typeof part === "string") {
      if (!path.startsWith(part, at)) return undefined;
      at += part.length;
    } else {
      if (end === at) return undefined;
      captures.set(part.placeholder, path.slice(at, end));
      at = end;
    }
  }
  if (tail === undefined) return at === path.length ? captures : undefined;
  const end = path.length - tail.length;
  if (end < at || !path.endsWith(tail)) return undefined;
  return captures.set(SPLAT, path.slice(at, end).replace(/^\//, ""));
};

/** The same path with a slash at its end, or without it. */
const withOtherEnd = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : `${path}/`);

/** Matches a decoded path without its leading slash. A slash at its end makes no difference. */
export const matchPattern = (pattern: PathPattern, path: string): Captures | undefined =>
  matchExactly(pattern, path) ?? matchExactly(pattern, withOtherEnd(path));
