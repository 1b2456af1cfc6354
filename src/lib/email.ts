import { hasAtMost } from "./text.ts";
import { isVisibleText } from "./visible-text.ts";

export const MAX_EMAIL_LENGTH = 254;

/** No white space, control character or @. Spelled out: languages differ on what `\s` and `\p{Cc}` match. */
const EMAIL_PART = String.raw`[^\x00-\x20@\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+`;
export const EMAIL_PATTERN = `^${EMAIL_PART}@${EMAIL_PART}$`;
const EMAIL = new RegExp(EMAIL_PATTERN, "u");

/** Not strict: only sending an email shows whether it arrives. */
export const isEmail = (value: unknown): value is string =>
  typeof value === "string" &&
  hasAtMost(value, MAX_EMAIL_LENGTH) &&
  EMAIL.test(value) &&
  isVisibleText(value);

/** An address for comparison: all cases and composed forms of a letter are equal, as are s and the long s, σ and the final ς. */
export const foldEmail = (email: string): string =>
  email.normalize("NFC").toLowerCase().replaceAll("\u017f", "s").replaceAll("\u03c2", "\u03c3");
