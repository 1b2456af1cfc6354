import type { Config } from "../config/config.ts";
import type { RandomBytes } from "../lib/random.ts";
import { type Logger, logger } from "../lib/log.ts";
import { type Clock, systemClock } from "../lib/time.ts";
import type { Database } from "./db/open.ts";

/** Every room is opened with this. Tests replace parts of it. */
export interface Context {
  config: Config;
  database: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** From 0 up to 1. */
  randomFraction: () => number;
  sleep: (ms: number) => Promise<void>;
  log: Logger;
}

/** A context before its database is open. */
export type Runtime = Omit<Context, "config" | "database">;

export const systemRuntime: Omit<Runtime, "log"> = {
  clock: systemClock,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  randomFraction: Math.random,
  sleep: (ms) => Bun.sleep(ms),
};

/** The context of a command, whose log is silent: a command prints its output. */
export const commandContext = (config: Config, database: Database): Context => ({
  config,
  database,
  ...systemRuntime,
  log: logger({ level: "silent", format: "json", colour: false }),
});
