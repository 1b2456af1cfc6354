import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { violationsOf } from "./axe.ts";
import { type Page, openBrowser } from "./browser.ts";
import { PAGES, fillStore } from "./console-pages.ts";
import { signIn } from "./sign-in.ts";
import { directory, real, serve, until } from "./support.ts";

const NEEDED = ["chromium", "playwright-core", "axe-core"];
/** A directory for screenshots of everything, to look at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

const WIDTHS = [360, 640, 768, 1000, 1280];
/** axe looks at these: the narrow, the stacked and the wide form. */
const AXE_WIDTHS: ReadonlySet<number> = new Set([360, 768, 1280]);

const IS_SETTLED =
  "!document.querySelector('.loading, [aria-busy=true]') && !!document.querySelector('h1') && document.getAnimations().every((one) => one.playState !== 'running')";

/** What does not fit: the page, or the content of a dialog or a table. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll("dialog[open] > article, .scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && !one.closest("details:not([open])") && !one.querySelector("pre"))
  .map((one) => "too wide: " + (one.getAttribute("aria-label") ?? one.tagName))`;

const BEGINS_AT_CLOSE = "document.activeElement?.matches('dialog .close') ?? false";

const settle = async (page: Page, path: string): Promise<void> => {
  await until(`${path} is settled`, async () => (await page.evaluate(IS_SETTLED)) === true, 10_000);
  await page.waitForTimeout(150);
};

const shoot = async (page: Page, path: string, colorScheme: string, width: number): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const file = `console${path.replaceAll(/[^a-z0-9]+/g, "-")}-${colorScheme}-${width}.png`;
  await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: false });
};

/** What is wrong with a page at every width, in both themes. */
const problemsOf = async (page: Page, path: string): Promise<string[]> => {
  const problems: string[] = [];
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await settle(page, path);
      const found = (await page.evaluate(TOO_WIDE)) as string[];
      if (AXE_WIDTHS.has(width)) found.push(...(await violationsOf(page)));
      problems.push(...found.map((problem) => `${path} ${colorScheme} ${width}: ${problem}`));
      await shoot(page, path, colorScheme, width);
    }
  return problems;
};

for (const [area, paths] of Object.entries(PAGES))
  real(
    `axe finds nothing and everything fits at five widths, in both themes: ${area}`,
    NEEDED,
    async () => {
      using place = directory();
      await using server = await serve({ cwd: place.path });
      await fillStore(server);
      await using browser = await openBrowser();
      const { page, seen } = browser;
      await signIn(page, server.url, server.key);
      const problems: string[] = [];
      for (const path of paths) {
        await page.goto(`${server.url}/console${path}`);
        await settle(page, path);
        if ((await page.evaluate(BEGINS_AT_CLOSE)) === true)
          problems.push(`${path} begins at its button to close`);
        problems.push(...(await problemsOf(page, path)));
      }
      expect(problems).toEqual([]);
      expect(seen.errors).toEqual([]);
    },
    240_000,
  );

real("axe finds nothing on the page to sign in", NEEDED, async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  await using browser = await openBrowser();
  const { page } = browser;
  await page.goto(`${server.url}/console`);
  await page.getByLabel(/key/i).waitFor();
  expect(await problemsOf(page, "/sign-in")).toEqual([]);
});
