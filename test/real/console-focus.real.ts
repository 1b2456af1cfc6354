import { expect } from "bun:test";
import { type Page, eventually, lastingFaults, untilTrue } from "./browser.ts";
import { openConsole, addAdoptions, addAnimals, addDomain, sendAll } from "./console.ts";
import { signIn } from "./sign-in.ts";
import { openBrowser, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

const IS_CLOSED = "!document.querySelector('dialog[open]')";
const FOCUSED = "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName";

const removeCategory = async (page: Page, name: string): Promise<void> => {
  await page.getByRole("link", { name: `Delete ${name}` }).focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog footer").getByRole("button", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await untilTrue(page, IS_CLOSED);
  await page.getByRole("link", { name: `Delete ${name}` }).waitFor({ state: "hidden" });
};

test("after a row is gone, the focus is at the next row's first action, and in the end at the last", async () => {
  const server = await serve();
  await sendAll(
    server,
    "/v1/categories",
    ["Ants", "Bees", "Cats"].map((name) => ({ name })),
  );
  const { page } = await openConsole(server, "/categories");
  await removeCategory(page, "Ants");
  await untilTrue(page, `(${FOCUSED}) === "Rename Bees"`);
  await removeCategory(page, "Cats");
  await untilTrue(page, `(${FOCUSED}) === "Rename Bees"`);
  await removeCategory(page, "Bees");
  await untilTrue(page, `(${FOCUSED}) === "H1"`);
});

/** How far an element of the dialog is below the top of its buttons, in pixels. */
const below = (selector: string) =>
  `document.querySelector("dialog ${selector}").getBoundingClientRect().bottom - document.querySelector("dialog footer").getBoundingClientRect().top`;

test("a dialog longer than the window keeps its buttons in sight, and never over the field with the focus", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn(page, server.url, server.key, "/keys/new");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  const bottom = "document.querySelector('dialog footer').getBoundingClientRect().bottom <= innerHeight";
  await untilTrue(page, bottom);
  await untilTrue(page, `${below("[type=date]")} > 0`);
  await page.locator("dialog [type=date]").focus();
  await untilTrue(page, `${below("[type=date]")} < 0`);
  await untilTrue(page, bottom);
});

test("a deletion that was not confirmed puts the focus where the slug belongs", async () => {
  const server = await serve();
  await server.send("/platform/projects", { slug: "shelter", name: "Shelter", plan: "free" });
  const { page } = await openConsole(server, "/projects/shelter/settings/delete");
  await page.locator("dialog").getByRole("button", { name: "Delete project" }).click();
  await page.getByText("This is not the slug. Type shelter.").waitFor();
  await untilTrue(page, "document.activeElement.name === 'slug'");
});

/** Follows a link, and returns the focused element as soon as its dialog is open, before anything is painted. */
const FIRST_FOCUS = `new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector("dialog[open]")) return;
    observer.disconnect();
    resolve(document.activeElement.name);
  }).observe(document.body, { childList: true, subtree: true, attributes: true });
  document.querySelector("main a[href$='/categories/new']").click();
})`;

test("a dialog's first field has the focus when it opens, so nothing typed immediately is lost", async () => {
  const server = await serve();
  const { page } = await openConsole(server, "/categories");
  await page.getByRole("link", { name: "Add category" }).first().waitFor();
  expect(await page.evaluate(FIRST_FOCUS)).toBe("name");
});

test("after an adoption is approved, the focus is at the next adoption's first action", async () => {
  const server = await serve();
  await addAnimals(server, 3);
  await addAdoptions(server, 3);
  const { page } = await openConsole(server, "/adoptions");
  const approve = page.getByRole("button", { name: /^Approve/ });
  await approve.first().focus();
  const next = (await page.evaluate(
    "document.querySelectorAll('[aria-label=Adoptions] tbody tr')[1].querySelector('td.actions :is(a, button)').getAttribute('aria-label')",
  )) as string;
  await page.keyboard.press("Enter");
  await untilTrue(page, `(${FOCUSED}) === ${JSON.stringify(next)}`);
});

test("while an action is under way, its button keeps the focus and a second press does nothing", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  const { page } = await openConsole(server, "/categories");
  let sent = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/v1/categories/*", async (route) => {
    sent++;
    await released;
    await route.continue();
  });
  await page.getByRole("link", { name: "Delete Dogs" }).click();
  const button = page.locator("dialog footer").getByRole("button", { name: "Delete" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog footer button[aria-disabled=true]").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Delete");
  release();
  await untilTrue(page, IS_CLOSED);
  expect(sent).toBe(1);
});

/** Controls smaller than 24 px that stand by themselves; inside a sentence, a link may be as high as its line (WCAG 2.2, 2.5.8). */
const SMALL = `[...document.querySelectorAll(":is(a[href], button, summary, select, textarea, input:not([type=hidden]))")].flatMap((control) => {
  if (!control.checkVisibility() || control.closest(".skip")) return [];
  const inLabel = control.closest("label")?.getBoundingClientRect();
  const box = control.getBoundingClientRect();
  const [width, height] = [Math.max(box.width, inLabel?.width ?? 0), Math.max(box.height, inLabel?.height ?? 0)];
  const text = control.closest("p, li, dd, small, td")?.textContent.trim() ?? "";
  const isInline = control.tagName === "A" && getComputedStyle(control).display === "inline" && (text !== control.textContent.trim() || control.closest("p"));
  const least = control.closest("dialog header") ? 40 : 24;
  return isInline || Math.min(width, height) >= least ? [] : [\`\${control.outerHTML.slice(0, 120)} \${width} x \${height}\`];
})`;

const PAGES = [
  "/animals",
  "/animals/new",
  "/adoptions",
  "/adoptions/new",
  "/adoptions/1/cancel",
  "/categories",
  "/categories/1/rename",
  "/projects",
  "/projects/docs",
  "/projects/docs/settings",
  "/projects/docs/domains",
  "/projects/docs/domains/docs.example.org",
  "/keys",
  "/keys/new",
];

test("every control is at least 24 px high and wide, and the × of a dialog 40", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  await addAnimals(server, 3);
  await addAdoptions(server, 2);
  await addDomain(server);
  const { page } = await openConsole(server);
  const small: string[] = [];
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of PAGES) {
      await page.goto(`${server.url}/console${path}`);
      await untilTrue(page, "!document.querySelector('.loading') && !!document.querySelector('h1')");
      await page.waitForTimeout(100);
      const found = await lastingFaults(page, SMALL);
      small.push(...found.map((one) => `${path} ${width}: ${one}`));
    }
  }
  expect(small).toEqual([]);
  await page.goto(`${server.url}/console/categories`);
  await eventually(() => page.evaluate(FOCUSED), "BODY");
});
