import { expect, test } from "bun:test";
import { join } from "node:path";

const readme = await Bun.file(join(import.meta.dir, "../README.md")).text();

test("README is one page: at most 10 KB", () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10 * 1024);
});

test("README shows how to start and test a fresh clone", () => {
  for (const script of ["start", "test"])
    expect(readme).toContain(`npx --yes bun@${Bun.version} run ${script}`);
});

test("README's figures are those of the manual", async () => {
  const page = await Bun.file(join(import.meta.dir, "../src/pages/manual/background/performance.md")).text();
  const table = readme.slice(readme.indexOf("## How fast it is"), readme.indexOf("## Contribute"));
  const figures = [...table.matchAll(/\d[\d,.]*(?= (?:requests\/s|rows\/s|times|MB|ms|s)\b)/g)].map(
    ([figure]) => figure,
  );
  expect(figures.length).toBeGreaterThanOrEqual(5);
  expect(figures.filter((figure) => !page.includes(` ${figure} `))).toEqual([]);
});
