// Loaded before the tests (bunfig.toml): the files of a process share what is loaded, and these hooks are for all of them.
import { afterAll, afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
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

export const temporaryDirectory = (): string => {
  const path = mkdtempSync(join(tmpdir(), "adoption-store-test-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
