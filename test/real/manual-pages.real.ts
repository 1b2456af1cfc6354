import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { violationsOf } from "./axe.ts";
import { type Page, untilTrue } from "./browser.ts";
import { lighthouseScores } from "./lighthouse.ts";
import { openBrowser, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");
const withAxe = real("chromium", "playwright-core", "axe-core");
const withLighthouse = real("chromium", "lighthouse");
const SCREENSHOTS = process.env["SCREENSHOTS"];
/** A page with a terminal, whose output is not copied. */
const TERMINAL = "/how-to/events";
const NOWHERE = "/nowhere";

/** The pages of the manual below its address, as /llms.txt lists them, its first page and the one of unknown addresses. */
const pagesOf = async (manual: string): Promise<string[]> => {
  const text = await (await fetch(`${manual}/llms.txt`)).text();
  const listed = [...text.matchAll(/\]\((?:https?:\/\/[^/)]+)?(?:\/manual)?(\/[^)]+?)(?:\.md)?\)/g)];
  return ["", ...listed.map(([, path]) => path ?? ""), NOWHERE];
};

const PHONE = 360;
const SCREENS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: PHONE },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: PHONE },
] as const;
/** The pages that differ most from each other. */
const SAMPLE = ["", TERMINAL, "/reference/settings", "/api/store"];

const screenshot = async (page: Page, path: string, screen: (typeof SCREENS)[number]): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const file = `manual${path.replaceAll(/[^a-z0-9]+/g, "-")}-${screen.colorScheme}-${screen.width}.png`;
  await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: false });
};

withAxe("axe finds nothing on any page of the manual, and no page is wider than its window", async () => {
  const server = await serve();
  const manual = `${server.url}/manual`;
  const pages = await pagesOf(manual);
  expect(pages.length).toBeGreaterThan(30);
  const { page, seen } = await openBrowser();
  const problems: string[] = [];
  for (const [at, path] of pages.entries()) {
    // All pages share a style sheet: a few are looked at on every screen, and the others on one each.
    for (const screen of SCREENS.filter((_screen, number) => SAMPLE.includes(path) || number === at % 4)) {
      await page.emulateMedia({ colorScheme: screen.colorScheme });
      await page.setViewportSize({ width: screen.width, height: 740 });
      await page.goto(manual + path);
      const found = await violationsOf(page);
      await screenshot(page, path, screen);
      problems.push(...found.map((problem) => `${path} ${JSON.stringify(screen)}: ${problem}`));
    }
    await page.setViewportSize({ width: PHONE, height: 740 });
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
      problems.push(`${path}: wider than a phone`);
  }
  expect(problems).toEqual([]);
  expect(seen.errors.filter((error) => !error.includes("404"))).toEqual([]);
  expect(seen.requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
});

/** Searches by the keyboard alone, and follows the first result. */
const search = async (page: Page, words: string): Promise<void> => {
  await page.locator("body").press("/");
  await page.locator(".search input").fill(words);
  await page.locator(".results a").first().waitFor();
  await page.locator(".search input").press("ArrowDown");
  await page.locator(".results a").first().press("Enter");
};

/** What the clipboard holds; an input shows it on one line. */
const pasted = async (page: Page): Promise<string> => {
  const input = page.locator(".search input");
  await input.fill("");
  await input.press("Control+V");
  return input.inputValue();
};

/** Searches, copies and switches the theme, as readers do. */
const use = async (page: Page, manual: string): Promise<void> => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${manual}${TERMINAL}`);
  await search(page, "certifcates");
  await untilTrue(page, "/certificate/i.test(document.querySelector(location.hash || 'h1').textContent)");

  await page.goto(`${manual}${TERMINAL}`);
  const terminal = page.locator("figure.code:has(.command):has(.output)").first();
  const commands = await terminal.locator(".command").first().innerText();
  await terminal.locator("button").click();
  await terminal.getByText("Copied").waitFor();
  expect(await pasted(page)).toStartWith(commands.trim());
  expect(await pasted(page)).not.toContain("$ ");

  await page.goto(`${manual}/api/store`);
  const response = page.locator("figure.code:has(figcaption code)").first();
  await response.locator("button").click();
  await response.getByText("Copied").waitFor();
  expect(await pasted(page)).toMatch(/^\[?\s*\{/);

  const themeIs = (theme: string) =>
    untilTrue(page, `getComputedStyle(document.documentElement).colorScheme === "${theme}"`);
  await themeIs("light dark");
  await page.getByRole("button", { name: "Dark theme" }).click();
  await themeIs("dark");
  await page.goto(manual);
  await themeIs("dark");
  await page.getByRole("button", { name: "Dark theme" }).click();
  await themeIs("light");
};

test("readers search, copy commands and choose a theme", async () => {
  const server = await serve();
  const { page, seen } = await openBrowser();
  await use(page, `${server.url}/manual`);
  expect(seen.errors).toEqual([]);
  expect(seen.requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
});

test("without JavaScript everything is there except search, copying and the themes", async () => {
  const server = await serve();
  const browser = await openBrowser(undefined, { scripts: false });
  const { page, seen } = browser;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${server.url}/manual${TERMINAL}`);
  for (const absent of [".search", "button"])
    expect(await page.locator(absent).first().isVisible()).toBe(false);
  const link = page.locator(".sidebar").getByRole("link", { name: "Backups off the machine" });
  expect(await link.isVisible()).toBe(false);
  await page.locator("summary").first().click();
  await link.click();
  expect(page.url()).toBe(`${server.url}/manual/how-to/backups-off-the-machine`);
  await page.getByRole("heading", { name: "Backups off the machine" }).waitFor();
  expect(seen.errors).toEqual([]);
});

withLighthouse("Lighthouse gives the manual at least 95 of 100 in each category", async () => {
  const server = await serve();
  for (const path of ["", "/reference/settings"]) {
    const scores = await lighthouseScores(`${server.url}/manual${path}`);
    const low = Object.entries(scores).filter(([, score]) => score < 0.95);
    expect([path, low]).toEqual([path, []]);
  }
});
