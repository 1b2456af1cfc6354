import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newestBackupIn } from "../../../src/operate/backups/backup-directory.ts";
import {
  isTemporary,
  writerOf,
  backupName,
  surplus,
  temporaryName,
  backupTime,
} from "../../../src/operate/backups/file-names.ts";
import { temporaryDirectory } from "../../support/store.ts";

const AT = Date.UTC(2026, 10, 21, 3, 4, 5, 67);
const DAY = 86_400_000;
const days = (count: number) => backupName(AT + count * DAY);

test("the name of a backup contains its time, to the millisecond", () => {
  expect(backupName(AT)).toBe("adoption-store-20261121T030405.067Z.db");
  expect(backupTime(backupName(AT))).toBe(AT);
});

test.each([
  "adoption-store.db",
  "adoption-store-20261121T030405.067Z.db-wal",
  "adoption-store-20261321T030405.067Z.db",
  "adoption-store-20260231T030405.067Z.db",
  "my-adoption-store-20261121T030405.067Z.db",
  "adoption-store-20261121T030405.067Z.db.old",
  "",
])("%s is not the name of a backup", (name) => {
  expect(backupTime(name)).toBeUndefined();
});

test("the newest backups stay, regardless of their order in the list, and other files are left alone", () => {
  const names = ["notes.db", days(2), days(0), "adoption-store.db", days(3), days(1)];
  expect(surplus(names, days(3), 2, AT + 3 * DAY)).toEqual([days(1), days(0)]);
  expect(surplus(names, days(3), 4, AT + 3 * DAY)).toEqual([]);
});

test("the backup just taken stays, even if the clock was set back meanwhile", () => {
  expect(surplus([days(0), days(1), days(2)], days(2), 1, AT + DAY)).toEqual([days(1), days(0)]);
});

test("a backup named by a clock that was ahead does not count, and stays", () => {
  const ahead = Array.from({ length: 7 }, (_, index) => days(3650 + index));
  let shelf = ahead;
  for (let day = 0; day < 10; day++) {
    const all = [...shelf, days(day)];
    const gone = new Set(surplus(all, days(day), 7, AT + day * DAY));
    shelf = all.filter((name) => !gone.has(name));
  }
  expect(shelf).toEqual([...ahead, ...[3, 4, 5, 6, 7, 8, 9].map(days)]);
});

/** When the newest of these files in a directory was taken. */
const newestOf = (names: readonly string[], now: number) => {
  const directory = temporaryDirectory();
  for (const name of names) writeFileSync(join(directory, name), "");
  return newestBackupIn(directory, undefined, now);
};

test("a backup named by a clock that was ahead is not the newest", () => {
  expect(newestOf([days(0), days(1), "other"], AT + 1)).toBe(AT);
  expect(newestOf(["other"], AT)).toBeUndefined();
});

test("a directory of backups that does not exist has no newest one", () => {
  expect(newestBackupIn(join(temporaryDirectory(), "missing"), undefined, AT)).toBeUndefined();
});

test("the name of a backup that is being written shows its process, and is not the name of a backup", () => {
  expect(isTemporary(temporaryName(12))).toBe(true);
  expect(writerOf(temporaryName(12))).toBe(12);
  // Its lock file holds no data.
  expect(isTemporary(`${temporaryName(12)}.lock`)).toBe(false);
  expect(backupTime(temporaryName(12))).toBeUndefined();
});

test("the newest of all backups is found by its time", () => {
  expect(newestOf([days(0), days(2), days(1)], AT + 2 * DAY)).toBe(AT + 2 * DAY);
  expect(newestOf([days(0), days(2), days(1)], AT + 2 * DAY - 1)).toBe(AT + DAY);
});

test.each([
  "notes.db",
  "adoption-store-backup-12.tmp",
  "x.adoption-store-backup-12.tmp",
  ".adoption-store-backup-.tmp",
])("%s is not the name of a backup that is being written", (name) => {
  expect(writerOf(name)).toBeUndefined();
  expect(isTemporary(name)).toBe(false);
});
