import { resolve } from "node:path";
import { readText } from "../../lib/files.ts";

/** A path as an argument of a shell command, quoted if necessary. */
export const shellQuoted = (path: string): string =>
  /^[\w./,:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

/** The name of a user, or `#uid` as sudo(8) accepts it if /etc/passwd has no entry. */
const userName = (uid: number): string => {
  const lines = readText("/etc/passwd")?.split("\n") ?? [];
  return lines.find((one) => one.split(":")[2] === String(uid))?.split(":")[0] ?? `#${uid}`;
};

/**
 * The command line of this process with sudo(8), for a user who may not use a store. `serve` must run as the store's user. Other
 * commands run as root, which may also read files in the caller's home directory: files that root creates in DATA_DIR belong
 * to its owner. sudo(8) drops DATA_DIR from the environment, so the command names the store.
 * @param user the owner of the store, by name or number
 * @param dataDir the store; undefined if the command finds it without the environment
 */
export const sudoCommand = (
  user: string | number,
  dataDir: string | undefined,
  argv: readonly string[] = process.argv.slice(2),
): string => {
  const name = typeof user === "number" ? userName(user) : user;
  const as = argv[0] === "serve" ? ["-u", name] : [];
  const isNamed = argv.some((argument) => /^--data-dir(=|$)/.test(argument));
  const store = dataDir === undefined || isNamed ? [] : ["--data-dir", resolve(dataDir)];
  return ["sudo", ...as, "adoption-store", ...argv, ...store].map(shellQuoted).join(" ");
};
