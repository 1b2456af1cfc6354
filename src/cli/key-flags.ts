import { MAX_NAME } from "../keys/model.ts";
import { parseRate, type Rate } from "../lib/rate-limiter.ts";
import { GRANTS, type Grant, isGrant } from "../lib/scopes.ts";
import { isLine, lineRule, quoted } from "../lib/text.ts";
import { LATEST_TIME, parseTime } from "../lib/time.ts";
import { UsageError } from "./usage-error.ts";

const requireValue = <Value>(flag: string, text: string, value: Value | undefined, form: string): Value => {
  if (value === undefined) throw new UsageError(`${flag}: ${JSON.stringify(text)} is not ${form}`);
  return value;
};

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads a time span such as `90s`, `30m`, `12h`, `7d`, in seconds. */
export const parseSpan = (text: string): number | undefined => {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS];
};

/** @throws UsageError */
export const scopesOf = (texts: readonly string[]): Grant[] => {
  const words = texts.flatMap((text) => text.split(",")).filter((word) => word !== "");
  if (words.length === 0) throw new UsageError("--scope: name at least one scope");
  return [...new Set(words)].map((word) =>
    requireValue("--scope", word, isGrant(word) ? word : undefined, `a scope: use ${GRANTS.join(", ")}`),
  );
};

/** The expiry time, in milliseconds UTC. @throws UsageError */
export const expiryOf = (text: string): number => {
  const span = parseSpan(text);
  const time = span === undefined ? parseTime(text) : Date.now() + span * 1000;
  const isAhead = time !== undefined && time > Date.now() && time <= LATEST_TIME;
  const form = "a time in the future, such as 2030-12-05T00:00:00Z, or a span such as 90d";
  return requireValue("--expires", text, isAhead ? time : undefined, form);
};

/** @throws UsageError */
export const rateOf = (text: string): Rate =>
  requireValue("--rate-limit", text, parseRate(text), "a rate such as 10/s, 600/min or 5000/h");

/** The grace time of an old secret, in seconds. @throws UsageError */
export const graceOf = (text: string): number =>
  requireValue("--grace", text, parseSpan(text), "a span such as 90s, 30m, 12h or 7d");

/** @throws UsageError */
export const keyIdOf = (text: string): number =>
  requireValue(
    "key id",
    text,
    /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined,
    "a number; see adoption-store keys list",
  );

/** @throws UsageError */
export const keyNameOf = (text: string): string => {
  if (isLine(text, MAX_NAME)) return text;
  throw new UsageError(`--name: ${quoted(text)} ${lineRule(MAX_NAME)}`);
};
