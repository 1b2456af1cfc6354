import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { showKeyField, signIn } from "./sign-in.ts";
import { openBrowser, real, serve, type Server } from "./support.ts";

const test = real("chromium", "playwright-core");

/** Ends the session as the idle time does: the page learns it from its next request. */
const endSession = (page: Page) =>
  page.evaluate(`fetch("/console/session").then((response) => response.json()).then(({ csrfToken }) =>
    fetch("/console/session", { method: "DELETE", headers: { "x-csrf-token": csrfToken } })).then(() => true)`);

const createKey = (server: Server, name: string, scopes: string[]) =>
  server.send<{ id: number; secret: string }>("/platform/keys", { name, scopes });

const submit = (page: Page) => page.locator("dialog:not(.session-ended) footer button[type=submit]").click();

/** Signs in at the dialog above the page. */
const signInAgain = async (page: Page, key: string) => {
  await page.locator("dialog.session-ended [name=key]").fill(key);
  await page.locator("dialog.session-ended").getByRole("button", { name: "Sign in", exact: true }).click();
};

test("the sign-in page names the product, links to the manual, and explains a wrong key", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  await page.goto(`${server.url}/console/animals`);
  await page.getByText("Adoption store").first().waitFor();
  await untilTrue(page, "document.activeElement.textContent === 'Sign in with a passkey'");
  expect(await page.getByLabel("API key").count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Use an API key" }).click();
  await page.getByText("Paste the key you were given (it starts with aas_).").waitFor();
  await untilTrue(page, "document.activeElement.name === 'key'");
  expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(1);
  expect(await violationsOf(page)).toEqual([]);
  for (const wrong of [server.key.slice(0, -3), "two words", `${server.key.slice(0, -1)}é`]) {
    await page.getByLabel("API key").fill(wrong);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("This key doesn't work. Check that you copied all of it.").waitFor();
    await untilTrue(page, "document.activeElement.name === 'key'");
    await page.reload();
    await showKeyField(page);
  }
  expect(await violationsOf(page)).toEqual([]);
  // A key that was copied with the line around it.
  await page.getByLabel("API key").fill(`  ${server.key} `);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Read the manual" }).click();
  await untilTrue(page, "location.pathname.startsWith('/manual')");
});

test("when the session ends, the draft stays under the sign-in and can be sent afterwards", async () => {
  const server = await serve();
  const { page } = await openConsole(server, "/keys/new");
  await page.getByLabel("Name").fill("shop");
  await page.getByLabel("Read adoptions").check();
  await endSession(page);
  await submit(page);
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await untilTrue(page, "document.activeElement.closest('.session-ended') !== null");
  expect(await violationsOf(page)).toEqual([]);
  // Nothing of the page shows behind it.
  expect(
    await page.evaluate(
      "getComputedStyle(document.querySelector('dialog.session-ended'), '::backdrop').backgroundColor",
    ),
  ).toMatch(/^rgb\(/);
  for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
  expect(await page.locator("dialog.session-ended").isVisible()).toBe(true);
  await signInAgain(page, server.key);
  await untilTrue(page, "!document.querySelector('.session-ended')");
  expect(await page.getByLabel("Name").inputValue()).toBe("shop");
  await submit(page);
  await page.getByText("This secret is shown only once.").waitFor();
});

test("another user who signs in then sees nothing of the one before", async () => {
  const server = await serve();
  const first = await createKey(server, "first", ["*"]);
  const second = await createKey(server, "second", ["pets:read"]);
  const { page } = await openBrowser();
  await signIn(page, server.url, first.secret, "/keys/new");
  await page.getByLabel("Name").fill("a secret plan");
  await server.call(`/platform/keys/${first.id}`, { method: "DELETE" });
  await page.getByLabel("Read adoptions").check();
  await submit(page);
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  await signInAgain(page, second.secret);
  await page.getByText("Not allowed").first().waitFor();
  expect(await page.evaluate("document.body.innerText")).not.toContain("first");
  expect(
    await page.evaluate("[...document.querySelectorAll('input')].map((one) => one.value).join()"),
  ).not.toContain("secret plan");
});

test("without unsaved work, sign-in replaces the page and reports that the session has ended", async () => {
  const server = await serve();
  await server.add("Bella");
  const { page } = await openConsole(server, "/animals");
  await page.getByText("Bella").first().waitFor();
  await endSession(page);
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByText("Your session has ended. Sign in again to continue.").waitFor();
  expect(await page.evaluate("document.body.innerText")).not.toContain("Bella");
  await showKeyField(page);
  await page.getByLabel("API key").fill(server.key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText("Your session has ended").count()).toBe(0);
});

test("a new secret is not lost: Done waits for Copy or a tick, and Escape, × and Back ask", async () => {
  const server = await serve();
  const { page } = await openConsole(server, "/keys");
  await page.getByRole("link", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("shop");
  await page.getByLabel("Full access including future permissions").check();
  await submit(page);
  const secret = await page.locator(".secret code").innerText();
  expect(secret).toMatch(/^aas_/);
  const done = page.locator("dialog footer").getByText("Done");
  expect(await page.evaluate("document.querySelector('dialog footer button').ariaDisabled")).toBe("true");
  const leavings = [
    () => page.keyboard.press("Escape"),
    () => page.getByRole("button", { name: "Close" }).click(),
    () => page.goBack(),
  ];
  for (const leave of leavings) {
    await leave();
    await page.getByText("Close without storing the secret?").waitFor();
    await page.getByRole("button", { name: "Keep it open" }).click();
    expect(await page.locator(".secret code").innerText()).toBe(secret);
  }
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel("I have stored it").check();
  await done.click();
  await untilTrue(page, "!document.querySelector('dialog[open]')");
  await page.getByRole("link", { name: "Rotate shop" }).waitFor();
  await eventually(() => page.url(), `${server.url}/console/keys`);
});
