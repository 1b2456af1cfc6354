import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import type { Context } from "../../../src/data/context.ts";
import { damagedBlobs } from "../../../src/platform/deploys/blob-check.ts";
import {
  type ScrubProgress,
  type ScrubberOptions,
  NO_PROGRESS,
  progressFile,
  readProgress,
  scrubber,
} from "../../../src/platform/deploys/scrub.ts";
import { temporaryDirectory, testClock } from "../../support/store.ts";
import { unrepaired } from "../../support/blobs.ts";

const DAY = 24 * 60 * 60_000;

/** A store of so many blobs, and a scrubber that records what it reads and how long it sleeps. */
const open = (
  count: number,
  { sleep, ...settings }: Partial<ScrubberOptions & Pick<Context, "sleep">> = {},
  text = "blob",
) => {
  const root = temporaryDirectory();
  const hashes = Array.from({ length: count }, (_, index) => {
    const hash = Bun.SHA256.hash(`${text} ${index}`, "hex");
    writeFileSync(join(root, hash), `${text} ${index}`);
    return hash;
  }).toSorted();
  const read: string[] = [];
  const pathOf = (hash: string) => {
    read.push(hash);
    return join(root, hash);
  };
  const needed = new Set(hashes);
  const failures: unknown[] = [];
  const clock = testClock();
  const damage = damagedBlobs();
  let saved: ScrubProgress = NO_PROGRESS;
  const asleep = { ms: 0 };
  const log = Object.assign(pino({ level: "silent" }), {
    error: ({ err }: { err: unknown }) => void failures.push(err),
  });
  const context = { clock, log, sleep: sleep ?? (async (ms: number) => void (asleep.ms += ms)) };
  const scrub = scrubber(context, {
    blobs: { pathOf, damage, repair: unrepaired(damage) },
    needed: async () => needed,
    progress: { read: () => saved, write: async (progress) => void (saved = progress) },
    bytesPerSecond: 1e9,
    ...settings,
  });
  const begin = (progress: ScrubProgress) => (saved = progress);
  return { root, hashes, needed, read, clock, damage, asleep, scrub, failures, begin, saved: () => saved };
};

test("every blob is read once a day", async () => {
  const { hashes, read, clock, scrub, saved } = open(5);
  await scrub.tick();
  expect(read).toEqual(hashes);
  expect(saved()).toEqual({ after: "", endedAt: clock.now(), damaged: [] });
  clock.advance(DAY - 1);
  await scrub.tick();
  expect(read.length).toBe(5);
  clock.advance(1);
  await scrub.tick();
  expect(read.length).toBe(10);
});

test("reading keeps to its rate, and a small file counts as much as a seek", async () => {
  const small = open(100, { bytesPerSecond: 100 * 16 * 1024 });
  await small.scrub.tick();
  expect(Math.round(small.asleep.ms)).toBeGreaterThanOrEqual(950);
  const large = open(1, { bytesPerSecond: 2 ** 20 }, "x".repeat(5 * 2 ** 20));
  await large.scrub.tick();
  expect(Math.round(large.asleep.ms / 1000)).toBe(5);
});

test("a stopped scrub resumes where it ended, with the damage that it had found", async () => {
  const { root, hashes, read, damage, scrub, begin, saved } = open(10);
  const [first = "", , third = ""] = hashes;
  rmSync(join(root, first));
  begin({ after: third, endedAt: 7, damaged: [first] });
  await scrub.tick();
  expect(read).toEqual([first, ...hashes.slice(3)]);
  expect(damage.hashes()).toEqual([first]);
  expect(saved().damaged).toEqual([first]);
});

test("stopping interrupts the read, and keeps the progress before it", async () => {
  let sleeps = 0;
  const stopped = open(2500, {
    bytesPerSecond: 16 * 1024 * 20,
    sleep: async () => {
      if (++sleeps === 1500) void stopped.scrub.stop();
    },
  });
  await stopped.scrub.tick();
  expect(stopped.read.length).toBe(1500);
  expect(stopped.saved().after).toBe(stopped.hashes[999] ?? "");
  expect(stopped.failures).toEqual([]);
});

test("a blob that is swept during the check is not damage", async () => {
  const { root, hashes, needed, damage, scrub } = open(3);
  const [first = "", second = ""] = hashes;
  rmSync(join(root, first));
  const has = needed.has.bind(needed);
  // No longer needed at the second call.
  needed.has = (hash) => hash !== first && has(hash);
  rmSync(join(root, second));
  await scrub.tick();
  expect(damage.hashes()).toEqual([second]);
});

test("an error that says nothing about the file is reported, and is not damage", async () => {
  const { root, hashes, damage, scrub, failures, saved } = open(3);
  const first = join(root, hashes[0] ?? "");
  rmSync(first);
  symlinkSync(first, first);
  await scrub.tick();
  expect(failures).toMatchObject([{ code: "ELOOP" }]);
  expect([damage.hashes(), saved()]).toEqual([[], NO_PROGRESS]);
});

test("progress is read back as it was written; a missing or malformed file starts anew", async () => {
  const file = join(temporaryDirectory(), "scrub.json");
  expect(readProgress(file)).toEqual(NO_PROGRESS);
  const progress = { after: "a".repeat(64), endedAt: 5, damaged: ["b".repeat(64)] };
  await progressFile(file).write(progress);
  expect(progressFile(file).read()).toEqual(progress);
  for (const text of ["", "null", "[]", '{"after":7,"endedAt":"x","damaged":["../../etc/passwd"]}']) {
    writeFileSync(file, text);
    expect(readProgress(file)).toEqual(NO_PROGRESS);
  }
});

test("sleeping between files keeps nothing in memory", async () => {
  const file = join(temporaryDirectory(), "empty");
  writeFileSync(file, "");
  const hashes = Array.from({ length: 20_000 }, (_, index) => Bun.SHA256.hash(`${index}`, "hex"));
  // Nothing is needed at the end of a step, so no damage is recorded.
  const sets = [new Set(hashes)];
  const { scrub } = open(0, {
    blobs: { pathOf: () => file, damage: damagedBlobs(), repair: unrepaired(damagedBlobs()) },
    needed: async () => sets.pop() ?? new Set(),
    bytesPerSecond: 1,
    sleep: async () => {},
  });
  const promises = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts["Promise"] ?? 0;
  };
  const before = promises();
  await scrub.tick();
  expect(promises() - before).toBeLessThan(5000);
});
