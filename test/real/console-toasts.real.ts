import { expect } from "bun:test";
import { type Page, openBrowser, untilTrue } from "./browser.ts";
import { send } from "./console-data.ts";
import { signIn } from "./sign-in.ts";
import { directory, real, serve, type Server, until } from "./support.ts";

const NEEDED = ["chromium", "playwright-core"];

const TOAST = "[role=status] .toast";
const isShown = (page: Page) => page.locator(TOAST).first().isVisible();

const nameOf = async (server: Server): Promise<string | undefined> =>
  ((await (await server.call("/v1/categories")).json()) as { name: string }[])[0]?.name;

const rename = async (page: Page, from: string, to: string): Promise<void> => {
  await page.getByRole("link", { name: `Rename ${from}` }).click();
  await page.getByLabel("Name", { exact: true }).fill(to);
  await page.locator("dialog").getByRole("button", { name: "Rename", exact: true }).click();
  await page.locator(TOAST).getByText(to).waitFor();
};

real("a toast takes the action back, and says so", NEEDED, async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path });
  await send(server, "/v1/categories", { name: "Dogs" });
  await using browser = await openBrowser();
  const { page } = browser;
  await signIn(page, server.url, server.key, "/categories");
  await rename(page, "Dogs", "Hounds");
  expect(await nameOf(server)).toBe("Hounds");
  await page.locator(TOAST).getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone").waitFor();
  await page.getByRole("link", { name: "Rename Dogs" }).waitFor();
  expect(await nameOf(server)).toBe("Dogs");
});

real(
  "a toast stays in sight for 6 seconds on any page, longer under the pointer or with the focus, and can be dismissed",
  NEEDED,
  async () => {
    using place = directory();
    await using server = await serve({ cwd: place.path });
    await send(server, "/v1/categories", { name: "Dogs" });
    await using browser = await openBrowser();
    const { page } = browser;
    await signIn(page, server.url, server.key, "/categories");

    await rename(page, "Dogs", "Hounds");
    const begin = performance.now();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await isShown(page)).toBe(true);
    expect(
      await page.evaluate(`(() => {
      const { top, bottom } = document.querySelector(${JSON.stringify(TOAST)}).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`),
    ).toBe(true);
    await until("the toast is gone", async () => !(await isShown(page)), 9000);
    expect(performance.now() - begin).toBeGreaterThan(5000);

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
  },
);
