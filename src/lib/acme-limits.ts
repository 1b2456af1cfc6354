/** How many requests a CA allows. */

/** At most `max` requests in any period of this length. */
export interface Limit {
  max: number;
  withinMs: number;
}

/**
 * The limits of a CA: on orders of the account, on certificates below a registered domain, on certificates of a name, and on
 * refused orders of a name. A missing entry means unlimited.
 */
export type Limits = Readonly<Partial<Record<Limited, Limit>>>;

type Limited = "orders" | "domain" | "name" | "failures";

/** The limits that CAs publish, in the syntax of ACME_LIMITS. */
const PRESETS: Readonly<Record<string, string>> = {
  // https://letsencrypt.org/docs/rate-limits/
  letsencrypt: "orders=300/3h domain=50/7d name=5/7d failures=5/1h",
  // https://letsencrypt.org/docs/staging-environment/
  "letsencrypt-staging": "orders=1500/3h domain=30000/7d name=30000/7d failures=200/1h",
  none: "",
};

/** The preset of each known CA, by the host of its directory. ZeroSSL publishes no limits. */
const PRESET_OF: Readonly<Record<string, string>> = {
  "acme-staging-v02.api.letsencrypt.org": "letsencrypt-staging",
  "acme.zerossl.com": "none",
};

/** Attempts are counted for this long. */
export const MAX_WINDOW_MS = 7 * 86_400_000;

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ENTRY = /^(orders|domain|name|failures)=(?:none|([1-9]\d{0,6})\/([1-9]\d{0,4})([mhd]))$/;

const parseEntry = (word: string): [Limited, Limit | undefined] | undefined => {
  const [, limited, max, count, unit] = ENTRY.exec(word) ?? [];
  const limit = max ? { max: Number(max), withinMs: Number(count) * UNITS[unit as "m"] } : undefined;
  return limited === undefined || (limit && limit.withinMs > MAX_WINDOW_MS)
    ? undefined
    : [limited as Limited, limit];
};

const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** Adds the preset of the CA, unless the words begin with one. */
const withPreset = (words: readonly string[], directory: string): string[] => {
  const [first = ""] = words;
  return Object.hasOwn(PRESETS, first)
    ? [...wordsOf(PRESETS[first] ?? ""), ...words.slice(1)]
    : withPreset([PRESET_OF[new URL(directory).host] ?? "letsencrypt", ...words], directory);
};

/** For one CA: the name of a preset, changes such as `orders=1000/3h` or `domain=none`, or both. */
const isLimits = (words: readonly string[]): boolean =>
  words.slice(Object.hasOwn(PRESETS, words[0] ?? "") ? 1 : 0).every(parseEntry);

/** Parses the comma-separated limits of the CAs. An empty entry keeps the preset of its CA. */
export const parseLimits = (text: string): readonly (readonly string[])[] | undefined => {
  const limits = text === "" ? [] : text.split(",").map(wordsOf);
  return limits.every(isLimits) ? limits : undefined;
};

/** @param words as parsed; without a preset, they change the CA's own, which for an unknown CA is Let's Encrypt's */
export const limitsOf = (directory: string, words: readonly string[] = []): Limits => {
  const entries = withPreset(words, directory).flatMap((word) => [parseEntry(word)].filter((one) => !!one));
  return Object.fromEntries(new Map(entries).entries().filter(([, limit]) => limit));
};
