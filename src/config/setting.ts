import { type Parse, boolean, integer, listOf } from "./parse.ts";

/**
 * How a setting is written in a configuration file: `size` is a number of bytes or a text such as `64KiB`, `count` a number or
 * `auto`.
 */
type SettingType = "boolean" | "number" | "count" | "size" | "list" | "text";

interface Row {
  /** Default: text. */
  readonly type?: SettingType;
  /** The placeholder of the value in help: `port` in `--port <port>`. For `file` and `directory`, shells complete paths. */
  readonly placeholder: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** True if the value must not be shown. */
  readonly isSecret?: boolean;
  /** Without it the setting may be unset. */
  readonly fallback?: string;
  /** A value to show, of a setting without a default. */
  readonly example?: string;
  /** Its valid form, for messages: "a port from 0 to 65535". */
  readonly form: string;
  /** One line of help, without the variable and the default. */
  readonly help: string;
  readonly parse: Parse<unknown>;
}

/** A row with its names. `fallback` is empty if it has none. */
export interface Setting extends Row {
  /** The environment variable. The server reads it with the prefix ADOPTION_STORE_, too. */
  readonly env: string;
  readonly flag: string;
  readonly type: SettingType;
  readonly fallback: string;
}

/** A table of settings. The key of a row gives its names: `httpsPort` is `HTTPS_PORT` and `--https-port`. */
export const settings = <const Rows extends Readonly<Record<string, Row>>>(rows: Rows) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]): [string, Setting] => {
      const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const env = flag.toUpperCase().replaceAll("-", "_");
      return [name, { type: "text", fallback: "", ...row, env, flag }];
    }),
  ) as { readonly [Name in keyof Rows]: Setting & Rows[Name] };

export const TOGGLE = {
  type: "boolean",
  placeholder: "",
  form: "true or false",
  parse: boolean,
} as const;

export const numberFrom = (min: number, max: number) =>
  ({
    type: "number",
    placeholder: "number",
    form: `a number from ${min} to ${max}`,
    parse: integer(min, max),
  }) as const;

export const PORT = {
  ...numberFrom(1, 65_535),
  placeholder: "port",
  form: "a port from 1 to 65535",
} as const;

/** A port to listen on: 0 takes any free one. */
export const FREE_PORT = {
  ...numberFrom(0, 65_535),
  placeholder: "port",
  form: "a port from 0 to 65535",
} as const;

/** Items of one form, separated by commas. */
export const listFrom = <Value>(placeholder: string, items: string, parse: Parse<Value>) => ({
  type: "list" as const,
  placeholder,
  form: `a comma-separated list of ${items}`,
  parse: listOf(parse),
});

/** An invalid setting. The message names it and its valid form. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
