import { expect, test } from "bun:test";
import { lstatSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  makeDirectories,
  replaceFile,
  syncDirectory,
  syncPath,
  writeDurably,
} from "../../src/lib/durable.ts";
import { temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

test("writeDurably replaces a file, and the new one is private", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "admin.key");
  writeFileSync(path, "before", { mode: 0o644 });
  await writeDurably(path, "after\n");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["after\n", 0o600]);
  expect(readdirSync(directory)).toEqual(["admin.key"]);
});

test("a symbolic link at the path of a new file is replaced, not followed", async () => {
  const directory = temporaryDirectory();
  const theirs = join(temporaryDirectory(), "theirs");
  writeFileSync(theirs, "theirs");
  const path = join(directory, "server.json");
  symlinkSync(theirs, `${path}.new`);
  symlinkSync(theirs, path);
  await writeDurably(path, "ours");
  expect([readFileSync(theirs, "utf8"), readFileSync(path, "utf8")]).toEqual(["theirs", "ours"]);
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
});

test("directories are created with their parents, private, and can be created again", () => {
  const path = join(temporaryDirectory(), "a", "b", "c");
  makeDirectories(path);
  makeDirectories(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("a missing file can neither be synced nor replace another", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "kept");
  writeFileSync(path, "kept");
  expect(await outcomeOf(syncPath(join(directory, "none")))).toThrow(
    expect.objectContaining({ code: "ENOENT" }),
  );
  expect(await outcomeOf(replaceFile(join(directory, "none"), path))).toThrow(
    expect.objectContaining({ code: "ENOENT" }),
  );
  expect(readFileSync(path, "utf8")).toBe("kept");
  expect(() => syncDirectory(join(directory, "none"))).toThrow("ENOENT");
});
