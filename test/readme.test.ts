import { expect, test } from "bun:test";
import { join } from "node:path";

const readme = await Bun.file(join(import.meta.dir, "../README.md")).text();
const manifest = (await import("../package.json")).default as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

const rows = (heading: string): string[][] =>
  (readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

test("the dependency table names every dependency with its pinned version", () => {
  const table = rows("Dependencies").flatMap(([names = "", versions = ""]) =>
    names.split(", ").map((name, at) => [name, versions.split(", ")[at]]),
  );
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(table).toContainEqual([name, version]);
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
