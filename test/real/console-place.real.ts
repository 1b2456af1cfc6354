import { expect } from "bun:test";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { openConsole, addAnimals } from "./console.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

const numberOn = async (page: Page, script: string): Promise<number> =>
  (await page.evaluate(script)) as number;
const scrollOf = (page: Page) => numberOn(page, "Math.round(scrollY)");
const entriesOf = (page: Page) => numberOn(page, "history.length");
const rowsOf = (page: Page) => numberOn(page, `document.querySelectorAll("${ROWS}").length`);

const ROWS = "[aria-label=Animals] tbody tr";

const IS_OPEN = "!!document.querySelector('dialog[open]')";
const IS_CLOSED = "!document.querySelector('dialog[open]')";

/** The link that opens the dialog to delete an animal, at a row counted from 1. */
const deleteLink = (page: Page, row: number) => page.locator(`${ROWS}:nth-child(${row}) a[href*="/delete"]`);

/** Opens a dialog and waits until it is there. */
const open = async (page: Page, row: number): Promise<void> => {
  await deleteLink(page, row).click();
  await untilTrue(page, IS_OPEN);
  await page.waitForTimeout(200);
};

const CLOSINGS: Record<string, (page: Page) => Promise<unknown>> = {
  Escape: (page) => page.keyboard.press("Escape"),
  "×": (page) => page.getByRole("button", { name: "Close" }).click(),
  Cancel: (page) => page.locator("dialog footer").getByText("Cancel").click(),
  Back: (page) => page.goBack(),
};

test("a dialog leaves the list where it was: scroll position, focus and history, however it is closed", async () => {
  const server = await serve();
  await addAnimals(server, 60);
  const { page } = await openConsole(server, "/animals");
  await page.locator(`${ROWS}:nth-child(45)`).waitFor();
  await deleteLink(page, 45).focus();
  await page.evaluate(
    `document.querySelectorAll('${ROWS}')[44].scrollIntoView({ block: 'center', behavior: 'instant' })`,
  );
  await page.waitForTimeout(200);
  const before = await scrollOf(page);
  expect(before).toBeGreaterThan(500);
  const entries = await entriesOf(page);
  const address = page.url();
  for (const [how, close] of Object.entries(CLOSINGS)) {
    await open(page, 45);
    await eventually(async () => ({ how, scroll: await scrollOf(page) }), { how, scroll: before });
    await close(page);
    await untilTrue(page, IS_CLOSED);
    await page.waitForTimeout(200);
    await eventually(
      async () => ({
        how,
        scroll: await scrollOf(page),
        address: page.url(),
        entries: await entriesOf(page),
        focus: await page.evaluate("document.activeElement.getAttribute('href') ?? ''"),
      }),
      {
        how,
        scroll: before,
        address,
        entries: entries + 1,
        focus: await page.evaluate(
          `document.querySelectorAll('${ROWS}')[44].querySelector('a[href*="/delete"]').getAttribute('href')`,
        ),
      },
    );
  }
  // No dialog is left below: one step back leaves the list.
  await page.goBack();
  await eventually(() => page.url(), expect.not.stringContaining("/delete"));
  await untilTrue(page, IS_CLOSED);
});

test("a dialog's address works by itself: after a reload, and opened directly", async () => {
  const server = await serve();
  await addAnimals(server, 60);
  const { page } = await openConsole(server, "/animals");
  await page.locator(`${ROWS}:nth-child(45)`).waitFor();
  await page.evaluate(
    `document.querySelectorAll('${ROWS}')[44].scrollIntoView({ block: 'center', behavior: 'instant' })`,
  );
  await page.waitForTimeout(200);
  const before = await scrollOf(page);
  await open(page, 45);
  await page.reload();
  await untilTrue(page, IS_OPEN);
  await untilTrue(page, `Math.abs(scrollY - ${before}) < 2`);
  await page.keyboard.press("Escape");
  await untilTrue(page, IS_CLOSED);
  await page.waitForTimeout(200);
  await eventually(() => scrollOf(page), before);
  await eventually(() => page.url(), `${server.url}/console/animals`);

  await page.goto(`${server.url}/console/animals/3/delete`);
  await untilTrue(page, IS_OPEN);
  const entries = await entriesOf(page);
  await page.keyboard.press("Escape");
  await untilTrue(page, IS_CLOSED);
  await eventually(
    async () => [page.url(), await entriesOf(page)],
    [`${server.url}/console/animals`, entries],
  );
});

test("Back never opens again a dialog whose work is done", async () => {
  const server = await serve();
  await addAnimals(server, 3);
  const { page } = await openConsole(server, "/categories");
  await page.getByRole("link", { name: "Animals", exact: true }).click();
  for (const row of [1, 1]) {
    await open(page, row);
    await page
      .locator("dialog footer")
      .getByRole("button", { name: /Delete/ })
      .click();
    await untilTrue(page, IS_CLOSED);
    await page.waitForTimeout(200);
  }
  await page.goBack();
  await page.getByRole("heading", { name: "Categories" }).waitFor();
  expect(await page.evaluate(IS_CLOSED)).toBe(true);
});

test("a page begins at its top, and Back returns to the place in the list", async () => {
  const server = await serve();
  await addAnimals(server, 60);
  const { page } = await openConsole(server, "/animals");
  await page.locator(`${ROWS}:nth-child(45)`).waitFor();
  await page.evaluate("scrollTo({ top: 900, behavior: 'instant' })");
  await page.waitForTimeout(200);
  await page.evaluate("document.querySelector('nav a[href=\"/console/keys\"]').click()");
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await eventually(() => scrollOf(page), 0);
  await page.goBack();
  await untilTrue(page, "Math.round(scrollY) === 900");
});

test("after a reload, as many rows are shown as before, at the same place", async () => {
  const server = await serve();
  await addAnimals(server, 1150);
  const { page, seen } = await openConsole(server, "/animals");
  await page.locator(ROWS).first().waitFor();
  while ((await rowsOf(page)) < 1100) {
    const rows = await rowsOf(page);
    await page.getByRole("button", { name: "Show more" }).click();
    await untilTrue(page, `document.querySelectorAll('${ROWS}').length > ${rows}`);
  }
  const rows = await rowsOf(page);
  await page.evaluate(`document.querySelectorAll('${ROWS}')[1000].scrollIntoView({ behavior: 'instant' })`);
  await page.waitForTimeout(300);
  const before = await scrollOf(page);
  const requests = seen.requests.length;
  await page.reload();
  await untilTrue(page, `document.querySelectorAll('${ROWS}').length === ${rows}`);
  await untilTrue(page, `Math.abs(scrollY - ${before}) < 2`);
  // Each page is read once. The other requests check for changes: the newest animals, and those in the window.
  const pages = seen.requests.slice(requests).filter((url) => /\/v1\/pets\?.*cursor=/.test(url));
  expect([pages.length, new Set(pages).size]).toEqual([10, 10]);
});
