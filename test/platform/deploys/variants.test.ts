import { expect, test } from "bun:test";
import { existsSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { brotliParameters, compressors } from "../../../src/platform/deploys/variants.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { type Manifest, hashesOf, type SiteFile } from "../../../src/platform/deploys/manifest.ts";
import { UNPACK_LIMITS } from "../../../src/platform/deploys/archive-rules.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { tarGzOf } from "./archives.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** Enough files to start the workers. */
const MANY = 150;

const page = (at: number) =>
  `<h1>Page ${at}</h1>\n${"<p>A line that compresses.</p>\n".repeat(200 + (at % 7))}`;

const deployOf = async (root: string, files: Record<string, string | Buffer>) => {
  const archive = join(root, "site.tgz");
  const entries = Object.entries({ "index.html": "", ...files });
  writeFileSync(archive, tarGzOf(entries.map(([name, content]) => ({ name, content }))));
  const blobs = openBlobs(join(root, "blobs"));
  return { blobs, ...(await storeSite(unpack(archive, UNPACK_LIMITS), blobs)) };
};

test("every file of a large deploy has both codings in one blob, and both decode to the file", async () => {
  const files = Object.fromEntries(
    Array.from({ length: MANY }, (_, index) => [`${index}.html`, page(index)]),
  );
  const { blobs, manifest, release } = await deployOf(temporaryDirectory(), files);
  const bytesOf = async ({ hash, size, at }: { hash: string; size: number; at: number }) =>
    Bun.file(blobs.pathOf(hash))
      .slice(at, at + size)
      .bytes();
  for (const [name, content] of Object.entries(files)) {
    const { br, gzip } = (manifest.get(name) as SiteFile).encodings;
    if (!br || !gzip) throw new Error(`${name} has not both codings`);
    expect(br.hash).toBe(gzip.hash);
    expect(brotliDecompressSync(await bytesOf(br)).toString()).toBe(content);
    expect(gunzipSync(await bytesOf(gzip)).toString()).toBe(content);
  }
  for (const hash of hashesOf(manifest))
    expect(Bun.SHA256.hash(await Bun.file(blobs.pathOf(hash)).bytes(), "hex")).toBe(hash);
  release();
});

test("the same files make the same manifest, whether workers compress them or not", async () => {
  const some = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`${index}.html`, page(index)]));
  const filler = Object.fromEntries(
    Array.from({ length: MANY }, (_, index) => [`a/${index}.html`, page(100 + index)]),
  );
  const few = await deployOf(temporaryDirectory(), some);
  const many = await deployOf(temporaryDirectory(), { ...filler, ...some });
  const again = await deployOf(temporaryDirectory(), { ...filler, ...some });
  for (const name of Object.keys(some))
    expect(many.manifest.get(name)?.hash).toBe(few.manifest.get(name)?.hash as string);
  expect(again.stored.hash).toBe(many.stored.hash);
});

test("a coding that saves less than an eighth is not stored", async () => {
  const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(5000)));
  const files = Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`${index}.txt`, random()]));
  const root = temporaryDirectory();
  const { manifest } = await deployOf(root, files);
  expect([...manifest.values()].filter(({ encodings }) => Object.keys(encodings).length > 0)).toEqual([]);
  expect(readdirSync(join(root, "blobs", "tmp"))).toEqual([]);
});

test("a worker that cannot write rejects with the system's error, and its other jobs continue", async () => {
  const root = temporaryDirectory();
  const workers = compressors(1);
  const job = (file: string) => ({
    bytes: new TextEncoder().encode(page(1)),
    brotli: brotliParameters(5000),
    level: 6,
    maxBytes: 5000,
    file,
  });
  try {
    expect(await outcomeOf(workers.compress(job(join(root, "none", "file"))))).toThrow(
      expect.objectContaining({
        code: "ENOENT",
        syscall: "open",
      }),
    );
    const pair = await workers.compress(job(join(root, "file")));
    expect(Bun.SHA256.hash(await Bun.file(join(root, "file")).bytes(), "hex")).toBe(pair.hash);
  } finally {
    workers.stop();
  }
});

test("brotli's window is the smallest that holds the file", () => {
  const bits = (size: number) => brotliParameters(size)[constants.BROTLI_PARAM_LGWIN] ?? 0;
  expect([0, 1000, 1008, 1009, 5000, 100_000, 2 ** 30].map(bits)).toEqual([10, 10, 10, 11, 13, 17, 22]);
});

test("encodings of an earlier deploy are pinned and reused, unless the store has lost them", async () => {
  const root = temporaryDirectory();
  const archive = join(root, "site.tgz");
  const pages = [1, 2].map((at) => ({ name: `${at}.html`, content: page(at) }));
  writeFileSync(archive, tarGzOf([{ name: "index.html" }, ...pages]));
  const blobs = openBlobs(join(root, "blobs"));
  const take = (earlier?: Manifest) => storeSite(unpack(archive, UNPACK_LIMITS), blobs, earlier);
  const first = await take();
  const codingOf = (manifest: Manifest, name: string) => manifest.get(name)?.encodings.br?.hash ?? "";
  // A coding that compressing could not produce: the other page's.
  const [one, two] = ["1.html", "2.html"].map((name) => first.manifest.get(name) as SiteFile) as [
    SiteFile,
    SiteFile,
  ];
  const earlier = new Map([["1.html", { ...one, encodings: two.encodings }]]);
  const second = await take(earlier);
  expect(codingOf(second.manifest, "1.html")).toBe(codingOf(first.manifest, "2.html"));
  first.release();
  // The first manifest, and the coding that only it has.
  expect(await blobs.sweep(() => [])).toBe(2);
  expect(existsSync(blobs.pathOf(codingOf(second.manifest, "1.html")))).toBe(true);
  second.release();
  unlinkSync(blobs.pathOf(two.encodings.br?.hash ?? ""));
  const third = await take(earlier);
  expect(codingOf(third.manifest, "1.html")).toBe(codingOf(first.manifest, "1.html"));
  third.release();
});
