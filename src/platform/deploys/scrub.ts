import { writeDurably } from "../../lib/durable.ts";
import { Fault } from "../../lib/errors.ts";
import { type Poller, repeat } from "../../lib/poller.ts";
import type { Context } from "../../data/context.ts";
import { blobProblem, isHash } from "./blob-check.ts";
import type { BlobSource } from "./blobs.ts";
import { readJson } from "../../lib/files.ts";

/** The progress of a scrub, from which the next process resumes. */
export interface ScrubProgress {
  /** The last hash that the current pass has checked; "" between passes. */
  after: string;
  /** When the last pass ended, in milliseconds UTC; 0 before the first. */
  endedAt: number;
  /** Hashes of damaged blobs. */
  damaged: readonly string[];
}

export const NO_PROGRESS: ScrubProgress = { after: "", endedAt: 0, damaged: [] };

export interface ScrubberOptions {
  blobs: BlobSource;
  /** The hashes of all blobs that deploys need now. */
  needed: () => Promise<ReadonlySet<string>>;
  /** Where progress is kept. */
  progress: { read(): ScrubProgress; write(progress: ScrubProgress): Promise<void> };
  bytesPerSecond: number;
}

const TICK_MS = 10 * 60_000;
const FIRST_TICK_MS = 10_000;
const PASS_EVERY_MS = 24 * 60 * 60_000;
/** Progress is saved after so many blobs. */
const STEP_BLOBS = 1000;

/** Each part counts as at least this much: reading even a tiny file costs a seek. */
const MIN_PART_BYTES = 16 * 1024;
const MIN_SLEEP_MS = 50;

/** Limits reading to so many bytes a second. @returns a function to await after each part that was read */
const throttle = (bytesPerSecond: number, sleep: (ms: number) => Promise<void>) => {
  let owedMs = 0;
  return async (bytes: number): Promise<void> => {
    owedMs += (1000 * Math.max(bytes, MIN_PART_BYTES)) / bytesPerSecond;
    if (owedMs < MIN_SLEEP_MS) return;
    const ms = owedMs;
    owedMs = 0;
    await sleep(ms);
  };
};

/** The blob is among the damaged ones now, or the object store is unreachable: then the first request for it tries again. */
const ignoreFault = (error: unknown): void => {
  if (!(error instanceof Fault)) throw error;
};

/** The server is stopping: ends the read of the current file. */
class Stopped extends Error {}

/**
 * Reads all files of deploys once a day, slowly, so that damage is found while a backup still has the files. A tick checks
 * damaged files again, then starts or resumes a pass if it is time.
 */
export const scrubber = (
  { clock, sleep, log }: Pick<Context, "clock" | "sleep" | "log">,
  { blobs: { pathOf, damage, repair }, needed, progress, bytesPerSecond }: ScrubberOptions,
): Poller => {
  let isStopped = false;
  let wake: (() => void) | undefined;
  // Not a race against a promise for the stop, which would keep every sleep of the pass in memory.
  const pause = throttle(bytesPerSecond, (ms) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    wake = resolve;
    sleep(ms).then(resolve, reject);
    return promise;
  });

  const onPart = async (bytes: number) => {
    if (!isStopped) await pause(bytes);
    if (isStopped) throw new Stopped();
  };

  const checkAll = async (hashes: readonly string[]): Promise<void> => {
    const problems = new Map<string, string>();
    for (const hash of hashes) {
      const problem = await blobProblem(pathOf(hash), hash, onPart);
      if (problem === undefined) damage.remove(hash);
      else problems.set(hash, problem);
    }
    if (problems.size === 0) return;
    // A sweep may have removed a missing file meanwhile.
    const all = await needed();
    for (const [hash, problem] of problems) if (all.has(hash)) await repair(hash, problem).catch(ignoreFault);
  };

  const save = (after: string, endedAt: number) =>
    progress.write({ after, endedAt, damaged: damage.hashes() });

  const runPass = async ({ after, endedAt }: ScrubProgress): Promise<void> => {
    const all = await needed();
    damage.retainOnly(all);
    const left = [...all].filter((hash) => hash > after).toSorted();
    for (let at = 0; at < left.length; at += STEP_BLOBS) {
      const step = left.slice(at, at + STEP_BLOBS);
      await checkAll(step);
      await save(step.at(-1) ?? after, endedAt);
    }
    await save("", clock.now());
  };

  const run = async (): Promise<void> => {
    const saved = progress.read();
    // Checked again first: a deploy or a restore may have replaced them.
    await checkAll([...new Set([...damage.hashes(), ...saved.damaged])]);
    if (saved.after !== "" || clock.now() >= saved.endedAt + PASS_EVERY_MS) await runPass(saved);
    else if (damage.hashes().join() !== saved.damaged.join()) await save(saved.after, saved.endedAt);
  };

  const poller = repeat(TICK_MS, run, {
    firstMs: FIRST_TICK_MS,
    onError(error) {
      if (error instanceof Stopped) return;
      log.error({ err: error }, "files of deployed sites could not be checked");
    },
  });
  return {
    ...poller,
    stop() {
      isStopped = true;
      wake?.();
      return poller.stop();
    },
  };
};

const isHashText = (value: unknown): value is string => typeof value === "string" && isHash(value);

/** Reads the progress of the last scrub from a file. After a missing or malformed one, the next pass starts over. */
export const readProgress = (path: string): ScrubProgress => {
  const { after, endedAt, damaged } = (readJson(path) ?? {}) as Record<string, unknown>;
  return {
    after: isHashText(after) ? after : "",
    endedAt: Number.isSafeInteger(endedAt) ? Number(endedAt) : 0,
    damaged: Array.isArray(damaged) ? damaged.filter(isHashText) : [],
  };
};

export const progressFile = (path: string) => ({
  read: () => readProgress(path),
  write: (progress: ScrubProgress) => writeDurably(path, JSON.stringify(progress)),
});
