import { expect, test } from "bun:test";
import { withFigures } from "./readme.ts";
import { withAll, withSome } from "./manual.ts";

const PAGE =
  "# Speed\n\nWords.\n\n## By hand\n\nMore.\n\n## Machine\n\nOld\n\n## Lists\n\n1\n\n## Gone\n\n2\n";

test("a whole run replaces all measured sections of the page, and none that is written by hand", () => {
  expect(withAll(PAGE, "## Machine\n\nNew\n\n## Lists\n\n3\n")).toBe(
    "# Speed\n\nWords.\n\n## By hand\n\nMore.\n\n## Machine\n\nNew\n\n## Lists\n\n3\n",
  );
});

test("a run of some parts replaces their sections, says when, and adds new ones at the end", () => {
  expect(withSome(PAGE, "## Machine\n\nNew\n\n## Lists\n\n3\n\n## Writes\n\n4\n", "2 May 2026")).toBe(
    "# Speed\n\nWords.\n\n## By hand\n\nMore.\n\n## Machine\n\nOld\n\n## Lists\n\n3\n\nMeasured again on 2 May 2026.\n\n## Gone\n\n2\n\n## Writes\n\n4\n\nMeasured again on 2 May 2026.\n",
  );
});

test("the page names the measured versions of the peers", async () => {
  const page = await Bun.file(`${import.meta.dir}/../../src/pages/manual/background/performance.md`).text();
  const { dependencies } = (await Bun.file(`${import.meta.dir}/peers/package.json`).json()) as {
    dependencies: Record<string, string>;
  };
  const modules = await Bun.file(`${import.meta.dir}/peers/pocketbase/go.mod`).text();
  const [, pocketBase = "none"] = /pocketbase\/pocketbase v(\S+)/.exec(modules) ?? [];
  const peers = page.slice(page.indexOf("## Peers"), page.indexOf("## Memory"));
  for (const version of [...Object.values(dependencies), pocketBase]) expect(peers).toContain(version);
});

const FIGURES = `## Reading: lists

| server         | requests/s per core | target                             |
| -------------- | ------------------: | ---------------------------------: |
| adoption-store |              60,001 |                                    |
| PocketBase, Go |               2,000 | 30.10 times adoption-store: holds  |

## Writing

| server | requests/s per core | target |
| --- | ---: | ---: |
| adoption-store | 9,002 | |
| PocketBase, Go | 2,000 | 4.20 times this: holds |

## Sites

| server | requests/s per core | target |
| --- | ---: | ---: |
| adoption-store | 70,003 | |
| Caddy | 2,000 | 5.30 times adoption-store: holds |

## Bulk work

| | took | memory |
| --- | ---: | ---: |
| import of the CSV | 13.4 s | 140 MB |

## Start

| DATA_DIR | median |
| --- | ---: |
| a database with 100,000 animals | 55 ms |
`;

test("README's table has the figures of the page, and stays as it is if one is missing", () => {
  const readme = "# Store\n\n## How fast it is\n\nMeasured:\n\n| old |\n| --- |\n| 1 |\n\nMore.\n";
  const written = withFigures(readme, FIGURES) ?? "";
  for (const figure of [
    "60,001 requests/s per core",
    "30.10 times the CPU",
    "4.20 times the rate",
    "13.4 s, 140 MB",
    "55 ms",
  ])
    expect(written).toContain(figure);
  expect(written).toEndWith("|\n\nMore.\n");
  expect(written).not.toContain("old");
  expect(withFigures(readme, FIGURES.replace("13.4 s", ""))).toBeUndefined();
});
