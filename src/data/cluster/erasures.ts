import { type Poller, repeat } from "../../lib/poller.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { Cluster } from "./cluster.ts";
import { exceptUnavailable, type Log } from "./log.ts";

/**
 * When an erased person is in no record and no snapshot any more, and in no file of a node that runs. It takes about a minute,
 * if the engine can be reached and a node runs; more is for large databases.
 */
export const ERASED_WITHIN_HOURS = 1;

const PREFIX = "erasures/";
/** For this long, nodes that were stopped find the erasures to apply to their files. */
const KEPT_MS = DAY_MS;
const CHECK_MS = 30_000;

export interface Erasure {
  readonly name: string;
  /** The erasure is in the record at this position, or before it. */
  readonly position: number;
  /** In milliseconds UTC. */
  readonly at: number;
}

/** Notifies all nodes that a person was erased by a record up to this position. */
export const announceErasure = (log: Log, position: number): Promise<void> =>
  log.files.put(`${PREFIX}${position}.${Date.now()}`, new Uint8Array([1]));

const parse = (name: string): Erasure[] => {
  const [position = Number.NaN, at = Number.NaN] = name.slice(PREFIX.length).split(".").map(Number);
  return Number.isSafeInteger(position) && Number.isSafeInteger(at) ? [{ name, position, at }] : [];
};

/** The erasures of the last day. @throws EngineUnavailable */
export const readErasures = async ({ files }: Log): Promise<Erasure[]> =>
  (await files.list(PREFIX)).flatMap(parse);

/** Forgets the erasures of which all nodes must know by now. */
export const removeOldErasures = async (
  { files }: Log,
  erasures: readonly Erasure[],
  now: number,
): Promise<void> => {
  const old = erasures.filter(({ at }) => at < now - KEPT_MS).map(({ name }) => name);
  if (old.length > 0) await files.remove(old);
};

/**
 * Rewrites the database of this node after each erasure that it has applied, as deleted bytes stay in the files of SQLite. Each
 * node has to run it, and does so once more after it was started.
 */
export const erasurePoller = (
  { log, state }: Cluster,
  {
    rewrite,
    onError,
    checkMs = CHECK_MS,
  }: { rewrite(): Promise<void>; onError(error: unknown): void; checkMs?: number },
): Poller => {
  const done = new Set<string>();
  const work = async () => {
    const applied = state().position;
    const due = (await readErasures(log)).filter(
      ({ name, position }) => position <= applied && !done.has(name),
    );
    if (due.length === 0) return;
    await rewrite();
    for (const { name } of due) done.add(name);
  };
  return repeat(checkMs, work, {
    firstMs: 0,
    onError: exceptUnavailable(onError),
  });
};
