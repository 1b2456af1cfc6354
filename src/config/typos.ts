import { CLIENT_VARIABLES } from "./client.ts";
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
const OURS: readonly string[] = [
  ...BARE,
  ...BARE.map((name) => PREFIX + name),
  ...CLIENT_VARIABLES,
  CONFIG_VARIABLE,
];
const OURS_SET: ReadonlySet<string> = new Set(OURS);

/** Prefixes that other programs do not commonly use. */
const FAMILIES = ["ACME_", "BACKUP_"] as const;
/** Kubernetes sets such variables for each service: HTTPD_PORT, BACKUP_SERVICE_HOST. */
const FOR_SERVICE = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;
/** Shorter names, such as PORT and HOST, are similar to too many others. */
const MIN_LENGTH = 7;

/** All settings with the prefix of a variable. */
const relatives = (variable: string): string | undefined => {
  const family = FAMILIES.find((prefix) => variable.startsWith(prefix));
  return family && BARE.filter((ours) => ours.startsWith(family)).join(", ");
};

/** Finds variables that look like misspelled settings. Do not print their values: some are secrets. */
export const findTypos = (env: Environment): Typo[] =>
  Object.entries(env).flatMap(([variable, value = ""]) => {
    if (OURS_SET.has(variable) || FOR_SERVICE.test(variable) || SERVICE_ADDRESS.test(value)) return [];
    const isPrefixed = variable.startsWith(PREFIX);
    const suggestion = closest(variable, OURS, MIN_LENGTH) ?? relatives(variable);
    return suggestion === undefined && !isPrefixed ? [] : [{ variable, suggestion }];
  });

/** A warning about a variable that is probably misspelled. */
export const typoWarning = ({ variable, suggestion }: Typo): string =>
  `${variable} is not a setting and is ignored: ${suggestion === undefined ? "adoption-store config show lists the settings" : `did you mean ${suggestion}?`}`;
