import { type Captures, exactPath, matchPattern } from "../deploys/rules/path-pattern.ts";
import { type RedirectRule, destinationOf } from "../deploys/rules/redirects.ts";
import { decodePath } from "../lib/url-path.ts";

/** The rule for a path, and where it leads, percent-encoded. */
export interface FoundRedirect {
  rule: RedirectRule;
  destination: string;
}

/** Rules for one path that lead to the path itself: to find that out takes time, and a path can be long. */
const MAX_SKIPPED = 10;

const NO_CAPTURES: Captures = new Map();

/** The same for a path with and without a slash at its end. */
const exactKey = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path);

const withoutQuery = (destination: string): string => destination.replace(/[?#].*/s, "");

/**
 * Finds the first rule for a path. Rules without a placeholder or splat take one look-up, however many there are. A redirect to
 * the path itself is skipped: a browser would follow it forever.
 */
export const redirectFinder = (rules: readonly RedirectRule[]) => {
  const exact = new Map<string, number>();
  const patterns: number[] = [];
  for (const [at, { from }] of rules.entries()) {
    const path = exactPath(from);
    if (path === undefined) patterns.push(at);
    else if (!exact.has(exactKey(path))) exact.set(exactKey(path), at);
  }

  /** The rules that match, in the order of the file. */
  function* matching(path: string): Generator<[at: number, captures: Captures]> {
    let pending = exact.get(exactKey(path));
    for (const at of patterns) {
      if (pending !== undefined && pending < at) {
        yield [pending, NO_CAPTURES];
        pending = undefined;
      }
      const captures = matchPattern((rules[at] as RedirectRule).from, path);
      if (captures) yield [at, captures];
    }
    if (pending !== undefined) yield [pending, NO_CAPTURES];
  }

  /** @param path decoded, without its leading slash */
  return (path: string): FoundRedirect | undefined => {
    let skipped = 0;
    for (const [at, captures] of matching(path)) {
      const rule = rules[at] as RedirectRule;
      const destination = destinationOf(rule, captures);
      if (rule.status === 200 || decodePath(withoutQuery(destination)) !== path) return { rule, destination };
      skipped += 1;
      if (skipped === MAX_SKIPPED) return undefined;
    }
    return undefined;
  };
};

/** A destination with the query of the request, unless it has one of its own. */
export const withQuery = (destination: string, query: string): string => {
  if (query === "" || /^[^#]*\?/.test(destination)) return destination;
  const [address = "", fragment] = destination.split("#", 2);
  return `${address}${query}${fragment === undefined ? "" : `#${fragment}`}`;
};
