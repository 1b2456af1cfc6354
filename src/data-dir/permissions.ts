import { type Stats, accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { reasonOf } from "../lib/reason.ts";
import { shellQuoted } from "./shell.ts";
import { sudoCommand } from "./sudo.ts";

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Why a directory is refused as DATA_DIR, and what to do; undefined if it is fine. A user who can write
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
    return `it belongs to user ${uid}, and this process runs as user ${user}. Run: ${sudoCommand(uid, path)}`;
  if ((mode & 0o1000) !== 0)
    return "other users share it (its sticky bit is set): name a separate directory with --data-dir";
  if ((mode & 0o022) !== 0)
    return `others can write to it (mode ${(mode & 0o7777).toString(8)}): chmod 700 ${shellQuoted(path)}`;
  return undefined;
};

/** The remedy for a directory that its owner cannot write to. @param code that of access(2) */
export const accessAdvice = (path: string, code: string | undefined): string => {
  switch (code) {
    case "EACCES":
      return `Make it writable: chmod 700 ${shellQuoted(path)}`;
    case "EROFS":
      return "Its file system is read-only. Mount it for writing, or name another directory with --data-dir";
    case "EPERM":
      return `It is immutable. Run: sudo chattr -i ${shellQuoted(path)}`;
    default:
      return "Look for disk errors: sudo dmesg";
  }
};

/** `ownershipFault` of the directory on disk. A missing directory is fine. */
export const directoryFault = (path: string): string | undefined => {
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return "it is a file, not a directory: name another with --data-dir";
    if (resolve(path) === "/") return "it is the root directory: name a separate directory with --data-dir";
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

/** How a user can write a file. A file in the user's own directory is a stray one; any other belongs to another user's store. */
const fixOf = (path: string, owner: number, user: number): string => {
  if (owner === user) return `Make it writable: chmod 600 ${shellQuoted(path)}`;
  return statSync(dirname(path)).uid === user
    ? `Give it to the owner of its directory: sudo chown ${user} ${shellQuoted(path)}`
    : `Run: ${sudoCommand(owner, dirname(path))}`;
};

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
    return `${basename(path)} belongs to user ${found.uid} and cannot be written by user ${user} (${code}). ${fixOf(path, found.uid, user)}`;
  }
};

export const firstFault = (
  paths: readonly string[],
  faultOf: (path: string) => string | undefined,
): string | undefined => paths.map(faultOf).find((fault) => fault !== undefined);
