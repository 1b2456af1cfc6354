import { parseTime } from "../../lib/time.ts";
import { AcmeProblem, type Problem, readProblem, printable } from "./problem.ts";

/** RFC 8555's objects, read from JSON that nobody vouches for. All times are milliseconds UTC. */

/** RFC 8555 section 7.1.1. */
export interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
  revokeCert: string;
  /** RFC 9773; absent if the certificate authority has none. */
  renewalInfo?: string;
  termsOfService?: string;
  /** The names by which CAA records allow this certificate authority. */
  caaIdentities: string[];
  externalAccountRequired: boolean;
}

export type OrderStatus = "pending" | "ready" | "processing" | "valid" | "invalid";

/** RFC 8555 section 7.1.3. */
export interface Order {
  url: string;
  status: OrderStatus;
  names: string[];
  /** URLs. */
  authorizations: string[];
  /** A URL. */
  finalize: string;
  /** A URL: there once the status is `valid`. */
  certificate?: string;
  expires?: number;
  /** RFC 9773 section 5: the certificate that this one replaces. */
  replaces?: string;
  error?: Problem;
  retryAfterMs?: number;
}

export type AuthorizationStatus = "pending" | "valid" | "invalid" | "deactivated" | "expired" | "revoked";

/** RFC 8555 section 7.1.4. */
export interface Authorization {
  url: string;
  status: AuthorizationStatus;
  name: string;
  /** Those of a type that is known here. */
  challenges: Challenge[];
  expires?: number;
  retryAfterMs?: number;
}

export const CHALLENGE_TYPES = ["http-01", "tls-alpn-01", "dns-01"] as const;
export type ChallengeType = (typeof CHALLENGE_TYPES)[number];
export type ChallengeStatus = "pending" | "processing" | "valid" | "invalid";

/** RFC 8555 section 8. */
export interface Challenge {
  type: ChallengeType;
  url: string;
  status: ChallengeStatus;
  /** Characters of base64url only: it may stand in a path. */
  token: string;
  error?: Problem;
  retryAfterMs?: number;
}

/** RFC 9773 section 4.2. */
export interface RenewalInfo {
  start: number;
  end: number;
  explanationUrl?: string;
  /** Until it is to be asked for again. */
  retryAfterMs: number;
}

const ORDER_STATUSES = ["pending", "ready", "processing", "valid", "invalid"] as const;
const SPOILED = ["deactivated", "expired", "revoked"] as const;
const AUTHORIZATION_STATUSES = ["pending", "valid", "invalid", "deactivated", "expired", "revoked"] as const;
const CHALLENGE_STATUSES = ["pending", "processing", "valid", "invalid"] as const;

const MAX_ENTRIES = 100;
const MAX_TEXT_LENGTH = 2000;
const MAX_NAME_LENGTH = 253;
/** RFC 8555 section 8.1: at least 128 bits, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{22,256}$/;

export const malformed = (detail: string): AcmeProblem =>
  new AcmeProblem({ type: "malformed_answer", detail: printable(detail) });

type Fields = Record<string, unknown>;

const readFields = (value: unknown, what: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed(`${what} is not an object`);
  return value as Fields;
};

const readText = (value: unknown, what: string, mostLength = MAX_TEXT_LENGTH): string => {
  if (typeof value !== "string") throw malformed(`${what} is not a text`);
  if (value === "" || value.length > mostLength)
    throw malformed(`${what} is not of 1 to ${mostLength} characters`);
  return value;
};

const readList = <Item>(
  value: unknown,
  what: string,
  read: (item: unknown, what: string) => Item,
): Item[] => {
  if (!Array.isArray(value)) throw malformed(`${what} is not a list`);
  if (value.length > MAX_ENTRIES) throw malformed(`${what} has more than ${MAX_ENTRIES} entries`);
  return value.map((item, index) => read(item, `${what}[${index}]`));
};

const readWord = <Word extends string>(value: unknown, what: string, words: readonly Word[]): Word => {
  const word = words.find((one) => one === value);
  if (word === undefined) throw malformed(`${what} is not one of ${words.join(", ")}`);
  return word;
};

const readTime = (value: unknown, what: string): number => {
  const at = typeof value === "string" ? parseTime(value) : undefined;
  if (at === undefined) throw malformed(`${what} is not a time`);
  return at;
};

/** True of an http or https URL without a user, in printable ASCII. */
const isWebUrl = (text: string): boolean => {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/**
 * As it came: a server knows its URLs by their letters (RFC 8555 section 6.4).
 * @throws AcmeProblem
 */
export const readUrl = (value: unknown, what: string): string => {
  const text = readText(value, what);
  if (!isWebUrl(text)) throw malformed(`${what} is not an http or https URL`);
  return text;
};

/** A URL that is shown to people and never asked: nothing where it is no URL of the web, such as pebble's `data:`. */
const linkFor = <Key extends string>(key: Key, value: unknown): Partial<Record<Key, string>> => {
  const isLink = typeof value === "string" && value.length <= MAX_TEXT_LENGTH && isWebUrl(value);
  return isLink ? ({ [key]: value } as Record<Key, string>) : {};
};

const ABSENT = new Set<unknown>([undefined, null, ""]);

/** Nothing where the field is absent, null or empty; what `read` makes of it otherwise. */
const optional = <Key extends string, Value>(
  key: Key,
  value: unknown,
  read: (value: unknown, what: string) => Value,
  what: string,
): Partial<Record<Key, Value>> =>
  ABSENT.has(value) ? {} : ({ [key]: read(value, what) } as Record<Key, Value>);

const waiting = (retryAfterMs: number | undefined) => (retryAfterMs === undefined ? {} : { retryAfterMs });

const readDnsName = (value: unknown, what: string): string => {
  const { type, value: name } = readFields(value, what);
  readWord(type, `${what}.type`, ["dns"]);
  return readText(name, `${what}.value`, MAX_NAME_LENGTH).toLowerCase();
};

/** @throws AcmeProblem */
export const readDirectory = (value: unknown): Directory => {
  const fields = readFields(value, "the directory");
  const meta = readFields(fields["meta"] ?? {}, "meta");
  return {
    newNonce: readUrl(fields["newNonce"], "newNonce"),
    newAccount: readUrl(fields["newAccount"], "newAccount"),
    newOrder: readUrl(fields["newOrder"], "newOrder"),
    revokeCert: readUrl(fields["revokeCert"], "revokeCert"),
    ...optional("renewalInfo", fields["renewalInfo"], readUrl, "renewalInfo"),
    ...linkFor("termsOfService", meta["termsOfService"]),
    caaIdentities: readList(meta["caaIdentities"] ?? [], "meta.caaIdentities", (item, what) =>
      readText(item, what, MAX_NAME_LENGTH),
    ),
    externalAccountRequired: meta["externalAccountRequired"] === true,
  };
};

/**
 * Boulder and pebble say so, beyond RFC 8555 section 7.1.6, of an order by the authorization that spoiled it.
 * @throws AcmeProblem
 */
const readOrderStatus = (value: unknown): OrderStatus =>
  SPOILED.some((status) => status === value) ? "invalid" : readWord(value, "status", ORDER_STATUSES);

/** @throws AcmeProblem */
export const readOrder = (value: unknown, url: string, retryAfterMs?: number): Order => {
  const fields = readFields(value, "the order");
  const order = {
    url,
    status: readOrderStatus(fields["status"]),
    names: readList(fields["identifiers"], "identifiers", readDnsName),
    authorizations: readList(fields["authorizations"], "authorizations", readUrl),
    finalize: readUrl(fields["finalize"], "finalize"),
    ...optional("certificate", fields["certificate"], readUrl, "certificate"),
    ...optional("expires", fields["expires"], readTime, "expires"),
    ...optional("replaces", fields["replaces"], (item, what) => readText(item, what), "replaces"),
    ...optional("error", fields["error"], (item) => readProblem(item), "error"),
    ...waiting(retryAfterMs),
  };
  if (order.status === "valid" && order.certificate === undefined)
    throw malformed("a valid order without a certificate");
  return order;
};

/** @throws AcmeProblem */
export const readChallenge = (value: unknown, what = "the challenge", retryAfterMs?: number): Challenge => {
  const fields = readFields(value, what);
  const token = fields["token"];
  if (typeof token !== "string" || !TOKEN.test(token))
    throw malformed(`${what}.token is not 22 to 256 characters of base64url`);
  return {
    type: readWord(fields["type"], `${what}.type`, CHALLENGE_TYPES),
    url: readUrl(fields["url"], `${what}.url`),
    status: readWord(fields["status"], `${what}.status`, CHALLENGE_STATUSES),
    token,
    ...optional("error", fields["error"], (item) => readProblem(item), `${what}.error`),
    ...waiting(retryAfterMs),
  };
};

/** True of what may be left out: a challenge of a type that is not known here. */
const isForeign = (value: unknown, what: string): boolean => {
  const { type } = readFields(value, what);
  return !CHALLENGE_TYPES.some((known) => known === type);
};

/** @throws AcmeProblem */
export const readAuthorization = (value: unknown, url: string, retryAfterMs?: number): Authorization => {
  const fields = readFields(value, "the authorization");
  return {
    url,
    status: readWord(fields["status"], "status", AUTHORIZATION_STATUSES),
    name: readDnsName(fields["identifier"], "identifier"),
    challenges: readList(fields["challenges"], "challenges", (item, what) =>
      isForeign(item, what) ? [] : [readChallenge(item, what)],
    ).flat(),
    ...optional("expires", fields["expires"], readTime, "expires"),
    ...waiting(retryAfterMs),
  };
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** RFC 9773 section 4.3.3. */
const UNSAID_MS = 6 * HOUR;

/** RFC 9773 section 4.3.2: reasonable limits on what the certificate authority asks for. */
const pollAfter = (retryAfterMs = UNSAID_MS): number => Math.min(Math.max(retryAfterMs, MINUTE), 24 * HOUR);

/** @throws AcmeProblem */
export const readRenewalInfo = (value: unknown, retryAfterMs?: number): RenewalInfo => {
  const fields = readFields(value, "the renewal information");
  const window = readFields(fields["suggestedWindow"], "suggestedWindow");
  const start = readTime(window["start"], "suggestedWindow.start");
  const end = readTime(window["end"], "suggestedWindow.end");
  if (end <= start) throw malformed("suggestedWindow ends before it starts");
  return {
    start,
    end,
    ...linkFor("explanationUrl", fields["explanationURL"]),
    retryAfterMs: pollAfter(retryAfterMs),
  };
};
