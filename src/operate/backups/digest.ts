import { closeSync, existsSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { NO_DIGEST, digestField } from "../../data/db/backup-contents.ts";
import { openForReading } from "../../data/db/readonly.ts";
import type { Client } from "../../data/db/snapshot.ts";
import { writeDurably } from "../../lib/durable.ts";

/**
 * A backup has two SHA-256 digests of its whole file. The one next to it has the format of `sha256sum`. The one inside is in
 * the table `backup_digest`. It stays with a backup that is copied alone or written to standard output. It is that of the file
 * with zeros in its own place, because no file contains its own digest. A digest of rows would cost a query of each table and
 * would not cover free bytes, the header and the schema. Both detect damage, not an attacker, who can replace both.
 */
export const digestPath = (file: string): string => `${file}.sha256`;

const PART_BYTES = 2 ** 20;

/** The SHA-256 of a file, as if `blankAt`, if given, began with the zeros of a new field. */
const hashFile = (file: string, blankAt?: number): string => {
  const fd = openSync(file, "r");
  const hasher = new Bun.CryptoHasher("sha256");
  const part = Buffer.alloc(PART_BYTES);
  const hashUpTo = (end: number, from: number): number => {
    let at = from;
    for (let read = 1; at < end && read > 0; at += read) {
      read = readSync(fd, part, 0, Math.min(PART_BYTES, end - at), at);
      hasher.update(part.subarray(0, read));
    }
    return at;
  };
  try {
    if (blankAt !== undefined) {
      hashUpTo(blankAt, 0);
      hasher.update(NO_DIGEST);
    }
    hashUpTo(Infinity, blankAt === undefined ? 0 : blankAt + NO_DIGEST.length);
    return hasher.digest("hex");
  } finally {
    closeSync(fd);
  }
};

/** The offset of the digest in the file. Undefined if it is not where the table begins: then the file was changed. */
const offsetOf = (file: string, { page, pageSize, sha256 }: NonNullable<ReturnType<typeof digestField>>) => {
  const fd = openSync(file, "r");
  try {
    const content = Buffer.alloc(pageSize);
    readSync(fd, content, 0, pageSize, (page - 1) * pageSize);
    const at = content.indexOf(sha256);
    return at === -1 ? undefined : (page - 1) * pageSize + at;
  } finally {
    closeSync(fd);
  }
};

/** Writes the digest into the empty field of a complete backup that no connection has open. @returns the file's SHA-256 */
export const sealBackup = (file: string): string => {
  using client = openForReading(file);
  const field = digestField(client);
  const at = field && offsetOf(file, field);
  if (at === undefined) throw new Error("the backup has no field for its digest");
  const digest = hashFile(file, at);
  const fd = openSync(file, "r+");
  try {
    writeSync(fd, digest, at);
  } finally {
    closeSync(fd);
  }
  return hashFile(file);
};

/** Stores the digest next to a backup. */
export const writeDigest = (file: string, sha256: string): Promise<void> =>
  writeDurably(digestPath(file), `${sha256}  ${basename(file)}\n`);

/** Removes a backup and its digest. */
export const removeBackup = (file: string): void => {
  for (const path of [file, digestPath(file)]) rmSync(path, { force: true });
};

const DIGEST_LENGTH = NO_DIGEST.length;

const readDigest = (path: string): string => {
  const fd = openSync(path, "r");
  try {
    const text = Buffer.alloc(DIGEST_LENGTH);
    readSync(fd, text);
    return text.toString("latin1");
  } finally {
    closeSync(fd);
  }
};

const insideProblem = (client: Client, file: string): string | undefined => {
  const field = digestField(client);
  if (!field) return undefined;
  const at = offsetOf(file, field);
  return at !== undefined && hashFile(file, at) === field.sha256
    ? undefined
    : "its SHA-256 is not the one inside it";
};

/**
 * Compares a backup with its digests.
 * @returns `sha256`: that of the file, undefined if it has no digest; `problem`: which digest differs, undefined if none does
 */
export const checkDigest = (client: Client, file: string): { sha256?: string; problem?: string } => {
  const path = digestPath(file);
  const isBeside = existsSync(path);
  if (!isBeside && !digestField(client)) return {};
  const sha256 = hashFile(file);
  const beside = isBeside && readDigest(path) !== sha256 ? `its SHA-256 is not that in ${path}` : undefined;
  const problems = [insideProblem(client, file), beside].filter((one) => one !== undefined);
  if (problems.length === 0) return { sha256 };
  return { sha256, problem: problems.join(", and ") };
};
