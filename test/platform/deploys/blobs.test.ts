import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { MISSING } from "../../../src/platform/deploys/blob-check.ts";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { hashesOf, readManifest, writeManifest } from "../../../src/platform/deploys/manifest.ts";
import { UNPACK_LIMITS } from "../../../src/platform/deploys/archive-rules.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { tarGzOf } from "./archives.ts";
import { outcomeOf } from "../../support/outcome.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const filesIn = (root: string) => [...new Glob("**/*").scanSync({ cwd: root, dot: true })];

const stored = async (root: string, ...texts: string[]) => {
  const blobs = openBlobs(root);
  const writer = blobs.openWriter();
  const hashes = [];
  for (const text of texts) hashes.push((await writer.put(bytes(text))).hash);
  await writer.flush();
  return { blobs, writer, hashes };
};

test("a blob is stored under its hash, readable by its owner only, and the same content once", async () => {
  const root = temporaryDirectory();
  const { blobs, hashes, writer } = await stored(root, "one", "one", "two");
  expect(hashes[0]).toBe(Bun.SHA256.hash("one", "hex"));
  expect(hashes[1]).toBe(hashes[0] as string);
  expect(filesIn(root).length).toBe(2);
  const path = blobs.pathOf(hashes[0] as string);
  expect(path).toBe(join(root, "76", "92c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"));
  expect(await Bun.file(path).text()).toBe("one");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writer.close();
  const again = await stored(root, "one");
  expect(filesIn(root).length).toBe(2);
  again.writer.close();
});

test("a missing file that another request has fetched meanwhile is not fetched again", async () => {
  const root = temporaryDirectory();
  const fetched: string[] = [];
  const fetcher = {
    fetch: async (hash: string) => Boolean(fetched.push(hash)),
    sweep: () => 0,
  };
  const { hashes } = await stored(root, "one");
  const [hash = ""] = hashes;
  const blobs = openBlobs(root, { fetcherOf: () => fetcher });
  blobs.damage.add(hash, MISSING);
  await blobs.repair(hash, MISSING);
  expect(fetched).toEqual([]);
  expect(blobs.damage.hashes()).toEqual([]);
  await blobs.repair(hash, "has other content");
  expect(fetched).toEqual([hash]);
});

test("content that throws, or is never flushed, leaves nothing", async () => {
  const root = temporaryDirectory();
  const { blobs, writer } = await stored(root);
  const failing = async function* () {
    yield bytes("half");
    throw new Error("cut off");
  };
  expect(await outcomeOf(writer.put(failing()))).toThrow("cut off");
  await writer.put(bytes("never flushed"));
  expect(readdirSync(join(root, "tmp")).length).toBeGreaterThan(0);
  writer.close();
  await Bun.sleep(1);
  expect(filesIn(root)).toEqual([]);
  expect(await blobs.sweep(() => [])).toBe(0);
});

test("a sweep removes unneeded blobs and what a crash left, and keeps needed and pinned blobs", async () => {
  const root = temporaryDirectory();
  const old = await stored(root, "needed", "not needed");
  old.writer.close();
  await Bun.write(join(root, "tmp", "left-by-a-crash"), "half");
  const running = old.blobs.openWriter();
  const held = await running.put(bytes("held"));
  await running.flush();
  await running.put(bytes("being written"));
  expect(await old.blobs.sweep(() => [old.hashes[0] as string])).toBe(2);
  await running.flush();
  expect(existsSync(old.blobs.pathOf(held.hash))).toBe(true);
  expect(filesIn(root).length).toBe(3);
  running.close();
  expect(await old.blobs.sweep(() => [])).toBe(3);
  expect(filesIn(root)).toEqual([]);
});

test("a writer that closes during a sweep keeps its blobs, although the sweep did not know that they are needed", async () => {
  const root = temporaryDirectory();
  const { blobs, writer, hashes } = await stored(root, "recorded too late");
  const neededHashes = Promise.withResolvers<string[]>();
  const sweeping = blobs.sweep(() => neededHashes.promise);
  writer.close();
  neededHashes.resolve([]);
  expect(await sweeping).toBe(0);
  expect(existsSync(blobs.pathOf(hashes[0] as string))).toBe(true);
  await Bun.sleep(1);
  expect(await blobs.sweep(() => [])).toBe(1);
});

test("discarding removes the writer's own blobs, but not those that existed before or that another writer has pinned since", async () => {
  const root = temporaryDirectory();
  const first = await stored(root, "there before");
  first.writer.close();
  const failing = first.blobs.openWriter();
  for (const text of ["there before", "shared", "its own"]) await failing.put(bytes(text));
  await failing.flush();
  const other = first.blobs.openWriter();
  await other.put(bytes("shared"));
  await other.flush();
  failing.discard();
  const there = (text: string) => existsSync(first.blobs.pathOf(Bun.SHA256.hash(text, "hex")));
  expect(["there before", "shared", "its own"].map(there)).toEqual([true, true, false]);
  other.close();
});

test("a full or failing disk throws the system's error, not InvalidArchive", async () => {
  const root = temporaryDirectory();
  const blobs = openBlobs(join(root, "blobs"));
  await Bun.write(join(root, "site.tgz"), tarGzOf([{ name: "index.html", content: "x" }]));
  // A file instead of the shard's directory.
  await Bun.write(join(root, "blobs", Bun.SHA256.hash("x", "hex").slice(0, 2)), "");
  const failed = storeSite(unpack(join(root, "site.tgz"), UNPACK_LIMITS), blobs);
  expect(await outcomeOf(failed)).toThrow(
    expect.objectContaining({
      name: "Error",
      code: expect.stringMatching(/^E(EXIST|NOTDIR)$/),
    }),
  );
  await failed.catch(() => {});
  await Bun.sleep(1);
  expect(readdirSync(join(root, "blobs", "tmp"))).toEqual([]);
  expect(await outcomeOf(storeSite(unpack(join(root, "none.tgz"), UNPACK_LIMITS), blobs))).toThrow(
    expect.objectContaining({
      code: "ENOENT",
    }),
  );
});

test("a manifest is read back as it was written, with all its blobs on disk, and a damaged one is refused", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "blobs"));
  const blobs = openBlobs(join(root, "blobs"));
  const content = "a line that compresses\n".repeat(400);
  const entries = ["index.html", "__proto__", "a/app-3f2a9c1b.js", "picture.png"].map((name) => ({
    name,
    content,
  }));
  await Bun.write(join(root, "site.tgz"), tarGzOf(entries));
  const {
    manifest,
    bytes: total,
    release,
  } = await storeSite(unpack(join(root, "site.tgz"), UNPACK_LIMITS), blobs);
  expect(total).toBe(4 * content.length);
  const text = writeManifest(manifest);
  expect(new Map(readManifest(text))).toEqual(new Map(manifest));
  // The uncompressed file, and its codings in one blob.
  expect(new Set(hashesOf(manifest)).size).toBe(2);
  for (const hash of hashesOf(manifest))
    expect(Bun.SHA256.hash(await Bun.file(blobs.pathOf(hash)).bytes(), "hex")).toBe(hash);
  expect(manifest.get("picture.png")?.encodings).toEqual({});
  expect(manifest.get("a/app-3f2a9c1b.js")).toMatchObject({
    immutable: true,
    type: "text/javascript; charset=utf-8",
  });
  release();
  for (const [form, damage] of [
    [/"version":1/, '"version":2'],
    [/"hash":"../, '"hash":"/'],
    [/"size":\d+/, '"size":-1'],
    [/text\/html/, "text/html\\r\\nX: y"],
    [/"br":/, '"zstd":'],
  ] as const)
    expect(() => readManifest(text.replace(form, damage))).toThrow("The manifest");
});

test.each(["../../dev/zero", "", "A".repeat(64), `${"a".repeat(64)}/../x`, "a".repeat(63)])(
  "a text that is not a hash never becomes a path: %s",
  (name) => {
    expect(() => openBlobs("/srv/blobs").pathOf(name)).toThrow("is not the hash of a file");
  },
);
