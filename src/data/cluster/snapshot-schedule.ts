import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyAside, openExisting } from "../db/snapshot.ts";
import { type ReplicaMark, replicaMark } from "../db/replica-mark.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { Judge } from "./check.ts";
import type { Cluster } from "./cluster.ts";
import { type Erasure, readErasures, removeOldErasures } from "./erasures.ts";
import { checkFile } from "./contents.ts";
import { EngineUnavailable, type Log, LogTrimmed, ReplicaDamaged, type Snapshot } from "./log.ts";
import { withCopy } from "./load-snapshot.ts";
import {
  parseReference,
  putSnapshot,
  removeSnapshots,
  snapshotName,
  type SnapshotOptions,
  type SnapshotParts,
  SNAPSHOTS,
  snapshotsBeside,
} from "./snapshot-files.ts";

interface MakeOptions extends SnapshotOptions {
  /** Identifies this node, to find its remains after it was killed. */
  node: string;
  /** What the other nodes show about the contents of this one. */
  judge?: Judge;
}

/** How long a snapshot waits for another node to reach its position, and to show its contents there. */
const CONFIRM_MS = 15_000;
const CONFIRM_STEP_MS = 250;

/**
 * Waits until another node has shown the same contents after this position. A node that lags cannot, and is no reason to keep the
 * log forever. @returns false if a node shows other contents
 */
const isConfirmed = async (position: number, judge: Judge, signal?: AbortSignal): Promise<boolean> => {
  const end = performance.now() + CONFIRM_MS;
  while (!judge.isAlone() && judge.agreedUpTo() < position && performance.now() < end)
    await sleep(CONFIRM_STEP_MS, undefined, { signal });
  return !judge.isDisputed();
};

/** True if the log has the record that this copy ends with: after a failover, the copy may have one that the engine lost. */
const isInLog = async (log: Log, { position, ...mark }: ReplicaMark): Promise<boolean> => {
  try {
    const [record] = await log.read({ log: mark.log, position: position - 1 }, 1);
    return record?.id === mark.id;
  } catch (error) {
    if (error instanceof LogTrimmed) return false;
    throw error;
  }
};

/** The stores that may have parts of snapshots: object storage may have been set only later. */
const cleanUp = async (
  log: Log,
  { objects }: SnapshotOptions,
  newest: string,
  isKept: (name: string) => boolean,
) => {
  await removeSnapshots(log.files, SNAPSHOTS, isKept);
  if (objects) await removeSnapshots(objects, snapshotsBeside(newest), isKept);
};

/**
 * Snapshots from which no node can start any more: those of other logs, older ones, and this node's unfinished ones from
 * before it was killed. Unfinished snapshots of other nodes may still be announced.
 */
const isObsolete = (name: string, { name: before }: SnapshotParts, node: string): boolean =>
  name !== before && (dirname(name) !== dirname(before) || name < before || name.endsWith(`.${node}`));

const markOf = (copy: string): ReplicaMark => {
  using client = openExisting(copy, { readonly: true });
  const mark = replicaMark(client);
  if (!mark) throw new Error("the database is not a replica");
  return mark;
};

const keepOnly = (log: Log, options: SnapshotOptions, newest: Snapshot, before: Snapshot = newest) => {
  const [kept, keptBefore] = [parseReference(newest.reference), parseReference(before.reference)];
  return cleanUp(log, options, kept.name, (name) => name === kept.name || name === keptBefore.name);
};

/** Removes all records that the newest snapshot covers, and all other snapshots: nothing older is left in them. */
export const forgetBefore = async (log: Log, snapshot: Snapshot, options: SnapshotOptions) => {
  await keepOnly(log, options, snapshot);
  await log.trim(snapshot.position);
};

/**
 * Makes a snapshot of the replica in this file, which a server may use meanwhile, and removes the records that it replaces. A
 * node that is not older than the last snapshot still finds its records, and one that loads that snapshot continues from it.
 * A crash leaves parts that this node, or the next snapshot of another one, removes.
 * @returns undefined if no record came since the last snapshot, or another node was first
 */
export const makeSnapshot = async (
  path: string,
  log: Log,
  options: MakeOptions,
): Promise<Snapshot | undefined> => {
  const { node, signal } = options;
  const before = await log.snapshot();
  if (!before) return undefined;
  const partsBefore = parseReference(before.reference);
  await cleanUp(log, options, partsBefore.name, (name) => !isObsolete(name, partsBefore, node));
  return withCopy(path, async (copy) => {
    await copyAside(path, copy, signal);
    const checked = await checkFile(copy);
    if (checked.state === "damaged") throw new ReplicaDamaged(checked.reason);
    const mark = markOf(copy);
    if (mark.log !== before.log || mark.position <= before.position) return undefined;
    if (options.judge && !(await isConfirmed(mark.position, options.judge, signal))) return undefined;
    const name = snapshotName(dirname(partsBefore.name), mark.position, node);
    const parts = await putSnapshot(copy, name, log, options);
    signal?.throwIfAborted();
    const snapshot = { ...mark, reference: JSON.stringify(parts) };
    if (!(await isInLog(log, mark)) || !(await log.announce(snapshot))) return undefined;
    await keepOnly(log, options, snapshot, before);
    // The last step: with it, an engine lets go of all that was removed.
    await log.trim(before.position);
    return snapshot;
  });
};

/** A snapshot is due when the log has so many records after the last one, */
const MAX_RECORDS = 50_000;
/** or so many bytes before compression, which take some ten seconds to apply, */
const MAX_BYTES = 32 * 2 ** 20;
/** or when it is so old, and a record came since. */
const MAX_AGE_MS = DAY_MS;
/** Making snapshots takes at most this share of the time. */
const MAX_WORK_SHARE = 1 / 4;
/** After a failure, such as a full disk. */
const PAUSE_MS = 60_000;
const CHECK_MS = 10_000;

interface Growth {
  readonly records: number;
  /** Bytes of the records that this node has seen. */
  readonly bytes: number;
  readonly ageMs: number;
}

export const isDue = ({ records, bytes, ageMs }: Growth): boolean =>
  records >= MAX_RECORDS || bytes >= MAX_BYTES || (records > 0 && ageMs >= MAX_AGE_MS);

interface ScheduleOptions extends Omit<MakeOptions, "signal" | "node"> {
  /** Called before the database is copied. @throws if the disk has no room for the copy */
  assertRoom?: () => void;
  onMade(snapshot: Snapshot, seconds: number): void;
  onError(error: unknown): void;
  checkMs?: number;
}

const isExpected = (error: unknown): boolean =>
  error instanceof EngineUnavailable || (error instanceof Error && error.name === "AbortError");

/** Makes snapshots when they are due. Run it on one node: others only do the same work in vain. */
export const snapshotPoller = (
  path: string,
  { log, node, state, fail }: Pick<Cluster, "log" | "node" | "state" | "fail">,
  { onMade, onError, assertRoom, checkMs = CHECK_MS, ...options }: ScheduleOptions,
): Poller => {
  /** This node's view of the log when it first saw the snapshot. */
  let seen = { position: -1, recordBytes: 0 };
  let restsUntil = -Infinity;
  const growthSince = ({ position, reference }: Snapshot): Growth => {
    const { position: current, recordBytes } = state();
    if (seen.position !== position) seen = { position, recordBytes };
    return {
      records: current - position,
      bytes: recordBytes - seen.recordBytes,
      ageMs: Date.now() - parseReference(reference).madeAt,
    };
  };
  const make = async (signal: AbortSignal): Promise<Snapshot | undefined> => {
    const start = performance.now();
    restsUntil = start + PAUSE_MS;
    assertRoom?.();
    const snapshot = await makeSnapshot(path, log, { ...options, node, signal });
    const end = performance.now();
    restsUntil = end + (end - start) / MAX_WORK_SHARE;
    if (snapshot) onMade(snapshot, (end - start) / 1000);
    return snapshot;
  };
  const forgotten = new Set<string>();
  const forget = async (erasures: readonly Erasure[], snapshot: Snapshot): Promise<void> => {
    const covered = erasures.filter(
      ({ name, position }) => position <= snapshot.position && !forgotten.has(name),
    );
    if (covered.length > 0) await forgetBefore(log, snapshot, options);
    for (const { name } of covered) forgotten.add(name);
    await removeOldErasures(log, erasures, Date.now());
  };
  const work = async (signal: AbortSignal) => {
    if (performance.now() < restsUntil || options.judge?.isDisputed()) return;
    const last = await log.snapshot();
    if (!last) return;
    const erasures = await readErasures(log);
    const applied = state().position;
    // An erasure at a later position is not in this replica yet, or was in a log that has been replaced.
    const mustForget = erasures.some(({ position }) => position > last.position && position <= applied);
    const made = mustForget || isDue(growthSince(last)) ? await make(signal) : undefined;
    await forget(erasures, made ?? last);
  };
  return repeat(checkMs, work, {
    onError(error) {
      if (error instanceof ReplicaDamaged) fail(error);
      // The engine's monitor reports it, once. A run that is aborted ends with its claim, or with the server.
      else if (!isExpected(error)) onError(error);
    },
  });
};
