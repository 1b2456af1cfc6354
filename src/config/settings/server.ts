import { LOG_LEVELS } from "../../lib/log.ts";
import { address, anyText, integer, listOf, oneOf, optional, origin } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** The server's ports, public addresses, directory and log. */
export const SERVER = {
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
    parse: address,
  },
  portHost: {
    env: "PORT_HOST",
    flag: "port-host",
    fallback: "",
    form: "an address or host name",
    help: "address for PORT only; by default HOST, or 127.0.0.1 with HTTPS_PORT",
    parse: optional(address),
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
    form: "a comma-separated list of origins such as https://app.example.org, or *",
    help: "origins whose pages may call the API",
    parse: listOf((text) => (text === "*" ? text : origin(text))),
  },
  trustProxy: {
    env: "TRUST_PROXY",
    flag: "trust-proxy",
    fallback: "0",
    form: "a number of proxies from 0 to 10",
    help: "number of proxies in front of the server whose X-Forwarded-For is trusted",
    parse: integer(0, 10),
  },
  logLevel: {
    env: "LOG_LEVEL",
    flag: "log-level",
    fallback: "info",
    form: `one of ${LOG_LEVELS.join(", ")}`,
    help: "lowest level that is logged; debug also logs the error code of refused requests",
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
} as const satisfies Record<string, Setting>;
