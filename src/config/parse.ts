import { isIP } from "node:net";
import { availableParallelism } from "node:os";

/** Parses a setting; undefined if it is malformed. @throws InvalidDatabaseUrl or InvalidBlobsUrl that names a correct form */
export type Parse<Value> = (text: string) => Value | undefined;

export const integer =
  (min: number, max: number): Parse<number> =>
  (text) =>
    /^[0-9]{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

const MAX_AUTO_PROCESSES = 16;

/** Only Linux spreads connections over the processes that share a port. */
const autoProcesses = (): number =>
  process.platform === "linux" ? Math.min(availableParallelism(), MAX_AUTO_PROCESSES) : 1;

/** A number of processes; `auto` is one for each core. */
export const processes =
  (max: number): Parse<number> =>
  (text) =>
    text === "auto" ? autoProcesses() : integer(1, max)(text);

const UNITS = {
  "": 1,
  b: 1,
  k: 2 ** 10,
  kb: 2 ** 10,
  kib: 2 ** 10,
  m: 2 ** 20,
  mb: 2 ** 20,
  mib: 2 ** 20,
  g: 2 ** 30,
  gb: 2 ** 30,
  gib: 2 ** 30,
} as const;

export const bytes =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const [, digits, unit = ""] = /^([0-9]{1,12}) ?([a-z]*)$/.exec(text.toLowerCase()) ?? [];
    if (digits === undefined || !(unit in UNITS)) return undefined;
    const size = Number(digits) * UNITS[unit as keyof typeof UNITS];
    return size >= min && size <= max ? size : undefined;
  };

/** A boolean: `true`, `yes` and `on`, or `false`, `no` and `off`. */
export const boolean: Parse<boolean> = (text) => {
  if (/^(true|yes|on)$/i.test(text)) return true;
  return /^(false|no|off)$/i.test(text) ? false : undefined;
};

const SPANS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time span such as `10s`, `30m`, `24h`, `7d`, in milliseconds. */
export const span =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const [, digits, unit] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
    const ms = Number(digits) * SPANS[unit as keyof typeof SPANS];
    return ms >= min && ms <= max ? ms : undefined;
  };

/** The URL parser also accepts characters that a Host header forbids, and ones that a shell or a template would interpret. */
const URL_HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/;

export const origin: Parse<string> = (text) => {
  if (!/^https?:\/\/[^/?#\\]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname, username, password } = new URL(text);
  return username || password || !URL_HOST.test(hostname) ? undefined : origin;
};

/** A URL over HTTPS, or on this machine. */
export const safeUrl: Parse<string> = (text) => {
  if (!/^https?:\/\/[^/?#@]+\/[^#]*$/i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ? href : undefined;
};

/** An issuer identifier, as typed: tokens name it character for character (OpenID Connect Core, section 2). */
export const issuer: Parse<string> = (text) =>
  /^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/.test(text) && safeUrl(`${text}/`) !== undefined ? text : undefined;

/** Scopes of OAuth 2.0 (RFC 6749 section 3.3) that bring an ID token and an email address. */
export const scopeWords: Parse<string> = (text) => {
  const words = text.trim().split(/\s+/);
  const isForm = words.every((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(word));
  return isForm && words.includes("openid") && words.includes("email") ? words.join(" ") : undefined;
};

export const mailAddress: Parse<string> = (text) =>
  text.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+$/.test(text) ? text : undefined;

export const oneOf =
  <const Word extends string>(words: readonly Word[]): Parse<Word> =>
  (text) =>
    words.find((word) => word === text);

export const hostName: Parse<string> = (text) => {
  const name = text.toLowerCase().replace(/\.$/, "");
  // A last label of digits only would make it an address (RFC 3696 section 2).
  if (/(^|\.)[0-9]+$/.test(name)) return undefined;
  return name.length <= 253 && /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(name)
    ? name
    : undefined;
};

export const listOf =
  <Value>(parse: Parse<Value>): Parse<readonly Value[]> =>
  (text) => {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const parsed = parts.map(parse);
    return parsed.includes(undefined) ? undefined : (parsed as Value[]);
  };

export const atLeastOne =
  <Value>(parse: Parse<readonly Value[]>): Parse<readonly Value[]> =>
  (text) => {
    const values = parse(text);
    return values && values.length > 0 ? values : undefined;
  };

export const address: Parse<string> = (text) => (/^[\w.:%-]{1,253}$/.test(text) ? text : undefined);

/** An IP address without a zone index. */
export const ipAddress: Parse<string> = (text) =>
  isIP(text) !== 0 && !text.includes("%") ? text : undefined;

export const anyText: Parse<string> = (text) => (text === "" || text.includes("\0") ? undefined : text);

export const nodeName: Parse<string> = (text) => (/^[\w.-]{1,63}$/.test(text) ? text : undefined);

/** The number of nodes, or their different names. */
export const nodeList: Parse<number | readonly string[]> = (text) => {
  if (/^[-+]?\d+(\.\d*)?$/.test(text)) return integer(1, 99)(text);
  const names = atLeastOne(listOf(nodeName))(text);
  return names && new Set(names).size === names.length ? names : undefined;
};
