import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { newConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { real, type Server, until } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");
/** Adds available animals "Animal 1", "Animal 2", ... of two categories. */
const fill = async (server: Server, count: number): Promise<void> => {
  for (const name of ["Dogs", "Cats"]) await server.send("/v1/categories", { name });
  const one = (at: number) =>
    server.send("/v1/pets", { name: `Animal ${at}`, categoryId: 1 + (at % 2), status: "available" });
  // One after the other, so that number and name agree.
  for (let at = 1; at <= count; at++) await one(at);
};

const ROWS = "document.querySelectorAll('table.animals tbody tr')";
const NAMES = `[...${ROWS}].map((row) => row.querySelector('[data-column=Name] bdi').textContent).join()`;
const ROW_COUNT = `${ROWS}.length`;
const CHECKED = "document.querySelectorAll('tbody input:checked').length";
const COUNTS = "[...document.querySelectorAll('.tiles strong')].map((one) => one.textContent).join()";

const names = (page: Page): Promise<unknown> => page.evaluate(NAMES);
const untilNames = (page: Page, expected: string) =>
  untilTrue(page, `${NAMES} === ${JSON.stringify(expected)}`);
const untilCounts = (page: Page, expected: string) => untilTrue(page, `${COUNTS} === "${expected}"`);

/** Counts the requests of the API that the page begins from now on, without its stream. */
const counting = (seen: { requests: string[] }) => {
  const from = seen.requests.length;
  return () =>
    seen.requests.slice(from).filter((url) => url.includes("/console/api/") && !url.includes("/events"));
};

test("the newest animals come first, and a heading changes the order and the address", async () => {
  const it = await newConsole("/animals");
  const { page, server, button } = it;
  for (const name of ["Cleo", "ada", "Bella"])
    await server.send("/v1/pets", { name, categoryId: 1, status: "available" });
  await it.open("/animals");
  await untilNames(page, "Bella,ada,Cleo");
  await untilTrue(page, "document.querySelector('th[aria-sort]').ariaSort === 'descending'");
  await button("Name").click();
  await untilNames(page, "ada,Bella,Cleo");
  await eventually(it.path, "/animals?sort=name");
  await button("Name").click();
  await untilNames(page, "Cleo,Bella,ada");
  await page.reload();
  await untilNames(page, "Cleo,Bella,ada");
  await untilTrue(page, "document.querySelector('th[aria-sort]').ariaSort === 'descending'");
  await page.goBack();
  await untilNames(page, "ada,Bella,Cleo");
  await page.goBack();
  await untilNames(page, "Bella,ada,Cleo");
  await eventually(it.path, "/animals");
});

/** Delays the answers to a search, so that they come in the wrong order. */
const DELAY = `{
  const send = window.fetch;
  window.fetch = async (url, init) => {
    const answer = await send(url, init);
    const q = new URL(url, location).searchParams.get("q");
    if (q === "b") await new Promise((done) => setTimeout(done, 1500));
    return answer;
  };
}`;

test("a search follows the typing without flicker, ignores late answers, and finds a number and folded letters", async () => {
  const it = await newConsole("/animals");
  const { page, server } = it;
  for (const name of ["Bella", "Bruno", "Łucja", "Søren"])
    await server.send("/v1/pets", { name, categoryId: 1, status: "available" });
  await it.open("/animals?sort=id");
  await untilNames(page, "Bella,Bruno,Łucja,Søren");
  const entries = await page.evaluate("history.length");
  await page.evaluate(DELAY);
  await page.evaluate(`{
      window.blank = 0;
      const look = () => {
        if (!document.querySelector('table.animals') && !document.querySelector('.empty')) window.blank++;
        requestAnimationFrame(look);
      };
      look();
    }`);
  const search = page.getByRole("searchbox");
  await search.click();
  await search.press("b");
  await untilTrue(page, "location.search.includes('q=b')");
  await search.press("r");
  await untilNames(page, "Bruno");
  await eventually(it.path, "/animals?q=br&sort=id");
  await untilCounts(page, "1,1,0,0");
  // The answer to "b" has come by then.
  await page.waitForTimeout(1800);
  expect(await names(page)).toBe("Bruno");
  expect(await search.inputValue()).toBe("br");
  expect(await page.evaluate("document.activeElement.type")).toBe("search");
  expect(await page.evaluate("window.blank")).toBe(0);
  expect(await page.evaluate("history.length")).toBe(entries);
  for (const [text, found] of [
    ["lucja", "Łucja"],
    ["soren", "Søren"],
    ["3", "Łucja"],
    ["🐶", "Bella,Bruno,Łucja,Søren"],
  ] as const) {
    await search.fill(text);
    await untilNames(page, found);
  }
  await search.fill("xyz");
  await page.getByText("No animals found").waitFor();
  expect(await page.evaluate("window.blank")).toBe(0);
  await page.goBack();
  await page.goBack();
  await eventually(it.path, expect.not.stringContaining("q="));
});

test("the counts follow the search and the category, and are exact after every change", async () => {
  const it = await newConsole("/animals");
  const { page, server, link, dialog } = it;
  await fill(server, 6);
  await server.send("/v1/pets", { name: "Bella", categoryId: 1, status: "sold" });
  await it.open("/animals");
  await untilCounts(page, "7,6,0,1");
  await page.getByLabel("Category", { exact: true }).selectOption("Dogs");
  await untilCounts(page, "4,3,0,1");
  await page.getByRole("searchbox").fill("animal");
  await untilCounts(page, "3,3,0,0");
  await page.getByText("3 animals", { exact: true }).waitFor();
  await it.open("/animals");
  await untilCounts(page, "7,6,0,1");
  await link("Edit Animal 6").click();
  await page.getByLabel("Status", { exact: true }).selectOption("pending");
  await dialog("Save").click();
  await untilCounts(page, "7,5,1,1");
  await link("Delete Animal 5").click();
  await dialog("Delete").click();
  await untilCounts(page, "6,4,1,1");
  await link("Add animal").click();
  await page.getByLabel("Name", { exact: true }).fill("Luna");
  await page.locator("dialog [name=categoryId]").fill("Cats");
  await dialog("Add").click();
  await untilCounts(page, "7,5,1,1");
  await untilTrue(page, `${NAMES}.startsWith("Luna,")`);
});

const OF_LAST_ROW = `[...${ROWS}].at(-1)`;

test("the last page of a list moves the focus to its end, and leaves the first new row in view", async () => {
  const it = await newConsole("/animals");
  const { page, server, button } = it;
  await fill(server, 180);
  await it.open("/animals");
  await untilTrue(page, `${ROW_COUNT} === 100`);
  await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" })');
  await page.waitForTimeout(500);
  const y = await page.evaluate("Math.round(scrollY)");
  await button("Show more").press("Enter");
  await untilTrue(page, `${ROW_COUNT} === 180`);
  await untilTrue(page, "document.activeElement.textContent === '180 animals'");
  await eventually(() => page.evaluate("Math.round(scrollY)"), y);
});

test("one save in a long list reads only the changes again, not every page, and the list keeps its position", async () => {
  const it = await newConsole("/animals");
  const { page, server, seen, button, dialog } = it;
  await fill(server, 1050);
  await it.open("/animals");
  for (let count = 100; count <= 1000; count += 100) {
    await untilTrue(page, `${ROW_COUNT} >= ${count}`);
    await button("Show more").click();
  }
  await untilTrue(page, `${ROW_COUNT} === 1050`);
  await page.evaluate(`${ROWS}[900].scrollIntoView({ block: "center", behavior: "instant" })`);
  // Reads that belong to the loading are over.
  await page.waitForTimeout(1000);
  const y = await page.evaluate("Math.round(scrollY)");
  const requests = counting(seen);
  await page.locator("table.animals tbody tr:nth-child(901) a[href*='/change']").click();
  await page.getByLabel("Status", { exact: true }).selectOption("sold");
  await dialog("Save").click();
  await untilTrue(page, `${ROWS}[900].querySelector('[data-column=Status]').textContent === "adopted"`);
  await untilCounts(page, "1,050,1,049,0,1");
  await page.waitForTimeout(1500);
  await eventually(() => page.evaluate("Math.round(scrollY)"), y);
  // The requests other than version, change and counts check for changes, and read no further page.
  expect(requests().filter((url) => url.includes("cursor="))).toEqual([]);
  expect(await page.evaluate(ROW_COUNT)).toBe(1050);
  expect(await page.evaluate(`${OF_LAST_ROW}.dataset.id`)).toBe("1");
});

test("opening Edit or Delete changes nothing: no empty change is sent", async () => {
  const it = await newConsole("/animals");
  const { page, server, link } = it;
  await fill(server, 1);
  await it.open("/animals");
  await page.evaluate(`{
    const send = window.fetch;
    window.methods = [];
    window.fetch = (url, init) => (window.methods.push(init?.method ?? "GET"), send(url, init));
  }`);
  for (const name of ["Edit Animal 1", "Delete Animal 1"]) {
    await link(name).click();
    await page.locator("dialog footer").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "hidden" });
  }
  expect(await page.evaluate("[...new Set(window.methods)].join()")).toBe("GET");
});

test("a change can be undone from its toast, unless another user has changed the animal since", async () => {
  const it = await newConsole("/animals");
  const { page, server, link, dialog, button, said } = it;
  await fill(server, 1);
  const [before] = await server.read<object[]>("/v1/pets");
  const edit = async (name: string, status: string) => {
    await it.open("/animals");
    await link(/^Edit /).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Status", { exact: true }).selectOption(status);
    await dialog("Save").click();
  };
  await edit("Bella", "available");
  await said("“Animal 1” renamed to “Bella”");
  await button("Undo").click();
  await untilNames(page, "Animal 1");
  expect(await server.read("/v1/pets")).toEqual([before]);
  await edit("Animal 1", "sold");
  await said("“Animal 1” is now adopted");
  await untilCounts(page, "1,0,0,1");
  await button("Undo").click();
  await untilCounts(page, "1,1,0,0");
  expect(await server.read("/v1/pets")).toEqual([before]);
  await edit("Animal 1", "sold");
  await said("“Animal 1” is now adopted");
  await server.send("/v1/pets/1", { name: "Max" }, "PATCH");
  await button("Undo").click();
  await said(/Somebody else has changed this/);
  expect(await server.read("/v1/pets")).toMatchObject([{ name: "Max", status: "sold" }]);
});

test("the list follows the changes of others, and keeps scroll position, focus and selection", async () => {
  const it = await newConsole("/animals");
  const { page, server, button } = it;
  await fill(server, 60);
  await it.open("/animals");
  await untilTrue(page, `${ROW_COUNT} === 60`);
  await page.getByLabel("Select Animal 30").check();
  await page.evaluate(`${ROWS}[40].scrollIntoView({ block: "center", behavior: "instant" })`);
  await page.locator("table.animals tbody tr:nth-child(41) a[href*='/change']").focus();
  const state = `[Math.round(scrollY), document.activeElement.getAttribute("href"),
      ${CHECKED}].join(" ")`;
  const before = await page.evaluate(state);
  await server.send("/v1/pets/20", { name: "Renamed", status: "sold" }, "PATCH");
  await untilTrue(page, `${NAMES}.includes("Renamed")`);
  await untilCounts(page, "60,59,0,1");
  await server.send("/v1/pets", { name: "Newcomer", categoryId: 1, status: "available" });
  await page.getByText("1 more animal").waitFor();
  await untilCounts(page, "61,60,0,1");
  expect(await page.evaluate(ROW_COUNT)).toBe(60);
  await eventually(() => page.evaluate(state), before);
  await server.call("/v1/pets/2", { method: "DELETE" });
  await untilTrue(page, `${ROW_COUNT} === 59`);
  await eventually(() => page.evaluate(state), before);
  await button("Show").click();
  await untilTrue(page, `${NAMES}.startsWith("Newcomer,")`);
  await eventually(() => page.evaluate(CHECKED), 1);
  expect(await violationsOf(page)).toEqual([]);

  // A tab without a stream polls. Here every stream is refused.
  await page.route("**/pets/events*", (route) => route.abort());
  await it.open("/animals");
  await untilTrue(page, `${ROW_COUNT} === 60`);
  await page.waitForTimeout(4000);
  await page.evaluate("scrollTo(0, 0)");
  await server.send("/v1/pets/61", { name: "Polled" }, "PATCH");
  await until("the list is polled", async () => String(await names(page)).includes("Polled"), 40_000);
});

test("events that are older than the list show no earlier state, and no animal that is gone", async () => {
  const it = await newConsole("/keys");
  const { page, server, seen } = it;
  await fill(server, 3);
  const released = Promise.withResolvers<void>();
  const bella = { id: 2, name: "Earlier", categoryId: 1, status: "sold" };
  const events = `id: 1\n\nid: 2\nevent: changed\ndata: ${JSON.stringify(bella)}\n\nid: 3\nevent: added\ndata: ${JSON.stringify({ ...bella, id: 9 })}\n\n`;
  await page.route(
    "**/pets/events*",
    async (route) => {
      await released.promise;
      await route.fulfill({ contentType: "text/event-stream", body: events });
    },
    { times: 1 },
  );
  await it.open("/animals");
  await untilTrue(page, `${ROW_COUNT} === 3`);
  await page.evaluate(`(() => {
    window.texts = [];
    new MutationObserver(() => texts.push(document.body.textContent))
      .observe(document.body, { childList: true, subtree: true, characterData: true });
  })()`);
  released.resolve();
  // Both animals are read again: the one that is shown, and the one that would arrive.
  for (const id of [2, 9])
    await until("the animal is read again", async () =>
      seen.requests.some((url) => url.includes(`ids=${id}&`) || url.endsWith(`ids=${id}`)),
    );
  await page.waitForTimeout(500);
  expect(String(await page.evaluate("[document.body.textContent, ...texts].join()"))).not.toMatch(
    /Earlier|more animal/,
  );
  expect(String(await names(page))).toContain("Animal 2");
});

test("an animal has a page: its facts, its adoptions, and the changes of others", async () => {
  const it = await newConsole("/animals");
  const { page, server, link, dialog } = it;
  await fill(server, 2);
  await server.send("/v1/store/orders", {
    petId: 2,
    adopter: { name: "Ada Byron", email: "ada@example.org" },
  });
  await it.open("/animals?q=animal");
  await link("Animal 2").click();
  await eventually(it.path, "/animals/2?q=animal");
  await page.getByRole("heading", { name: "Animal 2" }).waitFor();
  await page.getByText("Ada Byron").waitFor();
  await page.locator("dl").getByText("pending").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await server.send("/v1/pets/2", { name: "Bella" }, "PATCH");
  await page.getByRole("heading", { name: "Bella" }).waitFor();
  await link("Edit Bella").click();
  await page.reload();
  await page.getByLabel("Name", { exact: true }).fill("Luna");
  await dialog("Save").click();
  await page.getByRole("heading", { name: "Luna" }).waitFor();
  await eventually(it.path, "/animals/2?q=animal");
  await link("Back to animals").click();
  await eventually(it.path, "/animals?q=animal");
  await it.open("/adoptions?status=all");
  await link("Luna").click();
  await page.getByRole("heading", { name: "Luna" }).waitFor();
  await eventually(it.path, "/animals/2");
  await it.open("/animals/1");
  await link("Delete Animal 1").click();
  await page.getByText(/^Animal 1 .*will be deleted permanently/).waitFor();
  await page.getByText("This can't be undone.").waitFor();
  await dialog("Delete").click();
  await untilNames(page, "Luna");
});

test("the first row is near the top, and an animal takes two lines of a telephone", async () => {
  const it = await newConsole("/animals");
  const { page, server } = it;
  await fill(server, 30);
  const overflow = "document.documentElement.scrollWidth > innerWidth";
  const hidden = "[...document.querySelectorAll('.scroll')].some((one) => one.scrollWidth > one.clientWidth)";
  const problems: string[] = [];
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [360, 640, 768, 1000, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await it.open("/animals");
      await untilTrue(page, `${ROW_COUNT} === 30`);
      await untilTrue(page, `innerWidth === ${width} && !(${overflow} || ${hidden})`);
      if (width === 1280) await untilTrue(page, `${ROWS}[0].getBoundingClientRect().top < 260`);
      if (width === 360) await untilTrue(page, `${ROWS}[0].offsetHeight < 70`);
      problems.push(...(await violationsOf(page)).map((one) => `${width} ${colorScheme}: ${one}`));
    }
  expect(problems).toEqual([]);
  await page.getByText("Added in the last 30 days").click();
  await page.getByText("30 animals were added").waitFor();
  await page.getByText("Show as table").click();
  expect(await violationsOf(page)).toEqual([]);
});

test("selected animals change together, are undone together, and failures are listed by name", async () => {
  const it = await newConsole("/animals");
  const { page, server, link, dialog, button, said } = it;
  await fill(server, 40);
  const adopter = { name: "Ada Byron", email: "ada@example.org" };
  for (const petId of [3, 4]) await server.send("/v1/store/orders", { petId, adopter });
  await it.open("/animals?sort=id");
  await untilTrue(page, `${ROW_COUNT} === 40`);
  const before = await server.read("/v1/pets?limit=100");
  await page.getByLabel("Select Animal 10", { exact: true }).click();
  await page.getByLabel("Select Animal 19", { exact: true }).click({ modifiers: ["Shift"] });
  await page.getByText("10 animals selected").waitFor();
  await page.getByLabel("Select all shown").click();
  await page.getByText("40 animals selected").waitFor();
  await eventually(() => page.evaluate(CHECKED), 40);
  expect(await violationsOf(page)).toEqual([]);

  await link("Change status").click();
  await page.getByLabel("Status", { exact: true }).selectOption("sold");
  expect(await violationsOf(page)).toEqual([]);
  const requests = counting(it.seen);
  await dialog("Change 40 animals").click();
  await said("38 animals are now adopted");
  // All in one request.
  expect(requests().filter((url) => url.includes("/v1/pets/changes")).length).toBe(1);
  await page.getByText("2 of 40 animals were not changed:").waitFor();
  const failed = page.locator("[role=alert] li");
  expect(await failed.count()).toBe(2);
  await failed.getByText("Animal 3").waitFor();
  await page.getByText("it has an open adoption").first().waitFor();
  await eventually(() => page.evaluate(CHECKED), 2);
  await untilCounts(page, "40,0,2,38");
  await button("Undo").click();
  await untilCounts(page, "40,38,2,0");
  expect(await server.read("/v1/pets?limit=100")).toEqual(before);

  await it.open("/animals?sort=id&category=1");
  await page.getByLabel("Select all shown").click();
  await page.getByText("20 animals selected").waitFor();
  await link("Change category").click();
  await page.locator("dialog [name=categoryId]").fill("Cats");
  await dialog("Change 20 animals").click();
  await said("20 animals are now in “Cats”");
  await untilTrue(page, `document.querySelector('.tiles strong').textContent === "0"`);
  await page.reload();
  await page.getByText("No animals found").waitFor();
});

test("categories show how many animals they have, and follow the changes of others", async () => {
  const it = await newConsole("/animals");
  const { page, server, link } = it;
  await fill(server, 5);
  await it.open("/categories");
  const counts =
    "[...document.querySelectorAll('td[data-column=Animals]')].map((one) => one.textContent).join()";
  await untilTrue(page, `${counts} === "3,2"`);
  await server.send("/v1/pets/1", { categoryId: 1 }, "PATCH");
  await untilTrue(page, `${counts} === "2,3"`);
  expect(await violationsOf(page)).toEqual([]);
  await link("Animals in Dogs").click();
  await untilNames(page, "Animal 4,Animal 2,Animal 1");
  await eventually(it.path, "/animals?category=1");
});

test("selected animals are exported with the columns of `export`", async () => {
  const it = await newConsole("/animals");
  const { page, server, button } = it;
  await fill(server, 3);
  await it.open("/animals?sort=id");
  await page.getByLabel("Select Animal 1").click();
  await page.getByLabel("Select Animal 3").click();
  const download = page.waitForEvent("download");
  await button("Export").click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("animals.csv");
  expect(readFileSync(await file.path(), "utf8")).toBe(
    "\ufeffid,name,categoryId,category,status\n1,Animal 1,2,Cats,available\n3,Animal 3,2,Cats,available\n",
  );
});

test("a dialog for a selection that a reload has forgotten leads back to the list", async () => {
  const it = await newConsole("/animals");
  await fill(it.server, 1);
  await it.open("/animals/selected/status?sort=id");
  await untilNames(it.page, "Animal 1");
  await until("the list is shown", () => it.path() === "/animals?sort=id");
});
