import {
  linkField,
  malformed,
  optionalField,
  readFields,
  readList,
  readText,
  readTime,
  readUrl,
  readWord,
} from "./fields.ts";
import { type Problem, printable, readProblem } from "./problem.ts";

/** RFC 8555's objects, read from untrusted JSON. All times are milliseconds UTC. Every reader throws AcmeProblem. */

/** RFC 8555 section 7.1.1. */
export interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
  revokeCert: string;
  /** RFC 9773; absent if the CA has no ARI. */
  renewalInfo?: string;
  termsOfService?: string;
  /** The names by which CAA records allow this CA. */
  caaIdentities: string[];
  externalAccountRequired: boolean;
  /** The names of its certificate profiles (draft-ietf-acme-profiles section 3). */
  profiles: string[];
}

const ORDER_STATUSES = ["pending", "ready", "processing", "valid", "invalid"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** RFC 8555 section 7.1.3. */
export interface Order {
  url: string;
  status: OrderStatus;
  names: string[];
  /** URLs. */
  authorizations: string[];
  /** A URL. */
  finalize: string;
  /** A URL; present once the status is `valid`. */
  certificate?: string;
  expires?: number;
  /** RFC 9773 section 5: the certificate that this one replaces. */
  replaces?: string;
  error?: Problem;
  retryAfterMs?: number;
}

const AUTHORIZATION_STATUSES = ["pending", "valid", "invalid", "deactivated", "expired", "revoked"] as const;
type AuthorizationStatus = (typeof AUTHORIZATION_STATUSES)[number];

/** RFC 8555 section 7.1.4. */
export interface Authorization {
  url: string;
  status: AuthorizationStatus;
  name: string;
  /** The challenges of a known type. */
  challenges: Challenge[];
  expires?: number;
  retryAfterMs?: number;
}

const CHALLENGE_TYPES = ["http-01", "tls-alpn-01", "dns-01"] as const;
type ChallengeType = (typeof CHALLENGE_TYPES)[number];
const CHALLENGE_STATUSES = ["pending", "processing", "valid", "invalid"] as const;
type ChallengeStatus = (typeof CHALLENGE_STATUSES)[number];

/** RFC 8555 section 8. */
export interface Challenge {
  type: ChallengeType;
  url: string;
  status: ChallengeStatus;
  /** Only characters of base64url: it is safe in a path. */
  token: string;
  error?: Problem;
  retryAfterMs?: number;
}

/** RFC 9773 section 4.2. */
export interface RenewalInfo {
  start: number;
  end: number;
  explanationUrl?: string;
  /** How long to wait before the next request. */
  retryAfterMs: number;
}

const MAX_PROFILES = 20;

const INVALIDATING = ["deactivated", "expired", "revoked"] as const;

const MAX_NAME_LENGTH = 253;
/** RFC 8555 section 8.1: at least 128 bits, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{22,256}$/;

const retryAfterField = (retryAfterMs: number | undefined) =>
  retryAfterMs === undefined ? {} : { retryAfterMs };

const readDnsName = (value: unknown, what: string): string => {
  const { type, value: name } = readFields(value, what);
  readWord(type, `${what}.type`, ["dns"]);
  return readText(name, `${what}.value`, MAX_NAME_LENGTH).toLowerCase();
};

export const readDirectory = (value: unknown): Directory => {
  const fields = readFields(value, "the directory");
  const meta = readFields(fields["meta"] ?? {}, "meta");
  return {
    newNonce: readUrl(fields["newNonce"], "newNonce"),
    newAccount: readUrl(fields["newAccount"], "newAccount"),
    newOrder: readUrl(fields["newOrder"], "newOrder"),
    revokeCert: readUrl(fields["revokeCert"], "revokeCert"),
    ...optionalField("renewalInfo", fields["renewalInfo"], readUrl, "renewalInfo"),
    ...linkField("termsOfService", meta["termsOfService"]),
    caaIdentities: readList(meta["caaIdentities"] ?? [], "meta.caaIdentities", (item, what) =>
      readText(item, what, MAX_NAME_LENGTH),
    ),
    externalAccountRequired: meta["externalAccountRequired"] === true,
    profiles: Object.keys(readFields(meta["profiles"] ?? {}, "meta.profiles"))
      .slice(0, MAX_PROFILES)
      .map(printable),
  };
};

/** Beyond RFC 8555 section 7.1.6, Boulder and pebble give an order the status of the authorization that made it invalid. */
const readOrderStatus = (value: unknown): OrderStatus =>
  INVALIDATING.some((status) => status === value) ? "invalid" : readWord(value, "status", ORDER_STATUSES);

export const readOrder = (value: unknown, url: string, retryAfterMs?: number): Order => {
  const fields = readFields(value, "the order");
  const order = {
    url,
    status: readOrderStatus(fields["status"]),
    names: readList(fields["identifiers"], "identifiers", readDnsName),
    authorizations: readList(fields["authorizations"], "authorizations", readUrl),
    finalize: readUrl(fields["finalize"], "finalize"),
    ...optionalField("certificate", fields["certificate"], readUrl, "certificate"),
    ...optionalField("expires", fields["expires"], readTime, "expires"),
    ...optionalField("replaces", fields["replaces"], (item, what) => readText(item, what), "replaces"),
    ...optionalField("error", fields["error"], (item) => readProblem(item), "error"),
    ...retryAfterField(retryAfterMs),
  };
  if (order.status === "valid" && order.certificate === undefined)
    throw malformed("a valid order without a certificate");
  return order;
};

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
    ...optionalField("error", fields["error"], (item) => readProblem(item), `${what}.error`),
    ...retryAfterField(retryAfterMs),
  };
};

/** True for a challenge of an unknown type, which is left out. */
const isUnknownType = (value: unknown, what: string): boolean => {
  const { type } = readFields(value, what);
  return !CHALLENGE_TYPES.some((known) => known === type);
};

export const readAuthorization = (value: unknown, url: string, retryAfterMs?: number): Authorization => {
  const fields = readFields(value, "the authorization");
  return {
    url,
    status: readWord(fields["status"], "status", AUTHORIZATION_STATUSES),
    name: readDnsName(fields["identifier"], "identifier"),
    challenges: readList(fields["challenges"], "challenges", (item, what) =>
      isUnknownType(item, what) ? [] : [readChallenge(item, what)],
    ).flat(),
    ...optionalField("expires", fields["expires"], readTime, "expires"),
    ...retryAfterField(retryAfterMs),
  };
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** RFC 9773 section 4.3.3: the wait without a Retry-After. */
const DEFAULT_RETRY_MS = 6 * HOUR_MS;

/** RFC 9773 section 4.3.2: reasonable limits on the Retry-After. */
const pollAfter = (retryAfterMs = DEFAULT_RETRY_MS): number =>
  Math.min(Math.max(retryAfterMs, MINUTE_MS), 24 * HOUR_MS);

export const readRenewalInfo = (value: unknown, retryAfterMs?: number): RenewalInfo => {
  const fields = readFields(value, "the renewal information");
  const window = readFields(fields["suggestedWindow"], "suggestedWindow");
  const start = readTime(window["start"], "suggestedWindow.start");
  const end = readTime(window["end"], "suggestedWindow.end");
  if (end <= start) throw malformed("suggestedWindow ends before it starts");
  return {
    start,
    end,
    ...linkField("explanationUrl", fields["explanationURL"]),
    retryAfterMs: pollAfter(retryAfterMs),
  };
};
