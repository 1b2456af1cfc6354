import { parseBlobsUrl } from "../../lib/blobs-url.ts";
import { parseDatabaseUrl } from "../../lib/database-url.ts";
import { LOG_LEVELS } from "../../lib/log.ts";
import {
  address,
  anyText,
  bytes,
  hostName,
  integer,
  listOf,
  oneOf,
  origin,
  processes,
  span,
} from "../parse.ts";
import { FREE_PORT, numberFrom, settings } from "../setting.ts";

/** The server's listening address, and its address for clients. */
export const NETWORK = settings({
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
    type: "list",
    placeholder: "names",
    example: "api.example.org",
    form: "a comma-separated list of host names, such as adopt.example.org",
    help: "more host names of the API, in addition to that of BASE_URL, IP addresses and local names",
    parse: listOf(hostName),
  },
  corsOrigins: {
    type: "list",
    placeholder: "origins",
    example: "https://app.example.org",
    form: "a comma-separated list of origins such as https://app.example.org, or *",
    help: "origins whose web pages may call the API, such as https://app.example.org; * allows all",
    parse: listOf((text) => (text === "*" ? text : origin(text))),
  },
  trustProxy: {
    type: "number",
    placeholder: "number",
    fallback: "0",
    form: "a number of proxies from 0 to 10",
    help: "number of proxies in front of the server that add to X-Forwarded-For",
    parse: integer(0, 10),
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

/** The directory of the data, and how the server writes there. */
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

/** Backups that the server takes. */
export const BACKUPS = settings({
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
export const CLUSTER = settings({
  databaseUrl: {
    placeholder: "url",
    isSecret: true,
    example: "etcd://USER:PASSWORD@etcd1.example.org,etcd2.example.org,etcd3.example.org/adoption-store",
    form: "an address of etcd or PostgreSQL",
    help: "etcd or PostgreSQL that joins several machines to one store; other users of the machine can see flags, so use the variable or the file",
    parse: parseDatabaseUrl,
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

const FORMATS = ["auto", "json", "pretty"] as const;

/** The server's log, which it writes to standard output. */
export const LOGGING = settings({
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
