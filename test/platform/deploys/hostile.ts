import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Glob } from "bun";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { InvalidArchive } from "../../../src/platform/deploys/archive-rules.ts";
import { seeded } from "../../support/random.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { type TestEntry, tarGzOf, tarOf, zipOf } from "./archives.ts";

const SEED = 20_261_120;
const LIMITS = { bytes: 100_000, files: 50, pathBytes: 200, depth: 8 };

const below = seeded(SEED);
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

const NAMES = [
  "index.html",
  "a/b.css",
  "../../escaped",
  "/tmp/escaped",
  "a/../../escaped",
  "..",
  ".",
  "",
  "C:\\x",
  "a\0b",
  "INDEX.html",
  "__proto__",
  "constructor/x",
  "a/",
  "a",
  "\u202Egnp.exe",
  "x".repeat(150),
  "a/".repeat(40),
  Buffer.from([0xff, 0xfe]),
] as const;

const entry = (): TestEntry => ({
  name: below.real() < 0.5 ? `page${below(5)}.html` : pick(NAMES),
  content: below.real() < 0.05 ? Buffer.alloc(200_000) : Buffer.alloc(below(700), below(256)),
  flag: below.real() < 0.7 ? "0" : pick(["1", "2", "3", "5", "6", "7", "x", "g", "L", "K", "S", "V"]),
  link: pick(["", "/etc/passwd", "../x"]),
  mode: below.real() < 0.8 ? 0o100644 : pick([0o120777, 0o040755, 0o010644, 0]),
  bits: below.real() < 0.9 ? 0x800 : below(0x10000),
  method: below.real() < 0.9 ? pick([0, 8]) : below(100),
  ...(below.real() < 0.1 ? { size: below(2 ** 31) } : {}),
});

/** Flips, inserts, removes and repeats bytes. */
const mutate = (bytes: Buffer): Buffer => {
  let mutated = Buffer.from(bytes);
  for (let left = 1 + below(4); left > 0; left--) {
    const at = below(mutated.length + 1);
    const kind = below(5);
    if (kind === 0 && at < mutated.length) mutated[at] = below(256);
    else if (kind === 1) mutated = mutated.subarray(0, at);
    else if (kind === 2)
      mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(below(mutated.length + 1))]);
    else if (kind === 3 && at + 4 <= mutated.length)
      mutated.writeUInt32LE(pick([0, 0xffffffff, 0x7fffffff, 1]), at);
    else if (at < mutated.length) mutated[at] = (mutated[at] ?? 0) ^ (1 << below(8));
  }
  return mutated;
};

const hostile = (): Buffer => {
  const entries = [{ name: "index.html" }, ...Array.from({ length: 1 + below(4) }, entry)];
  const kind = below(5);
  if (kind === 0) return tarGzOf(entries);
  if (kind === 1) return zipOf(entries);
  if (kind === 2) return mutate(zipOf(entries));
  // Mutates the tar, so that its headers are parsed, or the compressed bytes.
  return kind === 3 ? gzipSync(mutate(tarOf(entries)), { level: 1 }) : mutate(tarGzOf(entries));
};

/** Stores so many hostile archives: the process stays up, and nothing is left in the store or outside it. */
export const takeInHostile = async (archives: number): Promise<void> => {
  const root = temporaryDirectory();
  const upload = join(root, "upload");
  const blobs = openBlobs(join(root, "blobs"));
  let refused = 0;
  let stored = 0;
  const unforeseen: unknown[] = [];
  for (let count = 0; count < archives; count++) {
    await Bun.write(upload, hostile());
    try {
      const { manifest, release } = await storeSite(unpack(upload, LIMITS), blobs);
      stored += 1;
      for (const path of manifest.keys())
        if (/^\/|\\|\0|(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) unforeseen.push(path);
      release();
    } catch (error) {
      refused += 1;
      if (!(error instanceof InvalidArchive)) unforeseen.push(error);
    }
  }
  expect(unforeseen).toEqual([]);
  expect(refused + stored).toBe(archives);
  expect(stored).toBeGreaterThan(archives / 20);
  expect(refused).toBeGreaterThan(archives / 2);
  expect(readdirSync(join(root, "blobs", "tmp"))).toEqual([]);
  expect(readdirSync(root).toSorted()).toEqual(["blobs", "upload"]);
  expect(["/tmp/escaped", join(root, "../escaped"), join(root, "../../escaped")].filter(existsSync)).toEqual(
    [],
  );
  for (const path of new Glob("**/*").scanSync({ cwd: join(root, "blobs"), dot: true }))
    expect(path).toMatch(/^[\da-f]{2}\/[\da-f]{62}$/);
  await blobs.sweep(() => []);
  expect([...new Glob("**/*").scanSync({ cwd: join(root, "blobs"), dot: true })]).toEqual([]);
};
