import { type Poller, repeat } from "../lib/poller.ts";
import { DAY_MS } from "../lib/time.ts";
import { EngineUnavailable } from "./errors.ts";
import type { Cluster } from "./cluster.ts";
import { type Erasure, readErasures, removeOldErasures } from "./erasures.ts";
import { type MakeOptions, forgetBefore, makeSnapshot } from "./make-snapshot.ts";
import type { Snapshot } from "./log.ts";
import { parseReference } from "./snapshot-files.ts";

/** A snapshot is due when the log behind the last one has so many records, */
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

/** The log behind the last snapshot. */
export interface Growth {
  readonly records: number;
  /** Bytes of the records that this node has seen. */
  readonly bytes: number;
  readonly ageMs: number;
}

export const isDue = ({ records, bytes, ageMs }: Growth): boolean =>
  records >= MAX_RECORDS || bytes >= MAX_BYTES || (records > 0 && ageMs >= MAX_AGE_MS);

export interface ScheduleOptions extends Omit<MakeOptions, "signal" | "node"> {
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
  { log, node, state }: Pick<Cluster, "log" | "node" | "state">,
  { onMade, onError, assertRoom, checkMs = CHECK_MS, ...options }: ScheduleOptions,
): Poller => {
  /** What this node had seen of the log when it first saw the snapshot. */
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
    if (performance.now() < restsUntil) return;
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
    // Whoever watches the engine says so, and once. A run that is aborted ends with its claim, or with the server.
    onError: (error) => (isExpected(error) ? undefined : onError(error)),
  });
};
