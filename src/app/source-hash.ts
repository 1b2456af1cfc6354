import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../..");

/** A macro: Bun runs it when it bundles this program or, in development, loads it. Returns a hash of all source files. */
export const sourceHash = (root = ROOT): string => {
  const hash = createHash("sha256");
  // Bun's Glob finds nothing for braces around `**`.
  const files = ["package.json", ...[...new Glob("src/**").scanSync(root)].toSorted()];
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return hash.digest("hex");
};
