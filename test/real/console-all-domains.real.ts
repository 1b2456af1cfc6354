import { expect } from "bun:test";
import { publish } from "./site.ts";
import { eventually, untilTrue } from "./browser.ts";
import { openConsole, publishDocs } from "./console.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

const NAMES = "[...document.querySelectorAll('main tbody th')].map((one) => one.innerText)";
const RESULTS =
  "[...document.querySelectorAll('dialog ul.domains > li')].map((one) => one.innerText.split(/\\n+/).join(' | '))";

/** The distance of a domain's menu from the left edge of the screen, and of its button. */
const MENU_EDGES = `["summary", "ul"]
  .map((part) => document.querySelector("header .actions details.menu " + part).getBoundingClientRect().x)
  .reduce((button, items) => [button, items - button])`;

test("the domains of all projects are searched, filtered by stage and shown page by page", async () => {
  const server = await serve();
  await publishDocs(server);
  await publish(server, "handbook");
  const rows = Array.from({ length: 102 }, (_, index) => ({
    hostname: `d${String(index).padStart(3, "0")}.example.org`,
    project: index % 2 === 0 ? "docs" : "handbook",
  }));
  await server.send("/platform/domains", rows);
  const { page, seen, field, link } = await openConsole(server, "/projects");
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor();
  await link("Domains").click();
  await says("100 domains shown");
  await page.getByRole("button", { name: "Show more" }).click();
  await says("102 domains");
  expect(await page.evaluate(NAMES)).toEqual(rows.map(({ hostname }) => hostname));

  await field("Search domains").fill("d04");
  await says("10 domains");
  await eventually(() => page.url(), expect.stringMatching(/\?q=d04$/));
  await field("Stage").selectOption({ label: "Waiting for its DNS records" });
  await eventually(() => page.url(), expect.stringMatching(/\?q=d04&stage=awaiting_dns$/));
  await field("Stage").selectOption("live");
  await says("No domain matches");
  await page.goBack();
  await says("10 domains");
  await link("d042.example.org").click();
  await page.getByRole("heading", { name: "d042.example.org" }).waitFor();
  await page.goBack();
  await says("10 domains");
  expect(await field("Search domains").inputValue()).toBe("d04");

  // On a phone, the menu of a domain opens to the right of its button, where there is room.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${server.url}/console/projects/docs/domains/d000.example.org`);
  await page.locator("header .actions details.menu summary").click();
  expect(await page.evaluate(MENU_EDGES)).toEqual([expect.any(Number), 0]);
  expect(seen.errors).toEqual([]);
});

test("a list of domains is pasted or read from a file, and each has a result", async () => {
  const server = await serve();
  await publishDocs(server);
  await publish(server, "handbook");
  const { page, seen, dialog, link } = await openConsole(server, "/domains");
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor();
  await says("No domains yet");
  await link("Add domains").click();
  await untilTrue(page, "document.activeElement.tagName === 'INPUT'");
  await page.keyboard.type("docs");
  await page.keyboard.press("Tab");
  await page.keyboard.type("docs.example.org\n192.0.2.1\nhelp.example.org,handbook\nx.example.org,lost");
  await dialog("Add domains").click();
  await says("2 domains added or already there, 2 refused.");
  await untilTrue(page, "document.activeElement.innerText.endsWith('2 refused.')");
  expect(await page.evaluate(RESULTS)).toEqual([
    "192.0.2.1 | It is an IP address: a domain name is needed | Refused",
    "x.example.org | The project lost does not exist. | Refused",
    "docs.example.org | Added",
    "help.example.org | Added",
  ]);
  await link("Done").click();
  await says("2 domains");
  await untilTrue(page, "document.activeElement.innerText === 'Add domains'");

  await link("Add domains").click();
  const csv =
    "domain;project;role\r\ndocs.example.org;docs;\r\nb\u00fccher.example.org;handbook;redirect\r\n";
  const file = { name: "domains.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await page.locator("dialog input[type=file]").setInputFiles(file);
  await eventually(
    () => page.locator("dialog textarea").inputValue(),
    expect.stringContaining("b\u00fccher"),
  );
  await dialog("Add domains").click();
  await says("2 domains added or already there, 0 refused.");
  expect(await page.evaluate(RESULTS)).toEqual([
    "docs.example.org | Already there",
    "b\u00fccher.example.org (xn--bcher-kva.example.org) | Added",
  ]);
  expect(seen.errors).toEqual([]);

  await page.goto(`${server.url}/console/domains/add`);
  await page.locator("dialog textarea").fill('"docs.example.org');
  await dialog("Add domains").click();
  await page.getByRole("alert").getByText("not valid CSV").waitFor();
});
