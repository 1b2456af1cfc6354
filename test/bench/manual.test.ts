import { expect, test } from "bun:test";
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

test("the page says which versions of the peers are measured", async () => {
  const page = await Bun.file(`${import.meta.dir}/../../src/manual/background/performance.md`).text();
  const { dependencies } = (await Bun.file(`${import.meta.dir}/peers/package.json`).json()) as {
    dependencies: Record<string, string>;
  };
  const modules = await Bun.file(`${import.meta.dir}/peers/pocketbase/go.mod`).text();
  const [, pocketBase = "none"] = /pocketbase\/pocketbase v(\S+)/.exec(modules) ?? [];
  const peers = page.slice(page.indexOf("## Peers"), page.indexOf("## Memory"));
  for (const version of [...Object.values(dependencies), pocketBase]) expect(peers).toContain(version);
});
