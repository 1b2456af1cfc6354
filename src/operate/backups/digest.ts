import { lstatSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { NO_DIGEST, digestField } from "../../data/db/backup-contents.ts";
import { derivedDifferences, describeDifferences } from "../../data/db/derived.ts";
import { UnsoundDatabase } from "../../data/db/integrity.ts";
import { openForReading } from "../../data/db/readonly.ts";
import type { Client } from "../../data/db/snapshot.ts";
import { writeDurably } from "../../lib/durable.ts";
import { withFile } from "../../lib/files.ts";

/**
 * A backup has two SHA-256 digests of its whole file. The one next to it has the format of `sha256sum`. The one inside is in
 * the table `backup_digest`. It stays with a backup that is copied alone or written to standard output. It is that of the file
 * with zeros in its own place, because no file contains its own digest. A digest of rows would cost a query of each table and
 * would not cover free bytes, the header and the schema. Both detect damage, not an attacker, who can replace both.
 */
export const digestPath = (file: string): string => `${file}.sha256`;

const PART_BYTES = 2 ** 20;
const DIGEST_LENGTH = NO_DIGEST.length;

/** The bytes from `at` on; fewer at the end of the file. */
const readAt = (fd: number, at: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
};

/** The SHA-256 of a file. @param blankAt where a digest counts as zeros; it is inside one page, and so inside one part */
const hashFile = (file: string, blankAt = -1): string =>
  withFile(file, "r", (fd) => {
    const hasher = new Bun.CryptoHasher("sha256");
    for (let at = 0, part = readAt(fd, 0, PART_BYTES); part.length > 0; part = readAt(fd, at, PART_BYTES)) {
      if (blankAt >= at && blankAt < at + part.length) part.write(NO_DIGEST, blankAt - at);
      hasher.update(part);
      at += part.length;
    }
    return hasher.digest("hex");
  });

/** The digest inside a backup and its offset, which is -1 if it is not on its page: then the file was changed. */
const insideOf = (client: Client, file: string): { sha256: string; at: number } | undefined => {
  const field = digestField(client);
  if (!field) return undefined;
  const { sha256, page, pageSize } = field;
  const begin = (page - 1) * pageSize;
  const offset = withFile(file, "r", (fd) => readAt(fd, begin, pageSize)).indexOf(sha256);
  return { sha256, at: offset === -1 ? -1 : begin + offset };
};

/** Writes the digest into the empty field of a complete backup that no connection has open. @returns the file's SHA-256 */
export const sealBackup = (file: string): string => {
  using client = openForReading(file);
  const field = insideOf(client, file);
  if (!field || field.at === -1) throw new Error("the backup has no field for its digest");
  const digest = hashFile(file, field.at);
  withFile(file, "r+", (fd) => writeSync(fd, digest, field.at));
  return hashFile(file);
};

/** Stores the digest next to a backup. */
export const writeDigest = (file: string, sha256: string): Promise<void> =>
  writeDurably(digestPath(file), `${sha256}  ${basename(file)}\n`);

/** Removes a backup and its digest. */
export const removeBackup = (file: string): void => {
  for (const path of [file, digestPath(file)]) rmSync(path, { force: true });
};

/** The digest next to a backup; undefined without one, or if the file does not have the form of `sha256sum`. */
const besideOf = (file: string): string | undefined => {
  const path = digestPath(file);
  try {
    // Opening a pipe would wait.
    if (!statSync(path).isFile()) return undefined;
    const text = withFile(path, "r", (fd) => readAt(fd, 0, DIGEST_LENGTH + 1)).toString("latin1");
    return /^[0-9a-f]{64}(?=\s|$)/i.exec(text)?.[0].toLowerCase();
  } catch {
    return undefined;
  }
};

/** The file next to a backup, if it has no readable digest and so is not compared. */
export const unreadableDigest = (file: string): string | undefined =>
  lstatSync(digestPath(file), { throwIfNoEntry: false }) && besideOf(file) === undefined
    ? digestPath(file)
    : undefined;

/** False for a backup that an older version took. */
export const hasDigest = (client: Client, file: string): boolean =>
  besideOf(file) !== undefined || digestField(client) !== undefined;

/**
 * Compares a backup with its digests.
 * @returns the file's SHA-256; undefined without a digest
 * @throws UnsoundDatabase that names the digests and the derived data that differ
 */
export const verifyDigest = (client: Client, file: string): string | undefined => {
  if (!hasDigest(client, file)) return undefined;
  const inside = insideOf(client, file);
  const sha256 = hashFile(file);
  const beside = besideOf(file) ?? sha256;
  const problems = [
    ...(inside && hashFile(file, inside.at) !== inside.sha256
      ? ["its SHA-256 does not match the one inside"]
      : []),
    ...(beside === sha256 ? [] : [`its SHA-256 is not that in ${digestPath(file)}`]),
  ];
  if (problems.length === 0) return sha256;
  const derived = derivedDifferences(client);
  throw new UnsoundDatabase(
    `${problems.join(", and ")}: the backup has changed since it was taken${derived.length > 0 ? `; ${describeDifferences(derived)}` : ""}. To restore it as it is, use restore --force`,
  );
};
