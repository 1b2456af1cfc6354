import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { dnsServer } from "../support/dns.ts";
import { violationsOf } from "./axe.ts";
import { eventually, type Page, untilTrue } from "./browser.ts";
import { openConsole, publishDocs } from "./console.ts";
import { NAME_SERVERS, serveShelter } from "./shelter-site.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");
const withAxe = real("chromium", "playwright-core", "axe-core");
const withPebble = real("chromium", "playwright-core", ...NAME_SERVERS, "pebble");
const withPebbleAndAxe = real("chromium", "playwright-core", "axe-core", ...NAME_SERVERS, "pebble");

const DOMAINS = "/projects/shelter/domains";

/** The text of the page's elements that match, from the top. */
const textsOf = async (page: Page, selector: string) =>
  (await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.trim())`,
  )) as string[];

/** Zones with a domain in every state that DNS can leave it in. */
const zones = (target: string) => ({
  "shelter.test": [
    `www.shelter.test 1 CNAME ${target}`,
    `guide.shelter.test 1 CNAME ${target}`,
    "docs.shelter.test 1 A 192.0.2.1",
    'strict.shelter.test CAA 0 issue ";"',
    `docs.strict.shelter.test CNAME ${target}`,
  ],
});

withPebbleAndAxe(
  "the domain page begins with the fault and the record to change, and the list is red where the holder must act",
  async () => {
    const server = await serveShelter(zones);
    const { target } = server;
    await server.attach("www.shelter.test");
    await server.attach("docs.shelter.test");
    await server.attach("docs.strict.shelter.test");
    await server.attach("none.shelter.test");
    await server.isLive("www.shelter.test");
    const { page, heading, button } = await openConsole(server, `${DOMAINS}/docs.shelter.test`);

    await heading("An A record of docs.shelter.test is in the way").waitFor();
    const headings = await textsOf(page, "main h2, main h3");
    expect(headings.slice(0, 3)).toEqual([
      "docs.shelter.test",
      "An A record of docs.shelter.test is in the way",
      "Progress",
    ]);
    expect(await textsOf(page, "main .notice th")).toEqual(["Action", "Type", "Name", "Value", "TTL"]);
    const row = (cells: string[]) => cells.map((cell) => cell.replaceAll(/\s+/g, " "));
    const cells = row(await textsOf(page, "main .notice td"));
    expect(cells.slice(0, 5)).toEqual([
      "Delete",
      "A",
      "docs Copy in full: docs.shelter.test",
      "192.0.2.1",
      "–",
    ]);
    expect(cells.slice(5)).toEqual([
      "Create",
      "CNAME",
      "docs Copy in full: docs.shelter.test",
      `${target} Copy`,
      "3600 Copy",
    ]);
    // Without scrolling: the header of the console, the project and the domain are above it.
    await eventually(
      () => page.evaluate("document.querySelector('main .notice').getBoundingClientRect().top < 350"),
      true,
    );
    await button("Copy the value of the CNAME record").click();
    await page
      .getByText(/^(Copied|Copy it by hand)$/)
      .first()
      .waitFor();
    // It would contradict the finding.
    expect(await page.getByText("Create this record").count()).toBe(0);

    const byKey = expect.stringMatching(/, by key admin$/);
    await eventually(() => textsOf(page, ".events li > small"), [byKey, byKey]);

    await page.goto(`${server.url}/console${DOMAINS}/none.shelter.test`);
    await heading("There is no CNAME record for none.shelter.test yet").waitFor();
    expect((await textsOf(page, "main .notice td")).slice(0, 2)).toEqual(["Create", "CNAME"]);

    await page.goto(`${server.url}/console${DOMAINS}/www.shelter.test`);
    await page.getByText(/^Active\. Expires in \d+ years?; renews automatically\.$/).waitFor();
    // The steps are there, folded away.
    expect(await page.locator(".steps").isVisible()).toBe(false);
    await page.getByText("Progress: all steps are done").click();
    await page.locator(".steps").waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.goto(`${server.url}/console${DOMAINS}`);
    await page.getByText("docs.strict.shelter.test").first().waitFor();
    const badges =
      "[...document.querySelectorAll('ul.domains > li')].map((one) => [one.querySelector('a').innerText, one.querySelector('.badge').innerText, one.querySelector('.badge').className].join(' | '))";
    await eventually(
      () => page.evaluate(badges),
      [
        "www.shelter.test | Active | badge good",
        "docs.shelter.test | Action needed | badge bad",
        "docs.strict.shelter.test | Action needed | badge bad",
        "none.shelter.test | Not yet | badge waiting",
      ],
    );
  },
);

test("a pasted address is added as its host name, and a name that is there already is linked", async () => {
  const server = await serve();
  await publishDocs(server);
  const { page, link, dialog, field, heading, toast } = await openConsole(
    server,
    "/projects/docs/domains/new",
  );
  await field("Domain or subdomain").fill("  https://Guide.Example.org:443/pages/?a=b#c ");
  await page.getByText("This will add guide.example.org").waitFor();
  await dialog("Add domain").click();
  await toast("guide.example.org added").waitFor();
  await heading("guide.example.org").waitFor();

  await page.goto(`${server.url}/console/projects/docs/domains/new`);
  await field("Domain or subdomain").fill("guide.example.org.");
  await dialog("Add domain").click();
  await page.getByRole("alert").getByText("This project already has guide.example.org.").waitFor();
  await eventually(() => page.url(), expect.stringMatching(/\/domains\/new$/));
  await link("Open it").click();
  await heading("guide.example.org").waitFor();

  await page.goto(`${server.url}/console/projects/docs/domains/new`);
  await field("Domain or subdomain").fill("*.example.org");
  await dialog("Add domain").click();
  await page.getByRole("alert").getByText("Wildcards require DNS challenges").waitFor();
});

test("a domain is added with its www as a redirect, unless the box is cleared, and neither is added if one is refused", async () => {
  const env = { BASE_URL: "https://store.example.com" };
  const server = await serve({ env });
  await publishDocs(server);
  const roles = async () => {
    const found = await server.read<{ hostname: string; role: string }[]>("/platform/projects/docs/domains");
    return found.map(({ hostname, role }) => `${hostname} ${role}`);
  };
  const form = "/projects/docs/domains/new";
  const { page, open, dialog, field, heading } = await openConsole(server, form);
  await field("Domain or subdomain").fill("help.example.net");
  await page.getByText("This will add").or(page.getByText("For example")).first().waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);

  await field("Domain or subdomain").fill("example.org");
  await field("Also add www.example.org and redirect it to example.org").waitFor();
  await page.keyboard.press("Enter");
  await heading("example.org").waitFor();
  await heading("Create these records at your DNS provider").waitFor();
  const names = `[...document.querySelectorAll(".notice td[data-column=Name] code")].map((one) => one.innerText)`;
  await eventually(() => page.evaluate(names), ["@", "_adoption-store", "www"]);
  expect(await roles()).toEqual(["example.org primary", "www.example.org redirect"]);

  await open(form);
  await field("Domain or subdomain").fill("www.example.net");
  await field("Also add example.net and redirect it to example.org").click();
  await dialog("Add domain").click();
  await heading("www.example.net").waitFor();
  expect(await roles()).not.toContain("example.net redirect");

  // The server's own names are below it.
  await open(form);
  await field("Domain or subdomain").fill("www.example.com");
  await dialog("Add domain").click();
  await page.getByRole("alert").getByText("The other name can't be added. Clear the box").waitFor();
  expect(await roles()).not.toContain("www.example.com served");
  await field("Also add example.com and redirect it to example.org").click();
  await dialog("Add domain").click();
  await heading("www.example.com").waitFor();
  expect(await roles()).toContain("www.example.com served");
});

withPebble("removing the primary domain offers a redirect first, and a new primary domain", async () => {
  const server = await serveShelter(zones);
  for (const hostname of ["www.shelter.test", "guide.shelter.test"]) await server.attach(hostname);
  for (const hostname of ["www.shelter.test", "guide.shelter.test"]) await server.isLive(hostname);
  const role = async (hostname: string) => (await server.show(hostname)).role;
  expect(await role("www.shelter.test")).toBe("primary");
  const { page, button, link, dialog, field, toast } = await openConsole(
    server,
    `${DOMAINS}/www.shelter.test`,
  );
  await button("Menu for www.shelter.test").click();
  await link("Remove").click();
  await page.getByText("Has the address been shared?").waitFor();
  await page.getByText(/sent to guide\.shelter\.test with status 301/).waitFor();
  await dialog("Redirect").click();
  await toast("www.shelter.test now redirects to guide.shelter.test").waitFor();
  expect([await role("www.shelter.test"), await role("guide.shelter.test")]).toEqual(["redirect", "primary"]);

  // The other choice: it goes, and another takes over.
  await page.goto(`${server.url}/console${DOMAINS}/guide.shelter.test/remove`);
  await field("No: remove it").check();
  await field("New primary domain").selectOption("www.shelter.test");
  await page.getByText(/stops being served immediately/).waitFor();
  await dialog("Remove").click();
  await toast("guide.shelter.test removed").waitFor();
  expect(await role("www.shelter.test")).toBe("primary");
  expect((await server.call("/platform/projects/shelter/domains/guide.shelter.test")).status).toBe(404);
});

/** Has the page believe that its tab is in the background, or in front again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${isHidden ? "hidden" : "visible"}" });
    document.dispatchEvent(new Event("visibilitychange"));
    window.dispatchEvent(new Event("visibilitychange"));
  `);

test("pages follow changes made elsewhere, and send no requests while their tab is in the background", async () => {
  const server = await serve();
  await publishDocs(server);
  const patch = (body: object) => server.send("/platform/projects/docs", body, "PATCH");
  const add = (hostname: string) => server.send("/platform/projects/docs/domains", { hostname });
  await add("one.example.org");
  const { page, seen } = await openConsole(server, "/projects/docs/domains");
  await page.getByText("one.example.org").first().waitFor();
  await add("two.example.org");
  await page.getByText("two.example.org").first().waitFor({ timeout: 20_000 });
  await patch({ name: "Handbook" });
  await page.getByRole("heading", { name: "Handbook" }).waitFor({ timeout: 20_000 });

  await setHidden(page, true);
  await page.waitForTimeout(1000);
  const before = seen.requests.length;
  await page.waitForTimeout(17_000);
  expect(seen.requests.slice(before)).toEqual([]);
  await add("three.example.org");
  await setHidden(page, false);
  await page.getByText("three.example.org").first().waitFor({ timeout: 20_000 });
});

test("a project's settings are not lost, and saving them can be undone", async () => {
  const server = await serve();
  await publishDocs(server);
  const nameOf = async () => (await server.read<{ name: string }>("/platform/projects/docs")).name;
  const before = await nameOf();
  const { page, button, field, toast, heading } = await openConsole(server, "/projects/docs/settings");
  await field("Name").fill("Handbook");
  await page.locator("main").getByRole("link", { name: "Domains", exact: true }).click();
  await heading("Discard your changes?").waitFor();
  await button("Keep editing").click();
  expect(await field("Name").inputValue()).toBe("Handbook");
  await button("Save").click();
  await toast("Settings saved").waitFor();
  expect(await nameOf()).toBe("Handbook");
  await button("Undo").click();
  await toast("Undone").waitFor();
  expect(await nameOf()).toBe(before);
  await untilTrue(
    page,
    `document.querySelector("main input[name=name]").value === ${JSON.stringify(before)}`,
  );
  await field("Name").fill("");
  await button("Save").click();
  await page.getByRole("alert").getByText("Enter a name.").waitFor();
  await untilTrue(page, "document.activeElement.name === 'name'");
});

/** Holds uploads back until `release()`: those to the own machine are over too soon to look at. */
const HOLD_UPLOADS = `
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) { window.release = () => send.call(this, body); };
`;

test("an upload continues at other pages, and is not lost by signing out or closing the tab", async () => {
  const server = await serve();
  await publishDocs(server);
  const { page, link, button, toast, heading } = await openConsole(server, "/projects/docs");
  await page.getByLabel(/Drop an archive/).waitFor();
  await page.evaluate(HOLD_UPLOADS);
  const buffer = Buffer.from(tarGzOf([{ name: "index.html", content: "<h1>New</h1>" }]));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "site.tar.gz", mimeType: "application/gzip", buffer });
  await toast("Sending site.tar.gz…").waitFor();
  await link("Settings").click();
  await heading("Settings").waitFor();
  const isClosingAsked = `(() => {
    const event = new Event("beforeunload", { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  })()`;
  await untilTrue(page, isClosingAsked);
  await button("Sign out").click();
  await heading("Cancel the upload?").waitFor();
  await button("Keep uploading").click();
  await page.evaluate("release()");
  await toast("Deployed to docs: 1 file, 12 bytes, now live").waitFor();
  await untilTrue(page, `${isClosingAsked} === false`);
  await link("View deploys").click();
  await page.getByRole("heading", { name: "Deploys" }).waitFor();

  // Going back to the deploy before it can be undone.
  await page.getByRole("link", { name: "Roll back to deploy 1", exact: true }).click();
  await page.locator("dialog").getByRole("button", { name: "Roll back", exact: true }).click();
  await toast("Deploy 1 is now live").waitFor();
  await button("Undo").click();
  await toast("Undone").waitFor();
  const project = await server.read("/platform/projects/docs");
  expect(project).toMatchObject({ activeDeploy: 2 });

  // Who did it, as a part of the project's page.
  await link("History").click();
  await page
    .getByText(/Key admin/)
    .first()
    .waitFor();
});

const SCREENSHOTS = process.env["SCREENSHOTS"];

const look = async (page: Page, name: string) => {
  for (const [width, colorScheme] of [
    [360, "light"],
    [1280, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    // Colours change gradually.
    await page.waitForTimeout(500);
    expect([name, width, await violationsOf(page)]).toEqual([name, width, []]);
    if (SCREENSHOTS === undefined) continue;
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
};

withAxe(
  "a domain is checked before it is added, and the page has the steps of its DNS provider",
  async () => {
    const zones = {
      test: ["test NS ns.test", "ns.test A 127.0.0.1"],
      "cloud.test": ["cloud.test NS ada.ns.cloudflare.com", "old.cloud.test A 203.0.113.7"],
      "cloudflare.com": ["cloudflare.com NS ada.ns.cloudflare.com", "ada.ns.cloudflare.com A 127.0.0.1"],
    };
    using dns = await dnsServer({ zones });
    const { port } = dns.server;
    const env = { DNS_RESOLVERS: `127.0.0.1:${port}`, DNS_PORT: String(port), DNS_PRIVATE: "yes" };
    const server = await serve({ env });
    await publishDocs(server);
    const { page, link, button, field } = await openConsole(server, "/projects/docs/domains");
    await link("Check a domain").click();
    await field("Domain or subdomain").fill("https://old.cloud.test/page");
    await page.getByText("This will check old.cloud.test").waitFor();
    await button("Check").click();
    await page.getByText("old.cloud.test has an A record (203.0.113.7) where the CNAME belongs").waitFor();
    await page.getByText("Who must act: you, at your DNS provider.").waitFor();
    expect((await textsOf(page, "main .guide li")).slice(0, 4)).toEqual([
      "Sign in at Cloudflare, and open: the domain, DNS, Records.",
      "Delete the A record with the name old and the value 203.0.113.7.",
      "Choose Add record, then the type CNAME.",
      "Enter old in the field Name.",
    ]);
    await look(page, "console-check");
    await field("Domain or subdomain").fill("192.0.2.1");
    await button("Check").click();
    await page.getByText("This is an IP address. Enter a domain name.").waitFor();
    const { domains } = await server.read<{
      domains: { primary?: string };
    }>("/platform/projects/docs/config");
    expect(domains.primary).toBeUndefined();
  },
);

test("the page of a site that is live elsewhere shows how it gets its certificate before it moves", async () => {
  const env = { HTTPS_PORT: "0", PLATFORM_DOMAIN: "sites.shelter.test", DNS_CHALLENGE_HOOK: "/bin/true" };
  const server = await serve({ env });
  await publishDocs(server);
  await server.send("/platform/projects/docs/domains", { hostname: "guide.example.org" });
  const { page } = await openConsole(server, "/projects/docs/domains/guide.example.org");
  await page.getByText("Move without downtime", { exact: true }).click();
  await page.getByText("Create the record below, and choose Verify.").waitFor();
  await page.getByText("_acme-challenge.guide", { exact: true }).waitFor();
  await page.getByText(/^[a-z2-7]{20}\._acme-challenge\.sites\.shelter\.test$/).waitFor();
});
