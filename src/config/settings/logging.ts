import { LOG_LEVELS } from "../../lib/log.ts";
import { oneOf } from "../parse.ts";
import type { Setting } from "../setting.ts";

const FORMATS = ["auto", "json", "pretty"] as const;

/** The server's log, which it writes to standard output. */
export const LOGGING = {
  logLevel: {
    env: "LOG_LEVEL",
    flag: "log-level",
    type: "text",
    placeholder: "level",
    choices: LOG_LEVELS,
    fallback: "info",
    form: `one of ${LOG_LEVELS.join(", ")}`,
    help: `lowest level that is logged: ${LOG_LEVELS.join(", ")}; debug names why requests are refused`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    env: "LOG_FORMAT",
    flag: "log-format",
    type: "text",
    placeholder: "format",
    choices: FORMATS,
    fallback: "auto",
    form: "one of auto, json, pretty",
    help: "json, pretty, or auto, which is pretty on a terminal and JSON elsewhere",
    parse: oneOf(FORMATS),
  },
} as const satisfies Record<string, Setting>;
