import { openConsole } from "./console.ts";
import { type Page, untilTrue } from "./browser.ts";
import { addAnimals } from "./console.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

/** Delays the response to the next matching request. The server has already processed the request. */
const holdNext = async (page: Page, url: string) => {
  const answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      answered.resolve();
      await released.promise;
      // The page may have aborted the request.
      await route.fulfill({ response }).catch(() => {});
    },
    { times: 1 },
  );
  return { answered: answered.promise, release: released.resolve };
};

/** A browser that is signed in at a page of a new server with six animals, four of them reserved. */
const openShelter = async (path: string) => {
  const server = await serve();
  await server.send("/v1/categories", { name: "Dogs" });
  await addAnimals(server, 6);
  for (let petId = 1; petId <= 4; petId++) {
    const adopter = { name: `Wanda Slowik ${petId}`, email: `wanda.${petId}@example.org` };
    await server.send("/v1/store/orders", { petId, adopter });
  }
  return { ...(await openConsole(server, path)), server };
};

const textOf = (selector: string) =>
  `([...document.querySelectorAll(${JSON.stringify(selector)})].find((row) => row.textContent.includes("Animal 3"))?.textContent ?? "")`;
const ADOPTION = textOf("table.adoptions tbody tr");
const ANIMAL = textOf("table.animals tbody tr");

/** Long enough for a stale response to be rendered. */
const settle = (page: Page) => page.waitForTimeout(500);

test("a list that was requested before an approval shows the approval when it arrives", async () => {
  const it = await openShelter("/adoptions");
  const { page } = it;
  const search = page.getByLabel(/^Search by/);
  await search.fill("wanda");
  await untilTrue(page, "location.search.includes('q=wanda')");
  await untilTrue(page, `!document.querySelector(".outdated") && ${ADOPTION}.includes("laced")`);
  const list = await holdNext(page, "**/store/orders?*slow*");
  await search.fill("wanda slow");
  await list.answered;
  await page.getByRole("button", { name: /^Approve the adoption of Animal 3/ }).click();
  await it.said("Adoption of Animal 3 approved (no. 3)");
  list.release();
  await untilTrue(page, "!document.querySelector('.outdated')");
  await settle(page);
  await untilTrue(page, `${ADOPTION}.includes("pproved") && !${ADOPTION}.includes("laced")`);
});

test("a list that was requested before an animal was saved shows its new status", async () => {
  const it = await openShelter("/animals?q=animal");
  const { page } = it;
  await untilTrue(page, `${ANIMAL}.includes("ending")`);
  const list = await holdNext(page, "**/v1/pets?*q=animal*3*");
  await page.getByLabel(/^Search/).fill("animal 3");
  await list.answered;
  await page.getByRole("link", { name: /^Edit Animal 3/ }).click();
  await page.locator("dialog").getByLabel("Name").fill("Animal 3 the Great");
  await page.locator("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.locator("dialog").waitFor({ state: "hidden" });
  // The stream of events has delivered the change as well.
  await page.waitForTimeout(2000);
  list.release();
  await untilTrue(page, "!document.querySelector('.outdated')");
  await settle(page);
  await untilTrue(page, `${ANIMAL}.includes("the Great")`);
});

test("a change by others during the first read of a list shows when the list arrives", async () => {
  const it = await openShelter("/animals");
  const { page, server } = it;
  await untilTrue(page, `${ANIMAL}.includes("ending")`);
  const list = await holdNext(page, "**/v1/pets?*q=animal*");
  await page.getByLabel(/^Search/).fill("animal");
  await list.answered;
  await server.send("/v1/pets/3", { name: "Animal 3 the Great" }, "PATCH");
  // The stream has delivered the change, and a batch of changes has ended.
  await page.waitForTimeout(2000);
  list.release();
  await untilTrue(page, `!document.querySelector('.outdated') && ${ANIMAL}.includes("the Great")`);
});

test("a list whose first read is slow contains rows that are added meanwhile", async () => {
  const it = await openShelter("/animals");
  const { page } = it;
  for (const { path, reads, fields, button, row } of [
    {
      path: "/categories/new",
      reads: "**/console/api/v1/categories*",
      fields: { Name: "Budgies" },
      button: /^Add/,
      row: "Budgies",
    },
    {
      path: "/people/new",
      reads: "**/console/api/platform/people?*",
      fields: { Name: "Grace Hopper", "E-mail": "grace@navy.example" },
      button: /^Add/,
      row: "Grace Hopper",
    },
  ]) {
    const list = await holdNext(page, reads);
    await it.open(path);
    await list.answered;
    const dialog = page.locator("dialog");
    for (const [label, text] of Object.entries(fields))
      await dialog
        .getByLabel(new RegExp(`^${label}`))
        .first()
        .fill(text);
    await dialog.getByRole("button", { name: button }).click();
    await page.getByText(row).first().waitFor();
    list.release();
    await settle(page);
    await untilTrue(page, `!!document.querySelector("table")?.textContent.includes(${JSON.stringify(row)})`);
  }
});
