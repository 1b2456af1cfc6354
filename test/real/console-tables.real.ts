import { expect } from "bun:test";
import { eventually, lastingFaults, untilTrue } from "./browser.ts";
import { openConsole, addAdoptions, addAnimals, addDomain } from "./console.ts";
import { type Server, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

const WIDTHS = [360, 640, 768, 1000, 1280];

const PAGES = [
  "/animals",
  "/adoptions?status=all",
  "/categories",
  "/keys",
  "/projects",
  "/projects/docs",
  "/projects/docs/domains/docs.example.org",
];

const IS_SHOWN =
  "!document.querySelector('.loading') && !!document.querySelector('table :is(td, th), ul.domains li')";

/**
 * What is wrong with the tables of a page: content that is cut off, an action that is not in sight, a number on two lines, an
 * e-mail address that breaks inside a word.
 */
const FAULTS = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is too wide");
  for (const scroll of document.querySelectorAll(".scroll")) {
    if (scroll.closest("details:not([open])")) continue;
    const hidden = scroll.scrollWidth - scroll.clientWidth;
    if (hidden > 0) faults.push("hidden: " + hidden + " px of " + scroll.getAttribute("aria-label"));
    const place = scroll.getBoundingClientRect();
    for (const action of scroll.querySelectorAll("td :is(a, button)")) {
      if (!action.checkVisibility()) continue;
      const { left, right, height, width } = action.getBoundingClientRect();
      if (left < place.left - 1 || right > place.right + 1) faults.push("cut off: " + action.textContent);
      if (action.closest("td.actions") && Math.min(height, width) < 24) faults.push("small: " + action.textContent + " " + width + "x" + height);
    }
  }
  const linesOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  for (const cell of document.querySelectorAll("td.number, td[data-column=TTL] code")) {
    const text = [...cell.childNodes].find((node) => node.nodeType === 3);
    if (text && linesOf(text) > 1) faults.push("broken: " + text.data);
  }
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    if (/@/.test(text.parentElement.textContent) && text.parentElement.closest("td") && !text.data.includes("-") && linesOf(text) > 1)
      faults.push("broken: " + text.data);
  return faults;
})()`;

/** The second cell of a row stands below its first. */
const IS_BELOW = `(() => {
  const [first, second] = [...document.querySelectorAll("[aria-label=Adoptions] td")].map((cell) => cell.getBoundingClientRect());
  return second.top >= first.bottom;
})()`;

/** True for each table whose rows are lists of cells. */
const LAYOUT = `[...document.querySelectorAll(".scroll > table")].map((table) => getComputedStyle(table.rows[1]).display !== "table-row")`;

const WINDOWS = [1440, 1024, 768, 390];

const LONG_WORD = "Wolkensteintrostburg".repeat(4);
const LONG_EMAIL = `${"wolkenstein-".repeat(4)}trostburg@mail-${"wolkenstein.".repeat(5)}example.org`;

/** Adds the longest possible values to every list. */
const addLongData = async (server: Server): Promise<void> => {
  const { id: categoryId } = await server.send<{ id: number }>("/v1/categories", { name: LONG_WORD });
  const { id: petId } = await server.send<{ id: number }>("/v1/pets", {
    name: LONG_WORD,
    categoryId,
    status: "available",
  });
  const adopter = { name: LONG_WORD, email: LONG_EMAIL };
  const order = { petId, adopter, note: LONG_WORD };
  const { id } = await server.send<{ id: number }>("/v1/store/orders", order);
  await server.send(`/v1/store/orders/${id}/approve`, {});
  await server.send("/platform/people", { name: LONG_WORD, email: LONG_EMAIL, role: "administrator" });
  const scopes = ["pets:read", "pets:write", "orders:read", "orders:write", "platform:read"];
  await server.send("/platform/keys", { name: LONG_WORD, scopes, rateLimit: "100000/h" });
  await server.send("/platform/projects", { slug: "w".repeat(40), name: LONG_WORD, plan: "enterprise" });
  const hostname = `${"wolkenstein".repeat(5)}.${"trostburg".repeat(5)}.example.org`;
  await server.send("/platform/projects/docs/domains", { hostname });
};

const IS_UNSEEN = (selector: string) =>
  `[...document.querySelectorAll("${selector}")].every((one) => !one.checkVisibility())`;

test("no table hides anything at any width, and no word or number is broken", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs that get on with everybody" });
  await addAnimals(server, 30);
  await addAdoptions(server, 25);
  await addDomain(server);
  const scopes = ["pets:read", "pets:write", "orders:read", "orders:write"];
  await server.send("/platform/keys", { name: "shelter website", scopes, rateLimit: "600/min" });
  const { page } = await openConsole(server);
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of PAGES) {
      await page.goto(`${server.url}/console${path}`);
      await untilTrue(page, IS_SHOWN);
      await page.waitForTimeout(200);
      faults.push(...(await lastingFaults(page, FAULTS)).map((fault) => `${path} at ${width}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);

  // A window that was narrow and is made wide again.
  await page.goto(`${server.url}/console/adoptions`);
  await untilTrue(page, IS_SHOWN);
  for (const [width, isList] of [
    [360, true],
    [1280, false],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await untilTrue(page, `${IS_BELOW} === ${isList}`);
  }
});

test("the layout of a table depends only on the width of the window", async () => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  await addAnimals(server, 2);
  await server.send("/v1/store/orders", { petId: 1, adopter: { name: "Ada", email: "ada@a.example" } });
  await server.send("/platform/people", { name: "Ada", email: "ada@a.example", role: "staff" });
  await addDomain(server);
  const { page } = await openConsole(server);
  const layouts = async (isLong: boolean) => {
    const found: [path: string, width: number, isStacked: boolean][] = [];
    for (const width of WINDOWS) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of [...PAGES, "/people", "/animals/1"]) {
        await page.goto(`${server.url}/console${path}`);
        await untilTrue(page, IS_SHOWN);
        await page.waitForTimeout(200);
        found.push([path, width, ((await page.evaluate(LAYOUT)) as boolean[]).includes(true)]);
        if (isLong) expect([path, width, ...(await lastingFaults(page, FAULTS))]).toEqual([path, width]);
      }
    }
    return found;
  };
  const before = await layouts(false);
  // An animal's adoptions stand next to its photos, in a narrow column.
  const isWide = ([path, width]: (typeof before)[number]) => width > 1000 && path !== "/animals/1";
  expect(before.filter((one) => isWide(one) && one[2])).toEqual([]);
  await addLongData(server);
  expect(await layouts(true)).toEqual(before);
});

test("typing in a search never changes the layout of the table below it", async () => {
  const server = await serve();
  await addAnimals(server, 3);
  await addDomain(server);
  await addLongData(server);
  const { page } = await openConsole(server);
  for (const width of WINDOWS)
    for (const path of ["/adoptions?status=all", "/animals"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/console${path}`);
      await untilTrue(page, IS_SHOWN);
      await page.evaluate(`(() => {
        window.layouts = new Set();
        const look = () => {
          const rows = document.querySelector(".scroll > table")?.rows ?? [];
          if (rows.length > 1) window.layouts.add(getComputedStyle(rows[1]).display !== "table-row");
          requestAnimationFrame(look);
        };
        look();
      })()`);
      await page.getByLabel(/^Search/).click();
      for (const key of "wolkenst") {
        await page.keyboard.press(key);
        await page.waitForTimeout(60);
      }
      await untilTrue(page, "location.search.includes('q=wolkenst') && !document.querySelector('.outdated')");
      for (let at = 0; at < 8; at++) await page.keyboard.press("Backspace");
      await untilTrue(page, "!location.search.includes('q=') && !document.querySelector('.outdated')");
      expect([path, width, await page.evaluate("[...window.layouts]")]).toEqual([
        path,
        width,
        [width < 1000],
      ]);
    }
});

test("on paper, there is the list without navigation and actions, and nothing is cut", async () => {
  const server = await serve();
  await addAnimals(server, 25);
  await addAdoptions(server, 25);
  const { page } = await openConsole(server, "/adoptions");
  await page.locator("[aria-label=Adoptions] td").first().waitFor();
  await page.emulateMedia({ media: "print" });
  // A4 with the margins of browsers.
  for (const width of [718, 1280]) {
    await page.setViewportSize({ width, height: 1000 });
    await page.waitForTimeout(200);
    for (const selector of ["nav", "main button:not(th *)", "main .button", ".toasts"])
      await eventually(
        async () => [width, selector, await page.evaluate(IS_UNSEEN(selector))],
        [width, selector, true],
      );
    expect(await lastingFaults(page, FAULTS)).toEqual([]);
    await untilTrue(
      page,
      "[...document.querySelectorAll('tbody tr')].every((row) => getComputedStyle(row).breakInside === 'avoid')",
    );
  }
});
