import { parseServer } from "./domains/dns/settings.ts";
import { type LogFormat, LOG_LEVELS, type LogLevel } from "./http/logging.ts";

/** Everything that can be set, checked and frozen. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Directory of the database, the lock and the first key. */
  readonly dataDir: string;
  /** Public address without a path, as clients reach it; undefined: where it listens. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  /** How many proxies in front add to X-Forwarded-For. */
  readonly trustProxy: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Colours on the terminal. */
  readonly colour: boolean;
  /** Bytes of a JSON body. */
  readonly bodyLimit: number;
  readonly authFailuresPerMinute: number;
  /** Most writes that share one fsync. */
  readonly commitGroupSize: number;
  /** Bytes; below, `/readyz` says not ready. */
  readonly diskReserve: number;
  /** Projects are published at `<slug>.<platformDomain>`. */
  readonly platformDomain: string;
  /** CNAME targets of custom domains are `<label>.<platformCnameTarget>`. */
  readonly platformCnameTarget: string;
  /** Host names of the API beside `baseUrl`'s, addresses and local names. */
  readonly apiHosts: readonly string[];
  /** Bytes of an archive, packed. */
  readonly deployLimit: number;
  /** `address` or `address:port` of each resolver; none: those of the system. */
  readonly dnsResolvers: readonly string[];
  /** Port of name servers that no setting names with a port of its own. */
  readonly dnsPort: number;
  /** True if name servers at private addresses may be asked. */
  readonly dnsPrivate: boolean;
  /** What CAA records must name for a certificate to be issued. */
  readonly caaIssuers: readonly string[];
}

/** A setting that cannot be used: its message names it and the form that it must have. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Reads a setting's text; undefined if it has not the form. */
type Parse<Value> = (text: string) => Value | undefined;

export interface Setting<Value = unknown> {
  readonly env: string;
  /** The flag's name, without dashes in front. */
  readonly flag: string;
  readonly fallback: string;
  /** What it must look like: "a port from 0 to 65535". */
  readonly form: string;
  readonly help: string;
  readonly parse: Parse<Value>;
}

const integer =
  (least: number, most: number): Parse<number> =>
  (text) =>
    /^[0-9]{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;

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

const bytes =
  (least: number, most: number): Parse<number> =>
  (text) => {
    const [, digits, unit = ""] = /^([0-9]{1,12}) ?([a-z]*)$/.exec(text.toLowerCase()) ?? [];
    if (digits === undefined || !(unit in UNITS)) return undefined;
    const size = Number(digits) * UNITS[unit as keyof typeof UNITS];
    return size >= least && size <= most ? size : undefined;
  };

const origin: Parse<string> = (text) => {
  if (!/^https?:\/\/[^/?#]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username, password } = new URL(text);
  return username || password ? undefined : origin;
};

const optional =
  <Value>(parse: Parse<Value>): Parse<Value | ""> =>
  (text) =>
    text === "" ? "" : parse(text);

const oneOf =
  <const Word extends string>(words: readonly Word[]): Parse<Word> =>
  (text) =>
    words.find((word) => word === text);

const hostName: Parse<string> = (text) => {
  const name = text.toLowerCase().replace(/\.$/, "");
  // A last label of digits alone makes an address of it (RFC 3696 section 2).
  if (/(^|\.)[0-9]+$/.test(name)) return undefined;
  return name.length <= 253 && /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(name)
    ? name
    : undefined;
};

const listOf =
  <Value>(parse: Parse<Value>): Parse<readonly Value[]> =>
  (text) => {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const parsed = parts.map(parse);
    return parsed.includes(undefined) ? undefined : (parsed as Value[]);
  };

const anyText: Parse<string> = (text) => (text === "" || text.includes("\0") ? undefined : text);

/** Every setting of the server: one row is its flag, its environment variable, its default, its check and its help. */
export const SETTINGS = {
  port: {
    env: "PORT",
    flag: "port",
    fallback: "3000",
    form: "a port from 0 to 65535 (0: any free one)",
    help: "port to listen on",
    parse: integer(0, 65_535),
  },
  host: {
    env: "HOST",
    flag: "host",
    fallback: "127.0.0.1",
    form: "an address or host name",
    help: "address to listen on; 0.0.0.0 for all",
    parse: (text) => (/^[\w.:%-]{1,253}$/.test(text) ? text : undefined),
  },
  dataDir: {
    env: "DATA_DIR",
    flag: "data-dir",
    fallback: "./data",
    form: "a directory",
    help: "directory of the database and the first key",
    parse: anyText,
  },
  baseUrl: {
    env: "BASE_URL",
    flag: "base-url",
    fallback: "",
    form: "an address without a path, such as https://adopt.example.org",
    help: "public address, as clients reach it",
    parse: optional(origin),
  },
  stagingBaseUrl: {
    env: "STAGING_BASE_URL",
    flag: "staging-base-url",
    fallback: "",
    form: "an address without a path, such as https://staging.example.org",
    help: "address of the staging environment, for the documentation",
    parse: optional(origin),
  },
  corsOrigins: {
    env: "CORS_ORIGINS",
    flag: "cors-origins",
    fallback: "",
    form: "origins separated by commas, such as https://app.example.org, or *",
    help: "origins whose pages may call the API",
    parse: listOf((text) => (text === "*" ? text : origin(text))),
  },
  trustProxy: {
    env: "TRUST_PROXY",
    flag: "trust-proxy",
    fallback: "0",
    form: "a number of proxies from 0 to 10",
    help: "proxies in front whose X-Forwarded-For counts",
    parse: integer(0, 10),
  },
  logLevel: {
    env: "LOG_LEVEL",
    flag: "log-level",
    fallback: "info",
    form: `one of ${LOG_LEVELS.join(", ")}`,
    help: "least level that is logged",
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    env: "LOG_FORMAT",
    flag: "log-format",
    fallback: "auto",
    form: "one of auto, json, pretty",
    help: "auto: pretty on a terminal, JSON elsewhere",
    parse: oneOf(["auto", "json", "pretty"]),
  },
  bodyLimit: {
    env: "BODY_LIMIT",
    flag: "body-limit",
    fallback: "64KiB",
    form: "a size from 1KiB to 1MiB, such as 64KiB",
    help: "largest JSON body",
    parse: bytes(2 ** 10, 2 ** 20),
  },
  authFailuresPerMinute: {
    env: "AUTH_FAILURES_PER_MINUTE",
    flag: "auth-failures-per-minute",
    fallback: "100",
    form: "a number from 1 to 1000000",
    help: "failed authentications a client address may make in a minute",
    parse: integer(1, 1_000_000),
  },
  commitGroupSize: {
    env: "COMMIT_GROUP_SIZE",
    flag: "commit-group-size",
    fallback: "1024",
    form: "a number from 1 to 10000",
    help: "most writes that share one fsync",
    parse: integer(1, 10_000),
  },
  diskReserve: {
    env: "DISK_RESERVE",
    flag: "disk-reserve",
    fallback: "64MiB",
    form: "a size up to 1024GiB, such as 64MiB",
    help: "free space below which /readyz says not ready",
    parse: bytes(0, 2 ** 40),
  },
  platformDomain: {
    env: "PLATFORM_DOMAIN",
    flag: "platform-domain",
    fallback: "localhost",
    form: "a domain name, such as sites.example.org",
    help: "projects are published at <slug>.<this>",
    parse: hostName,
  },
  platformCnameTarget: {
    env: "PLATFORM_CNAME_TARGET",
    flag: "platform-cname-target",
    fallback: "",
    form: "a domain name, such as cname.example.org",
    help: "custom domains point to <label>.<this>; by default cname.<PLATFORM_DOMAIN>",
    parse: optional(hostName),
  },
  apiHosts: {
    env: "API_HOSTS",
    flag: "api-hosts",
    fallback: "",
    form: "host names separated by commas, such as adopt.example.org",
    help: "further host names of the API, beside BASE_URL's, addresses and local names",
    parse: listOf(hostName),
  },
  deployLimit: {
    env: "DEPLOY_LIMIT",
    flag: "deploy-limit",
    fallback: "100MiB",
    form: "a size from 1KiB to 1GiB, such as 100MiB",
    help: "largest archive of a deploy",
    parse: bytes(2 ** 10, 2 ** 30),
  },
  dnsResolvers: {
    env: "DNS_RESOLVERS",
    flag: "dns-resolvers",
    fallback: "",
    form: "addresses separated by commas, such as 192.0.2.53 or [2001:db8::53]:5353",
    help: "resolvers that verify custom domains; by default the system's",
    parse: listOf((text) => (parseServer(text) ? text : undefined)),
  },
  dnsPort: {
    env: "DNS_PORT",
    flag: "dns-port",
    fallback: "53",
    form: "a port from 1 to 65535",
    help: "port of name servers",
    parse: integer(1, 65_535),
  },
  dnsPrivate: {
    env: "DNS_PRIVATE",
    flag: "dns-private",
    fallback: "no",
    form: "yes or no",
    help: "yes: zones may have their name servers at private addresses",
    parse: oneOf(["yes", "no"]),
  },
  caaIssuers: {
    env: "CAA_ISSUERS",
    flag: "caa-issuers",
    fallback: "letsencrypt.org",
    form: "domain names separated by commas, such as letsencrypt.org",
    help: "names of the certificate authority in CAA records",
    parse: listOf(hostName),
  },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof SETTINGS;
type Values = { [K in Name]: Exclude<ReturnType<(typeof SETTINGS)[K]["parse"]>, undefined> };

/** Where a setting's text comes from. */
export interface Sources {
  /** By flag name in camel case, as the command line parser gives them. */
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** What holds where neither says anything, by environment variable. */
  remembered?: Readonly<Record<string, string>>;
  /** True if standard output is a terminal. */
  isTerminal: boolean;
}

const valueOf = (name: Name, { flags, env, remembered = {} }: Sources): unknown => {
  const setting: Setting = SETTINGS[name];
  const flag = flags[name];
  // An empty variable is an unset one: that is how shells and unit files unset them.
  const text = flag ?? (env[setting.env] || remembered[setting.env] || setting.fallback);
  const value = setting.parse(text);
  if (value !== undefined) return value;
  const source = flag === undefined ? setting.env : `--${setting.flag}`;
  throw new ConfigError(`${source}: ${JSON.stringify(text)} is not ${setting.form}`);
};

/** Flags, then environment, then what is remembered, then defaults. @throws ConfigError */
export const readConfig = (sources: Sources): Config => {
  const names = Object.keys(SETTINGS) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, valueOf(name, sources)])) as unknown as Values;
  const { logFormat, baseUrl, stagingBaseUrl, platformDomain, platformCnameTarget } = values;
  return Object.freeze({
    ...values,
    baseUrl: baseUrl || undefined,
    stagingBaseUrl: stagingBaseUrl || undefined,
    platformCnameTarget: platformCnameTarget || `cname.${platformDomain}`,
    dnsPrivate: values.dnsPrivate === "yes",
    logFormat: logFormat === "auto" ? (sources.isTerminal ? "pretty" : "json") : logFormat,
    colour: sources.isTerminal && !sources.env["NO_COLOR"],
  });
};

/** What commands beside a server must know of it. */
export const SHARED = [
  "port",
  "baseUrl",
  "stagingBaseUrl",
  "platformDomain",
  "platformCnameTarget",
  "apiHosts",
  "dnsResolvers",
  "dnsPort",
  "dnsPrivate",
  "caaIssuers",
] as const satisfies readonly Name[];

const textOf = (value: string | number | boolean | readonly string[]): string => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
};

/** The shared settings as `readConfig` takes them, by environment variable. */
export const textsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    SHARED.flatMap((name) => {
      const value = config[name];
      return value === undefined ? [] : [[SETTINGS[name].env, textOf(value)]];
    }),
  );

/** What the process was started with. */
export const processSources = (
  flags: Sources["flags"],
  remembered: Readonly<Record<string, string>> = {},
): Sources => ({
  flags,
  remembered,
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
});

/** How commands reach a server. */
export interface Client {
  /** Origin, without a path. */
  readonly server: string;
  /** An API key; undefined: the one in DATA_DIR. */
  readonly key: string | undefined;
}

const SERVER = "ADOPTION_STORE_URL";
const KEY = "ADOPTION_STORE_KEY";

/** Flag `server`, then the environment, then where a server with this configuration answers. @throws ConfigError */
export const readClient = ({ flags, env }: Sources, { baseUrl, port }: Config): Client => {
  const text = flags["server"] ?? (env[SERVER] || baseUrl || `http://localhost:${port}`);
  const server = origin(text);
  if (server === undefined) {
    const source = flags["server"] === undefined ? SERVER : "--server";
    throw new ConfigError(
      `${source}: ${JSON.stringify(text)} is not an address such as https://adopt.example.org`,
    );
  }
  return { server, key: env[KEY] || undefined };
};
