import { writeSync } from "node:fs";
import pino, { type Logger } from "pino";
import { printable } from "./text.ts";

export type { Logger } from "pino";

const HIDDEN = "[hidden]";
/** Keys and tokens have at least this many letters and digits. */
const SECRET_CANDIDATE = /[\w-]{30,}/g;
const EMAIL = /.(?:@|%40)./i;

const hideSecret = (text: string): string => (/[A-Z]/.test(text) && /\d/.test(text) ? HIDDEN : text);

const hidePersonal = (segment: string): string =>
  EMAIL.test(segment) ? HIDDEN : segment.replaceAll(SECRET_CANDIDATE, hideSecret);

/**
 * The path of a URL for the log: without its query, email addresses, text that looks like a secret, and control characters; 300
 * characters at most.
 */
export const loggedPath = (url: string): string => {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const [path = ""] = start === -1 ? [] : url.slice(start).split(/[?#]/, 1);
  return printable(path.split("/").map(hidePersonal).join("/"));
};

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
/** True if decisions are logged. */
export const isVerbose = (level: LogLevel): boolean => level === "debug" || level === "trace";

type LogFormat = "json" | "pretty";

const STDOUT = 1;

/**
 * Writes without waiting. If the disk is full, or the pipe is full or closed, the line is dropped, so that the service keeps
 * running and can still be stopped. The library's own output retries forever.
 */
const writeOrDrop = (line: string): void => {
  try {
    writeSync(STDOUT, line);
  } catch {
    // There is nowhere to report it.
  }
};

/** Logs to standard output. Never log a request's headers, body or query: they contain secrets. */
export const logger = ({
  level,
  format,
  colour,
}: {
  level: LogLevel;
  format: LogFormat;
  colour: boolean;
}): Logger => {
  const settings = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" };
  if (format === "json")
    return pino(
      { ...settings, formatters: { level: (label) => ({ level: label }) } },
      { write: writeOrDrop },
    );
  // Loaded on demand, because that takes 10 ms.
  const { prettyFactory } = require("pino-pretty") as typeof import("pino-pretty");
  const prettify = prettyFactory({
    messageKey: "message",
    translateTime: "HH:MM:ss.l",
    colorize: colour,
    singleLine: true,
    // The request first; its id and key follow.
    messageFormat:
      "{message}{if method} {method}{end}{if route} {route}{end}{if path} {path}{end}{if status} {status} {ms} ms{end}",
    ignore: "method,route,path,status,ms",
  });
  return pino(settings, { write: (line) => writeOrDrop(prettify(line) ?? "") });
};

/** The log entry of one request. */
export interface RequestLogEntry {
  requestId: string;
  method: string;
  url: string;
  /** The template of the route; "" if no route matched. */
  route: string;
  status: number;
  ms: number;
  /** The sender; undefined for a request that was not authenticated. */
  caller?: { kind: "key" | "person" | "operator"; id: number } | undefined;
  /** False for a deliberate 503; by default true for a status of 500 or above. */
  isFailure?: boolean | undefined;
}

/** The statuses of a path or method that does not exist. */
const WITH_PATH: ReadonlySet<number> = new Set([404, 405]);
/** A route other than a wildcard or a site. Its parameters, which can be personal, are not logged. */
const TEMPLATE = /^\/.*[^*]$/;

/** The route of a request; the path if it does not exist. */
const target = ({ url, route, status }: RequestLogEntry): { route?: string; path?: string } => {
  if (!WITH_PATH.has(status) || TEMPLATE.test(route)) return { route };
  return { ...(!route.endsWith("*") && { route }), path: loggedPath(url) };
};

export const logRequest = (log: Logger, entry: RequestLogEntry): void => {
  const { requestId, method, status, caller, isFailure = status >= 500 } = entry;
  const level = isFailure ? "error" : "info";
  if (!log.isLevelEnabled(level)) return;
  const ms = Math.round(entry.ms * 100) / 100;
  const sender = caller && { [`${caller.kind}Id`]: caller.id };
  log[level]({ requestId, method, ...target(entry), status, ms, ...sender }, "request");
};

const SECOND_MS = 1000;

/** Adds up counts, and reports their sum at most once a second. */
export const eachSecond = (report: (sum: number) => void) => {
  let sum = 0;
  return (count: number) => {
    if (sum === 0)
      setTimeout(() => {
        report(sum);
        sum = 0;
      }, SECOND_MS).unref();
    sum += count;
  };
};
