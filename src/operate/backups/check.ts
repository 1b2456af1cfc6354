import { existsSync, statSync } from "node:fs";
import { reasonOf } from "../../lib/reason.ts";
import {
  type BackupFiles,
  backupFiles,
  hasBackupFiles,
  hasSecrets,
  originOf,
} from "../../data/db/backup-contents.ts";
import { derivedDifferences } from "../../data/db/derived.ts";
import { DiskError, explainFailure } from "../../data/db/failures.ts";
import { storeIdOf } from "../../data/db/store-id.ts";
import { appliedMigrations } from "../../data/db/migrate.ts";
import { openForReading } from "../../data/db/readonly.ts";
import type { Client } from "../../data/db/snapshot.ts";
import { UnsoundDatabase, assertSound } from "../../data/db/integrity.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import { hashesOf, readManifest } from "../../platform/deploys/manifest.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { unreadableDigest, verifyDigest } from "./digest.ts";
import type { OnProgress, SiteFiles } from "./site-files.ts";

/** Checks a site's file. @returns its size @throws UnsoundDatabase if its content does not match its name */
const checkFile = (files: BackupFiles, hash: string): number => {
  const hasher = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for (const part of files.partsOf(hash)) {
    hasher.update(part);
    bytes += part.length;
  }
  if (hasher.digest("hex") !== hash)
    throw new UnsoundDatabase(
      `it is damaged (file ${JSON.stringify(hash)} of a site does not match its name)`,
    );
  return bytes;
};

/** The hashes of all files that the deploys of a backup need, manifests included. */
const neededBy = (files: BackupFiles, manifests: readonly string[]): Set<string> => {
  const needed = new Set(manifests);
  for (const manifest of manifests) {
    const text = Buffer.concat([...files.partsOf(manifest)]).toString();
    try {
      for (const hash of hashesOf(readManifest(text))) needed.add(hash);
    } catch {
      // The manifest was missing or damaged when the backup was taken. Its files are unknown, so only it is counted.
    }
  }
  return needed;
};

const checkSites = (client: Client, onProgress: (line: string) => void): SiteFiles => {
  const files = backupFiles(client);
  const hashes = files.hashes();
  let bytes = 0;
  for (const [at, hash] of hashes.entries()) {
    onProgress(`Checking the sites: ${at} of ${hashes.length} files`);
    bytes += checkFile(files, hash);
  }
  const present = new Set(hashes);
  const missing = [...neededBy(files, manifestsOf(client))].filter((hash) => !present.has(hash)).length;
  return { files: hashes.length, bytes, missing };
};

const examine = (client: Client, file: string, onProgress: OnProgress) => {
  onProgress("Checking the database", true);
  assertSound(client);
  const differences = derivedDifferences(client);
  const sha256 = verifyDigest(client, file);
  const origin = originOf(client);
  const sites = hasBackupFiles(client) ? checkSites(client, onProgress) : undefined;
  return {
    file,
    bytes: statSync(file).size,
    /** The SHA-256 of the file; undefined for a backup of an older version, which has no digest. */
    sha256,
    /** The file next to the backup that should have its SHA-256, and is not readable as one. */
    unreadableDigest: unreadableDigest(file),
    /** The id of the store; undefined for a backup older than store ids. */
    store: storeIdOf(client),
    migration: appliedMigrations(client).at(-1)?.tag,
    secrets: hasSecrets(client),
    /** Where in a cluster's log it was taken; undefined outside a cluster. */
    ...(origin && { origin }),
    /** The derived data that differs from its rows. Every row can be restored nevertheless. */
    differences,
    /** Undefined for a backup without the files of sites. */
    sites,
  };
};

export type CheckedBackup = ReturnType<typeof examine>;

/**
 * Checks everything that a restore checks, and changes nothing.
 * @throws OperatorError if it could not be restored
 */
export const checkBackup = (file: string, onProgress: OnProgress): CheckedBackup => {
  if (!existsSync(file)) throw new OperatorError(`${file} does not exist`);
  if (!statSync(file).isFile()) throw new OperatorError(`${file} is not an ordinary file`);
  try {
    using client = openForReading(file);
    return examine(client, file, onProgress);
  } catch (error) {
    if (error instanceof UnsoundDatabase)
      throw new OperatorError(`${file} cannot be restored: ${error.message}`, { cause: error });
    const reason = error instanceof DiskError ? explainFailure(error) : reasonOf(error);
    throw new OperatorError(`${file} cannot be checked: ${reason}`, { cause: error });
  }
};
