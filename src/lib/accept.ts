/** One range of an Accept or Accept-Encoding header, in lower case. */
interface Preference {
  range: string;
  /** From 0 to 1; 0: not acceptable. */
  weight: number;
}

/** The weight of RFC 9110 section 12.4.2; a malformed one counts as 1. */
const weightOf = (parameters: readonly string[]): number => {
  const text = parameters.find((parameter) => /^\s*q=/.test(parameter));
  const weight = Number(text?.split("=")[1] ?? 1);
  return weight >= 0 && weight <= 1 ? weight : 1;
};

/** The preferences of an Accept or Accept-Encoding header, in the header's order. */
const preferencesIn = (header: string): Preference[] =>
  header
    .toLowerCase()
    .split(",")
    .map((item) => {
      const [range = "", ...parameters] = item.split(";");
      return { range: range.trim(), weight: weightOf(parameters) };
    });

/** The content codings that we serve, best first. Over plain HTTP browsers accept gzip alone. */
export const CODINGS = ["br", "gzip"] as const;
export type ContentCoding = (typeof CODINGS)[number];

/**
 * The codings that an Accept-Encoding header prefers to `identity`, best first (RFC 9110 section 12.5.3), and those of the
 * same weight in our order. `identity` is always acceptable: a 406 would help no client.
 */
export const acceptedCodings = (header: string | null | undefined): ContentCoding[] => {
  if (!header) return [];
  const weights = new Map(
    preferencesIn(header).map(({ range, weight }) => [range === "x-gzip" ? "gzip" : range, weight]),
  );
  const weightFor = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? 0;
  return CODINGS.filter((coding) => weightFor(coding) > 0 && weightFor(coding) >= identity).toSorted(
    (a, b) => weightFor(b) - weightFor(a),
  );
};

const JSON_OR_YAML = /^(application|text)\/(json|(x-)?yaml|\*)$|^\*\/\*$/;

/** The range with the greatest weight among those that match `known`. */
const preferredRange = (accept: string | undefined, known: RegExp): string | undefined =>
  preferencesIn(accept ?? "")
    .filter(({ range, weight }) => weight > 0 && known.test(range))
    .toSorted((a, b) => b.weight - a.weight)[0]?.range;

/** True if an Accept header prefers YAML to JSON. */
export const prefersYaml = (accept: string | undefined): boolean =>
  preferredRange(accept, JSON_OR_YAML)?.endsWith("yaml") ?? false;

const HTML_OR_MARKDOWN = /^(text|application)\/(html|xhtml\+xml|(x-)?markdown|\*)$|^\*\/\*$/;

/** True if an Accept header prefers Markdown to HTML. */
export const prefersMarkdown = (accept: string | undefined): boolean =>
  preferredRange(accept, HTML_OR_MARKDOWN)?.endsWith("markdown") ?? false;

const HTML_OR_JSON = /^(text\/html|application\/json)$/;

/** True if an Accept header names HTML, as browsers do for a page, and does not prefer JSON to it. */
export const prefersHtml = (accept: string | undefined): boolean =>
  preferredRange(accept, HTML_OR_JSON) === "text/html";
