import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { InsufficientSpace, diskSpaceAbove } from "../../../src/platform/deploys/disk-space.ts";
import { UploadCutOff, UploadTooLarge, openUploads } from "../../../src/platform/deploys/uploads.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const chunk = new Uint8Array(10);

/** A body of one chunk after another, so many milliseconds apart; endless without a count. */
const bodyOf = (gapMs: number, count = Number.POSITIVE_INFINITY) => {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(gapMs);
      if (sent++ < count) controller.enqueue(chunk);
      else controller.close();
    },
  });
};

/** At least ten thousand bytes a second, after a grace period of a tenth of a second. */
const open = (free = () => 1000) => {
  const directory = join(temporaryDirectory(), "uploads");
  const limits = { bytes: 1000, stallMs: 1000, graceMs: 100, bytesPerSecond: 10_000 };
  const uploads = openUploads(directory, limits, diskSpaceAbove(free, 100));
  const hold = (body: ReadableStream<Uint8Array> | null) =>
    uploads.receive(body, (file) => Bun.file(file).bytes());
  return { hold, left: () => readdirSync(directory) };
};

test("a body is in a file while it is used", async () => {
  const { hold, left } = open();
  expect(await hold(bodyOf(1, 3))).toEqual(new Uint8Array(30));
  expect(await hold(null)).toEqual(new Uint8Array(0));
  expect(left()).toEqual([]);
});

test("a slow body is cut off after the grace period, and a fast one may take longer", async () => {
  const { hold, left } = open();
  const slow = hold(bodyOf(20));
  expect(await outcomeOf(slow)).toThrow(UploadCutOff);
  expect(await outcomeOf(slow)).toThrow("it was slower than 10000 bytes a second");
  expect(left()).toEqual([]);
  const uploads = openUploads(temporaryDirectory(), {
    bytes: 1e6,
    stallMs: 1000,
    graceMs: 20,
    bytesPerSecond: 10,
  });
  expect(await uploads.receive(bodyOf(5, 30), (file) => Bun.file(file).bytes())).toHaveLength(300);
});

test("a body that stalls is cut off, however fast it was before", async () => {
  const uploads = openUploads(temporaryDirectory(), {
    bytes: 1e6,
    stallMs: 50,
    graceMs: 1e6,
    bytesPerSecond: 1,
  });
  const stalled = uploads.receive(bodyOf(10_000), async () => {});
  expect(await outcomeOf(stalled)).toThrow("the upload stalled");
});

test("a body that would use the disk reserve is refused at that point, and leaves nothing", async () => {
  let free = 125;
  const { hold, left } = open(() => (free -= 10));
  expect(await outcomeOf(hold(bodyOf(0, 3)))).toThrow(InsufficientSpace);
  expect(free).toBe(105);
  expect(left()).toEqual([]);
});

test("a body is refused as soon as it exceeds the limit", async () => {
  const { hold, left } = open();
  expect(await outcomeOf(hold(bodyOf(0)))).toThrow(UploadTooLarge);
  expect(left()).toEqual([]);
});
