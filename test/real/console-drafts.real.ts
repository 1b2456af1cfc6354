import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { type Page, untilTrue } from "./browser.ts";
import { signIn } from "./sign-in.ts";
import { openBrowser, real, serve, type Server } from "./support.ts";

const test = real("chromium", "playwright-core");

const QUESTION = "[role=alertdialog]";
const IS_OPEN = "!!document.querySelector('dialog[open]')";
const IS_CLOSED = "!document.querySelector('dialog[open]')";

const categories = async (server: Server): Promise<string[]> =>
  (await server.read<{ name: string }[]>("/v1/categories")).map(({ name }) => name);

/** Opens the dialog that renames the category, and types another name. */
const draft = async (page: Page): Promise<void> => {
  await page.getByRole("link", { name: "Rename Dogs" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Good dogs");
};

const LEAVINGS: Record<string, (page: Page) => Promise<unknown>> = {
  Escape: (page) => page.keyboard.press("Escape"),
  "×": (page) => page.getByRole("button", { name: "Close" }).click(),
  Cancel: (page) => page.locator("dialog footer").getByText("Cancel", { exact: true }).click(),
  Back: (page) => page.goBack(),
};

test("a draft is not lost without a question, regardless of how the dialog is closed", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openConsole(server, "/animals");
  await page.getByRole("link", { name: "Categories", exact: true }).click();
  for (const [how, leave] of Object.entries(LEAVINGS)) {
    await draft(page);
    const address = page.url();
    await leave(page);
    await page.locator(QUESTION).waitFor();
    // Escape answers that the user stays.
    await page.keyboard.press("Escape");
    await page.locator(QUESTION).waitFor({ state: "hidden" });
    await untilTrue(page, `location.href === ${JSON.stringify(address)}`);
    expect([how, await page.getByLabel("Name", { exact: true }).inputValue()]).toEqual([how, "Good dogs"]);
    await leave(page);
    await page.locator(QUESTION).getByRole("button", { name: "Discard" }).click();
    await untilTrue(page, IS_CLOSED);
    await untilTrue(page, "location.pathname === '/console/categories'");
  }
  expect(await categories(server)).toEqual(["Dogs"]);
  await page.goBack();
  await untilTrue(page, "location.pathname === '/console/animals'");
});

test("a dialog in which nothing was typed, or whose work is saved, closes without a question", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openConsole(server, "/categories");
  await page.getByRole("link", { name: "Rename Dogs" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Good dogs");
  await page.getByLabel("Name", { exact: true }).fill("Dogs");
  await page.keyboard.press("Escape");
  await untilTrue(page, IS_CLOSED);
  await draft(page);
  await page.locator("dialog").getByRole("button", { name: "Rename", exact: true }).click();
  await untilTrue(page, IS_CLOSED);
  expect(await categories(server)).toEqual(["Good dogs"]);
});

/** The dialogs that edit something, each with its field `name`. */
const EDITING = ["/animals/1/change", "/categories/1/rename", "/people/1/edit"];

test("a form in which nothing was changed sends nothing, and Save closes its dialog", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  await server.send("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  await server.send("/platform/people", { name: "Ada", email: "ada@example.org", role: "staff" });
  await server.send("/platform/projects", { slug: "shelter", name: "Shelter", plan: "free" });
  const { page } = await openConsole(server);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") sent.push(request.url());
  });
  for (const path of EDITING) {
    await page.goto(`${server.url}/console${path}`);
    const name = page.locator("dialog [name=name]");
    await name.waitFor();
    const before = await name.inputValue();
    // Typed, and taken back.
    for (const text of ["Another", before]) await name.fill(text);
    await page.locator("dialog [type=submit]").click();
    await untilTrue(page, IS_CLOSED);
    expect([path, sent, await page.locator(".toast").count()]).toEqual([path, [], 0]);
  }

  // A page has nothing to close: its button waits for a change.
  await page.goto(`${server.url}/console/projects/shelter/settings`);
  await page.locator("button[type=submit][aria-disabled=true]").waitFor();
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("Home");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Settings saved").waitFor();
  expect(sent).toEqual([expect.stringContaining("/platform/projects/shelter")]);
});

test("the browser asks before a page with something unsaved is closed or reloaded", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openBrowser();
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await signIn(page, server.url, server.key, "/categories");
  await page.reload();
  expect(asked).toEqual([]);
  await draft(page);
  await page.reload();
  await untilTrue(page, IS_OPEN);
  expect(asked).toEqual(["beforeunload"]);
});
