// Loaded before the tests (bunfig.toml). All test files of a process share this module, and its hooks apply to all of them.
import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Cleanups = (() => unknown)[];

const fileCleanups: Cleanups = [];
const testCleanups: Cleanups = [];
let current = fileCleanups;

/** Runs when the current test ends, last in first out; outside a test, when all tests of the file have ended. */
export const atEnd = (cleanUp: () => unknown): void => void current.push(cleanUp);

/** Runs all of them, even if some fail. */
const runAll = async (cleanups: Cleanups) => {
  await using stack = new AsyncDisposableStack();
  for (const cleanUp of cleanups.splice(0)) stack.defer(async () => void (await cleanUp()));
};

beforeEach(() => {
  current = testCleanups;
});
afterEach(async () => {
  current = fileCleanups;
  await runAll(testCleanups);
});
afterAll(() => runAll(fileCleanups));

/** Opens once for all tests of a file or a `describe`. The tests must not depend on what others change. */
export const openOnce = <Resource>(open: () => Promise<Resource>): (() => Resource) => {
  let resource: Resource | undefined;
  beforeAll(async () => {
    resource = await open();
  });
  return () => {
    if (resource === undefined) throw new Error("it is not open yet");
    return resource;
  };
};

const MEMORY = "/dev/shm";
const MIN_MEMORY_BYTES = 2 ** 31;

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_MEMORY_BYTES;
  } catch {
    return false;
  }
};

/** Memory if there is enough, because a test's database mostly waits for fsync. `test/real` uses disks. */
const root = process.env["TMPDIR"] === undefined && hasMemory() ? MEMORY : tmpdir();

export const temporaryDirectory = (): string => {
  const path = mkdtempSync(join(root, "adoption-store-test-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
