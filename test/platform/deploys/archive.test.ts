import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import {
  type UnpackLimits,
  InvalidArchive,
  UNPACK_LIMITS,
} from "../../../src/platform/deploys/archive-rules.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { type TestEntry, paxName, tarGzOf, tarOf, zipOf } from "./archives.ts";

const PAGE: TestEntry = { name: "index.html", content: "<h1>Hello</h1>" };

/** Stores an archive in an empty store. @returns the error, and the files that are left */
const take = async (archive: Uint8Array, limits: Partial<UnpackLimits> = {}) => {
  const root = temporaryDirectory();
  const file = join(root, "upload");
  await Bun.write(file, archive);
  const blobs = openBlobs(join(root, "blobs"));
  const outcome = await storeSite(unpack(file, { ...UNPACK_LIMITS, ...limits }), blobs).catch(
    (error: unknown) => error,
  );
  const left = [...new Glob("**/*").scanSync({ cwd: root, dot: true })].filter((path) => path !== "upload");
  return { outcome, left };
};

const expectRefused = async (archive: Uint8Array, reason: string, limits: Partial<UnpackLimits> = {}) => {
  const { outcome, left } = await take(archive, limits);
  expect(outcome).toBeInstanceOf(InvalidArchive);
  expect((outcome as Error).message).toContain(reason);
  expect(left).toEqual([]);
};

const pathsOf = async (archive: Uint8Array): Promise<string[]> => {
  const { outcome } = await take(archive);
  if (outcome instanceof Error) throw outcome;
  return [...(outcome as { manifest: Map<string, unknown> }).manifest.keys()].toSorted();
};

/** Entries that are refused in both formats, with the error. */
const REFUSED: [what: string, entries: TestEntry[], reason: string][] = [
  ["path traversal", [PAGE, { name: "../evil.html" }], '"../evil.html": leads out'],
  ["path traversal inside", [PAGE, { name: "a/../../evil.html" }], '"a/../../evil.html": leads out'],
  ["an absolute path", [PAGE, { name: "/etc/passwd" }], '"/etc/passwd": is an absolute path'],
  ["a drive letter", [PAGE, { name: "C:evil.html" }], '"C:evil.html": starts with a drive letter'],
  ["a backslash", [PAGE, { name: "a\\..\\evil.html" }], "backslash"],
  ["a control character", [PAGE, { name: "a\nb.html" }], '"a\\nb.html": has a control character'],
  ["a name that is not UTF-8", [PAGE, { name: Buffer.from([0x61, 0xff, 0x62]) }], "is not a name in UTF-8"],
  ["an empty name in a path", [PAGE, { name: "a//b.html" }], "empty name"],
  ["a name that occurs twice", [PAGE, PAGE], '"index.html": occurs twice'],
  ["a name that occurs twice, once with ./", [PAGE, { ...PAGE, name: "./index.html" }], "occurs twice"],
  ["names that differ in case", [PAGE, { name: "INDEX.html" }], '"INDEX.html": differs only in case'],
  [
    "directories that differ in case",
    [{ name: "Docs/a" }, { name: "docs/b" }],
    '"docs/b": differs only in case',
  ],
  [
    "names that differ in normalisation",
    [{ name: "caf\u00e9" }, { name: "cafe\u0301" }],
    "differs only in case",
  ],
  ["a file where a directory is", [{ name: "a/b" }, { name: "a" }], '"a": is a file where'],
  ["a directory where a file is", [{ name: "a" }, { name: "a/b" }], '"a/b": is a directory where'],
  ["a path that is too deep", [PAGE, { name: "a/b/c/d/e.html" }], "more than 4 names deep"],
  ["too many files", ["a", "b", "c", "d"].map((name) => ({ name })), '"d": exceeds the limit of 3 files'],
  [
    "too many bytes",
    [PAGE, { name: "bomb", content: Buffer.alloc(2000) }],
    '"bomb": exceeds the limit of 1000 bytes',
  ],
];
const LIMITS = { depth: 4, files: 3, bytes: 1000 };

describe("an archive is refused for", () => {
  test.each(REFUSED)("%s (tar.gz)", (_what, entries, reason) =>
    expectRefused(tarGzOf(entries), reason, LIMITS),
  );
  test.each(REFUSED)("%s (zip)", (_what, entries, reason) => expectRefused(zipOf(entries), reason, LIMITS));

  test.each([
    ["a symbolic link", { name: "l", flag: "2", link: "/etc/passwd" }, '"l": is a symbolic link'],
    ["a hard link", { name: "l", flag: "1", link: "index.html" }, '"l": is a hard link'],
    ["a device", { name: "d", flag: "3" }, '"d": is a device'],
    ["a block device", { name: "d", flag: "4" }, '"d": is a device'],
    ["a FIFO", { name: "f", flag: "6" }, '"f": is a FIFO'],
    ["a sparse file", { name: "s", flag: "S" }, '"s": is neither'],
  ])("%s (tar.gz)", (_what, entry, reason) => expectRefused(tarGzOf([PAGE, entry]), reason));

  test.each([
    ["a symbolic link", { name: "l", mode: 0o120777, content: "/etc/passwd" }, '"l": is a symbolic link'],
    ["a device", { name: "d", mode: 0o020666 }, '"d": is neither'],
    ["an encrypted entry", { name: "e", bits: 0x801, content: "secret" }, '"e": is encrypted'],
    [
      "another compression method",
      { name: "m", method: 12, content: "bzip2" },
      '"m": is compressed with a method',
    ],
    ["a wrong checksum", { name: "c", check: 1, content: "text" }, '"c": is damaged'],
    ["a size that is too small", { name: "c", size: 1, content: "text" }, "damaged"],
    ["a size that is too large", { name: "c", size: 100, content: "text" }, '"c": is damaged'],
    ["a NUL in its name", { name: "a\0b" }, "control character"],
  ])("%s (zip)", (_what, entry, reason) => expectRefused(zipOf([PAGE, entry]), reason));

  test("a path that is too long, in an extended header", () =>
    expectRefused(tarGzOf([PAGE, paxName(`${"a".repeat(1100)}.html`), PAGE]), "is longer than 1024 bytes"));

  test("being without a file", async () => {
    await expectRefused(tarGzOf([]), "holds no file");
    await expectRefused(tarGzOf([{ name: "a/", flag: "5" }]), "holds no file");
    await expectRefused(zipOf([]), "holds no file");
  });

  test("being neither a tar.gz nor a zip", async () => {
    await expectRefused(tarOf([PAGE]), "neither a .tar.gz nor a .zip");
    await expectRefused(Buffer.from(""), "neither a .tar.gz nor a .zip");
  });

  test("being cut off, at any byte", async () => {
    for (const whole of [tarGzOf([PAGE]), zipOf([PAGE])])
      for (let length = 0; length < whole.length; length += 3) {
        const { outcome, left } = await take(whole.subarray(0, length));
        expect(outcome).toBeInstanceOf(InvalidArchive);
        expect(left).toEqual([]);
      }
  });

  test("endless headers without a file, before they are unpacked to the end", async () => {
    const endless = Array.from({ length: 5000 }, () => paxName("x".repeat(900)));
    await expectRefused(tarGzOf([...endless, PAGE]), "more than the limit", { bytes: 1000, files: 10 });
  });
});

test("a leading ./ is dropped, and dotfiles are kept", async () => {
  const entries = ["./index.html", "./a/b.html", "./.well-known/x", "./.git", "./__proto__"].map((name) => ({
    name,
  }));
  const paths = [".git", ".well-known/x", "__proto__", "a/b.html", "index.html"];
  expect(await pathsOf(tarGzOf([{ name: ".//", flag: "5" }, ...entries]))).toEqual(paths);
  expect(await pathsOf(zipOf(entries))).toEqual(paths);
});

test("a large text that does not compress is stored without codings", async () => {
  const content = crypto.getRandomValues(Buffer.alloc(2 ** 16));
  const large = Buffer.concat(
    Array.from({ length: 40 }, (_, index) => content.map((byte) => byte ^ (index * 37))),
  );
  const noise = Buffer.from(large.map((byte, at) => byte ^ (Math.imul(at, 2654435761) >>> 24)));
  const { outcome, left } = await take(tarGzOf([PAGE, { name: "noise.txt", content: noise }]));
  const file = (outcome as { manifest: Map<string, { encodings: object }> }).manifest.get("noise.txt");
  expect(file?.encodings).toEqual({});
  // The page, the file and the manifest.
  expect(left.length).toBe(3);
});

test("files too large for memory are unpacked whole, from both formats", async () => {
  const content = Buffer.alloc(3 * 2 ** 20, "0123456789 a line of text that compresses\n");
  for (const archive of [
    tarGzOf([PAGE, { name: "big.txt", content }]),
    zipOf([PAGE, { name: "big.txt", content }]),
  ]) {
    const { outcome, left } = await take(archive);
    const file = (outcome as { manifest: Map<string, { hash: string; encodings: object }> }).manifest.get(
      "big.txt",
    );
    expect(file?.hash).toBe(Bun.SHA256.hash(content, "hex"));
    expect(Object.keys(file?.encodings ?? {})).toEqual(["br", "gzip"]);
    expect(left.length).toBe(5);
    await expectRefused(archive, "exceeds the limit of 2000000 bytes", { bytes: 2_000_000 });
  }
});
