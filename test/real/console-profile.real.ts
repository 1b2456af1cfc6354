import { expect } from "bun:test";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { newConsole } from "./console.ts";
import { PIXEL } from "./console-pages.ts";
import { real } from "./support.ts";

const test = real("chromium", "playwright-core");

/** A gray picture, as a file that a user chooses. */
const picture = async (name: string, width: number) => ({
  name,
  mimeType: "image/webp",
  buffer: Buffer.from(await new Bun.Image(PIXEL).resize(width, 40, { fit: "fill" }).webp().bytes()),
});

const invalid = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("dialog .field.invalid label")].map((one) => one.innerText)`);

const photosOf = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll(".gallery button")].map((one) => one.getAttribute("aria-label"))`,
  );

test("the form of a profile shows each error at its field, survives the change of another user, and is undone", async () => {
  const { page, server, open, field, dialog, said, toast } = await newConsole();
  await server.add("Bella");
  await open("/animals/1/change?on=page");
  await page.locator("dialog summary").click();
  await field("Born").fill("May 2024");
  await field("Weight").fill("heavy");
  await field("Colour").fill("brown");
  // Folded fields with errors unfold.
  await page.locator("dialog summary").click();
  await dialog("Save").click();
  await eventually(() => invalid(page), ["Born", "Weight"]);
  await eventually(() => page.evaluate("document.activeElement.name"), "birthDate");
  await field("Born").fill("2024-05");
  await field("Weight").fill("3,8");
  await server.send("/v1/pets/1/profile", { colour: "black", size: "small" }, "PATCH");
  await dialog("Save").click();
  await dialog("Reload and keep my changes").click();
  await page.getByText("Reloaded. Your changes are still here").waitFor();
  expect(await field("Colour").inputValue()).toBe("brown");
  expect(await field("Size").inputValue()).toBe("small");
  await dialog("Save").click();
  await said("The profile of");
  expect(await server.read("/v1/pets/1/profile")).toMatchObject({
    birthDate: "2024-05",
    weightGrams: 3800,
    colour: "brown",
    size: "small",
  });
  await page.getByText("3.8 kg").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await toast("Undone").waitFor();
  const profile = await server.read<object>("/v1/pets/1/profile");
  expect(profile).toMatchObject({ colour: "black", size: "small" });
  expect(profile).not.toHaveProperty("birthDate");
});

test("photos are chosen and pasted, a refused one shows why, and they are ordered with the keyboard", async () => {
  const { page, server, open, link, button, dialog, said } = await newConsole();
  await server.add("Bella");
  await open("/animals/1");
  const input = page.locator(".drop input");
  for (const file of [
    await picture("a.webp", 40),
    { name: "b.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no image") },
    await picture("c.webp", 41),
  ])
    await input.setInputFiles(file);
  await page.getByText(/^b\.jpg: The file is not an image/).waitFor();
  await button("Leave it out").click();
  await eventually(() => photosOf(page), ["Show Photo 1 of Bella", "Show Photo 2 of Bella"]);
  await page.evaluate(`(async () => {
    const image = await (await fetch(document.querySelector(".gallery img").src)).blob();
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([image], "pasted.webp", { type: image.type }));
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
  })()`);
  await eventually(async () => ((await photosOf(page)) as string[]).length, 3);
  await link("Arrange, describe or delete photos").click();
  await page.getByLabel("Description of photo 1").fill("Asleep");
  await button("Move photo 1 down").focus();
  await page.keyboard.press("Enter");
  await said("The photo is now number 2 of 3.");
  // The focus stays on the same photo.
  await page.keyboard.press("Enter");
  await said("The photo is now number 3 of 3.");
  await button("Delete photo 1").click();
  await dialog("Save and delete 1 photo").click();
  await said("Photos changed");
  await eventually(() => photosOf(page), ["Show Photo 1 of Bella", "Show Asleep"]);
});

test("the list shows a photo that another user adds, and its form of pictures has the same animals", async () => {
  const { page, server, open, link, path } = await newConsole();
  await server.add("Bella");
  await open("/animals");
  await page.getByRole("link", { name: "Bella", exact: true }).waitFor();
  const { buffer } = await picture("a.webp", 40);
  const headers = { "content-type": "image/webp" };
  await server.call("/v1/pets/1/photos", { method: "POST", headers, body: new Uint8Array(buffer) });
  await untilTrue(page, `document.querySelector(".thumbnail img")?.naturalWidth > 0`);
  await link("Pictures").click();
  await page.locator("table.pictures .thumbnail img").waitFor();
  expect(path()).toBe("/animals?as=pictures");
});

test("facts and custom fields are columns that are chosen with the keyboard and survive a reload", async () => {
  const { page, server, open, field } = await newConsole();
  await server.add("Bella");
  await server.send("/v1/fields", { name: "coat", label: "Coat", kind: "text" });
  await server.send("/v1/pets/1/profile", { size: "extra_large", custom: { coat: "wiry" } }, "PUT");
  const table = () =>
    page.evaluate(`[...document.querySelectorAll("table.animals tr")].map((row) =>
      [...row.cells].slice(5, -1).map((cell) => cell.innerText))`);
  await open("/animals");
  await page.locator("table.animals").waitFor();
  await page.locator("details.menu summary").focus();
  await page.keyboard.press("Enter");
  for (const label of ["Coat", "Size"]) {
    await field(label).focus();
    await page.keyboard.press("Space");
  }
  await page.keyboard.press("Escape");
  expect(await page.evaluate("document.activeElement.innerText")).toBe("Columns");
  expect(await field("Coat").isVisible()).toBe(false);
  const chosen = [
    ["Size", "Coat"],
    ["Extra large", "wiry"],
  ];
  await eventually(table, chosen);
  await page.reload();
  await eventually(table, chosen);
  // In a narrow window, each value has its label.
  await page.setViewportSize({ width: 390, height: 800 });
  await untilTrue(
    page,
    `getComputedStyle(document.querySelector("[data-column=Coat]"), "::before").content === '"Coat"'`,
  );
});

test("a photo that is refused after its animal was added is reported on any page, with the animal's", async () => {
  const { page, server, open, field, dialog, toast, path } = await newConsole();
  await server.send("/v1/categories", { name: "Dogs" });
  await open("/animals/new?category=1");
  await field("Name").fill("Bella");
  const broken = { name: "b.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no image") };
  await page.locator("dialog [name=photos]").setInputFiles(broken);
  await dialog("Add").click();
  await toast(/^b\.jpg: The file is not an image/).waitFor();
  expect(path()).toBe("/animals?category=1");
  await page.locator(".toasts").getByRole("link", { name: "View animal" }).first().click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
});

test("a description is rendered as CommonMark, without HTML and foreign pictures", async () => {
  const { page, server, open } = await newConsole();
  await server.add("Bella");
  const description = "A *calm* dog. <b>Bold</b> ![pic](http://example.org/x.png)\n\n# Likes\n\n- walks";
  await server.send("/v1/pets/1/profile", { description }, "PUT");
  await open("/animals/1");
  await page.locator(".description li").waitFor();
  expect(await page.evaluate(`document.querySelector(".description").innerHTML`)).toBe(
    "<h2>About</h2><p>A <em>calm</em> dog. &lt;b&gt;Bold&lt;/b&gt; pic</p>\n<h3>Likes</h3>\n<ul>\n<li>walks</li>\n</ul>\n",
  );
});
