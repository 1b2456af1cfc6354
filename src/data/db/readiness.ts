import { Database as Client } from "bun:sqlite";
import { reasonOf } from "../../lib/reason.ts";
import { DatabaseLocked, StorageUnavailable, isBusy, isReadFailure } from "../../lib/storage-errors.ts";
import { type GroupCommit, LOCK_WAIT_MS } from "./commit.ts";
import { explainFailure } from "./failures.ts";
import { DamagedParts, type FileCheck, checkFile } from "./file-check.ts";
import { isInMemory } from "./fresh-reads.ts";
import { assertCurrent } from "./migrate.ts";
import { migrations } from "./migrations.ts";

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
 * Remembers damage that a request or a check found. The database then counts as damaged, and checks of the whole file run in a
 * worker, until a check that began after the last failed read finds no damage.
 */
const damageSuspicion = (path: string, probeMs: number) => {
  let suspicion: { reason: string; at: number } | undefined;
  let damaged: FileCheck["damage"] = new Map();
  let differences: FileCheck["differences"] = [];
  let isChecking = false;
  let nextCheck = -Infinity;

  const learn = ({ start, damage, unreadable }: FileCheck) => {
    const [reason = unreadable] = damage.values();
    damaged = damage;
    if (reason !== undefined) suspicion = { reason, at: start };
    else if (suspicion && suspicion.at < start) suspicion = undefined;
  };

  const checkAgain = async () => {
    isChecking = true;
    // A quick check may not find the damage that a check found before.
    const result = await checkFile(path, { isQuick: damaged.size === 0 });
    isChecking = false;
    const end = performance.now();
    // A disk that failed to read may work again immediately. Damage stays, and checking a large file takes long.
    const rest = Math.max(probeMs, (end - result.start) / MAX_CHECK_SHARE);
    nextCheck = end + (result.damage.size > 0 ? rest : 0);
    learn(result);
  };

  return {
    assertUndamaged() {
      if (!suspicion) return;
      if (!isChecking && performance.now() >= nextCheck) void checkAgain();
      if (damaged.size > 0) throw new DamagedParts(damaged.keys());
      throw new Error(
        `a read failed (${suspicion.reason}): look at the disk; if adoption-store doctor finds damage, follow its advice`,
      );
    },
    suspect(error: unknown) {
      if (!isInMemory(path) && isReadFailure(error))
        suspicion = { reason: reasonOf(error), at: performance.now() };
    },
    async inspect(signal?: AbortSignal): Promise<FileCheck> {
      if (isInMemory(path)) return { start: performance.now(), damage: damaged, differences };
      const result = await checkFile(path, { isSlow: true, signal });
      learn(result);
      ({ differences } = result);
      return result;
    },
    differences: () => differences,
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
    inspect: damage.inspect,
    differences: damage.differences,
    close: reads.close,
  };
};
