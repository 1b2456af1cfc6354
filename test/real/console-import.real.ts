import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { violationsOf } from "./axe.ts";
import { eventually, untilTrue } from "./browser.ts";
import { newConsole } from "./console.ts";
import { real } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");

const TUTORIAL = join(import.meta.dir, "../../src/pages/manual/tutorials/a-shelters-spreadsheet.md");
const [, ANIMALS = ""] = /```csv file=animals\.csv\n([^]*?)```/.exec(readFileSync(TUTORIAL, "utf8")) ?? [];

/** A new store, and the dialog that imports, as on a phone. */
const openImport = async () => {
  const it = await newConsole("/animals/import");
  const { page } = it;
  return {
    ...it,
    choose: (name: string, content: string | Buffer) =>
      page
        .locator("dialog [type=file]")
        .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) }),
    row: (line: number) => page.locator("fieldset").filter({ hasText: `Line ${line}` }),
    names: async () => (await it.server.read<{ name: string }[]>("/v1/pets")).map(({ name }) => name),
  };
};

test("the tutorial's spreadsheet is imported with all of its columns, after its words and rows are corrected, and undone", async () => {
  const it = await openImport();
  const { page, field, dialog, said, server } = it;
  await page.setViewportSize({ width: 390, height: 844 });
  await it.choose("animals.csv", ANIMALS);
  await said("6 animals would be added, 4 rows rejected.");
  await page.getByText("New categories: Dog, Cat, Rabbit").waitFor();
  await page.getByText("New custom fields: sponsor").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  for (const word of ["On hold", "Fostered"])
    await field(`Status: ${word}`).selectOption({ label: "Pending" });
  await said("8 animals would be added, 2 rows rejected.");
  // The focus does not move.
  await field("Status: On hold").focus();
  await field("Status: On hold").selectOption({ label: "Available" });
  await eventually(() => page.evaluate("document.activeElement.labels[0].textContent"), "Status: On hold");

  await it.row(10).getByText("Name: is empty").waitFor();
  await it.row(10).getByLabel("Animal Name").fill("Pip, the small one");
  await said("Check the corrected rows again before you import.");
  await dialog("Check again").click();
  await said("9 animals would be added, 1 row rejected.");
  await it.row(10).waitFor({ state: "hidden" });
  await dialog("Import 9 animals").click();
  await said("9 animals added, 1 row rejected.");
  const rejected = page.waitForEvent("download");
  await dialog("Download the rejected rows").click();
  expect(readFileSync(await (await rejected).path(), "utf8")).toContain(
    "Animal ID,Animal Name,Species,Breed,Sex,Date of Birth,Colour,Size,Weight,Neutered,Intake Date,Status,Notes,Sponsor,line,reason\nA-109,Nala,,",
  );
  expect(await it.names()).toEqual([
    "Bella",
    "Tom",
    "Rex",
    "Luna",
    "Max",
    "Coco",
    "Zoë",
    "Pip, the small one",
    "Daisy",
  ]);
  expect(await server.read("/v1/pets/1/profile")).toMatchObject({
    reference: "A-101",
    breeds: ["Labrador mix"],
    sex: "female",
    birthDate: "2022",
    colour: "black",
    size: "large",
    weightGrams: 27_500,
    neutered: true,
    arrivedOn: "2026-03-02",
    notes: 'Good with children, knows "sit"',
    custom: { sponsor: "Ada Byron" },
  });
  await page.getByRole("link", { name: "Done" }).click();
  await page.locator("main").getByText("Pip, the small one").waitFor();
  await page.getByText("9 animals", { exact: true }).waitFor();

  await page.goto(`${server.url}/console/animals/import`);
  await page.getByText("9 animals added, 1 row rejected.").waitFor();
  await page.getByRole("link", { name: "Undo animals.csv" }).click();
  await dialog("Undo").click();
  await said("“animals.csv” undone: 9 animals deleted, 0 restored");
  expect(await it.names()).toEqual([]);
  await page.getByText("No animals yet").waitFor();
  expect(it.seen.errors).toEqual([]);
});

const LIST = "ID,Name,Species,Fee\n1,Bella,Dog,80 EUR\n2,Rex,Dog,90 EUR\n";

test("a file with animals that are here updates them, and an undo names an animal that has changed since", async () => {
  const it = await openImport();
  const { page, field, dialog, said, server } = it;
  await it.choose("a.csv", LIST);
  await dialog("Import 2 animals").click();
  await said("2 animals added.");
  await page.goto(`${server.url}/console/animals/import`);
  await it.choose("b.csv", LIST.replace("80", "70").replace("2,Rex", "3,Max"));
  await page.getByText("update them with “Update existing animals”").waitFor();
  await field("Update existing animals").check();
  await said("1 animal would be added, 1 would be changed, 1 animal not in the file.");
  expect(await field("Match animals by").inputValue()).toBe("ID");
  await page.getByText("Not in the file: Rex").waitFor();
  await dialog("Import 2 animals").click();
  await said("1 animal added, 1 changed, 1 animal not in the file.");
  await server.send("/v1/pets/1", { name: "Bello" }, "PATCH");
  await page.getByRole("link", { name: "Undo this import" }).click();
  await dialog("Undo").click();
  await page
    .getByRole("alert")
    .getByText(/animal 1\b|Bello/)
    .waitFor();
  expect(await it.names()).toEqual(["Bello", "Rex", "Max"]);
});

test("a file whose columns have unknown names is imported after they are chosen", async () => {
  const it = await openImport();
  const { page, dialog, said } = it;
  // Excel writes windows-1252.
  await it.choose("tiere.csv", Buffer.from("Tier;Art\r\nZoë;Katze\r\n", "latin1"));
  await page.getByText("no column matches name").waitFor();
  await page.getByText("was read as windows-1252").waitFor();
  await page.getByLabel("Tier is imported as").selectOption({ label: "Name" });
  await page.getByLabel("Art is imported as").selectOption({ label: "Category" });
  await said("1 animal would be added.");
  await dialog("Import 1 animal").click();
  await said("1 animal added.");
  expect(await it.names()).toEqual(["Zoë"]);
});

test("a workbook gets advice, and a chosen file is not left without a question", async () => {
  const it = await openImport();
  const { page, dialog, said } = it;
  await it.choose("animals.xlsx", "PK");
  await page.getByText("save it as CSV UTF-8").waitFor();
  await it.choose("a.csv", LIST);
  await said("2 animals would be added.");
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
  await dialog("Choose another file").click();
  await page.keyboard.press("Escape");
  await untilTrue(page, "!document.querySelector('dialog[open]')");
});
