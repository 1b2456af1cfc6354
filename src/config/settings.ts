import { parseServer } from "../domains/dns/settings.ts";
import { LOG_LEVELS } from "../http/logging.ts";
import { type Parse, anyText, bytes, hostName, integer, listOf, oneOf, optional, origin } from "./parse.ts";

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

export type SettingName = keyof typeof SETTINGS;
