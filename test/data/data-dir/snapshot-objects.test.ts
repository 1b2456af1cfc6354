import { expect, test } from "bun:test";
import { snapshotObjects } from "../../../src/data/cluster/snapshot-files.ts";
import { completeBlobsUrl, parseBlobsUrl } from "../../../src/lib/blobs-url.ts";
import { objectServer } from "../../support/object-server.ts";

test("parts of snapshots are stored, read, listed and removed in the object store of BLOBS_URL", async () => {
  await using server = objectServer();
  const store = snapshotObjects(completeBlobsUrl(parseBlobsUrl(server.url), {}));
  await store?.put("snapshots/a/1", new Uint8Array([1, 2]));
  await store?.put("snapshots/a/2", new Uint8Array(3));
  await store?.put("other", new Uint8Array(1));
  expect(await store?.list("snapshots/")).toEqual(["snapshots/a/1", "snapshots/a/2"]);
  expect([...((await store?.get("snapshots/a/1")) ?? [])]).toEqual([1, 2]);
  await store?.remove(["snapshots/a/1", "snapshots/a/2"]);
  expect(await store?.list("")).toEqual(["other"]);
  expect(await store?.get("snapshots/a/1")).toBeUndefined();
});

test("a part that is larger than any that was stored is not read into memory", async () => {
  await using server = objectServer();
  const store = snapshotObjects(completeBlobsUrl(parseBlobsUrl(server.url), {}));
  await store?.put("snapshots/a/1", new Uint8Array(2 ** 20 + 1));
  expect(await store?.get("snapshots/a/1")).toBeUndefined();
});

test("without BLOBS_URL there is no object store of snapshots", () => {
  expect(snapshotObjects(undefined)).toBeUndefined();
});
