import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { type Page, untilTrue } from "./browser.ts";
import { real, serve, type Server } from "./support.ts";

const test = real("chromium", "playwright-core");

const TOAST = "[role=status] .toast";
const isShown = (page: Page) => page.locator(TOAST).first().isVisible();

/** Notes when the first toast comes and goes, in milliseconds, and that it was in sight at the page of keys. */
const WATCH = `{
  window.toast = {};
  new MutationObserver(() => {
    if (document.querySelector("${TOAST}")) toast.from ??= performance.now();
    else if (toast.from !== undefined) toast.to ??= performance.now();
  }).observe(document.body, { childList: true, subtree: true });
  const look = () => {
    const box = document.querySelector("${TOAST}")?.getBoundingClientRect();
    const isAtKeys = document.querySelector("h1")?.textContent === "Keys";
    if (box && isAtKeys && box.top >= 0 && box.bottom <= innerHeight) toast.wasInSight = true;
    if (toast.to === undefined) requestAnimationFrame(look);
  };
  look();
}`;

const nameOf = async (server: Server): Promise<string | undefined> =>
  (await server.read<{ name: string }[]>("/v1/categories"))[0]?.name;

const rename = async (page: Page, from: string, to: string): Promise<void> => {
  await page.getByRole("link", { name: `Rename ${from}` }).click();
  await page.getByLabel("Name", { exact: true }).fill(to);
  await page.locator("dialog").getByRole("button", { name: "Rename", exact: true }).click();
  await page.locator(TOAST).getByText(to).waitFor();
};

test("a toast reverts the action, and confirms it", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openConsole(server, "/categories");
  await rename(page, "Dogs", "Hounds");
  expect(await nameOf(server)).toBe("Hounds");
  await page.locator(TOAST).getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone").waitFor();
  await page.getByRole("link", { name: "Rename Dogs" }).waitFor();
  expect(await nameOf(server)).toBe("Dogs");
});

test("a toast stays in sight for 6 seconds on any page, longer under the pointer or with the focus, and can be dismissed", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openConsole(server, "/categories");

  await page.evaluate(WATCH);
  await rename(page, "Dogs", "Hounds");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await untilTrue(page, "toast.to - toast.from >= 6000 && toast.wasInSight === true");

  await page.getByRole("link", { name: "Categories", exact: true }).click();
  await rename(page, "Hounds", "Dogs");
  await page.locator(TOAST).hover();
  await page.waitForTimeout(7000);
  expect(await isShown(page)).toBe(true);
  await page.locator(TOAST).getByRole("button", { name: "Undo" }).focus();
  await page.mouse.move(5, 5);
  await page.waitForTimeout(7000);
  expect(await isShown(page)).toBe(true);
  await page.locator(TOAST).getByRole("button", { name: "Dismiss" }).click();
  await untilTrue(page, `!document.querySelector(${JSON.stringify(TOAST)})`);
});
