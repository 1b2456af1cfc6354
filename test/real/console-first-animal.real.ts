import { expect } from "bun:test";
import { newConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { eventually, untilTrue } from "./browser.ts";
import { signIn } from "./sign-in.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");

/** A new store, and a browser as wide as a phone that is signed in at its console. */
const newStore = async () => {
  const console = await newConsole("/animals");
  await console.page.setViewportSize({ width: 390, height: 844 });
  return { ...console, read: console.server.read };
};

const ACTIVE = `(() => {
  const input = document.querySelector("dialog [role=combobox]");
  return document.getElementById(input.getAttribute("aria-activedescendant"))?.textContent;
})()`;
const EXPANDED = `document.querySelector("dialog [role=combobox]").ariaExpanded`;

test("a new shelter adds its first animal and a new category with the keyboard", async () => {
  const it = await newStore();
  const { page, said, read } = it;
  await page.getByText("No animals yet").waitFor();
  await page.getByRole("link", { name: "Add an animal" }).focus();
  await page.keyboard.press("Enter");
  await untilTrue(page, "document.activeElement.name === 'name'");
  await page.keyboard.type("Bella");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Dog");
  await eventually(() => page.evaluate(EXPANDED), "true");
  expect(await page.evaluate(ACTIVE)).toBe("Create category “Dog”");
  await said("0 categories found. You can create a new one.");
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await said("“Dog” added");
  await eventually(() => page.evaluate(EXPANDED), "false");
  expect(await read("/v1/pets")).toEqual([]);
  await page.keyboard.press("Enter");
  await said("“Bella” added (no. 1)");
  expect(await read("/v1/categories")).toEqual([{ id: 1, name: "Dog" }]);
  expect(await read("/v1/pets")).toEqual([{ id: 1, name: "Bella", categoryId: 1, status: "available" }]);

  await page.getByRole("link", { name: "Add animal" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Rex");
  const category = page.locator("dialog [name=categoryId]");
  await category.press("ArrowDown");
  expect(await page.evaluate(ACTIVE)).toBe("Dog");
  await category.press("Escape");
  expect(await page.evaluate(EXPANDED)).toBe("false");
  await category.fill("do");
  await page.locator("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Choose a category from the list, or create it.").waitFor();
  await category.fill("dog");
  await page.locator("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await said("“Rex” added (no. 2)");
  expect(await read("/v1/categories")).toEqual([{ id: 1, name: "Dog" }]);
  // The browser reports the response 400 to the unknown category.
  expect(it.seen.errors.filter((error) => !error.includes("400"))).toEqual([]);
});

test("Enter in the list of categories keeps the category of an animal", async () => {
  const it = await newStore();
  const { page, server } = it;
  for (const name of ["Cat", "Dog", "Rabbit"]) await server.send("/v1/categories", { name });
  await server.send("/v1/pets", { name: "Bella", categoryId: 2 });
  await page.goto(`${server.url}/console/animals/1/change`);
  const category = page.locator("dialog [name=categoryId]");
  await category.click();
  expect(await page.evaluate(ACTIVE)).toBe("Dog");
  await category.press("Enter");
  await eventually(() => page.evaluate(EXPANDED), "false");
  expect(await category.inputValue()).toBe("Dog");
  await category.press("ArrowUp");
  await category.press("ArrowUp");
  expect(await page.evaluate(ACTIVE)).toBe("Cat");
});

test("a category that another user just created is suggested, not created again", async () => {
  const it = await newStore();
  const { page, server, read } = it;
  await page.getByRole("link", { name: "Add an animal" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Bella");
  await page.locator("dialog [name=categoryId]").fill("Cat");
  await server.send("/v1/categories", { name: "cat" });
  await page.getByRole("option", { name: "Create category “Cat”" }).click();
  await page.getByText("Another category already has this name").waitFor();
  await page.locator("dialog [name=categoryId]").press("ArrowDown");
  await eventually(() => page.evaluate(ACTIVE), "cat");
  expect(await read("/v1/categories")).toEqual([{ id: 1, name: "cat" }]);
});

test("the usual species are offered once, and can be added twice without harm", async () => {
  const it = await newStore();
  const { page, server, read } = it;
  const accept = page.getByRole("button", { name: "Add the usual species" });
  await accept.waitFor();
  // Another window has added one of them meanwhile.
  await server.send("/v1/categories", { name: "RABBIT" });
  await accept.click();
  await it.said("Usual species added");
  await accept.waitFor({ state: "hidden" });
  await page.goto(`${server.url}/console/animals/new`);
  await page.locator("dialog [name=categoryId]").press("ArrowDown");
  const last = `[...document.querySelectorAll("dialog [role=option]")].at(-1)`;
  const { left, bottom } = (await page.evaluate(`${last}.getBoundingClientRect()`)) as Record<string, number>;
  expect(await page.evaluate(`document.elementFromPoint(${left! + 20}, ${bottom! - 5}) === ${last}`)).toBe(
    true,
  );
  const names = (await read<{ name: string }[]>("/v1/categories")).map(({ name }) => name);
  expect(names).toEqual(["RABBIT", "Dog", "Cat", "Guinea pig", "Bird", "Reptile"]);
  for (let id = 1; id <= 7; id++) await server.call(`/v1/categories/${id}`, { method: "DELETE" });
  await page.reload();
  await page.getByText("No animals yet").waitFor();
  expect(await accept.count()).toBe(0);
});

test("the offer of the usual species can be declined, and does not come back", async () => {
  const it = await newStore();
  const { page, server } = it;
  await page.getByRole("button", { name: "No, thanks" }).click();
  await page.goto(`${server.url}/console/categories`);
  await page.getByText("No categories yet").waitFor();
  expect(await page.getByRole("button", { name: "Add the usual species" }).count()).toBe(0);
  expect(await it.read("/v1/categories")).toEqual([]);
});

test("a new store at the address of a previous one offers the usual species", async () => {
  const it = await newStore();
  const { page, server } = it;
  await page.getByRole("button", { name: "No, thanks" }).click();
  await server.stop();
  const other = await serve({ flags: ["--port", String(server.port)] });
  await signIn(page, other.url, other.key, "/animals");
  await page.getByRole("button", { name: "Add the usual species" }).waitFor();
});

test("an empty store offers to import a spreadsheet", async () => {
  const it = await newStore();
  const { page } = it;
  await page.getByRole("link", { name: "Import a spreadsheet" }).click();
  await page.getByLabel(/^Drop a CSV file/).waitFor();
  await page.getByText("No imports yet").waitFor();
  expect(await violationsOf(page)).toEqual([]);
});
