import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Store, faultOf, messageOf, openStore } from "../../support/store.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { InsufficientSpace, diskSpaceAbove } from "../../../src/platform/deploys/disk-space.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { tarGzOf } from "./archives.ts";
import { outcomeOf } from "../../support/outcome.ts";

const MIB = 2 ** 20;
const RESERVE = 64 * MIB;

const filesIn = ({ config }: Store): string[] =>
  ["blobs", "uploads"].flatMap((name) => {
    const directory = join(config.dataDir, name);
    if (!existsSync(directory)) return [];
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });

const sizeOf = (store: Store): number => filesIn(store).reduce((sum, path) => sum + Bun.file(path).size, 0);

/** A store with a site, on a disk with so many bytes above the reserve. Its files use them up. */
const openOnDisk = async () => {
  let above = 100 * MIB;
  let least = Number.POSITIVE_INFINITY;
  let store: Store | undefined;
  const freeSpace = () => {
    const free = RESERVE + above - (store ? sizeOf(store) : 0);
    least = Math.min(least, free);
    return free;
  };
  store = await openStore({ freeSpace });
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs" } });
  const response = await upload(store, tarGzOf([{ name: "index.html", content: "before" }]));
  expect(response.status).toBe(201);
  return { store, least: () => least, leave: (bytes: number) => (above = bytes + sizeOf(store)) };
};

const upload = (store: Store, body: Buffer | ReadableStream, headers: Record<string, string> = {}) =>
  store.call("POST", "/platform/projects/docs/deploys", {
    body,
    headers: { "content-type": "application/gzip", ...headers },
  });

const random = (size: number) =>
  Buffer.concat(Array.from({ length: size / 65_536 }, () => crypto.getRandomValues(Buffer.alloc(65_536))));
const noise = tarGzOf([
  { name: "index.html", content: "after" },
  { name: "noise.bin", content: random(3 * MIB) },
]);
const text = tarGzOf([
  { name: "index.html", content: "after" },
  { name: "large.txt", content: Buffer.alloc(3 * MIB, "0123456789 a line that compresses\n") },
]);
const small = tarGzOf([
  { name: "index.html", content: "after" },
  ...Array.from({ length: 200 }, (_, index) => ({
    name: `${index}.txt`,
    content: `${index}`.padEnd(16_384, "a text that compresses well"),
  })),
]);

const streamed = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
      controller.close();
    },
  });

test.each([
  [
    "with a Content-Length larger than the free space",
    () => noise,
    { "content-length": String(noise.length) },
    2 * MIB,
  ],
  ["streamed, larger than the free space", () => streamed(noise), {}, 2 * MIB],
  ["whose one large file exceeds the free space once unpacked", () => text, {}, 2 * MIB],
  ["whose small files unpack beyond the free space", () => small, {}, 2 * MIB],
  ["of any size, once the reserve is touched", () => streamed(small), {}, -1],
])(
  "an archive %s is refused; the reserve stays free and the previous site is still served",
  async (_what, body, headers, left) => {
    const { store, leave, least } = await openOnDisk();
    const before = filesIn(store).toSorted();
    leave(left);
    const response = await upload(store, body(), headers);
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await messageOf(response.clone() as Response)).toContain("too little disk space");
    expect(await faultOf(response)).toBe("503 storage_unavailable");
    expect(filesIn(store).toSorted()).toEqual(before);
    if (left >= 0) expect(least()).toBeGreaterThanOrEqual(RESERVE);
    expect(await (await store.visit("http://docs.localhost/")).text()).toBe("before");
    leave(100 * MIB);
    expect((await upload(store, body(), headers)).status).toBe(201);
    expect(await (await store.visit("http://docs.localhost/")).text()).toBe("after");
  },
);

test("an archive with too large a Content-Length is refused before its body is read", async () => {
  const { store, leave } = await openOnDisk();
  leave(2 * MIB);
  let isRead = false;
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true;
        controller.enqueue(new Uint8Array(1));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const response = await upload(store, body, { "content-length": String(3 * MIB) });
  expect([await faultOf(response), isRead]).toEqual(["503 storage_unavailable", false]);
});

test("a writer does not use the reserve, for bytes, streams and adopted files", async () => {
  const root = temporaryDirectory();
  const diskSpace = diskSpaceAbove(() => 1000, 900);
  const writer = openBlobs(root, { diskSpace }).openWriter();
  const large = new Uint8Array(101);
  const streamed = async function* () {
    yield large;
  };
  expect(await outcomeOf(writer.put(large))).toThrow(InsufficientSpace);
  expect(await outcomeOf(writer.put(streamed()))).toThrow(InsufficientSpace);
  expect(await outcomeOf(writer.adopt(() => Promise.resolve(""), 101))).toThrow(InsufficientSpace);
  await writer.put(large.subarray(1));
  writer.discard();
  await Bun.sleep(1);
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});
