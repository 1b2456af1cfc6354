import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { violationsOf } from "./axe.ts";
import { openBrowser, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");
const withAxe = real("chromium", "playwright-core", "axe-core");

const SCREENSHOTS = process.env["SCREENSHOTS"];
const MAX_COMPRESSED = 300 * 1024;

// Both pages have the same parts, and axe takes seconds for each view of one.
const PAGES = [
  {
    path: "/manual/api/store",
    document: "/openapi.json",
    views: [
      ["light", 1280],
      ["dark", 1280],
      ["light", 360],
      ["dark", 360],
    ],
  },
  {
    path: "/manual/api/platform",
    document: "/platform/openapi.json",
    views: [
      ["light", 1280],
      ["dark", 360],
    ],
  },
] as const;

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

const operationIds = async (url: string): Promise<string[]> => {
  const { paths } = (await (await fetch(url)).json()) as Document;
  return Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
};

/** Bytes on the wire, with brotli. */
const sizeOf = async (url: string): Promise<number> => {
  const response = await fetch(url, { headers: { "accept-encoding": "br" }, decompress: false });
  return (await response.bytes()).length;
};

withAxe("the API reference shows every operation, asks no other host, and axe finds nothing", async () => {
  const server = await serve();
  const { page, seen } = await openBrowser();
  for (const { path, document, views } of PAGES) {
    for (const [colorScheme, width] of views) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}${path}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await violationsOf(page)).toEqual([]);
      if (SCREENSHOTS === undefined) continue;
      mkdirSync(SCREENSHOTS, { recursive: true });
      const name = `${path.split("/").at(-1)}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: join(SCREENSHOTS, name), fullPage: false });
    }
    const ids = await operationIds(`${server.url}${document}`);
    expect(ids.length).toBeGreaterThan(15);
    const shown = (await page.evaluate(
      "[...document.querySelectorAll('section.operation')].map(({ id }) => id)",
    )) as string[];
    expect(shown.toSorted()).toEqual(ids.toSorted());
  }
  expect(seen.errors).toEqual([]);
  expect(
    seen.requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:")),
  ).toEqual([]);
});

test("a page of the API reference with all that it loads is at most 300 KB compressed", async () => {
  const server = await serve();
  const { page, seen } = await openBrowser();
  await page.goto(`${server.url}/manual/api/platform`);
  const loaded = [...new Set(seen.requests)].filter((url) => !url.startsWith("data:"));
  expect(loaded.length).toBeGreaterThan(2);
  const sizes = await Promise.all(loaded.map(sizeOf));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_COMPRESSED);
});

test("the chosen language of the examples is the one that is shown, and the choice is kept", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  const shown = () =>
    page.evaluate(
      "[...document.querySelectorAll('#listPets .sample')].filter((one) => getComputedStyle(one).display !== 'none').map((one) => one.querySelector('figcaption').textContent)",
    );
  await page.goto(`${server.url}/manual/api/store`);
  expect(await shown()).toEqual(["curl"]);
  await page.locator("#language-python").check();
  expect(await shown()).toEqual(["Python"]);
  await page.goto(`${server.url}/manual/api/platform`);
  await page.goto(`${server.url}/manual/api/store`);
  expect(await shown()).toEqual(["Python"]);
});
