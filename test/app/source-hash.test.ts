import { expect, test } from "bun:test";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceHash } from "../../src/app/source-hash.ts";
import { temporaryDirectory } from "../support/store.ts";

test("the hash of the sources changes with a file, its name and the package", () => {
  const root = temporaryDirectory();
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  mkdirSync(join(root, "src/manual"), { recursive: true });
  write("package.json", "{}");
  write("src/manual/index.md", "one");
  const hashes = [sourceHash(root)];
  for (const change of [
    () => write("src/manual/index.md", "two"),
    () => renameSync(join(root, "src/manual/index.md"), join(root, "src/manual/other.md")),
    () => write("package.json", '{ "version": "2.0.0" }'),
  ]) {
    change();
    hashes.push(sourceHash(root));
  }
  expect(new Set(hashes).size).toBe(4);
});
