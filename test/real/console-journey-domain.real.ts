import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { type Page } from "./browser.ts";
import { NAME_SERVERS, serveShelter } from "./shelter-site.ts";
import { real, run } from "./support.ts";

const test = real("chromium", "playwright-core", ...NAME_SERVERS, "pebble", "curl");

const HOSTNAME = "guide.shelter.test";
const MAX_CLICKS = 6;

const zones = (...lines: string[]) => ({ "shelter.test": lines });

/** Counts what a hand does on the page, whatever the test thinks that it did. */
const COUNT = `
  window.hand = { clicks: 0, keys: 0 };
  document.addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) hand.clicks += 1; }, true);
  document.addEventListener("keydown", (event) => { if (event.isTrusted) hand.keys += 1; }, true);
`;

const hand = (page: Page) => page.evaluate("window.hand") as Promise<{ clicks: number; keys: number }>;

/** Visitors get the site, with a certificate that the CA signed. */
const visit = async ({ rootFile, httpsPort }: { rootFile: string; httpsPort: number }) => {
  const host = `${HOSTNAME}:${httpsPort}`;
  const trust = ["--silent", "--show-error", "--cacert", rootFile, "--resolve", `${host}:127.0.0.1`];
  return (await run(["curl", ...trust, `https://${host}/`])).stdout;
};

/** What the page tells to create at the DNS provider. */
const readRecord = async (page: Page) =>
  (await page.evaluate(
    "[...document.querySelectorAll('.notice td')].map((cell) => (cell.querySelector('code') ?? cell).innerText)",
  )) as string[];

const isActive = (page: Page) =>
  page.getByText(/^Active\. Expires in .*; renews automatically\.$/).waitFor({ timeout: 60_000 });

test(`a domain is live after ${MAX_CLICKS} clicks from the project's page, and the DNS change`, async () => {
  const server = await serveShelter(() => zones());
  const { page, seen } = await openConsole(server, "/projects/shelter");
  await page.getByRole("heading", { name: "Shelter" }).waitFor();
  await page.evaluate(COUNT);

  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.locator("main").getByRole("link", { name: "Domains", exact: true }).click();
  await link("Add domain").click();
  await page.getByLabel("Domain or subdomain").fill(`https://${HOSTNAME}/`);
  await page.locator("dialog").getByRole("button", { name: "Add domain", exact: true }).click();
  await page.getByRole("heading", { name: "Create this record at your DNS provider" }).waitFor();
  await button("Copy the name of the CNAME record").click();
  await button("Copy the value of the CNAME record").click();
  const [action, type, name, value, ttl] = await readRecord(page);
  expect([action, type, name, ttl]).toEqual(["Create", "CNAME", "guide", "3600"]);
  server.change(zones(`${name}.shelter.test ${ttl} ${type} ${value}`));
  await button("Verify").click();
  // The certificate comes by itself, and the page says so by itself.
  await isActive(page);

  expect((await hand(page)).clicks).toBeLessThanOrEqual(MAX_CLICKS);
  expect(await visit(server)).toBe("<h1>Shelter</h1>");
  expect(seen.errors).toEqual([]);
});

/** Presses Tab until the focus is on a control of the page with this name, not one of the navigation. @throws if it is not reached */
const tabTo = async (page: Page, name: string, maxPresses = 25) => {
  const focused =
    "document.activeElement?.closest('main') && (document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText)";
  for (let press = 0; press < maxPresses; press++) {
    if ((await page.evaluate(focused)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`not reached with Tab: ${name}`);
};

test("a domain goes live with the keyboard alone", async () => {
  const server = await serveShelter(() => zones());
  const { page } = await openConsole(server, "/projects/shelter");
  await page.getByRole("heading", { name: "Shelter" }).waitFor();
  await page.evaluate(COUNT);

  await tabTo(page, "Domains");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Domains" }).waitFor();
  await tabTo(page, "Add domain");
  await page.keyboard.press("Enter");
  await page.getByLabel("Domain or subdomain").waitFor();
  await page.keyboard.type(HOSTNAME);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Create this record at your DNS provider" }).waitFor();
  await tabTo(page, "Copy the value of the CNAME record");
  await page.keyboard.press("Enter");
  await page
    .getByText(/^(Copied|Copy it by hand)$/)
    .first()
    .waitFor();
  const [, , , value] = await readRecord(page);
  server.change(zones(`${HOSTNAME} 3600 CNAME ${value}`));
  await tabTo(page, "Verify", 60);
  await page.keyboard.press("Enter");
  await isActive(page);

  const { clicks, keys } = await hand(page);
  expect(clicks).toBe(0);
  // Most of them write the name: a page with its actions far away would need many more.
  expect(keys - HOSTNAME.length).toBeLessThanOrEqual(60);
  expect(await visit(server)).toBe("<h1>Shelter</h1>");
});
