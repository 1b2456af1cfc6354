import { Database as Client } from "bun:sqlite";
import { type GroupCommit, LOCK_WAIT_MS } from "./commit.ts";
import { explainFailure } from "./explain-failure.ts";
import { DatabaseLocked, StorageUnavailable, isBusy, isReadFailure } from "../lib/storage-errors.ts";
import { assertCurrent } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openSqlWorker } from "./sql-worker.ts";
import { reasonOf } from "../lib/reason.ts";

/** Tells whether the database can be read and written. */
export interface Readiness {
  /** @throws with what is wrong */
  assert(): Promise<void>;
  /** Called with an error: if a read failed, the database counts as damaged until a check of the whole file finds nothing. */
  suspect(error: unknown): void;
  close(): void;
}

export interface ReadinessOptions {
  /** How long the result of a probe is valid, in milliseconds. */
  probeMs?: number;
  /** How long another process may hold the write lock. */
  lockWait?: number;
  lockHolder: () => string;
}

const PROBE_MS = 400;
/** The most of the time that is spent checking a damaged file again. */
const CHECK_SHARE = 1 / 10;

/** Says what to do about an error of SQLite's own. */
const explain = (error: unknown): unknown => {
  const advice = error instanceof StorageUnavailable ? undefined : explainFailure(error);
  return advice === undefined ? error : new Error(`${reasonOf(error)}: ${advice}`, { cause: error });
};

/** What a check of the whole file found. */
type Verdict = { is: "sound" } | { is: "damaged" | "unreadable"; reason: string };

const verdictOf = async (path: string): Promise<Verdict> => {
  try {
    await using client = await openSqlWorker(path);
    const [found] = await client.all("PRAGMA quick_check(1)");
    const reason = String(found?.["quick_check"]);
    return reason === "ok" ? { is: "sound" } : { is: "damaged", reason };
  } catch (error) {
    return { is: "unreadable", reason: reasonOf(error) };
  }
};

export const databaseReadiness = (
  client: Client,
  writes: Pick<GroupCommit, "probe" | "last" | "lockedSince">,
  { probeMs = PROBE_MS, lockWait = LOCK_WAIT_MS, lockHolder }: ReadinessOptions,
): Readiness => {
  const path = client.filename;
  const isInMemory = path === "" || path === ":memory:";
  let reader: Client | undefined;
  let read: { at: number; error?: unknown } = { at: -Infinity };
  let suspicion: { reason: string; at: number } | undefined;
  let isChecking = false;
  let nextCheck = -Infinity;

  /** Reads on another connection, whose cached pages are invalid once this one has written: so it reads from the disk. */
  const probeRead = () => {
    reader ??= isInMemory ? client : new Client(path, { readonly: true });
    try {
      assertCurrent(reader, migrations);
      read = { at: performance.now() };
    } catch (error) {
      closeReader();
      read = { at: performance.now(), error };
    }
  };

  const closeReader = () => {
    if (reader !== client) reader?.close();
    reader = undefined;
  };

  const assertReadable = () => {
    if (performance.now() - read.at >= probeMs) probeRead();
    if (read.error !== undefined && !isBusy(read.error)) throw read.error;
  };

  const assertWritable = () => {
    if (performance.now() - writes.last().at >= probeMs) writes.probe();
    const since = writes.lockedSince();
    const held = since === undefined ? 0 : performance.now() - since;
    if (held >= lockWait) throw new DatabaseLocked(Math.floor(held / 1000), lockHolder());
    const { error } = writes.last();
    if (error !== undefined) throw error;
  };

  const check = async () => {
    isChecking = true;
    const start = performance.now();
    const verdict = await verdictOf(path);
    isChecking = false;
    const end = performance.now();
    // A disk that failed to read may read again at once; damage stays, and a check of a large file takes long.
    nextCheck = end + (verdict.is === "damaged" ? Math.max(probeMs, (end - start) / CHECK_SHARE) : 0);
    if (verdict.is !== "sound") suspicion = { reason: verdict.reason, at: start };
    else if (suspicion && suspicion.at < start) suspicion = undefined;
  };

  const assertUndamaged = () => {
    if (!suspicion) return;
    if (!isChecking && performance.now() >= nextCheck) void check();
    throw new Error(
      `a read failed (${suspicion.reason}): look at the disk; if adoption-store doctor finds damage, restore a backup`,
    );
  };

  return {
    async assert() {
      try {
        assertUndamaged();
        assertReadable();
        assertWritable();
      } catch (error) {
        throw explain(error);
      }
    },
    suspect(error) {
      if (!isInMemory && isReadFailure(error)) suspicion = { reason: reasonOf(error), at: performance.now() };
    },
    close: closeReader,
  };
};
