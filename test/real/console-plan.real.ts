import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { violationsOf } from "./axe.ts";
import { eventually } from "./browser.ts";
import { publishDocs } from "./console.ts";
import { signIn } from "./sign-in.ts";
import { openBrowser, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");
const LIVE = ["docs.example.org", "www.example.org"];

test("a change to Free names the live domains that stop, and requires confirmation", async () => {
  const server = await serve();
  const browser = await openBrowser();
  const { page } = browser;
  await publishDocs(server);
  for (const hostname of [...LIVE, "waiting.example.net"])
    await server.send("/platform/projects/docs/domains", { hostname });
  using database = new Database(join(server.cwd, "data", "adoption-store.db"));
  database.run("update domains set stage = 'live', live_at = 1 where hostname like '%.org'");
  const project = async () => (await server.call("/platform/projects/docs")).json();

  await signIn(page, server.url, server.key, "/projects/docs/settings");
  const save = page.getByRole("button", { name: "Save", exact: true });
  const plan = page.getByLabel("Plan", { exact: true });
  const confirmation = page.getByLabel("Stop serving these 2 domains");
  await plan.selectOption("free");
  await confirmation.waitFor();
  const listed = "[...document.querySelectorAll('.notice li')].map((one) => one.textContent)";
  expect(await page.evaluate(listed)).toEqual(LIVE);
  expect(await violationsOf(page)).toEqual([]);
  const isDisabled = `document.querySelector("main form [type=submit]").ariaDisabled`;
  expect(await page.evaluate(isDisabled)).toBe("true");
  await plan.press("Enter");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  expect(await project()).toMatchObject({ plan: "pro" });

  await confirmation.check();
  // Another plan and back: confirmation is required again.
  await plan.selectOption("enterprise");
  await plan.selectOption("free");
  await eventually(() => page.evaluate(isDisabled), "true");
  await confirmation.check();
  await save.click();
  await page.getByRole("status").getByText("Settings saved").first().waitFor();
  expect(await project()).toMatchObject({ plan: "free" });

  await page.goto(`${server.url}/console/projects/docs/domains`);
  await page.getByText("Suspended").first().waitFor();
  await page.getByRole("link", { name: "www.example.org" }).click();
  await page.getByRole("heading", { name: "Suspended" }).waitFor();
  await page.getByText("The project's plan is below Pro, so the domain is not served.").waitFor();
  expect(await page.evaluate("document.querySelector('.steps').innerText")).not.toContain("Action needed");
  await page.locator(".steps").getByText("Suspended").waitFor();
  expect(browser.seen.errors).toEqual([]);
});
