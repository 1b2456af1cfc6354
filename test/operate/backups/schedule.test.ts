import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { backupName } from "../../../src/operate/backups/file-names.ts";
import { backupScheduler, backupWarnings, serverBackups } from "../../../src/operate/backups/schedule.ts";
import { storeIdOfFile } from "../../../src/operate/backups/backup-directory.ts";
import { readConfig } from "../../../src/config/config.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { systemRuntime } from "../../../src/data/context.ts";
import { bundledProgram } from "../../support/program.ts";
import { testClock } from "../../support/store.ts";
import { closedStore } from "./stores.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const schedulerWith = ({ newest }: { newest?: (now: number) => number } = {}) => {
  const clock = testClock();
  const backupTimes: number[] = [];
  const failures: unknown[] = [];
  const room = {
    clock,
    taken: backupTimes,
    failures,
    failing: false,
    scheduler: backupScheduler({
      every: DAY,
      newest: () => newest?.(clock.now()),
      async take() {
        if (room.failing) throw new Error("no room");
        backupTimes.push(clock.now());
      },
      cancel: async () => {},
      clock,
      onError: (error) => failures.push(error),
    }),
  };
  return room;
};

test("the first scheduled backup is taken immediately, the next when the interval has passed", async () => {
  const { scheduler, clock, taken: backupTimes } = schedulerWith();
  for (let minute = 0; minute <= 2 * 24 * 60; minute += 10) {
    await scheduler.tick();
    clock.advance(10 * MINUTE);
  }
  expect(backupTimes.map((time) => time - (backupTimes[0] ?? 0))).toEqual([0, DAY, 2 * DAY]);
});

test("a backup taken before the start of the server counts", async () => {
  const start = testClock().now();
  const { scheduler, clock, taken: backupTimes } = schedulerWith({ newest: () => start - DAY + MINUTE });
  await scheduler.tick();
  expect(backupTimes).toEqual([]);
  clock.advance(MINUTE);
  await scheduler.tick();
  expect(backupTimes).toHaveLength(1);
});

test("a failed backup is reported, and retried after 15 minutes", async () => {
  const room = schedulerWith();
  const { scheduler, clock, taken: backupTimes, failures } = room;
  room.failing = true;
  for (let minute = 0; minute < 15; minute++) {
    await scheduler.tick();
    clock.advance(MINUTE);
  }
  expect(failures).toHaveLength(1);
  room.failing = false;
  await scheduler.tick();
  expect(backupTimes).toHaveLength(1);
});

test("a clock that is set back delays the next backup by at most one interval", async () => {
  const { scheduler, clock, taken: backupTimes } = schedulerWith();
  await scheduler.tick();
  clock.advance(-300 * DAY);
  await scheduler.tick();
  clock.advance(DAY);
  await scheduler.tick();
  expect(backupTimes).toHaveLength(2);
});

test("the status of scheduled backups has the time of the newest and the time when the next is due", async () => {
  const start = testClock().now();
  const { scheduler, clock } = schedulerWith({ newest: () => start - DAY + MINUTE });
  expect(scheduler.status()).toBeUndefined();
  await scheduler.tick();
  const before = { failures: 0, reason: "" };
  expect(scheduler.status()).toEqual({ ...before, lastSuccess: start - DAY + MINUTE, due: start + MINUTE });
  clock.advance(MINUTE);
  await scheduler.tick();
  expect(scheduler.status()).toEqual({ ...before, lastSuccess: start + MINUTE, due: start + MINUTE + DAY });
});

const codesAt = ({ scheduler, clock }: ReturnType<typeof schedulerWith>) =>
  backupWarnings(scheduler.status(), DAY, clock.now()).map(({ code, count }) => [code, count]);

test("readiness warns of attempts that fail, until one succeeds, and of a backup that is overdue by an hour", async () => {
  const room = schedulerWith();
  room.failing = true;
  await room.scheduler.tick();
  expect(codesAt(room)).toEqual([["backups_fail", 1]]);
  for (let quarter = 0; quarter < 5; quarter++) {
    room.clock.advance(15 * MINUTE);
    await room.scheduler.tick();
  }
  expect(codesAt(room)).toEqual([
    ["backups_fail", 6],
    ["backup_overdue", 1],
  ]);
  expect(backupWarnings(room.scheduler.status(), DAY, room.clock.now())[0]?.message).toMatch(
    /6 attempts.+there is no backup: no room$/,
  );
  room.failing = false;
  room.clock.advance(15 * MINUTE);
  await room.scheduler.tick();
  expect(codesAt(room)).toEqual([]);
});

test("readiness does not warn of a backup that became due while no server ran, until the server has had time for it", async () => {
  const start = testClock().now();
  const room = schedulerWith({ newest: () => start - 30 * DAY });
  room.failing = true;
  await room.scheduler.tick();
  expect(codesAt(room)).toEqual([["backups_fail", 1]]);
});

test("no backup begins after stop", async () => {
  const { scheduler, taken: backupTimes } = schedulerWith();
  await scheduler.stop();
  await scheduler.tick();
  expect(backupTimes).toEqual([]);
});

test("a scheduler that starts again counts the backups that were taken meanwhile, and has no status while it is stopped", async () => {
  const times: number[] = [];
  const { scheduler, taken: backupTimes, clock } = schedulerWith({ newest: () => times.at(-1) ?? 0 });
  await scheduler.tick();
  expect(backupTimes).toHaveLength(1);
  await scheduler.stop();
  expect(scheduler.status()).toBeUndefined();
  clock.advance(DAY);
  times.push(clock.now());
  scheduler.start();
  await scheduler.tick();
  expect(backupTimes).toHaveLength(1);
  clock.advance(DAY);
  await scheduler.tick();
  expect(backupTimes).toHaveLength(2);
  await scheduler.stop();
});

/** The server's scheduler over this program. */
const wiredOn = async (env: Record<string, string> = {}) => {
  const dataDir = await closedStore("Bella");
  const config = readConfig({
    flags: {},
    env: { DATA_DIR: dataDir, BACKUP_SCHEDULE: "24h", DISK_RESERVE: "0", ...env },
    isTerminal: false,
  });
  const storeId = storeIdOfFile(databasePath(dataDir));
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: "info", base: null }, { write: (line) => void log.push(JSON.parse(line)) });
  const clock = testClock(Date.now());
  const context = { config, ...systemRuntime, clock, log: logger };
  const scheduler = serverBackups(context, storeId, { program: await bundledProgram() });
  return { scheduler, log, clock, directory: config.backupDir, dataDir };
};

test("the server takes backups in a separate process, records them as the service's, and keeps BACKUP_KEEP of them", async () => {
  const { scheduler, log, clock, directory, dataDir } = await wiredOn({ BACKUP_KEEP: "2" });
  mkdirSync(directory);
  writeFileSync(join(directory, backupName(1)), "of an unknown store");
  for (let count = 0; count < 4; count++) {
    await scheduler?.tick();
    clock.advance(DAY);
  }
  expect(log.map(({ message, msg, removed, leftAlone }) => [message ?? msg, removed, leftAlone])).toEqual([
    ["backup taken", 0, 1],
    ["backup taken", 0, 1],
    ["backup taken", 1, 1],
    ["backup taken", 1, 1],
  ]);
  // The backups that this server took have a digest each.
  expect(readdirSync(directory)).toHaveLength(5);
  using database = new Client(databasePath(dataDir), { readonly: true });
  const recorded = database.query("SELECT actor FROM audit_entries WHERE action = 'backup.taken'");
  expect(recorded.values().flat()).toEqual(["service", "service", "service", "service"]);
}, 60_000);

test("a failed backup is logged as an error with the remedy, and the server continues", async () => {
  const { scheduler, log, directory } = await wiredOn({ DISK_RESERVE: "1024GiB" });
  await scheduler?.tick();
  expect(JSON.stringify(log)).toContain("has no room for the backup");
  expect(log.map(({ level }) => level)).toEqual([50]);
  expect(readdirSync(directory)).toEqual([]);
}, 60_000);

test("without BACKUP_SCHEDULE the server takes no backups", async () => {
  expect((await wiredOn({ BACKUP_SCHEDULE: "" })).scheduler).toBeUndefined();
});
