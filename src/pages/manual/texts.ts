import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A macro: Bun runs it when it bundles this program or, in development, loads it.
 * @returns the Markdown and the pictures of the manual, by their path below this directory
 */
export const textsBelow = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(md|svg)$/.test(path))
      .toSorted()
      .map((path) => [path, readFileSync(join(import.meta.dir, path), "utf8")]),
  );
