import { expect } from "bun:test";
import { type Page, untilTrue } from "./browser.ts";
import { fillStore } from "./console-pages.ts";
import { openBrowser, real, serve, type Server } from "./support.ts";

const test = real("chromium", "playwright-core");

/** The name of what has the focus, as far as these tests need it. */
const NAME = `(() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.textContent;
  return (one.getAttribute("aria-label") ?? label ?? one.textContent).trim();
})()`;

/** Whether the focus can be seen: an outline, a shadow, or a border of another colour. */
const IS_VISIBLE = `(() => {
  const one = document.activeElement;
  if (one === document.body) return true;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  const isInSight = box.bottom > 0 && box.top < innerHeight;
  return isInSight && ((outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none");
})()`;

/** Presses Tab until a control with this name has the focus, and looks whether each stop can be seen. @throws if there is none */
const tabTo = async (page: Page, name: RegExp, key = "Tab"): Promise<void> => {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const focused = (await page.evaluate(NAME)) as string;
    // A transition of the ring has ended.
    if ((await page.evaluate(IS_VISIBLE)) !== true) {
      await page.waitForTimeout(300);
      expect([focused, await page.evaluate(IS_VISIBLE)]).toEqual([focused, true]);
    }
    if (name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`no control ${name} among ${passed.join(" | ")}`);
};

const press = async (page: Page, name: RegExp): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
};

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

const signInByKeyboard = async (page: Page, server: Server): Promise<void> => {
  await page.goto(`${server.url}/console/animals`);
  await press(page, /Use an API key/);
  // The field has the focus already.
  await page.getByLabel("API key").waitFor();
  await page.keyboard.type(server.key);
  await page.keyboard.press("Enter");
  await heading(page, "Animals");
};

test("with the keyboard only: from signing in to a completed adoption", async () => {
  const server = await serve();
  await fillStore(server);
  const { page } = await openBrowser();
  await signInByKeyboard(page, server);
  await press(page, /^Adoptions/);
  await heading(page, "Adoptions");
  await press(page, /^Start adoption/);
  await untilTrue(page, "document.activeElement?.role === 'combobox'");
  await page.keyboard.type("max");
  await untilTrue(page, "document.querySelectorAll('[role=option]').length === 1");
  await page.keyboard.press("Enter");
  await untilTrue(page, "document.activeElement.value === 'Max'");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Anna Meierhofer");
  await page.keyboard.press("Tab");
  await page.keyboard.type("anna@example.org");
  await page.keyboard.press("Enter");
  await untilTrue(page, "!document.querySelector('dialog[open]')");
  await tabTo(page, /^Search/);
  await page.keyboard.type("meier");
  await untilTrue(page, "document.querySelectorAll('[aria-label=Adoptions] tbody tr').length === 1");
  await press(page, /^Approve/);
  await untilTrue(page, "!document.querySelector('[aria-label=Adoptions] button[aria-label^=Approve]')");
  await press(page, /^Complete/);
  await untilTrue(page, "!!document.querySelector('dialog[open]')");
  await press(page, /^Complete adoption/);
  await untilTrue(page, "!document.querySelector('dialog[open]')");
  const order = await server.read<{ status: string }>("/v1/store/orders/5");
  expect(order.status).toBe("completed");
});

test("with the keyboard only: from a project to the check of a domain", async () => {
  const server = await serve();
  await fillStore(server);
  const { page } = await openBrowser();
  await signInByKeyboard(page, server);
  await press(page, /^Projects/);
  await heading(page, "Projects");
  await press(page, /^Documentation/);
  await heading(page, "Documentation");
  await press(page, /^Domains/);
  await heading(page, "Domains");
  await page.getByRole("link", { name: "Add domain" }).waitFor();
  await press(page, /^Add domain/);
  await untilTrue(page, "!!document.querySelector('dialog[open]')");
  await page.keyboard.type("guide.example.org");
  await page.keyboard.press("Enter");
  await heading(page, "guide.example.org");
  await press(page, /^Verify/);
  await press(page, /^Menu/);
  await press(page, /^Remove/);
  await untilTrue(page, "!!document.querySelector('dialog[open]')");
  await page.keyboard.press("Escape");
  await untilTrue(page, "!document.querySelector('dialog[open]')");
  await heading(page, "guide.example.org");
});
