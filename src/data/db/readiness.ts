import { Database as Client } from "bun:sqlite";
import { reasonOf } from "../../lib/reason.ts";
import { DatabaseLocked, StorageUnavailable, isBusy, isReadFailure } from "../../lib/storage-errors.ts";
import { type GroupCommit, LOCK_WAIT_MS } from "./commit.ts";
import { explainFailure } from "./failures.ts";
import { isInMemory } from "./fresh-reads.ts";
import { assertCurrent } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openSqlWorker } from "./sql-worker.ts";

export interface ReadinessOptions {
  /** How long the result of a probe is valid, in milliseconds. */
  probeMs?: number | undefined;
  /** How long another process may hold the write lock. */
  lockWait?: number | undefined;
  lockHolder: () => string;
}

const PROBE_MS = 400;
/** The largest share of the time spent on checking a damaged file again. */
const MAX_CHECK_SHARE = 1 / 10;

const explain = (error: unknown): unknown => {
  const advice = error instanceof StorageUnavailable ? undefined : explainFailure(error);
  return advice === undefined ? error : new Error(`${reasonOf(error)}: ${advice}`, { cause: error });
};

/** The result of a check of the whole file, and the time of its first read. */
type CheckResult = { start: number } & (
  { state: "sound" } | { state: "damaged" | "unreadable"; reason: string }
);

const checkFile = async (path: string): Promise<CheckResult> => {
  let start = performance.now();
  try {
    await using client = await openSqlWorker(path);
    start = performance.now();
    const [found] = await client.all("PRAGMA quick_check(1)");
    const reason = String(found?.["quick_check"]);
    return reason === "ok" ? { start, state: "sound" } : { start, state: "damaged", reason };
  } catch (error) {
    return { start, state: "unreadable", reason: reasonOf(error) };
  }
};

/** Reads from the disk: on a second connection, whose cached pages become invalid when the first one writes. */
const readProbe = (client: Client, probeMs: number) => {
  let reader: Client | undefined;
  let last: { at: number; error?: unknown } = { at: -Infinity };
  const close = () => {
    if (reader !== client) reader?.close();
    reader = undefined;
  };
  const probe = () => {
    reader ??= isInMemory(client.filename) ? client : new Client(client.filename, { readonly: true });
    try {
      assertCurrent(reader, migrations);
      last = { at: performance.now() };
    } catch (error) {
      close();
      last = { at: performance.now(), error };
    }
  };
  return {
    assertReadable() {
      if (performance.now() - last.at >= probeMs) probe();
      if (last.error !== undefined && !isBusy(last.error)) throw last.error;
    },
    close,
  };
};

/**
 * Remembers that a read failed. The database then counts as damaged, and checks of the whole file run in a worker, until a
 * check that began after the last failed read finds no damage.
 */
const damageSuspicion = (path: string, probeMs: number) => {
  let suspicion: { reason: string; at: number } | undefined;
  let isChecking = false;
  let nextCheck = -Infinity;

  const check = async () => {
    isChecking = true;
    const result = await checkFile(path);
    isChecking = false;
    const { start } = result;
    const end = performance.now();
    // A disk that failed to read may work again immediately. Damage stays, and checking a large file takes long.
    nextCheck = end + (result.state === "damaged" ? Math.max(probeMs, (end - start) / MAX_CHECK_SHARE) : 0);
    if (result.state !== "sound") suspicion = { reason: result.reason, at: start };
    else if (suspicion && suspicion.at < start) suspicion = undefined;
  };

  return {
    assertUndamaged() {
      if (!suspicion) return;
      if (!isChecking && performance.now() >= nextCheck) void check();
      throw new Error(
        `a read failed (${suspicion.reason}): look at the disk; if adoption-store doctor finds damage, restore a backup`,
      );
    },
    suspect(error: unknown) {
      if (!isInMemory(path) && isReadFailure(error))
        suspicion = { reason: reasonOf(error), at: performance.now() };
    },
  };
};

export const databaseReadiness = (
  client: Client,
  writes: Pick<GroupCommit, "probe" | "last" | "lockedSince">,
  { probeMs = PROBE_MS, lockWait = LOCK_WAIT_MS, lockHolder }: ReadinessOptions,
) => {
  const reads = readProbe(client, probeMs);
  const damage = damageSuspicion(client.filename, probeMs);

  const assertWritable = () => {
    if (performance.now() - writes.last().at >= probeMs) writes.probe();
    const since = writes.lockedSince();
    const held = since === undefined ? 0 : performance.now() - since;
    if (held >= lockWait) throw new DatabaseLocked(Math.floor(held / 1000), lockHolder());
    const { error } = writes.last();
    if (error !== undefined) throw error;
  };

  return {
    /** @throws an error that names the problem */
    async assert(): Promise<void> {
      try {
        damage.assertUndamaged();
        reads.assertReadable();
        assertWritable();
      } catch (error) {
        throw explain(error);
      }
    },
    /** Call it with errors of requests: after a failed read, the next `assert` checks the whole file. */
    suspect: damage.suspect,
    close: reads.close,
  };
};
