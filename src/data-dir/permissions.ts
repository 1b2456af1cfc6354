import { type Stats, accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { reasonOf } from "../lib/reason.ts";
import { shellQuoted } from "./shell.ts";

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Why a directory is refused as DATA_DIR, and the command that fixes it; undefined if it is fine. A user who can write
 * there can replace the database and the keys.
 * @param user the effective user id of this process; undefined where there is none, as on Windows
 */
export const ownershipFault = (
  path: string,
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  user: number | undefined,
): string | undefined => {
  if (user === undefined) return undefined;
  // Root may work on a service's directory: the files that root creates there belong to the directory's owner.
  if (user !== 0 && uid !== user)
    return `it belongs to user ${uid}, and this process runs as user ${user}: run it as that user, or give the directory to this one with: chown -R ${user} ${shellQuoted(path)}`;
  if ((mode & 0o022) !== 0)
    return `others can write to it (mode ${(mode & 0o7777).toString(8)}): chmod 700 ${shellQuoted(path)}`;
  return undefined;
};

/** `ownershipFault` of the directory on disk. A missing directory is fine. */
export const directoryFault = (path: string): string | undefined => {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return `${path} is a file, not a directory: name another with --data-dir`;
    return ownershipFault(path, found, process.geteuid?.());
  } catch (error) {
    if (isMissing(error)) return undefined;
    return `it cannot be read (${reasonOf(error)}): check the permissions of the directories above it`;
  }
};

const kindFaultOf = (path: string, found: Stats | undefined): string | undefined => {
  if (!found || found.isFile()) return undefined;
  if (found.isDirectory()) return `${path} is a directory where a file must be: move it away`;
  return found.isSymbolicLink()
    ? `${path} is a symbolic link: move its target here, or name the target's directory with --data-dir`
    : `${path} is not an ordinary file: move it away`;
};

/** Why the file at this path cannot belong to the database, and what to do; undefined if it can, or is missing. */
export const kindFault = (path: string): string | undefined =>
  kindFaultOf(path, lstatSync(path, { throwIfNoEntry: false }));

/** Why this process cannot use a file of DATA_DIR, and the fix; undefined if it can, or if the file is missing. */
export const fileFault = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  const user = process.geteuid?.();
  if (!found?.isFile() || user === undefined) return kindFaultOf(path, found);
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The disk failed; the permissions may be right.
    if (code === "EIO") return undefined;
    if (code === "EROFS") return `${basename(path)} is on a read-only file system: make it writable`;
    const fix =
      found.uid === user
        ? `make it writable with: chmod 600 ${shellQuoted(path)}`
        : `give it to the user that runs this with: chown -R ${user} ${shellQuoted(dirname(path))}`;
    return `${basename(path)} belongs to user ${found.uid} and cannot be written by user ${user} (${code}): ${fix}`;
  }
};

export const firstFault = (
  paths: readonly string[],
  faultOf: (path: string) => string | undefined,
): string | undefined => paths.map(faultOf).find((fault) => fault !== undefined);
