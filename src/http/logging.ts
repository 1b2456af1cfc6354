import pino, { type Logger } from "pino";

export type { Logger } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "json" | "pretty";

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
  if (format === "json") {
    const output = pino.destination(1);
    // A full disk under the log loses lines, and must not end the server.
    output.on("error", () => {});
    return pino({ ...settings, formatters: { level: (label) => ({ level: label }) } }, output);
  }
  // Loaded only for who looks at it: 10 ms.
  const pretty = require("pino-pretty") as typeof import("pino-pretty");
  return pino(
    settings,
    pretty({
      sync: true,
      messageKey: "message",
      translateTime: "HH:MM:ss.l",
      colorize: colour,
      singleLine: true,
      // A request in one glance; its id and key follow.
      messageFormat: "{message}{if method} {method} {route} {status} {ms} ms{end}",
      ignore: "method,route,status,ms",
    }),
  );
};

/** What is said of one answered request. */
export interface Answered {
  requestId: string;
  method: string;
  /** The route's template; "" where none matched. */
  route: string;
  status: number;
  ms: number;
  /** 0 if no key opened the request. */
  keyId: number;
}

export const logRequest = (log: Logger, answered: Answered): void => {
  const level = answered.status >= 500 ? "error" : "info";
  if (log.isLevelEnabled(level))
    log[level](
      { ...answered, keyId: answered.keyId || undefined, ms: Math.round(answered.ms * 100) / 100 },
      "request",
    );
};
