import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "./browser.ts";
import { PROGRAMS } from "./support.ts";

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe finds wrong with a page as it is shown now: rule, what to do, and where. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(readFileSync(join(PROGRAMS, "axe-core", "axe.min.js"), "utf8"));
  const { violations } = (await page.evaluate("axe.run(document)")) as { violations: Violation[] };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html}: ${failureSummary ?? ""}`),
  );
};
