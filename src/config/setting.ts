import type { Parse } from "./parse.ts";

/**
 * How a setting is written in a configuration file: `size` is a number of bytes or a text such as `64KiB`, `count` a number or
 * `auto`.
 */
type SettingType = "boolean" | "number" | "count" | "size" | "list" | "text";

export interface Setting<Value = unknown> {
  /** The environment variable. The server reads it with the prefix ADOPTION_STORE_, too. */
  readonly env: string;
  /** The flag's name, without leading dashes. */
  readonly flag: string;
  readonly type: SettingType;
  /** The placeholder of the value in help: `port` in `--port <port>`. For `file` and `directory`, shells complete paths. */
  readonly placeholder: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** True if the value must not be shown. */
  readonly isSecret?: boolean;
  readonly fallback: string;
  /** A value to show, of a setting without a default. */
  readonly example?: string;
  /** Its valid form, for messages: "a port from 0 to 65535". */
  readonly form: string;
  /** One line of help, without the variable and the default. */
  readonly help: string;
  readonly parse: Parse<Value>;
}

/** An invalid setting. The message names it and its valid form. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
