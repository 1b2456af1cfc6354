import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { UploadCutOff, UploadTooLarge, openUploads } from "../../src/deploys/upload.ts";
import { temporaryDirectory } from "../support/store.ts";

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

const open = () => {
  const directory = join(temporaryDirectory(), "uploads");
  const uploads = openUploads(directory, { bytes: 1000, stallMs: 100, wholeMs: 300 });
  const hold = (body: ReadableStream<Uint8Array> | null) =>
    uploads.hold(body, (file) => Bun.file(file).bytes());
  return { hold, left: () => readdirSync(directory) };
};

test("a body is held in a file for as long as it is used", async () => {
  const { hold, left } = open();
  expect(await hold(bodyOf(1, 3))).toEqual(new Uint8Array(30));
  expect(await hold(null)).toEqual(new Uint8Array(0));
  expect(left()).toEqual([]);
});

test("a body that stalls is cut off, and so is one that trickles on for too long", async () => {
  const { hold, left } = open();
  await expect(hold(bodyOf(10_000))).rejects.toBeInstanceOf(UploadCutOff);
  await expect(hold(bodyOf(20))).rejects.toBeInstanceOf(UploadCutOff);
  expect(left()).toEqual([]);
});

test("a body beyond the limit is refused as soon as it is", async () => {
  const { hold, left } = open();
  await expect(hold(bodyOf(0))).rejects.toBeInstanceOf(UploadTooLarge);
  expect(left()).toEqual([]);
});
