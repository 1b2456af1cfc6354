import type { ConfigFile } from "./file.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";

/** Each setting's variable is also read with this prefix, which goes first. */
export const PREFIX = "ADOPTION_STORE_";

/** Names the configuration file, as `--config` does. */
export const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Sources {
  /** Flags by their name in camel case, as the command line parser returns them. */
  flags: Readonly<Record<string, string | boolean | undefined>>;
  env: Environment;
  /** The file and the line of each variable in `env` that comes from the environment file of the service. */
  places?: Readonly<Record<string, string>>;
  file?: ConfigFile | undefined;
  /** Settings that a server has saved, by environment variable. All other sources override them. */
  saved?: Readonly<Record<string, string>>;
  isTerminal: boolean;
}

type SourceKind = "flag" | "environment" | "environment_file" | "file" | "saved" | "default";

interface SettingText {
  text: string;
  kind: SourceKind;
  /** The flag, the variable, or the file with its line. */
  origin: string;
}

/** Kubernetes sets ADOPTION_STORE_PORT to such an address for a service of the name adoption-store. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** The variable that holds a setting. An empty one counts as unset, because that is how shells and unit files unset one. */
const variableOf = ({ env: name }: Setting, env: Environment): string | undefined =>
  [PREFIX + name, name].find((variable) => env[variable] && !SERVICE_LINK.test(env[variable]));

/** Reads a setting from the flags, else the environment, else the file, else the saved settings, else its default. */
export const settingText = (
  name: SettingName,
  { flags, env, places = {}, file, saved = {} }: Omit<Sources, "isTerminal">,
): SettingText => {
  const setting: Setting = SETTINGS[name];
  const flag = flags[name];
  if (flag !== undefined) return { text: String(flag), kind: "flag", origin: `--${setting.flag}` };
  const variable = variableOf(setting, env);
  if (variable !== undefined) {
    const place = places[variable];
    return {
      text: env[variable] ?? "",
      kind: place === undefined ? "environment" : "environment_file",
      origin: place ?? variable,
    };
  }
  const entry = file?.entries[name];
  if (entry) return { text: entry.text, kind: "file", origin: entry.place };
  const savedText = saved[setting.env];
  if (savedText) return { text: savedText, kind: "saved", origin: "server.json in DATA_DIR" };
  return { text: setting.fallback, kind: "default", origin: "default" };
};

/** How long the service manager waits for a message before it kills the service; undefined: forever. */
const watchdogOf = ({ WATCHDOG_USEC, WATCHDOG_PID }: Environment, pid: number): number | undefined => {
  const microseconds = Number(WATCHDOG_USEC);
  const isForOther = WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid);
  return microseconds > 0 && !isForOther ? microseconds / 1000 : undefined;
};

/**
 * Reads and removes the variables of the service manager (sd_notify(3), sd_watchdog_enabled(3)): processes that the server starts
 * must not speak for it.
 * @returns undefined if no service manager waits for messages; `socket` is a path, or an abstract name after `@`
 */
export const takeSupervisor = (
  env: Record<string, string | undefined> = process.env,
  pid: number = process.pid,
) => {
  const socket = env["NOTIFY_SOCKET"];
  const watchdogMs = watchdogOf(env, pid);
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  return socket ? { socket, watchdogMs } : undefined;
};
