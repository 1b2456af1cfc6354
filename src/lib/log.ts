import { writeSync } from "node:fs";
import pino, { type Logger } from "pino";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "json" | "pretty";

const STDOUT = 1;

/**
 * Writes what can be written at once. A line is lost where the disk is full, nobody reads the pipe or its reader has gone:
 * the service goes on, and ends when it is told to, which the library's own output does not (it tries again for ever).
 */
const writeOrLose = (line: string): void => {
  try {
    writeSync(STDOUT, line);
  } catch {
    // Nobody is there to be told.
  }
};

/** Lines to standard output. No request header, body or query is ever handed to it: that is where secrets are. */
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
      { write: writeOrLose },
    );
  // Loaded only for who looks at it: 10 ms.
  const { prettyFactory } = require("pino-pretty") as typeof import("pino-pretty");
  const prettily = prettyFactory({
    messageKey: "message",
    translateTime: "HH:MM:ss.l",
    colorize: colour,
    singleLine: true,
    // A request in one glance; its id and key follow.
    messageFormat: "{message}{if method} {method} {route} {status} {ms} ms{end}",
    ignore: "method,route,status,ms",
  });
  return pino(settings, { write: (line) => writeOrLose(prettily(line) ?? "") });
};

/** What is said of one answered request. */
export interface RequestLogEntry {
  requestId: string;
  method: string;
  /** The route's template; "" where none matched. */
  route: string;
  status: number;
  ms: number;
  /** 0 if no key opened the request. */
  keyId: number;
}

export const logRequest = (log: Logger, answered: RequestLogEntry): void => {
  const level = answered.status >= 500 ? "error" : "info";
  if (log.isLevelEnabled(level))
    log[level](
      { ...answered, keyId: answered.keyId || undefined, ms: Math.round(answered.ms * 100) / 100 },
      "request",
    );
};
