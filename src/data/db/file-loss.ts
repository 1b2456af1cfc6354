import type { Database as Client } from "bun:sqlite";
import { type Stats, fstatSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename } from "node:path";
import { StorageUnavailable, isStorageFailure } from "../../lib/storage-errors.ts";
import { isInMemory, walIndexReader } from "./fresh-reads.ts";
import { rowOf } from "./statement.ts";
import { attempt } from "../../lib/attempt.ts";

/** A file of an open database was deleted, replaced or truncated: new writes would be lost. */
export class FilesLost extends StorageUnavailable {
  override name = "FilesLost";

  constructor(
    message: string,
    private readonly opened: OpenedFiles,
  ) {
    super(message);
  }

  /**
   * The descriptor of this process that leads to a file of the database, even after the file was deleted. Do not close it, and
   * do not open the file again: closing drops SQLite's locks. Undefined without /proc.
   */
  descriptor(part: "database" | "log"): number | undefined {
    const file = this.opened.get(part);
    return file && openDescriptors().find((one) => isFile(one, file));
  }

  /** True if no name leads to the database any more: the only copy left is in the open files of this process. */
  isDeleted(): boolean {
    const descriptor = this.descriptor("database");
    return descriptor !== undefined && fstatSync(descriptor).nlink === 0;
  }
}

type OpenedFiles = ReadonlyMap<Part, Pick<Stats, "ino" | "dev"> | undefined>;

const openDescriptors = (): number[] => attempt(() => readdirSync("/proc/self/fd").map(Number)) ?? [];

const isFile = (descriptor: number, { ino, dev }: Pick<Stats, "ino" | "dev">): boolean => {
  // Undefined for the descriptor of the list itself.
  const found = attempt(() => fstatSync(descriptor));
  return found?.ino === ino && found.dev === dev;
};

/** Checks that the database's paths still lead to the files that its connection has open. */
interface FileWatch {
  /** Takes about 12 microseconds. @throws FilesLost, and again on every call after the first loss */
  assert(): void;
  /**
   * Waits until everything recoverable is saved. False if closing, which copies the log into the database, could damage it:
   * then the process must end without closing it, and the next start reads the log.
   */
  mayClose(): Promise<boolean>;
}

type Part = "database" | "log" | "index";

const PATHS: Record<Part, string> = { database: "", log: "-wal", index: "-shm" };
const PARTS = Object.keys(PATHS) as Part[];

/** Undefined if the file is missing. */
const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Checks whether the log has fewer bytes than its index records. A process updates the index before it empties the log,
 * and after it writes to the log.
 */
const lengthCheck = (client: Client): (() => boolean) => {
  const readHeader = walIndexReader(client.filename);
  const pageSize = rowOf(client.query<{ page_size: number }, []>("PRAGMA page_size")).page_size;
  return () => {
    const before = readHeader();
    if (before.frames === 0) return false;
    const needed = LOG_HEADER_BYTES + before.frames * (FRAME_HEADER_BYTES + pageSize);
    const size = statOf(`${client.filename}-wal`)?.size ?? 0;
    if (size >= needed) return false;
    // Another process may have emptied the log meanwhile.
    const after = readHeader();
    return after.count === before.count && after.frames === before.frames;
  };
};

const MAX_SAVE_MS = 5000;
const RETRY_MS = 20;

/** Copies the deleted but still open log into the database. @returns true if the copy is complete */
const save = async (client: Client): Promise<boolean> => {
  for (const end = performance.now() + MAX_SAVE_MS; performance.now() < end; await Bun.sleep(RETRY_MS))
    try {
      // The checkpoint must wait for readers of an older state, such as a backup.
      if (client.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0)
        return true;
    } catch {
      return false;
    }
  return false;
};

type Loss = Part | "emptied" | "saved";

/** What happened, and what to do. @param name of the database file */
const messageOf = (loss: Loss, name: string): string => {
  const messages: Record<Loss, string> = {
    database: "the database file was moved or deleted: put it back, then start the server again",
    emptied: `${name} was emptied while the server ran: restore a backup with adoption-store restore FILE; what its log held is in ${name}.emptied`,
    index: `${name}-shm was deleted or replaced while the server ran; nothing is lost: start the server again`,
    saved: `${name}-wal was deleted or replaced while the server ran; its content was saved in the database: start the server again`,
    log: `${name}-wal was deleted, replaced or cut short while the server ran; the last writes may be lost: start the server again, and compare it with a backup`,
  };
  return messages[loss];
};

const IN_MEMORY: FileWatch = { assert: () => {}, mayClose: async () => true };

/** @param onLost called once everything recoverable is saved; the error names the event and the remedy */
export const watchFiles = (client: Client, onLost: (loss: FilesLost) => void): FileWatch => {
  const path = client.filename;
  if (isInMemory(path)) return IN_MEMORY;
  const opened: OpenedFiles = new Map(PARTS.map((part) => [part, statOf(path + PATHS[part])]));
  const isShort = lengthCheck(client);
  let lost: Loss | undefined;
  const lossOf = (loss: Loss) => new FilesLost(messageOf(loss, basename(path)), opened);
  let settling: Promise<void> | undefined;

  const settle = async (isUnlinked: boolean) => {
    // A checkpoint waits for the end of the transaction that noticed the loss.
    await Bun.sleep(0);
    if (isUnlinked && (await save(client))) lost = "saved";
    if (lost) onLost(lossOf(lost));
  };

  /**
   * Renames an emptied database. When the process ends, SQLite copies the log into the open file. The next start must not
   * open that file: pages are missing.
   */
  const moveAside = () => {
    try {
      renameSync(path, `${path}.emptied`);
    } catch {
      // The message tells the operator to restore a backup in any case.
    }
  };

  const lose = (part: Loss, { isUnlinked = false } = {}): never => {
    lost ??= part;
    settling ??= settle(isUnlinked);
    throw lossOf(lost);
  };

  return {
    assert() {
      if (lost) throw lossOf(lost);
      const moved = PARTS.find((part) => statOf(path + PATHS[part])?.ino !== opened.get(part)?.ino);
      if (moved) lose(moved, { isUnlinked: moved === "log" });
      // An open database has at least one page. Rename an empty one before another connection opens it: SQLite would then
      // delete the log.
      if (statOf(path)?.size === 0) {
        moveAside();
        lose("emptied");
      }
      if (isShort()) lose("log");
    },
    async mayClose() {
      await settling;
      return lost === undefined || lost === "database" || lost === "emptied" || lost === "saved";
    },
  };
};

/**
 * Copies the log into the database file if there is room, and closes it, unless that could damage it. Prepared statements end
 * too, because they would keep the connection and its locks.
 */
export const closeDatabase = async (
  client: Client,
  files: FileWatch,
  close = () => client.close(true),
): Promise<void> => {
  if (!(await files.mayClose())) return;
  try {
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // The log stays next to the database: nothing is lost, and the next start reads it.
    if (!isStorageFailure(error)) throw error;
  } finally {
    close();
  }
};
