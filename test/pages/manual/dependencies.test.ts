import { expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../../../package.json";

const page = await Bun.file(
  join(import.meta.dir, "../../../src/pages/manual/background/dependencies.md"),
).text();

/** Names and versions of the tables: a row may list several of each. */
const listed = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => {
    const [names = "", versions = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim().replaceAll("`", ""));
    return names.split(", ").map((name, at) => [name, versions.split(", ")[at] ?? ""]);
  });

const installed = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

test("the page of dependencies names every dependency with its version, and nothing else", () => {
  expect(listed.toSorted()).toEqual(installed.toSorted());
});

test("every dependency is pinned to one version", () => {
  expect(installed.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
