import { parseTime } from "../../lib/time.ts";
import { AcmeProblem, printable, type Problem, readProblem } from "./problem.ts";

/** Readers of untrusted JSON. Each throws AcmeProblem `malformed_answer` with the name of the field. */

const MAX_ENTRIES = 100;
const MAX_TEXT_LENGTH = 2000;

export const malformed = (detail: string): AcmeProblem =>
  new AcmeProblem({ type: "malformed_answer", detail: printable(detail) });

type Fields = Record<string, unknown>;

export const readFields = (value: unknown, what: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed(`${what} is not an object`);
  return value as Fields;
};

const readText = (value: unknown, what: string, maxLength = MAX_TEXT_LENGTH): string => {
  if (typeof value !== "string") throw malformed(`${what} is not a string`);
  if (value === "" || value.length > maxLength)
    throw malformed(`${what} does not have 1 to ${maxLength} characters`);
  return value;
};

export const readList = <Item>(
  value: unknown,
  what: string,
  read: (item: unknown, what: string) => Item,
): Item[] => {
  if (!Array.isArray(value)) throw malformed(`${what} is not an array`);
  if (value.length > MAX_ENTRIES) throw malformed(`${what} has more than ${MAX_ENTRIES} entries`);
  return value.map((item, index) => read(item, `${what}[${index}]`));
};

const readWord = <Word extends string>(value: unknown, what: string, words: readonly Word[]): Word => {
  const word = words.find((one) => one === value);
  if (word === undefined) throw malformed(`${what} is not one of ${words.join(", ")}`);
  return word;
};

/** RFC 3339. @returns milliseconds UTC */
const readTime = (value: unknown, what: string): number => {
  const at = typeof value === "string" ? parseTime(value) : undefined;
  if (at === undefined) throw malformed(`${what} is not a time`);
  return at;
};

/** True for an http or https URL without a user, in printable ASCII. */
const isWebUrl = (text: string): boolean => {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/** Returns the URL unchanged: a server compares URLs by their characters (RFC 8555 section 6.4). */
export const readUrl = (value: unknown, what: string): string => {
  const text = readText(value, what);
  if (!isWebUrl(text)) throw malformed(`${what} is not an http or https URL`);
  return text;
};

const ABSENT = new Set<unknown>([undefined, null, ""]);

/** Reads a field, or leaves it out if it is absent, null or empty. */
const optionalField = <Key extends string, Value>(
  fields: Fields,
  key: Key,
  read: (value: unknown, what: string) => Value,
): Partial<Record<Key, Value>> =>
  ABSENT.has(fields[key]) ? {} : ({ [key]: read(fields[key], key) } as Record<Key, Value>);

const errorField = (fields: Fields) => optionalField(fields, "error", (value): Problem => readProblem(value));

const retryAfterField = (retryAfterMs: number | undefined): { retryAfterMs?: number } =>
  retryAfterMs === undefined ? {} : { retryAfterMs };

/** RFC 8555's objects, read from untrusted JSON. All times are milliseconds UTC. Every reader throws AcmeProblem. */

const MAX_NAME_LENGTH = 253;
const MAX_PROFILES = 20;

const readDnsName = (value: unknown, what: string): string => {
  const { type, value: name } = readFields(value, what);
  readWord(type, `${what}.type`, ["dns"]);
  return readText(name, `${what}.value`, MAX_NAME_LENGTH).toLowerCase();
};

/** RFC 8555 section 7.1.1. */
export const readDirectory = (value: unknown) => {
  const fields = readFields(value, "the directory");
  const meta = readFields(fields["meta"] ?? {}, "meta");
  return {
    newNonce: readUrl(fields["newNonce"], "newNonce"),
    newAccount: readUrl(fields["newAccount"], "newAccount"),
    newOrder: readUrl(fields["newOrder"], "newOrder"),
    revokeCert: readUrl(fields["revokeCert"], "revokeCert"),
    /** RFC 9773; absent if the CA has no ARI. */
    ...optionalField(fields, "renewalInfo", readUrl),
    /** The names by which CAA records allow this CA. */
    caaIdentities: readList(meta["caaIdentities"] ?? [], "meta.caaIdentities", (item, what) =>
      readText(item, what, MAX_NAME_LENGTH),
    ),
    /** The names of its certificate profiles (draft-ietf-acme-profiles section 3). */
    profiles: Object.keys(readFields(meta["profiles"] ?? {}, "meta.profiles"))
      .slice(0, MAX_PROFILES)
      .map(printable),
  };
};

export type Directory = ReturnType<typeof readDirectory>;

const ORDER_STATUSES = ["pending", "ready", "processing", "valid", "invalid"] as const;
const INVALIDATING = new Set<unknown>(["deactivated", "expired", "revoked"]);

/** Beyond RFC 8555 section 7.1.6, Boulder and pebble give an order the status of the authorization that made it invalid. */
const readOrderStatus = (value: unknown) =>
  INVALIDATING.has(value) ? "invalid" : readWord(value, "status", ORDER_STATUSES);

/** RFC 8555 section 7.1.3. */
export const readOrder = (value: unknown, url: string, retryAfterMs?: number) => {
  const fields = readFields(value, "the order");
  const order = {
    url,
    status: readOrderStatus(fields["status"]),
    names: readList(fields["identifiers"], "identifiers", readDnsName),
    authorizations: readList(fields["authorizations"], "authorizations", readUrl),
    finalize: readUrl(fields["finalize"], "finalize"),
    /** Present once the status is `valid`. */
    ...optionalField(fields, "certificate", readUrl),
    ...errorField(fields),
    ...retryAfterField(retryAfterMs),
  };
  if (order.status === "valid" && order.certificate === undefined)
    throw malformed("a valid order without a certificate");
  return order;
};

export type Order = ReturnType<typeof readOrder>;

const CHALLENGE_TYPES = ["http-01", "tls-alpn-01", "dns-01"] as const;
const CHALLENGE_STATUSES = ["pending", "processing", "valid", "invalid"] as const;
/** RFC 8555 section 8.1: at least 128 bits, in base64url. It is safe in a path. */
const TOKEN = /^[A-Za-z0-9_-]{22,256}$/;

/** RFC 8555 section 8. */
export const readChallenge = (value: unknown, what = "the challenge") => {
  const fields = readFields(value, what);
  const token = fields["token"];
  if (typeof token !== "string" || !TOKEN.test(token))
    throw malformed(`${what}.token is not 22 to 256 characters of base64url`);
  return {
    type: readWord(fields["type"], `${what}.type`, CHALLENGE_TYPES),
    url: readUrl(fields["url"], `${what}.url`),
    status: readWord(fields["status"], `${what}.status`, CHALLENGE_STATUSES),
    token,
    ...errorField(fields),
  };
};

/** True for a challenge of an unknown type, which is left out. */
const isUnknownType = (value: unknown, what: string): boolean => {
  const { type } = readFields(value, what);
  return !CHALLENGE_TYPES.some((known) => known === type);
};

const AUTHORIZATION_STATUSES = ["pending", "valid", "invalid", "deactivated", "expired", "revoked"] as const;

/** RFC 8555 section 7.1.4. */
export const readAuthorization = (value: unknown, url: string, retryAfterMs?: number) => {
  const fields = readFields(value, "the authorization");
  return {
    url,
    status: readWord(fields["status"], "status", AUTHORIZATION_STATUSES),
    challenges: readList(fields["challenges"], "challenges", (item, what) =>
      isUnknownType(item, what) ? [] : [readChallenge(item, what)],
    ).flat(),
    ...retryAfterField(retryAfterMs),
  };
};

/** RFC 9773 section 4.2. */
export const readRenewalInfo = (value: unknown) => {
  const fields = readFields(value, "the renewal information");
  const window = readFields(fields["suggestedWindow"], "suggestedWindow");
  const start = readTime(window["start"], "suggestedWindow.start");
  const end = readTime(window["end"], "suggestedWindow.end");
  if (end <= start) throw malformed("suggestedWindow ends before it starts");
  return { start, end };
};
