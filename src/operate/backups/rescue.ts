import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { databasePath } from "../../data/data-dir/paths.ts";
import { shellQuoted } from "../../data/data-dir/shell.ts";
import type { FilesLost } from "../../data/db/file-loss.ts";
import { assertSound } from "../../data/db/integrity.ts";
import { type Client, openExisting, settleLog } from "../../data/db/snapshot.ts";
import { manifestsOf } from "../../data/db/stored-deploys.ts";
import { syncDirectory } from "../../lib/durable.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { quantity } from "../../lib/quantity.ts";
import { reasonOf } from "../../lib/reason.ts";
import { fileTime } from "./file-names.ts";
import { blobsIn, countMissing, neededFiles } from "./site-files.ts";
import { attempt } from "../../lib/attempt.ts";

interface Directories {
  dataDir: string;
  backupDir: string;
}

const INFIX = ".rescued-";

/** The directories that may hold a rescued store, the best first. */
const placesOf = ({ dataDir, backupDir }: Directories): string[] => {
  const data = resolve(dataDir);
  const [backups, parent] = [resolve(backupDir), dirname(data)];
  const isOutside = relative(data, backups).startsWith("..");
  // A directory that is a mount point cannot be deleted, but its content can. The files next to it may not outlive a container.
  const isMount = existsSync(data) && statSync(data).dev !== statSync(parent).dev;
  const nearby = isMount ? [data, parent] : [parent, data];
  return [...(isOutside ? [backups] : []), ...nearby].filter((place) => existsSync(place));
};

/** The directories of stores that servers of this DATA_DIR rescued. */
export const rescuedStores = (directories: Directories): string[] => {
  const prefix = basename(resolve(directories.dataDir)) + INFIX;
  return placesOf(directories).flatMap((place) => {
    const names = attempt(() => readdirSync(place))?.filter((name) => name.startsWith(prefix)) ?? [];
    return names.map((name) => join(place, name)).filter((path) => existsSync(databasePath(path)));
  });
};

/** Tells operators of a rescued store that the database in DATA_DIR hides. */
export const describeRescued = (rescued: string): string =>
  `${rescued} holds a database that was deleted while a server ran, and DATA_DIR has another: compare the two, then delete it or move it elsewhere`;

/**
 * Brings a rescued store back to DATA_DIR, in the shell. DATA_DIR may be missing, a mount point, or have some of the files. A
 * database there is never replaced, and its name never leads to a part of the copy.
 */
const moveCommand = (rescued: string, dataDir: string): string => {
  const [from, to] = [shellQuoted(rescued), shellQuoted(resolve(dataDir))];
  const name = basename(databasePath(""));
  return [
    `mkdir -p ${to}`,
    `[ ! -e ${to}/${name} ]`,
    `mv ${from}/${name} ${to}/${name}.new`,
    `mv ${to}/${name}.new ${to}/${name}`,
    // Some of the files are links to those that are there: cp(1) would refuse them otherwise.
    `cp -au --remove-destination ${from}/. ${to}`,
    `rm -r ${from}`,
  ].join(" && ");
};

/** @throws OperatorError if DATA_DIR has no database, and a rescued one exists: a start would create an empty store instead */
export const assertNotRescued = (directories: Directories): void => {
  const rescued = rescuedStores(directories).toSorted().at(-1);
  if (rescued === undefined) return;
  throw new OperatorError(
    `DATA_DIR ${directories.dataDir} has no database, and ${rescued} holds the one that was deleted: run ${moveCommand(rescued, directories.dataDir)}; to start with an empty store, move ${rescued} elsewhere`,
  );
};

const PART_BYTES = 2 ** 20;

/** Copies a file that may have no name. */
const copyDescriptor = (from: number, path: string): void => {
  const to = openSync(path, "wx", 0o600);
  try {
    const part = Buffer.alloc(PART_BYTES);
    for (let at = 0, read = 0; (read = readSync(from, part, 0, PART_BYTES, at)) > 0; at += read)
      for (let written = 0; written < read;) written += writeSync(to, part, written, read - written);
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
};

/** Copies database and log. A read transaction keeps checkpoints of other threads from emptying the log meanwhile. */
const copyDatabase = (client: Client, loss: FilesLost, path: string): void => {
  const [database, log] = [loss.descriptor("database"), loss.descriptor("log")];
  if (database === undefined) throw new Error("/proc/self/fd does not show the open database");
  try {
    client.run("BEGIN");
    client.query("SELECT count(*) FROM sqlite_schema").get();
  } catch {
    // A damaged database is copied as well.
  }
  try {
    if (log !== undefined) copyDescriptor(log, `${path}-wal`);
    copyDescriptor(database, path);
  } finally {
    if (client.inTransaction) client.run("ROLLBACK");
  }
};

/** The defect of a copied database; undefined if it is intact. */
const defectOf = (path: string): string | undefined => {
  try {
    settleLog(path);
    using client = openExisting(path, { readonly: true });
    assertSound(client);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
};

/** Links or copies a file. One that is gone or cannot be read is left out. */
const keepFile = (from: string, to: string): void => {
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    try {
      linkSync(from, to);
    } catch {
      copyFileSync(from, to);
    }
  } catch {
    rmSync(to, { force: true });
  }
};

/** Files of the process, and those that a rescue saves in another way. */
const LEFT_OUT =
  /^(server|process|clock|scrub)\.json(\.new)?$|^adoption-store\.db(-wal|-shm)?$|\.(lock|sock)$|\.rescued-/;

/** The other files at the top of DATA_DIR, such as the first key. */
const topFiles = (dataDir: string): string[] =>
  readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !LEFT_OUT.test(entry.name))
    .map(({ name }) => name);

/** The other files of DATA_DIR, as paths in it. A directory that was deleted has none. */
const filesOf = (dataDir: string, directory = ""): string[] => {
  try {
    return readdirSync(join(dataDir, directory), { withFileTypes: true })
      .filter(({ name }) => !LEFT_OUT.test(name))
      .flatMap((entry) => {
        const path = join(directory, entry.name);
        if (entry.isDirectory()) return filesOf(dataDir, path);
        return entry.isFile() ? [path] : [];
      });
  } catch {
    return [];
  }
};

/** Counts the files of sites that the rescued database needs and its directory lacks. */
const missingSiteFiles = async (rescued: string): Promise<number> => {
  try {
    using client = openExisting(databasePath(rescued), { readonly: true });
    const blobs = blobsIn(rescued);
    return countMissing(blobs, await neededFiles(blobs, manifestsOf(client)));
  } catch {
    return 0;
  }
};

/** Copies the data of this process, in the shell. */
const copyCommands = (loss: FilesLost): string => {
  const proc = (part: "database" | "log") => `/proc/${process.pid}/fd/${loss.descriptor(part)}`;
  return `cp ${proc("database")} saved.db; cp ${proc("log")} saved.db-wal`;
};

/** A name can still be deleted a moment after the log's. */
const DELETION_MS = 500;
const RETRY_MS = 10_000;

/**
 * Saves the store if its database is deleted while the server runs. The open descriptors then lead to the last copy.
 * @param client has the database open
 * @param onFailure called with the reason and the remedy, once for each attempt that failed
 */
export const storeRescue = (
  client: Client,
  directories: Directories,
  {
    now,
    onFailure,
    retryMs = RETRY_MS,
  }: { now: () => number; onFailure(message: string): void; retryMs?: number },
) => {
  const dataDir = resolve(directories.dataDir);
  const expected = topFiles(dataDir);
  let saved: Promise<string> | undefined;
  let isStopping = false;

  const saveIn = async (place: string, loss: FilesLost): Promise<string> => {
    const rescued = join(place, `${basename(dataDir)}${INFIX}${fileTime(now())}`);
    mkdirSync(rescued, { mode: 0o700 });
    const path = databasePath(rescued);
    try {
      copyDatabase(client, loss, path);
    } catch (error) {
      rmSync(rescued, { recursive: true, force: true });
      throw error;
    }
    const defect = defectOf(path);
    const files = filesOf(dataDir);
    for (const file of files) keepFile(join(dataDir, file), join(rescued, file));
    for (const directory of [rescued, place]) syncDirectory(directory);
    const unsaved = [...new Set([...files, ...expected])].filter((file) => !existsSync(join(rescued, file)));
    const missing = await missingSiteFiles(rescued);
    if (missing > 0) unsaved.push(`${quantity(missing, "file")} of sites (deploy those sites again)`);
    return [
      `the database was deleted while the server ran; its data is saved in ${rescued}, ${defect === undefined ? "and the copy is intact" : `but the copy is not intact (${defect})`}`,
      unsaved.length > 0
        ? `not saved: ${unsaved.join(", ")}`
        : "the other files of DATA_DIR were saved as well",
      `run ${moveCommand(rescued, dataDir)}, then start the server again`,
    ].join("; ");
  };

  const save = async (loss: FilesLost): Promise<string> => {
    const reasons: string[] = [];
    for (const place of placesOf(directories))
      try {
        return await saveIn(place, loss);
      } catch (error) {
        reasons.push(`${place}: ${reasonOf(error)}`);
      }
    throw new Error(reasons.join("; "));
  };

  /** Saves the data once. @returns the complete report @throws an error that names every place and its problem */
  const attempt = (loss: FilesLost): Promise<string> => {
    saved ??= save(loss).catch((error: unknown) => {
      saved = undefined;
      onFailure(
        `the database was deleted, and the only copy left is in this process's open files, but it could not be saved (${reasonOf(error)}): make room, or make one of these directories writable, and the server tries again${isStopping ? ", then stops; to exit now and lose the data, send the signal again" : ""}; or copy it yourself: ${copyCommands(loss)}`,
      );
      throw error;
    });
    return saved;
  };

  /** The new path of a database that was moved. */
  const newPath = (loss: FilesLost): string | undefined => {
    const descriptor = loss.descriptor("database");
    const path = descriptor === undefined ? "" : readlinkSync(`/proc/self/fd/${descriptor}`);
    return existsSync(path) && path !== resolve(databasePath(dataDir)) ? path : undefined;
  };

  /** Waits until a directory has room and the data is saved. @returns the reason to stop the server */
  const settle = async (loss: FilesLost): Promise<Error> => {
    if (!loss.isDeleted()) await Bun.sleep(DELETION_MS);
    while (loss.isDeleted()) {
      const report = await attempt(loss).catch(() => undefined);
      if (report !== undefined) return new Error(report);
      await Bun.sleep(retryMs);
    }
    const path = newPath(loss);
    return path === undefined ? loss : new Error(`${loss.message}; it is now ${path}`);
  };

  return {
    settle,
    /** `settle` when the server stops for another reason. @returns the report; undefined if nothing had to be saved */
    async last(loss: FilesLost): Promise<string | undefined> {
      isStopping = true;
      await settle(loss);
      return saved;
    },
  };
};
