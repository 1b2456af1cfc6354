import { CLIENT_VARIABLES } from "./client.ts";
import { SETTINGS } from "./settings.ts";

/** An environment variable that nothing reads, and the setting that was probably meant. */
interface Typo {
  variable: string;
  suggestion: string;
}

const OURS: readonly string[] = [...Object.values(SETTINGS).map(({ env }) => env), ...CLIENT_VARIABLES];
const OURS_SET: ReadonlySet<string> = new Set(OURS);

/** Prefixes that other programs do not commonly use. */
const FAMILIES = ["ADOPTION_STORE_", "ACME_", "BACKUP_"] as const;
/** Kubernetes sets such variables for each service: HTTPD_PORT, BACKUP_SERVICE_HOST. */
const FOR_SERVICE = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;
/** Shorter names, such as PORT and HOST, are similar to too many others. */
const MIN_LENGTH = 7;

/** A name without case and separators. */
const lettersOf = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "");

/** True if the names differ by one extra, missing or wrong letter, or by two swapped letters. */
const isOneEditFrom = (one: string, other: string): boolean => {
  const longest = Math.max(one.length, other.length);
  let start = 0;
  while (start < longest && one[start] === other[start]) start++;
  let end = 0;
  while (end < longest - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === [...right].toReversed().join("");
};

const similar = (variable: string): string | undefined => {
  const letters = lettersOf(variable);
  const candidates = OURS.filter((ours) => lettersOf(ours).length >= MIN_LENGTH);
  return (
    candidates.find((ours) => lettersOf(ours) === letters) ??
    candidates.find((ours) => isOneEditFrom(letters, lettersOf(ours)))
  );
};

/** For a variable with one of our prefixes: the setting without the prefix, or all settings with that prefix. */
const relatives = (variable: string): string | undefined => {
  const family = FAMILIES.find((prefix) => variable.startsWith(prefix));
  if (family === undefined) return undefined;
  const bare = variable.slice(family.length);
  return OURS_SET.has(bare) ? bare : OURS.filter((ours) => ours.startsWith(family)).join(", ");
};

/** Finds variables that look like misspelled settings. Do not print their values: some are secrets. */
export const findTypos = (env: Readonly<Record<string, string | undefined>>): Typo[] =>
  Object.entries(env).flatMap(([variable, value = ""]) => {
    if (OURS_SET.has(variable) || FOR_SERVICE.test(variable) || SERVICE_ADDRESS.test(value)) return [];
    const suggestion = similar(variable) ?? relatives(variable);
    return suggestion === undefined ? [] : [{ variable, suggestion }];
  });
