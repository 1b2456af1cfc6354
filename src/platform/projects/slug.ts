import { PREVIEW_PREFIX } from "../../lib/preview.ts";
import type { FieldProblem } from "../../lib/field-problems.ts";

export const MAX_SLUG_LENGTH = 63;

/**
 * A DNS label (RFC 1035 section 2.3.1) in lower case. Labels with hyphens in the third and fourth place are reserved for
 * IDNA (RFC 5891 section 4.2.3.1). The pattern has no lookahead: not every language supports it.
 */
export const SLUG_PATTERN =
  "^(?:[a-z0-9]{1,2}|[a-z0-9][a-z0-9-](?:[a-z0-9](?:[a-z0-9-]{0,59}[a-z0-9])?|-[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?))$";
export const SLUG = new RegExp(SLUG_PATTERN);
const IS_PREVIEW = new RegExp(PREVIEW_PREFIX);

/** Names that visitors, browsers or mail servers give another meaning. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  "acme",
  "admin",
  "administrator",
  "api",
  "app",
  "assets",
  "auth",
  "autoconfig",
  "autodiscover",
  "billing",
  "cdn",
  "cname",
  "console",
  "dashboard",
  "dns",
  "ftp",
  "help",
  "hostmaster",
  "imap",
  "info",
  "localhost",
  "login",
  "mail",
  "mx",
  "ns",
  "ns1",
  "ns2",
  "pop",
  "postmaster",
  "root",
  "security",
  "sites",
  "smtp",
  "ssl",
  "staging",
  "static",
  "status",
  "support",
  "sysadmin",
  "webmail",
  "webmaster",
  "wpad",
  "www",
]);

/** The rule that keeps a text from being a slug, and its message. */
type SlugProblem = Omit<FieldProblem, "field"> & { words: string };

const formOf = (text: string): Omit<FieldProblem, "field"> => {
  if (text === "") return { rule: "too_short", min: 1 };
  return text.length > MAX_SLUG_LENGTH ? { rule: "too_long", max: MAX_SLUG_LENGTH } : { rule: "format" };
};

export const RESERVED: SlugProblem = { rule: "reserved", words: "is reserved: choose another" };

/** The reason why a text cannot be a slug; undefined if it can. */
export const slugProblem = (text: string): SlugProblem | undefined => {
  if (!SLUG.test(text))
    return {
      ...formOf(text),
      words:
        "must be a DNS label: 1 to 63 lower-case letters, digits and hyphens, with no hyphen at its ends",
    };
  return RESERVED_SLUGS.has(text) || IS_PREVIEW.test(text) ? RESERVED : undefined;
};

const TARGET_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const TARGET_LENGTH = 20;

/** The label of a CNAME target: 100 random bits, so that a forgotten DNS record never points to another project. */
export const randomTargetLabel = (random: (count: number) => Uint8Array): string =>
  Array.from(random(TARGET_LENGTH), (byte) => TARGET_ALPHABET[byte & 31]).join("");
