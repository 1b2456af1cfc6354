import { expect } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Page } from "./browser.ts";
import { openBrowser, EXECUTABLE, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");
const withoutNetwork = real("chromium", "playwright-core", "network namespaces", "nsenter");
const SCREENSHOTS = process.env["SCREENSHOTS"];

/** Opens the Swagger page and waits until it shows a document. */
const openDocs = async (page: Page, url: string) => {
  await page.goto(`${url}/docs`);
  await page.locator("#operations-animals-listPets").waitFor();
};

const authorize = async (page: Page, key: string) => {
  await page.locator(".btn.authorize").first().click();
  await page.locator(".auth-container input").fill(key);
  await page.locator(".auth-btn-wrapper .authorize").click();
  await page.locator(".auth-btn-wrapper .btn-done").click();
};

/** Calls an operation by "Try it out". @returns the status and the body that the page shows */
const tryOut = async (page: Page, operation: string, body?: string) => {
  const block = page.locator(`#operations-animals-${operation}`);
  await block.locator(".opblock-summary-control").click();
  await block.locator(".try-out__btn").click();
  if (body !== undefined) await block.locator("textarea.body-param__text").fill(body);
  await block.locator(".execute").click();
  const answer = block.locator(".live-responses-table .response").first();
  return {
    status: Number.parseInt(await answer.locator(".response-col_status").innerText(), 10),
    body: await answer.locator(".response-col_description .microlight").first().innerText(),
  };
};

test("the Swagger page offers both documents, takes a key and calls the store", async () => {
  const server = await serve();
  const { page, seen } = await openBrowser();
  await openDocs(page, server.url);
  await authorize(page, server.key);
  const added = await tryOut(page, "createPet", '{"name": "Bella", "categoryId": 3, "status": "available"}');
  expect(added.status).toBe(201);
  expect(JSON.parse(added.body)).toEqual({ id: 1, name: "Bella", categoryId: 3, status: "available" });
  const listed = await tryOut(page, "listPets");
  expect(listed.status).toBe(200);
  expect(JSON.parse(listed.body)).toHaveLength(1);
  await page.locator("#select").selectOption({ label: "Platform (beta)" });
  await page.locator("#operations-tag-keys").waitFor();
  await page.locator("#select").selectOption({ label: "Store" });
  await page.locator("#operations-animals-listPets").waitFor();
  expect(seen.errors).toEqual([]);
  expect(
    seen.requests.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:")),
  ).toEqual([]);
});

test("the Swagger page lists animals first, filters, marks beta and names its server", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  await openDocs(page, server.url);
  const texts = (selector: string) =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => one.textContent)`);
  expect((await texts(".opblock-tag a")) as string[]).toEqual([
    "animals",
    "photos",
    "imports",
    "categories",
    "store",
  ]);
  expect(await texts("#servers option")).toEqual([`${server.url}/v1 - Production`]);
  const badges = "#operations-animals-changePet .beta-badge, #operations-animals-listPets .beta-badge";
  expect(await texts(badges)).toEqual(["beta"]);
  await page.locator(".operation-filter-input").fill("/categories/{");
  await page.locator("#operations-tag-animals").waitFor({ state: "hidden" });
  expect(await texts(".opblock-tag a")).toEqual(["categories"]);
});

test("without a key the Swagger page shows the refusal", async () => {
  const server = await serve();
  const browser = await openBrowser();
  await openDocs(browser.page, server.url);
  const refused = await tryOut(browser.page, "listPets");
  expect(refused.status).toBe(401);
  expect(JSON.parse(refused.body)).toMatchObject({ code: "missing_api_key" });
});

withoutNetwork("with the network cut the Swagger page is whole", async () => {
  const cut = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', EXECUTABLE];
  const server = await serve({ argv: cut });
  const inside = join(server.cwd, "chromium");
  writeFileSync(inside, `#!/bin/sh\nexec nsenter -t ${server.pid} -n chromium "$@"\n`);
  chmodSync(inside, 0o755);
  const browser = await openBrowser(inside);
  await openDocs(browser.page, server.url);
  expect(browser.seen.errors).toEqual([]);
});

test("the Swagger page can be read in both colour schemes", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await openDocs(page, server.url);
    await authorize(page, server.key);
    await tryOut(page, "listPets");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    if (SCREENSHOTS === undefined) continue;
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `docs-${colorScheme}.png`), fullPage: true });
  }
});
