import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ISSUER, TARGETS, zonesOf } from "../platform/dns-checks/cases.ts";
import { dnsServer } from "../support/dns.ts";
import { violationsOf } from "./axe.ts";
import { type Page } from "./browser.ts";
import { kept, openBrowser, directory, real, serve } from "./support.ts";

const test = real();
const withBrowser = real("chromium", "playwright-core");
const withAxe = real("chromium", "playwright-core", "axe-core");

const SCREENSHOTS = process.env["SCREENSHOTS"];
const PATH = "/domain-check";

const ZONES = {
  ...zonesOf(TARGETS),
  "evil.test": [
    "evil.test NS ns.evil.test",
    "ns.evil.test A 127.0.0.1",
    "evil.test A 192.0.2.80",
    "_adoption-store.evil.test TXT <script>document.title='taken'</script>",
    `long.evil.test CNAME ${"a".repeat(60)}.${"b".repeat(60)}.evil.test`,
  ],
};

/** The executable with its public page, over name servers on loopback. */
const open = async (cwd: string, env: Record<string, string> = {}) => {
  const authority = kept(await dnsServer({ zones: ZONES }));
  const resolver = kept(await dnsServer({ zones: ZONES, cache: { zones: {}, names: [] } }));
  const server = await serve({
    cwd,
    env: {
      PUBLIC_DOMAIN_CHECK: "on",
      DNS_RESOLVERS: `127.0.0.1:${resolver.server.port}`,
      DNS_PORT: String(authority.server.port),
      DNS_PRIVATE: "yes",
      CAA_ISSUERS: ISSUER,
      PLATFORM_CNAME_TARGET: "pages.test",
      ...env,
    },
  });
  return {
    server,
    authority,
    resolver,
    post: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${PATH}`, { method: "POST", body: new URLSearchParams(fields), headers }),
  };
};

const check = async (page: Page, url: string, hostname: string, target = "") => {
  await page.goto(`${url}${PATH}`);
  await page.getByLabel("Domain or subdomain").fill(hostname);
  await page.getByLabel("Target, if you have one").fill(target);
  await page.getByRole("button", { name: "Check" }).click();
  await page.locator("#result").waitFor();
};

const WIDTHS = SCREENSHOTS === undefined ? [360, 768, 1280] : [360, 640, 768, 1000, 1280];
const SCREENS = WIDTHS.flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);
/** For all states of the page but one: they share its style. */
const PHONE_AND_DARK = SCREENS.filter(
  ({ width, colorScheme }) => (width === 360) === (colorScheme === "light") && width !== 768,
);

/** Looks at the page as it is now. */
const look = async (page: Page, name: string, screens = PHONE_AND_DARK) => {
  for (const { width, colorScheme } of SCREENSHOTS === undefined ? screens : SCREENS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const screen = `${name} ${width} ${colorScheme}`;
    expect([screen, ...(await violationsOf(page))]).toEqual([screen]);
    const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    expect([screen, await page.evaluate(isWider)]).toEqual([screen, false]);
    if (SCREENSHOTS === undefined) continue;
    mkdirSync(SCREENSHOTS, { recursive: true });
    const path = join(SCREENSHOTS, `domain-check-${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
  }
};

withAxe(
  "the public page reads well on every screen, in both themes, whatever name servers send",
  async () => {
    const place = directory();
    const service = await open(place);
    const browser = await openBrowser();
    const { page, seen } = browser;
    const { url } = service.server;
    await page.goto(`${url}${PATH}`);
    await look(page, "form");
    for (const [name, hostname, target, says] of [
      ["wrong", "blocked.example.test", TARGETS.usual, "has wrong records"],
      ["apex", "evil.test", TARGETS.usual, "does not have its records yet"],
      ["long", "long.evil.test", "", "has other records"],
      ["right", "right.example.test", TARGETS.usual, "nothing is left to do"],
    ] as const) {
      await check(page, url, hostname, target);
      expect(await page.locator("#result").innerText()).toContain(says);
      await page.locator("summary").click();
      await look(page, name, name === "wrong" ? SCREENS : PHONE_AND_DARK);
    }
    expect(await page.evaluate("document.title")).not.toBe("taken");
    expect(seen.errors).toEqual([]);
    // A refusal is on the page too, and the browser notes its status.
    await check(page, url, "192.0.2.1");
    expect(await page.getByRole("alert").innerText()).toContain("is an IP address");
    await look(page, "refused");
  },
);

test("a refused check of the public page sends no DNS queries", async () => {
  const { authority, post } = await open(directory());
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) statuses.push((await post({ hostname: `n${at}.example.test` })).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
  // For each of 10 names: NS to find its zone, CNAME, A, AAAA, and CAA, which is also queried at its parent.
  expect(authority.questions.length).toBe(60);
});

withBrowser("another site's page cannot start a check", async () => {
  const place = directory();
  const service = await open(place);
  const form = `<form method="post" action="${service.server.url}${PATH}"><input name="hostname" value="right.example.test"><button>Win</button></form>`;
  using other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(form, { headers: { "content-type": "text/html" } }),
  });
  const { page } = await openBrowser();
  // Both are at loopback, which browsers trust, but they are other sites to each other.
  await page.goto(`http://127.0.0.1:${other.port}`);
  await page.getByRole("button", { name: "Win" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("Only the form of this page can start a check");
  expect(service.resolver.questions).toEqual([]);
});
