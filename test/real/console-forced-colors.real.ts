import { expect } from "bun:test";
import { type Page, untilTrue } from "./browser.ts";
import { openConsole, addAnimals } from "./console.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

/** The width of an outline and its distance from the control. */
const OUTLINE = 5;

type Devtools = Awaited<ReturnType<ReturnType<Page["context"]>["newCDPSession"]>>;

/** The pixels of an element with a margin, as a PNG. */
const pixelsOf = async (
  page: Page,
  devtools: Devtools,
  selector: string,
  margin: number,
): Promise<unknown> => {
  const clip = await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return { x: x + scrollX - ${margin}, y: y + scrollY - ${margin}, width: width + ${2 * margin}, height: height + ${2 * margin}, scale: 1 };
  })()`);
  const { data } = (await devtools.send("Page.captureScreenshot", { clip })) as { data: string };
  return data;
};

const BOX = "tbody tr:nth-child(2) td.select input";
const ALL = "thead td.select input, thead th.select input";
const ROW = "tbody tr:nth-child(2) td[data-column=Category]";

const styleOf = (page: Page, selector: string, name: string) =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name}`);

test("with forced colors, every state of a control is recognizable on both canvases", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  await addAnimals(server, 3);
  const { page } = await openConsole(server, "/animals");
  const devtools = await page.context().newCDPSession(page);
  for (const scheme of ["light", "dark"]) {
    const features = [
      { name: "forced-colors", value: "active" },
      { name: "prefers-color-scheme", value: scheme },
    ];
    await devtools.send("Emulation.setEmulatedMedia", { features });
    await page.goto(`${server.url}/console/animals`);
    await untilTrue(page, `!!document.querySelector("${BOX}")`);
    expect(await page.evaluate("matchMedia('(forced-colors: active)').matches")).toBe(true);
    const box = page.locator(BOX);
    const look = async (selector: string, margin = 0) => {
      await page.evaluate("document.activeElement.blur()");
      await page.mouse.move(0, 0);
      return pixelsOf(page, devtools, selector, margin);
    };
    const states = { empty: await look(BOX), row: await look(ROW), none: await look(ALL) };
    await box.click();
    await untilTrue(page, "document.querySelectorAll('tr.selected').length === 1");
    expect(await look(BOX)).not.toBe(states.empty);
    expect(await look(ROW)).not.toBe(states.row);
    const some = await look(ALL);
    expect(some).not.toBe(states.none);
    await page.locator(ALL).click();
    await untilTrue(page, "document.querySelectorAll('tr.selected').length === 3");
    expect([states.none, some]).not.toContain(await look(ALL));

    const current = "nav a[aria-current]";
    const other = "header.top nav li:nth-child(2) a";
    expect(await styleOf(page, current, "backgroundColor")).not.toBe(
      await styleOf(page, other, "backgroundColor"),
    );
    const tab = ".tiles a[aria-current]";
    await page.goto(`${server.url}/console/animals?status=pending`);
    await untilTrue(page, `!!document.querySelector("${tab}")`);
    expect(await styleOf(page, tab, "backgroundColor")).not.toBe(
      await styleOf(page, ".tiles a:not([aria-current])", "backgroundColor"),
    );

    await page.goto(`${server.url}/console/animals`);
    await untilTrue(page, `!!document.querySelector(".badge")`);
    expect(await styleOf(page, ".badge", "borderTopStyle")).toBe("solid");
    for (const selector of [".button", "input[type=search]", "select"]) {
      const unfocused = await look(selector, OUTLINE);
      await page.keyboard.press("Tab");
      await page.evaluate(`document.querySelector("${selector}").focus({ focusVisible: true })`);
      expect(await styleOf(page, selector, "outlineStyle")).toBe("solid");
      expect(await pixelsOf(page, devtools, selector, OUTLINE)).not.toBe(unfocused);
    }
    await page.evaluate(`(() => {
        const main = document.querySelector("main");
        main.insertAdjacentHTML("afterbegin", '<p id="samples"><button id="on">A</button> <button id="off" aria-disabled="true">A</button> <input type="radio" id="unchecked"> <input type="radio" id="checked" checked> <progress id="some" value="0.2" max="1"></progress> <progress id="most" value="0.8" max="1"></progress></p>');
      })()`);
    expect(await styleOf(page, "#on", "color")).not.toBe(await styleOf(page, "#off", "color"));
    expect(await look("#checked")).not.toBe(await look("#unchecked"));
    expect(await look("#some")).not.toBe(await look("#most"));
    await page.evaluate("document.querySelector('#samples').remove()");
  }
});
