import { CLIENT_VARIABLES } from "./client.ts";
import { ConfigError } from "./setting.ts";
import { SETTINGS } from "./settings.ts";
import { closest } from "./similar.ts";
import { CONFIG_VARIABLE, type Environment, PREFIX } from "./sources.ts";

/** An environment variable that nothing reads. */
interface Typo {
  variable: string;
  /** The setting that was probably meant; undefined if it may be any. */
  suggestion: string | undefined;
}

const BARE: readonly string[] = Object.values(SETTINGS).map(({ env }) => env);
const OWN_VARIABLES: readonly string[] = [
  ...BARE,
  ...BARE.map((name) => PREFIX + name),
  ...CLIENT_VARIABLES,
  CONFIG_VARIABLE,
];
const OWN_SET: ReadonlySet<string> = new Set(OWN_VARIABLES);

/** Prefixes that other programs do not commonly use. */
const FAMILIES = ["ACME_", "BACKUP_"] as const;
/** Kubernetes sets such variables for each service: HTTPD_PORT, BACKUP_SERVICE_HOST. */
const FOR_SERVICE = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;
/** Shorter names, such as PORT and HOST, are similar to too many others. */
const MIN_LENGTH = 7;

const relatives = (variable: string): string | undefined => {
  const family = FAMILIES.find((prefix) => variable.startsWith(prefix));
  return family && BARE.filter((name) => name.startsWith(family)).join(", ");
};

/** Finds variables that look like misspelled settings. Do not print their values: some are secrets. */
export const findTypos = (env: Environment): Typo[] =>
  Object.entries(env).flatMap(([variable, value = ""]) => {
    if (OWN_SET.has(variable) || FOR_SERVICE.test(variable) || SERVICE_ADDRESS.test(value)) return [];
    const isPrefixed = variable.startsWith(PREFIX);
    const suggestion = closest(variable, OWN_VARIABLES, MIN_LENGTH) ?? relatives(variable);
    return suggestion === undefined && !isPrefixed ? [] : [{ variable, suggestion }];
  });

export const typoWarning = ({ variable, suggestion }: Typo): string =>
  `${variable} is not a setting and is ignored: ${suggestion === undefined ? "adoption-store config show lists the settings" : `did you mean ${suggestion}?`}`;

/** Variables of the runtime, of S3 credentials and of the system, which an environment file may also set. */
const SYSTEM_VARIABLES =
  /^(?:(?:AWS|S3|BUN|NODE|JSC|UV|MALLOC|LD|LC|XDG|OPENSSL|SSL_CERT)_.+|GLIBC_TUNABLES|TZ|LANG|LANGUAGE|PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|NO_COLOR|FORCE_COLOR|RES_OPTIONS|LOCALDOMAIN|HOSTALIASES|(?:https?|all|no)_proxy)$/i;

/**
 * Refuses an environment file with a variable that nothing reads, as a configuration file with an unknown key is refused.
 * @throws ConfigError that names its line
 */
export const assertKnownVariables = (assignments: readonly { name: string; place: string }[]): void => {
  for (const { name, place } of assignments) {
    if (OWN_SET.has(name) || SYSTEM_VARIABLES.test(name)) continue;
    const suggestion = closest(name, OWN_VARIABLES);
    throw new ConfigError(
      `${place}: there is no setting ${name}. ${suggestion === undefined ? "adoption-store config example lists all settings" : `Did you mean ${suggestion}?`}`,
    );
  }
};
