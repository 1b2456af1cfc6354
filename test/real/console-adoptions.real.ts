import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { addAnimals } from "./console.ts";
import { real, serve, type Server, until } from "./support.ts";

const test = real("chromium", "playwright-core");

const ADOPTERS = [
  { name: "Anna Kowalska", email: "anna@example.org" },
  { name: "Zoé von Bärenfels", email: "zoe@fels.example" },
  { name: "Grace Hopper", email: "grace@navy.example" },
];

/** Adds the animals "Animal 1", ... and starts an adoption of each but the last. */
const addShelter = async (server: Server, count: number): Promise<void> => {
  await server.send("/v1/categories", { name: "Dogs" });
  await addAnimals(server, count + 1);
  for (let petId = 1; petId <= count; petId++)
    await server.send("/v1/store/orders", { petId, adopter: ADOPTERS[petId % ADOPTERS.length] });
};

/** A browser that is signed in at the adoptions of a new server. */
const openAdoptions = async (count: number) => {
  const server = await serve();
  await addShelter(server, count);
  const console = await openConsole(server, "/adoptions");
  await console.page.locator("[aria-label=Adoptions] tbody tr").first().waitFor();
  return { ...console, server };
};

/** The numbers of the adoptions that are shown. */
const NUMBERS = `[...document.querySelectorAll("table.adoptions td.number")].map((cell) => Number(cell.textContent))`;
const TABS = `[...document.querySelectorAll("nav[aria-label='Adoptions by status'] a")].map((tab) => tab.textContent)`;

const untilShown = (page: Page, numbers: readonly number[]): Promise<void> =>
  untilTrue(page, `JSON.stringify(${NUMBERS}) === ${JSON.stringify(JSON.stringify(numbers))}`);
const untilTabs = (page: Page, ...tabs: string[]): Promise<void> =>
  untilTrue(page, `JSON.stringify(${TABS}) === ${JSON.stringify(JSON.stringify(tabs))}`);

test("adoptions are listed newest first, and found while typing by anything known of them", async () => {
  const it = await openAdoptions(6);
  const { page, server, field } = it;
  await untilShown(page, [6, 5, 4, 3, 2, 1]);
  await server.send("/v1/store/orders/3/cancel", {});
  const search = field(/^Search by/);
  await search.click();
  await page.keyboard.type("kowal");
  await untilShown(page, [6, 3]);
  await untilTabs(page, "placed 1", "approved 0", "completed 0", "cancelled 1", "returned 0", "all 2");
  await eventually(it.path, "/adoptions?q=kowal");
  for (const [text, numbers] of [
    ["bärenfels zoe", [4, 1]],
    ["BARENF", [4, 1]],
    ["navy", [5, 2]],
    ["animal", [6, 5, 4, 3, 2, 1]],
    ["4", [4]],
    ["kowalska hopper", []],
  ] as const) {
    await search.fill(text);
    await untilShown(page, numbers);
  }
  await page.getByText("No adoptions found").waitFor();
  await search.fill("kowal");
  await untilShown(page, [6, 3]);
  await page.getByRole("link", { name: /^placed/ }).click();
  await untilShown(page, [6]);
  await page.reload();
  await untilShown(page, [6]);
  expect(await search.inputValue()).toBe("kowal");
  await search.fill("");
  await page.getByRole("button", { name: "No." }).click();
  await untilShown(page, [1, 2, 4, 5, 6]);
});

test("counts and rows are exact after a user's steps, and each step sends one request", async () => {
  const it = await openAdoptions(4);
  const { page, seen, link } = it;
  await untilTabs(page, "placed 4", "approved 0", "completed 0", "cancelled 0", "returned 0", "all 4");
  await untilShown(page, [4, 3, 2, 1]);
  const asked = () => seen.requests.filter((url) => url.includes("/console/api/"));
  const before = asked().length;
  await page.getByRole("button", { name: /^Approve the adoption of Animal 3/ }).click();
  await it.said("Adoption of Animal 3 approved (no. 3)");
  await untilTabs(page, "placed 3", "approved 1", "completed 0", "cancelled 0", "returned 0", "all 4");
  // The counts are also asked for from time to time.
  const own = asked().slice(before);
  expect(own.filter((url) => url.includes("/v1/store/orders"))).toEqual([
    expect.stringContaining("/v1/store/orders/3/approve"),
  ]);
  // The row stays where it is, with its next step.
  await untilShown(page, [4, 3, 2, 1]);
  await link(/^Complete the adoption of Animal 3/).click();
  await page.getByText("Animal 3 will be marked as adopted. This can't be undone.").waitFor();
  await page.locator("dialog footer button").click();
  await it.said("Adoption of Animal 3 completed (no. 3)");
  await untilTabs(page, "placed 3", "approved 0", "completed 1", "cancelled 0", "returned 0", "all 4");
  await link(/^Cancel the adoption of Animal 2/).click();
  await page.locator("dialog footer button").click();
  await it.said("Adoption of Animal 2 cancelled (no. 2)");
  await untilTabs(page, "placed 2", "approved 0", "completed 1", "cancelled 1", "returned 0", "all 4");
});

test("a key that is pressed as soon as the suggestions change is not lost", async () => {
  const it = await openAdoptions(1);
  const { page, server, link } = it;
  for (const name of ["Milo", "Mila"])
    await server.send("/v1/pets", { name, categoryId: 1, status: "available" });
  await link("Start adoption").click();
  await untilTrue(page, "document.activeElement?.role === 'combobox'");
  // Before the page is painted, and so before any effect.
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (document.querySelectorAll("[role=option]").length !== 2) return;
    observer.disconnect();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  }).observe(document.querySelector("dialog"), { childList: true, subtree: true })`);
  await page.keyboard.type("mil");
  await untilTrue(page, "document.querySelectorAll('[role=option]')[1]?.ariaSelected === 'true'");
});

test("Enter chooses among the suggestions for the current text, not for an earlier one", async () => {
  const it = await openAdoptions(1);
  const { page, server, link, field } = it;
  await server.send("/v1/pets", { name: "Milo", categoryId: 1, status: "available" });
  await server.send("/v1/pets", { name: "Newest", categoryId: 1, status: "available" });
  await link("Start adoption").click();
  await untilTrue(page, "document.activeElement?.role === 'combobox'");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: /Newest/ }).waitFor();
  await page.keyboard.type("milo");
  await page.keyboard.press("Enter");
  expect(await field("Animal").inputValue()).not.toBe("Newest");
  await untilTrue(page, "document.activeElement.value === 'Milo'");
});

test("a tab that is chosen while typing stays, and the search too", async () => {
  const it = await openAdoptions(3);
  const { page, field } = it;
  await page.getByRole("link", { name: /^approved/ }).waitFor();
  // Both before the search begins.
  await field(/^Search by/).focus();
  await page.evaluate(`(() => {
    const input = document.activeElement;
    input.value = "anna";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    [...document.querySelectorAll("nav[aria-label='Adoptions by status'] a")].find(({ textContent }) => textContent.startsWith("approved")).click();
  })()`);
  await untilTrue(page, "location.search.includes('q=anna')");
  await eventually(it.path, "/adoptions?status=approved&q=anna");
});

test("counts that were read before a user's step do not replace its result", async () => {
  const it = await openAdoptions(3);
  const { page, server } = it;
  await untilTabs(page, "placed 3", "approved 0", "completed 0", "cancelled 0", "returned 0", "all 3");
  const held = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  await page.route(
    "**/store/statistics*",
    async (route) => {
      const response = await route.fetch();
      read.resolve();
      await held.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await server.send("/v1/store/orders/1/cancel", {});
  await read.promise;
  await page
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await it.said(/approved/);
  await page.mouse.move(0, 0);
  held.resolve();
  await untilTabs(page, "placed 1", "approved 1", "completed 0", "cancelled 1", "returned 0", "all 3");
});

test("an adoption starts with an animal chosen by name, and its toast leads to it", async () => {
  const it = await openAdoptions(2);
  const { page, server, link, field } = it;
  for (const name of ["Milo", "Mila", "Oskar"])
    await server.send("/v1/pets", { name, categoryId: 1, status: "available" });
  await server.send("/v1/pets", { name: "Milou", categoryId: 1, status: "sold" });
  await link("Start adoption").click();
  const animal = field("Animal");
  await animal.waitFor();
  await untilTrue(page, "document.activeElement?.role === 'combobox'");
  await page.keyboard.type("mil");
  await page.getByRole("option", { name: /Mila/ }).waitFor();
  await untilTrue(page, "document.querySelectorAll('[role=option]').length === 2");
  const active = () =>
    page.evaluate(
      "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent",
    );
  const first = (await active()) as string;
  await page.keyboard.press("ArrowDown");
  await eventually(active, expect.not.stringContaining(first));
  await page.keyboard.press("ArrowDown");
  await eventually(active, first);
  // Escape closes the list first, not the dialog.
  await page.keyboard.press("Escape");
  await untilTrue(page, "document.querySelector('[role=combobox]').ariaExpanded === 'false'");
  expect(await page.locator("dialog[open]").count()).toBe(1);
  await page.keyboard.type("o");
  await page.getByRole("option", { name: /Milo.*Dogs/ }).waitFor();
  await page.keyboard.press("Enter");
  await untilTrue(page, "document.activeElement.value === 'Milo'");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Jan Nowak");
  await page.keyboard.press("Tab");
  await page.keyboard.type("jan");
  await page.keyboard.press("Enter");
  await page.getByText("Enter a valid e-mail address.").waitFor();
  await page.keyboard.type("@example.org");
  await page.getByText("Optional note for colleagues").waitFor();
  await page.keyboard.press("Enter");
  await it.said("Adoption of Milo started (no. 3)");
  await untilShown(page, [3, 2, 1]);
  await untilTabs(page, "placed 3", "approved 0", "completed 0", "cancelled 0", "returned 0", "all 3");
  await link("View adoption").click();
  await page.getByRole("heading", { name: "Adoption no. 3" }).waitFor();
  await eventually(it.path, "/adoptions/3");
  await page.getByText("jan@example.org").waitFor();
  await link("Milo").first().waitFor();
});

test("an adoption has a separate address, and the list shows what is done there", async () => {
  const it = await openAdoptions(2);
  const { page, server, link } = it;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await link(/^Zoé von Bärenfels$/).click();
  await eventually(it.path, "/adoptions/1");
  await page.reload();
  await button("Approve adoption").click();
  await button("Complete adoption").waitFor();
  await page.getByText("This can't be undone.").waitFor();
  await link("Cancel adoption").click();
  await eventually(it.path, "/adoptions/1/cancel?on=page");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "hidden" });
  await button("Complete adoption").click();
  await it.said("Adoption of Animal 1 completed (no. 1)");
  expect(await server.read("/v1/store/orders/1")).toMatchObject({ status: "completed" });
  await page.goto(`${server.url}/console/adoptions/99`);
  await page.getByText("There is no adoption with this number.").waitFor();
  // Others are faster.
  await page.goto(`${server.url}/console/adoptions/2`);
  await button("Approve adoption").waitFor();
  await server.send("/v1/store/orders/2/cancel", {});
  await button("Approve adoption").click();
  await page.getByText("This adoption is cancelled now, so it can't be approved.").waitFor();
  await page.getByText("This adoption was cancelled.").waitFor();
});

test("the list follows the changes of others, and sends few requests while nothing happens", async () => {
  const it = await openAdoptions(3);
  const { page, server, seen } = it;
  await untilTabs(page, "placed 3", "approved 0", "completed 0", "cancelled 0", "returned 0", "all 3");
  const before = seen.requests.length;
  await until(
    "it asks again",
    () => seen.requests.slice(before).some((url) => url.includes("/v1/store/statistics")),
    30_000,
  );
  expect(seen.requests.slice(before).filter((url) => url.includes("/v1/store/orders"))).toEqual([]);
  await server.send("/v1/store/orders", { petId: 4, adopter: ADOPTERS[0]! });
  await server.send("/v1/store/orders/2/approve", {});
  await until("it is shown", async () => (await page.evaluate(`${NUMBERS}.join()`)) === "4,3,1", 30_000);
  await untilTabs(page, "placed 3", "approved 1", "completed 0", "cancelled 0", "returned 0", "all 4");
});

test("a form that was begun is not lost by one key", async () => {
  const it = await openAdoptions(1);
  const { page, link, field } = it;
  await link("Start adoption").click();
  await field("Adopter's name").fill("Ada Byron");
  await page.keyboard.press("Escape");
  await page.getByText("What you entered has not been saved.").waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  expect(await field("Adopter's name").inputValue()).toBe("Ada Byron");
});

test("an animal is returned with a reason, which its page shows, and is not returned twice after a lost response", async () => {
  const it = await openAdoptions(1);
  const { page, server, link, field } = it;
  for (const step of ["approve", "complete"]) await server.send(`/v1/store/orders/1/${step}`, {});
  await it.open("/adoptions/1");
  await link("Return the animal").click();
  await untilTrue(page, "document.activeElement?.name === 'reason'");
  await it.dialog("Return the animal").click();
  await page.getByText("Enter the reason.").waitFor();
  await field("Reason").fill("The new flat allows no pets.");
  await field("Status of the animal").selectOption("pending");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await page.route(
    "**/return",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await it.dialog("Return the animal").click();
  await page.locator("dialog [role=alert]").waitFor();
  await it.dialog("Return the animal").click();
  await it.said("Adoption of Animal 1 returned (no. 1)");
  await eventually(it.path, "/adoptions/1");
  await page.locator(".badge").getByText("returned").waitFor();
  await page.getByText("The new flat allows no pets.").waitFor();
  expect(await link("Return the animal").count()).toBe(0);
  await it.open("/animals/1");
  const row = page.locator("[aria-label=Adoptions] tbody tr");
  await row.getByText("The new flat allows no pets.").waitFor();
  await row.getByText("returned").waitFor();
  await page.locator("dl.facts").getByText("pending").waitFor();
  await it.open("/adoptions?status=returned");
  await untilShown(page, [1]);
});
