import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listDirectory, packFiles } from "../../src/cli/pack.ts";
import { formatBytes } from "../../src/cli/print/output.ts";
import { unpack } from "../../src/platform/deploys/archive.ts";
import { UNPACK_LIMITS } from "../../src/platform/deploys/archive-rules.ts";
import { temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

const LONG = `${"a".repeat(60)}/${"b".repeat(60)}/${"c".repeat(60)}.txt`;
const FILES: Record<string, string> = {
  "index.html": "<h1>start</h1>",
  "guide/ä ö.html": "umlauts",
  [LONG]: "a name longer than old archives have",
  "empty.txt": "",
  ".well-known/security.txt": "Contact: mailto:security@example.org",
};

const directoryOf = (files: Record<string, string>): string => {
  const directory = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
};

test("an upload unpacks to exactly the packed files", async () => {
  const directory = directoryOf(FILES);
  const { files, bytes, skipped } = await listDirectory(directory);
  const packed: string[] = [];
  const archive = join(temporaryDirectory(), "site.tgz");
  await Bun.write(
    archive,
    new Response(
      packFiles(directory, files, { onPacked: ({ path }) => void packed.push(path), onError: () => {} }),
    ),
  );
  const found: Record<string, string> = {};
  for await (const { path, content } of unpack(archive, UNPACK_LIMITS))
    found[path] = Buffer.concat(await Array.fromAsync(content)).toString();
  expect(found).toEqual(FILES);
  expect(packed).toEqual(files.map(({ path }) => path));
  expect(bytes).toBe(Object.values(FILES).reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  expect(skipped).toEqual([]);
});

test("hidden files and links are not packed, and are listed", async () => {
  const directory = directoryOf({ "index.html": "x", ".git/config": "secret", "a/.env": "secret" });
  symlinkSync("/etc/passwd", join(directory, "a/link"));
  const { files, skipped } = await listDirectory(directory);
  expect(files.map(({ path }) => path)).toEqual(["index.html"]);
  expect(skipped).toEqual([".git", "a/.env", "a/link"]);
});

test("a directory that cannot be published is refused before anything is sent", async () => {
  expect(await outcomeOf(listDirectory(join(temporaryDirectory(), "none")))).toThrow("is not a directory");
  expect(await outcomeOf(listDirectory(temporaryDirectory()))).toThrow("has no file to publish");
});

test("packing fails if a file grows or disappears meanwhile", async () => {
  const large = 2 * 1024 * 1024;
  const directory = directoryOf({ "index.html": "x", "large.bin": "x".repeat(large) });
  for (const [path, size, message] of [
    ["index.html", 3, "index.html changed"],
    ["index.html", 0, "index.html changed"],
    ["large.bin", large + 1, "large.bin changed"],
    ["gone.html", 1, "gone.html: ENOENT"],
    ["gone.bin", large, "gone.bin: ENOENT"],
  ] as const) {
    const said: string[] = [];
    const watcher = { onPacked: () => {}, onError: ({ message }: Error) => void said.push(message) };
    const stream = packFiles(directory, [{ path, size }], watcher);
    expect(await outcomeOf(new Response(stream).bytes())).toThrow();
    expect(said).toEqual([expect.stringContaining(message)]);
  }
});

test("a server that stops reading is not blamed on a file", async () => {
  const directory = directoryOf({ "large.bin": randomBytes(8 * 1024 * 1024).toString("latin1") });
  const { files } = await listDirectory(directory);
  const said: string[] = [];
  const watcher = { onPacked: () => {}, onError: ({ message }: Error) => void said.push(message) };
  const reader = packFiles(directory, files, watcher).getReader();
  await reader.read();
  await reader.cancel();
  await Bun.sleep(50);
  expect(said).toEqual([]);
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [1_234_567, "1.2 MB"],
  [5e12, "5000.0 GB"],
])("%p is written %p", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
