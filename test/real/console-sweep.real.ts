import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ABSENT } from "../../src/pages/console/style-sheet.ts";
import { openConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { type Page, lastingFaults } from "./browser.ts";
import { PAGES, STATES, fillStore } from "./console-pages.ts";
import { acceptInvitation, addAuthenticator, consoleOf } from "./passkeys.ts";
import { NAME_SERVERS, serveShelter } from "./shelter-site.ts";
import { showKeyField, signIn } from "./sign-in.ts";
import { openBrowser, real, serve, until } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");
const withPebble = real("chromium", "playwright-core", "axe-core", ...NAME_SERVERS, "pebble");
/** A directory for screenshots of everything, to look at. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

const WIDTHS = [360, 640, 768, 1000, 1280];
/** axe looks at these: the narrow, the stacked and the wide form. */
const AXE_WIDTHS: ReadonlySet<number> = new Set([360, 768, 1280]);
const SCREENS = (["light", "dark"] as const).flatMap((colorScheme) =>
  WIDTHS.map((width) => ({ colorScheme, width })),
);

const IS_SETTLED =
  "!document.querySelector('.loading, [aria-busy=true]') && !!document.querySelector('h1') && document.getAnimations().every((one) => one.playState !== 'running')";

/** What does not fit: the page, or the content of a dialog or a table. One whose columns the user has chosen may scroll. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll("dialog[open] > article, .scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && !one.closest("details:not([open])") && !one.querySelector("pre, table.wide"))
  .map((one) => "too wide: " + (one.getAttribute("aria-label") ?? one.tagName))`;

/** A row that fills the page, because something in it is very long. */
const TOO_HIGH = `[...document.querySelectorAll("tbody tr")]
  .filter((row) => row.offsetHeight > innerHeight * 0.75)
  .map((row) => "too high: " + row.textContent.slice(0, 20))`;

/** What the style sheet leaves out, although the page has it. */
const UNSTYLED = `${JSON.stringify([...ABSENT].filter((name) => !name.startsWith(":")))}
  .filter((name) => document.body.querySelector(name))
  .map((name) => "without its style: " + name)`;

const BEGINS_AT_CLOSE = "document.activeElement?.matches('dialog .close') ?? false";

const settle = async (page: Page, path: string): Promise<void> => {
  await until(`${path} is settled`, async () => (await page.evaluate(IS_SETTLED)) === true, 30_000);
  await page.waitForTimeout(150);
};

const shoot = async (page: Page, path: string, colorScheme: string, width: number): Promise<void> => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const file = `console-${path.replaceAll(/[^a-z0-9]+/g, "-")}-${colorScheme}-${width}.png`;
  await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: false });
};

/** What is wrong with a page on every screen. */
const problemsOf = async (page: Page, path: string): Promise<string[]> => {
  const problems: string[] = [];
  for (const { colorScheme, width } of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await settle(page, path);
    const found: string[] = [];
    for (const faults of [TOO_WIDE, TOO_HIGH, UNSTYLED]) found.push(...(await lastingFaults(page, faults)));
    if (AXE_WIDTHS.has(width)) found.push(...(await violationsOf(page)));
    problems.push(...found.map((problem) => `${path} ${colorScheme} ${width}: ${problem}`));
    await shoot(page, path, colorScheme, width);
  }
  return problems;
};

for (const [area, paths] of Object.entries(PAGES))
  test(`axe finds nothing and everything fits at five widths, in both themes: ${area}`, async () => {
    const server = await serve();
    await fillStore(server);
    const { page, seen } = await openConsole(server);
    const problems: string[] = [];
    for (const path of paths) {
      await page.goto(`${server.url}/console${path}`);
      await settle(page, path);
      if ((await page.evaluate(BEGINS_AT_CLOSE)) === true)
        problems.push(`${path} begins at its button to close`);
      problems.push(...(await problemsOf(page, path)));
    }
    expect(problems).toEqual([]);
    // Browsers say too that an adoption is not there.
    const expected = paths.some((path) => path.endsWith("/999")) ? /status of 404/ : /^$/;
    expect(seen.errors.filter((error) => !expected.test(error))).toEqual([]);
  });

test("axe finds nothing and everything fits after something was done", async () => {
  const server = await serve();
  await fillStore(server);
  const browser = await openBrowser();
  const { page } = browser;
  await signIn(page, server.url, server.key);
  // The browser asks before unsaved work is left.
  page.on("dialog", (dialog) => void dialog.accept());
  const problems: string[] = [];
  for (const [state, { path, act }] of Object.entries(STATES)) {
    await page.goto(`${server.url}/console${path}`);
    await settle(page, path);
    await act(page);
    problems.push(...(await problemsOf(page, state)));
  }
  expect(problems).toEqual([]);
});

test("axe finds nothing on the pages of a person who is invited, and then signed in", async () => {
  const server = await serve();
  const person = { name: "Ada Byron", email: "ada@example.org", role: "administrator" };
  const { invitation } = await server.send<{ invitation: { link: string } }>("/platform/people", person);
  const { page } = await openBrowser();
  await addAuthenticator(page);
  const at = (path: string) => `${consoleOf(server)}/console${path}`;
  const link = at(`/invitation${new URL(invitation.link).hash}`);
  await page.goto(link);
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  const problems = await problemsOf(page, "invitation");
  await acceptInvitation(page, link);
  await page.goto(at("/you"));
  problems.push(...(await problemsOf(page, "you")));
  await page.goto(at("/you/add"));
  problems.push(...(await problemsOf(page, "you, add passkey")));
  await page.goto(at("/you"));
  await page.getByRole("link", { name: /^Remove/ }).click();
  problems.push(...(await problemsOf(page, "you, remove passkey")));
  await page.goto(at("/people/1/remove"));
  problems.push(...(await problemsOf(page, "people, remove yourself")));
  await page.goto(link);
  await page.reload();
  await page.getByRole("heading", { name: /invitation/ }).waitFor();
  problems.push(...(await problemsOf(page, "invitation, used")));
  expect(problems).toEqual([]);
});

/** A domain in each state that DNS can leave it in. */
const zones = (target: string) => ({
  "shelter.test": [
    `www.shelter.test 1 CNAME ${target}`,
    "docs.shelter.test 1 A 192.0.2.1",
    'strict.shelter.test CAA 0 issue ";"',
    `docs.strict.shelter.test CNAME ${target}`,
  ],
});

withPebble("axe finds nothing on the pages of domains in each state", async () => {
  const server = await serveShelter(zones);
  const names = ["www", "docs", "docs.strict", "none"].map((label) => `${label}.shelter.test`);
  for (const name of names) await server.attach(name);
  await server.isLive("www.shelter.test");
  const { page } = await openConsole(server);
  const problems: string[] = [];
  for (const path of ["", ...names.map((name) => `/${name}`), "/www.shelter.test/remove"]) {
    await page.goto(`${server.url}/console/projects/shelter/domains${path}`);
    problems.push(...(await problemsOf(page, `domains${path}`)));
  }
  expect(problems).toEqual([]);
});

test("axe finds nothing on the page to sign in, with each way and its problem", async () => {
  const env = { OIDC_ISSUER: "http://localhost:1", OIDC_CLIENT_ID: "adoption-store", OIDC_LABEL: "Shelter" };
  const server = await serve({ env });
  const { page } = await openBrowser();
  const problems: string[] = [];
  for (const query of ["", "?sign-in=unknown_person"]) {
    await page.goto(`${consoleOf(server)}/console${query}`);
    await page.getByRole("button", { name: "Use an API key" }).waitFor();
    problems.push(...(await problemsOf(page, `sign-in${query}`)));
  }
  await showKeyField(page);
  await page.getByLabel("API key").fill("aas_wrong");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText(/doesn't work/).waitFor();
  problems.push(...(await problemsOf(page, "sign-in, wrong key")));
  expect(problems).toEqual([]);
});
