import { parseLimits } from "../lib/acme-limits.ts";
import { parseBlobsUrl } from "../lib/blobs-url.ts";
import { parseDatabaseUrl } from "../lib/database-url.ts";
import { LOG_LEVELS } from "../lib/log.ts";
import { parseServer } from "../lib/name-server.ts";
import {
  address,
  anyText,
  atLeastOne,
  bytes,
  hostName,
  ipAddress,
  issuer,
  listOf,
  mailAddress,
  nodeList,
  nodeName,
  oneOf,
  origin,
  processes,
  safeUrl,
  scopeWords,
  span,
} from "./parse.ts";
import { type Setting, FREE_PORT, PORT, TOGGLE, listFrom, numberFrom, settings } from "./setting.ts";

export type { Setting } from "./setting.ts";

const NETWORK = settings({
  port: {
    ...FREE_PORT,
    fallback: "3000",
    help: "port for HTTP; 0 takes any free port",
  },
  host: {
    placeholder: "address",
    fallback: "127.0.0.1",
    form: "an address or host name",
    help: "address to listen on; 0.0.0.0 listens on all addresses",
    parse: address,
  },
  portHost: {
    placeholder: "address",
    example: "192.0.2.10",
    form: "an address or host name",
    help: "another address for PORT alone; without it HOST, or 127.0.0.1 if HTTPS_PORT is set",
    parse: address,
  },
  baseUrl: {
    placeholder: "url",
    example: "https://adopt.example.org",
    form: "an address without a path, such as https://adopt.example.org",
    help: "public address of the API, such as https://adopt.example.org; set it behind a proxy",
    parse: origin,
  },
  stagingBaseUrl: {
    placeholder: "url",
    example: "https://staging.example.org",
    form: "an address without a path, such as https://staging.example.org",
    help: "address of a staging server, for the API's documentation",
    parse: origin,
  },
  apiHosts: {
    ...listFrom("names", "host names, such as adopt.example.org", hostName),
    example: "api.example.org",
    help: "more host names of the API, in addition to that of BASE_URL, IP addresses and local names",
  },
  corsOrigins: {
    ...listFrom("origins", "origins such as https://app.example.org, or *", (text) =>
      text === "*" ? text : origin(text),
    ),
    example: "https://app.example.org",
    help: "origins whose web pages may call the API, such as https://app.example.org; * allows all",
  },
  trustProxy: {
    ...numberFrom(0, 10),
    fallback: "0",
    form: "a number of proxies from 0 to 10",
    help: "number of proxies in front of the server that add to X-Forwarded-For",
  },
  drainTime: {
    placeholder: "span",
    example: "5s",
    form: "a time span from 0s to 60s, such as 2s",
    help: "how long /readyz reports not ready before the server stops; without it 2s with DATABASE_URL, otherwise 0s",
    parse: span(0, 60_000),
  },
  workers: {
    type: "count",
    placeholder: "number",
    fallback: "1",
    form: "auto, or a number from 1 to 64",
    help: "processes that serve requests; auto starts one for each core, at most 16",
    parse: processes(64),
  },
});

export const STORAGE = settings({
  dataDir: {
    placeholder: "directory",
    fallback: "./data",
    form: "a directory",
    help: "directory of the database, the sites and the first key",
    // Bun removes white space from the ends of a database's path.
    parse: (text) => (text === text.trim() ? anyText(text) : undefined),
  },
  diskReserve: {
    type: "size",
    placeholder: "size",
    fallback: "64MiB",
    form: "a size up to 1024GiB, such as 64MiB",
    help: "disk space to keep free; with less, deploys are refused and /readyz reports not ready",
    parse: bytes(0, 2 ** 40),
  },
  commitGroupSize: {
    ...numberFrom(1, 10_000),
    fallback: "1024",
    help: "maximum number of writes that share one transaction; 1 commits each write by itself",
  },
  auditDays: {
    ...numberFrom(0, 36_500),
    placeholder: "days",
    fallback: "365",
    help: "how many days the audit log keeps an entry; 0 keeps all",
  },
});

const BACKUPS = settings({
  backupSchedule: {
    placeholder: "span",
    example: "24h",
    form: "a time span from 1m to 365d, such as 24h",
    help: "time between two backups of the server, such as 24h; without it the server takes none",
    parse: span(60_000, 365 * 86_400_000),
  },
  backupDir: {
    placeholder: "directory",
    example: "/mnt/backups",
    form: "a directory",
    help: "directory of the scheduled backups, ideally on another disk; without it DATA_DIR/backups",
    parse: anyText,
  },
  backupKeep: {
    ...numberFrom(1, 10_000),
    fallback: "7",
    help: "number of scheduled backups to keep; the server removes older ones",
  },
});

/** Several machines with one store. */
const CLUSTER = settings({
  databaseUrl: {
    placeholder: "url",
    isSecret: true,
    example: "etcd://USER:PASSWORD@etcd1.example.org,etcd2.example.org,etcd3.example.org/adoption-store",
    form: "an address of etcd or PostgreSQL",
    help: "etcd or PostgreSQL that joins several machines to one store; other users of the machine can see flags, so use the variable or the file",
    parse: parseDatabaseUrl,
  },
  clusterNodes: {
    placeholder: "nodes",
    example: "amsterdam,berlin,paris",
    form: "a number from 1 to 99, or the names of the nodes, such as amsterdam,berlin,paris",
    help: "with DATABASE_URL, the number or the NODE_NAMEs of all nodes: status, metrics and /readyz report a missing one",
    parse: nodeList,
  },
  nodeName: {
    placeholder: "name",
    example: "amsterdam",
    form: "1 to 63 letters, digits, dots, hyphens and underscores",
    help: "with DATABASE_URL, the name of this node; without it the name of the machine",
    parse: nodeName,
  },
  staleLimit: {
    placeholder: "span",
    fallback: "1s",
    form: "a time span from 0s to 24h, such as 1s",
    help: "with DATABASE_URL, how long sites and redirects stay available when etcd or PostgreSQL cannot be reached",
    parse: span(0, 86_400_000),
  },
  blobsUrl: {
    placeholder: "url",
    isSecret: true,
    example: "s3://my-bucket/sites?endpoint=https://s3.example.org&region=eu-central-1",
    form: "an address of a bucket, such as s3://my-bucket/sites",
    help: "bucket that has the files of all sites; keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, too",
    parse: parseBlobsUrl,
  },
});

const HTTPS = settings({
  httpsPort: {
    ...FREE_PORT,
    example: "443",
    form: "a port from 0 to 65535, 443 in production",
    help: "port for HTTPS, 443 in production; without it there is no HTTPS",
  },
  httpPort: {
    ...FREE_PORT,
    example: "80",
    form: "a port from 0 to 65535, 80 in production",
    help: "second port for HTTP, 80 in production: responds to CAs and redirects visitors to HTTPS",
  },
  acmeDirectory: {
    ...listFrom("urls", "addresses, such as https://acme-v02.api.letsencrypt.org/directory", safeUrl),
    fallback: "https://acme-v02.api.letsencrypt.org/directory",
    help: "ACME directories of CAs, tried in turn",
  },
  acmeLimits: {
    type: "list",
    placeholder: "limits",
    example: "orders=5000/3h",
    form: "a comma-separated list with one entry per CA: letsencrypt, letsencrypt-staging or none, or changes such as orders=5000/3h domain=none; windows are at most 7d",
    help: "limits on requests to the CAs, in the order of ACME_DIRECTORY; by default the published ones",
    parse: parseLimits,
  },
  acmeAgreeTos: {
    ...TOGGLE,
    fallback: "false",
    help: "agree to the terms of service of the CAs; without it no certificate is ordered",
  },
  acmeEmail: {
    placeholder: "email",
    example: "ops@example.org",
    form: "an email address",
    help: "email address at which the CAs can reach you",
    parse: mailAddress,
  },
  acmeCaFile: {
    placeholder: "file",
    example: "ca.pem",
    form: "a file of PEM certificates",
    help: "PEM file of CA certificates to trust for ACME_DIRECTORY, for a private CA",
    parse: anyText,
  },
  acmeEabKid: {
    placeholder: "id",
    example: "kid-1",
    form: "a key identifier",
    help: "key identifier of the external account binding, for CAs that require one",
    parse: anyText,
  },
  acmeEabHmac: {
    placeholder: "key",
    isSecret: true,
    example: "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W",
    form: "a key in base64url",
    help: "key that belongs to ACME_EAB_KID; other users of the machine can see flags, so use the variable or the file",
    parse: (text) => (/^[\w-]{16,512}=*$/.test(text) ? text : undefined),
  },
  acmeProfile: {
    placeholder: "name",
    example: "shortlived",
    form: "the name of a profile, such as shortlived",
    help: "certificate profile to order, such as shortlived for six days; without it the CA's default profile",
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  },
  acmeHttpPort: {
    ...PORT,
    fallback: "80",
    help: "port at which CAs fetch challenges over HTTP; change it only for tests",
  },
  acmeTlsPort: {
    ...PORT,
    fallback: "443",
    help: "port at which CAs fetch challenges over TLS; change it only for tests",
  },
  dnsChallengeHook: {
    placeholder: "file",
    example: "/usr/local/bin/dns-challenge",
    form: "the path of a program",
    help: "program that adds and removes TXT records below PLATFORM_DOMAIN, to prove the domain for a wildcard certificate",
    parse: anyText,
  },
  dnsUpdateServer: {
    placeholder: "address",
    example: "192.0.2.53",
    form: "an address, such as 192.0.2.53 or [2001:db8::53]:5353",
    help: "primary name server that takes dynamic updates (RFC 2136) below PLATFORM_DOMAIN, for a wildcard certificate",
    parse: (text) => (parseServer(text) ? text : undefined),
  },
  dnsUpdateKeyFile: {
    placeholder: "file",
    example: "/etc/adoption-store/update.key",
    form: "the path of a file that tsig-keygen has written",
    help: "file with the TSIG key (hmac-sha256) for DNS_UPDATE_SERVER",
    parse: anyText,
  },
  dnsUpdateZone: {
    placeholder: "domain",
    example: "example.org",
    form: "a domain name, such as example.org",
    help: "zone at DNS_UPDATE_SERVER that holds PLATFORM_DOMAIN; without it PLATFORM_DOMAIN itself",
    parse: hostName,
  },
  hstsMaxAge: {
    ...numberFrom(0, 63_072_000),
    placeholder: "seconds",
    fallback: "31536000",
    form: "a number of seconds from 0 to 63072000",
    help: "maximum max-age of Strict-Transport-Security, which is sent after the first successful renewal; 0 turns it off",
  },
  caaIssuers: {
    type: "list",
    placeholder: "domains",
    fallback: "letsencrypt.org",
    form: "a comma-separated list of domain names, such as letsencrypt.org",
    help: "names of the CAs in CAA records",
    parse: atLeastOne(listOf(hostName)),
  },
});

const PLATFORM = settings({
  platformDomain: {
    placeholder: "domain",
    fallback: "localhost",
    form: "a domain name, such as sites.example.org",
    help: "domain of the sites: each project is published at <project>.<domain>",
    parse: hostName,
  },
  platformCnameTarget: {
    placeholder: "domain",
    example: "cname.example.org",
    form: "a domain name, such as cname.example.org",
    help: "domain that custom domains point to, as <label>.<domain>; without it cname.<PLATFORM_DOMAIN>",
    parse: hostName,
  },
  deployLimit: {
    type: "size",
    placeholder: "size",
    fallback: "100MiB",
    form: "a size from 1KiB to 1GiB, such as 100MiB",
    help: "largest archive of a deploy",
    parse: bytes(2 ** 10, 2 ** 30),
  },
  projectQuota: {
    type: "size",
    placeholder: "size",
    fallback: "10GiB",
    form: "a size from 1KiB to 1024GiB, such as 10GiB",
    help: "disk space for the deploys of one project",
    parse: bytes(2 ** 10, 2 ** 40),
  },
  publicDomainCheck: {
    ...TOGGLE,
    fallback: "false",
    help: "serve a page at /domain-check where people without a key check a domain",
  },
  domainConnectProviderId: {
    placeholder: "domain",
    example: "example.org",
    form: "a domain name of at most 63 characters, such as example.org",
    help: "domain that identifies this service to DNS providers with Domain Connect; without it, the server contacts none",
    parse: (text) => {
      const name = hostName(text);
      return name !== undefined && name.length <= 63 ? name : undefined;
    },
  },
  dnsResolvers: {
    ...listFrom("addresses", "addresses, such as 192.0.2.53 or [2001:db8::53]:5353", (text) =>
      parseServer(text) ? text : undefined,
    ),
    example: "192.0.2.53",
    help: "DNS resolvers that verify custom domains; without it those of the system",
  },
  dnsPort: {
    ...PORT,
    fallback: "53",
    help: "port of the name servers that this service queries; change it only for tests",
  },
  dnsPrivate: {
    ...TOGGLE,
    fallback: "false",
    help: "query name servers of zones at private addresses, too",
  },
});

const NAME_SERVER = settings({
  nameserver: {
    ...listFrom("names", "host names, such as ns1.example.org", hostName),
    example: "ns1.example.org,ns2.example.org",
    help: "host names of the built-in name server, which serves PLATFORM_DOMAIN and PLATFORM_CNAME_TARGET; without it the server is off",
  },
  publicAddresses: {
    ...listFrom("addresses", "IP addresses, such as 192.0.2.10", ipAddress),
    example: "192.0.2.10,2001:db8::10",
    help: "public IP addresses of this service, for the records of the name server; without it those of this machine",
  },
  dnsListenPort: {
    ...FREE_PORT,
    fallback: "53",
    help: "port of the name server, over UDP and TCP; change it only for tests",
  },
  dnsListenHost: {
    placeholder: "address",
    example: "192.0.2.10",
    form: "an address or host name",
    help: "address that the name server listens on, if it differs from HOST; 0.0.0.0 and :: are all addresses but loopback",
    parse: address,
  },
});

const API = settings({
  bodyLimit: {
    type: "size",
    placeholder: "size",
    fallback: "64KiB",
    form: "a size from 1KiB to 1MiB, such as 64KiB",
    help: "largest JSON body of a request",
    parse: bytes(2 ** 10, 2 ** 20),
  },
  authFailuresPerMinute: {
    ...numberFrom(1, 1_000_000),
    fallback: "100",
    help: "requests with a wrong key or none that one address may send in a minute",
  },
  eventStreams: {
    ...numberFrom(1, 5000),
    fallback: "1000",
    help: "maximum number of open event streams in total",
  },
  eventStreamsPerKey: {
    ...numberFrom(1, 5000),
    fallback: "200",
    help: "maximum number of open event streams of one key or person",
  },
  strictCategories: {
    ...TOGGLE,
    fallback: "false",
    help: "refuse animals whose category does not exist",
  },
  keepOriginals: {
    ...TOGGLE,
    fallback: "false",
    help: "store the original of each photo too, with the position of the camera",
  },
  console: {
    ...TOGGLE,
    fallback: "true",
    help: "serve the web console at /console",
  },
});

const SIGN_IN = settings({
  oidcIssuer: {
    placeholder: "url",
    example: "https://login.example.org",
    form: "an address over HTTPS without a query, such as https://login.example.org",
    help: "OpenID Connect provider whose accounts people may sign in with",
    parse: issuer,
  },
  oidcClientId: {
    placeholder: "id",
    example: "adoption-store",
    form: "a client identifier",
    help: "client id of this service at OIDC_ISSUER",
    parse: anyText,
  },
  oidcClientSecret: {
    placeholder: "secret",
    isSecret: true,
    example: "x9vT2mRk4Qw7",
    form: "a client secret",
    help: "secret that belongs to OIDC_CLIENT_ID, unless it is a public client; other users of the machine can see flags, so use the variable or the file",
    parse: anyText,
  },
  oidcScopes: {
    placeholder: "scopes",
    fallback: "openid email profile",
    form: "scopes separated by spaces, with openid and email among them",
    help: "scopes to ask OIDC_ISSUER for",
    parse: scopeWords,
  },
  oidcLabel: {
    placeholder: "name",
    example: "Shelter account",
    form: "a name of at most 60 characters",
    help: "name of the provider on the button of the sign-in page (default: its host name)",
    parse: (text) => (text.length <= 60 ? anyText(text) : undefined),
  },
});

const FORMATS = ["auto", "json", "pretty"] as const;

const LOGGING = settings({
  logLevel: {
    placeholder: "level",
    choices: LOG_LEVELS,
    fallback: "info",
    form: `one of ${LOG_LEVELS.join(", ")}`,
    help: `lowest level that is logged: ${LOG_LEVELS.join(", ")}; debug names why requests are refused`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    placeholder: "format",
    choices: FORMATS,
    fallback: "auto",
    form: "one of auto, json, pretty",
    help: "json, pretty, or auto, which is pretty on a terminal and JSON elsewhere",
    parse: oneOf(FORMATS),
  },
});

/** Every setting of the server: one row is its flag, its environment variable, its default, its check and its help. */
export const SETTINGS = {
  ...NETWORK,
  ...HTTPS,
  ...STORAGE,
  ...BACKUPS,
  ...CLUSTER,
  ...PLATFORM,
  ...NAME_SERVER,
  ...API,
  ...SIGN_IN,
  ...LOGGING,
} as const;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Network: NETWORK,
  HTTPS,
  Storage: STORAGE,
  Backups: BACKUPS,
  Cluster: CLUSTER,
  Platform: PLATFORM,
  "Name server": NAME_SERVER,
  API,
  "Sign-in": SIGN_IN,
  Logging: LOGGING,
};

export const groupOf = (name: SettingName): string =>
  Object.entries(SETTING_GROUPS).find(([, settings]) => name in settings)?.[0] ?? "";
