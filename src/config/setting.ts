import type { Parse } from "./parse.ts";

export interface Setting<Value = unknown> {
  /** The environment variable. */
  readonly env: string;
  /** The flag's name, without leading dashes. */
  readonly flag: string;
  readonly fallback: string;
  /** Its valid form, for messages: "a port from 0 to 65535". */
  readonly form: string;
  readonly help: string;
  readonly parse: Parse<Value>;
}
