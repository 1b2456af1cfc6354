import { boolean, bytes, integer } from "../parse.ts";
import type { Setting } from "../setting.ts";

/** Rules and limits of the API, and the console. */
export const API = {
  bodyLimit: {
    env: "BODY_LIMIT",
    flag: "body-limit",
    type: "size",
    placeholder: "size",
    fallback: "64KiB",
    form: "a size from 1KiB to 1MiB, such as 64KiB",
    help: "largest JSON body of a request",
    parse: bytes(2 ** 10, 2 ** 20),
  },
  authFailuresPerMinute: {
    env: "AUTH_FAILURES_PER_MINUTE",
    flag: "auth-failures-per-minute",
    type: "number",
    placeholder: "number",
    fallback: "100",
    form: "a number from 1 to 1000000",
    help: "requests with a wrong key or none that one address may send in a minute",
    parse: integer(1, 1_000_000),
  },
  strictCategories: {
    env: "STRICT_CATEGORIES",
    flag: "strict-categories",
    type: "boolean",
    placeholder: "",
    fallback: "false",
    form: "true or false",
    help: "refuse animals whose category does not exist",
    parse: boolean,
  },
  console: {
    env: "CONSOLE",
    flag: "console",
    type: "boolean",
    placeholder: "",
    fallback: "true",
    form: "true or false",
    help: "serve the web console at /console",
    parse: boolean,
  },
} as const satisfies Record<string, Setting>;
