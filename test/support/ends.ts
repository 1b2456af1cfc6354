// Loaded before the tests (bunfig.toml): the files of a process share what is loaded, and these hooks are for all of them.
import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Closing = (() => unknown)[];

const ofFile: Closing = [];
const ofTest: Closing = [];
let present = ofFile;

/** Runs when the present test ends, last in first out; outside of one, when all tests of the file have. */
export const atEnd = (close: () => unknown): void => void present.push(close);

const closeAll = async (closing: Closing) => {
  for (const close of closing.splice(0).toReversed()) await close();
};

beforeEach(() => {
  present = ofTest;
});
afterEach(async () => {
  present = ofFile;
  await closeAll(ofTest);
});
afterAll(() => closeAll(ofFile));

/** Opens once for all tests of a file or a `describe`: for those that find nothing different in what another has left. */
export const openedOnce = <Opened>(open: () => Promise<Opened>): (() => Opened) => {
  const opened: Opened[] = [];
  beforeAll(async () => void opened.push(await open()));
  return () => {
    const [only] = opened;
    if (only === undefined) throw new Error("nothing is opened yet");
    return only;
  };
};

const MEMORY = "/dev/shm";
const MIN_MEMORY = 2 ** 31;

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_MEMORY;
  } catch {
    return false;
  }
};

/** Memory where the system offers enough of it: fsync is most of what a test's database waits for. `test/real` uses disks. */
const root = process.env["TMPDIR"] === undefined && hasMemory() ? MEMORY : tmpdir();

export const temporaryDirectory = (): string => {
  const path = mkdtempSync(join(root, "adoption-store-test-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
