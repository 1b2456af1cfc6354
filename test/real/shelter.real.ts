import { expect } from "bun:test";
import { newConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { untilTrue } from "./browser.ts";
import { signIn, signedOut } from "./sign-in.ts";
import { real, store } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");
const FOCUSED = "document.activeElement?.textContent";

/** A new server, the browser of a user who is signed in, and what the API answers. */
const openShelter = async () => {
  const { toast: status, ...console } = await newConsole("/animals");
  const { page, server } = console;
  return {
    ...console,
    status,
    read: server.read,
    send: (path: string, body?: object, method = "POST") =>
      server.call(path, {
        method,
        ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      }),
    inDialog: (label: string) => page.locator("dialog").getByLabel(label, { exact: true }),
    alert: (text: string | RegExp) => page.getByRole("alert").getByText(text).first(),
    /** As soon as no dialog is open. */
    closed: () => page.locator("dialog").waitFor({ state: "hidden" }),
  };
};

test("a shelter's day: a category, an animal, its search, and its adoption to the end", async () => {
  const it = await openShelter();
  const { page, read, link, button, dialog, field, inDialog, status } = it;

  await link("Categories").click();
  await link("Add category").click();
  await field("Name").fill("Dogs");
  await dialog("Add").click();
  await status("“Dogs” added").waitFor();
  await link("Rename Dogs").click();
  await field("Name").fill("Hounds");
  await field("Name").press("Enter");
  await status("“Dogs” renamed to “Hounds”").waitFor();

  await link("Animals").click();
  await link("Add animal").click();
  await field("Name").fill("Bella");
  await inDialog("Category").fill("Hounds");
  await dialog("Add").click();
  await status("“Bella” added (no. 1)").waitFor();
  await link("Add animal").click();
  await field("Name").fill("Rex");
  await inDialog("Category").fill("9223372036854775807");
  await dialog("Add").click();
  await status("“Rex” added (no. 2)").waitFor();
  expect(await (await it.send("/v1/pets/2", undefined, "GET")).text()).toContain("9223372036854775807");

  await page.getByRole("searchbox").fill("bel");
  await page.getByText("1 animal", { exact: true }).waitFor();
  expect(it.path()).toBe("/animals?q=bel");
  await page.locator(".filter select").selectOption("Hounds");
  await untilTrue(page, "location.search === '?q=bel&category=1'");
  await page.reload();
  await page.locator("td[data-column=Category]").getByText("Hounds").waitFor();
  expect(await page.evaluate("document.querySelector('input[type=search]').value")).toBe("bel");
  await page.goBack();
  await untilTrue(page, "location.search === '?q=bel'");
  await page.getByRole("searchbox").fill("");
  await page.getByText("2 animals", { exact: true }).waitFor();

  await link("Adopt Bella").click();
  expect(it.path()).toBe("/animals/1/adopt");
  await field("Adopter's name").fill("Ada Byron");
  await field("Adopter's e-mail address").fill("nowhere");
  await dialog("Start adoption").click();
  await it.alert("Enter a valid e-mail address.").waitFor();
  await field("Adopter's e-mail address").fill("ada@example.org");
  await field("Note").fill("Has a garden.");
  await dialog("Start adoption").click();
  await status("Adoption of Bella started (no. 1)").waitFor();
  expect(it.path()).toBe("/animals");

  await link("Delete Bella").click();
  await dialog("Delete").click();
  await it.alert(/This animal has an open adoption/).waitFor();
  await link("Show its adoptions").click();
  await page.getByText("ada@example.org").waitFor();
  await page.getByText("Has a garden.").waitFor();
  await button("Approve the adoption of Bella by Ada Byron").click();
  await status("Adoption of Bella approved (no. 1)").waitFor();
  // The focus stays there, so that the user can continue with the keyboard.
  await untilTrue(page, `${FOCUSED} === "Complete"`);
  await link("Complete the adoption of Bella by Ada Byron").press("Enter");
  await page.reload();
  await dialog("Complete adoption").click();
  await status("Adoption of Bella completed (no. 1)").waitFor();
  expect(await read("/v1/store/orders")).toMatchObject([
    { petId: 1, status: "completed", adopter: { name: "Ada Byron" }, note: "Has a garden." },
  ]);
  expect(await read("/v1/pets?status=sold")).toMatchObject([{ name: "Bella" }]);

  await link("Adoptions").click();
  await link("Start adoption").click();
  await field("Animal").fill("rex");
  await page.getByRole("option", { name: /Rex/ }).click();
  await field("Adopter's name").fill("Grace Hopper");
  await field("Adopter's e-mail address").fill("grace@example.org");
  await dialog("Start adoption").click();
  await status("Adoption of Rex started (no. 2)").waitFor();
  await link("Cancel the adoption of Rex by Grace Hopper").click();
  await dialog("Cancel adoption").click();
  await status("Adoption of Rex cancelled (no. 2)").waitFor();

  await link("Animals").click();
  await link("Delete Rex").click();
  await dialog("Delete").click();
  await status("“Rex” deleted").waitFor();
  await link("Categories").click();
  await link("Delete Hounds").click();
  await page.getByText(/has \d+ animals?, so it can't be deleted/).waitFor();
  await link("Show its animals").click();
  await page.locator("td[data-column=Name]").getByText("Bella").waitFor();
  await link("Adoptions").click();
  await link(/^all /).click();
  await page.getByText("animal 2, deleted").waitFor();

  await store(["orders", "forget", "ada@example.org", "--yes"], { cwd: it.server.cwd });
  await page.reload();
  await page.getByText("data erased").waitFor();
  expect(await page.getByText("ada@example.org").count()).toBe(0);

  // What was refused, browsers say too.
  expect(it.seen.errors.filter((error) => !/status of 4(00|09)/.test(error))).toEqual([]);
});

test("an animal that another user adopted first is refused in the dialog", async () => {
  const it = await openShelter();
  const { page, send, link, dialog, field, button } = it;
  const adopter = { name: "Grace Hopper", email: "grace@example.org" };
  await send("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  await it.open("/animals/1/adopt");
  await field("Adopter's name").fill("Ada Byron");
  await field("Adopter's e-mail address").fill("ada@example.org");
  await send("/v1/store/orders", { petId: 1, adopter });
  await dialog("Start adoption").click();
  await it.alert("This animal is not available for adoption. Choose another.").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  expect(await it.read("/v1/store/orders")).toMatchObject([{ adopter }]);
  await page.locator("dialog").getByText("Cancel").click();
  // What was typed would be lost.
  await it.button("Discard").click();
  await link("Adoption of Bella").waitFor();

  await link("Adoptions").click();
  await button("Approve the adoption of Bella by Grace Hopper").waitFor();
  await send("/v1/store/orders/1/cancel");
  await button("Approve the adoption of Bella by Grace Hopper").click();
  await it.alert("This adoption is cancelled now, so it can't be approved.").waitFor();
  await page.locator("td[data-column=Status]").getByText("cancelled").waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

/** Passes requests of this method and path on, and loses their answers. */
const losing = (method: string, path: string) => `{
  const send = window.fetch;
  window.lost = 0;
  window.fetch = async (url, init) => {
    const answer = await send(url, init);
    if (init?.method !== "${method}" || !url.endsWith("${path}") || window.lost > 0) return answer;
    window.lost++;
    throw new TypeError("lost");
  };
}`;

test("a request that is repeated after a lost response is executed once", async () => {
  const it = await openShelter();
  const { page, send, dialog, field, inDialog } = it;
  await send("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  await it.open("/adoptions/new");
  await field("Animal").fill("bel");
  await page.getByRole("option", { name: /Bella/ }).click();
  await field("Adopter's name").fill("Ada Byron");
  await field("Adopter's e-mail address").fill("ada@example.org");
  await page.evaluate(losing("POST", "/store/orders"));
  await dialog("Start adoption").click();
  await it.alert(/The server did not respond/).waitFor();
  await dialog("Start adoption").click();
  await it.status(/^Adoption of .*Bella.* started \(no\. 1\)$/).waitFor();
  expect(await it.read("/v1/store/orders")).toHaveLength(1);

  await it.open("/animals/new");
  await field("Name").fill("Rex");
  await inDialog("Category").fill("1");
  await page.evaluate(losing("POST", "/pets"));
  await dialog("Add").click();
  await it.alert(/The server did not respond/).waitFor();
  await field("Name").fill("Rexy");
  await dialog("Add").click();
  await it.alert(/Your first attempt was saved/).waitFor();
  await field("Name").fill("Rex");
  await dialog("Add").click();
  await it.status("“Rex” added (no. 2)").waitFor();
  expect(await it.read("/v1/pets")).toHaveLength(2);
});

test("two editors of one animal do not overwrite each other, and neither loses a draft", async () => {
  const it = await openShelter();
  const { page, send, read, dialog, field } = it;
  await send("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  const [before] = await read<object[]>("/v1/pets");
  await it.open("/animals/1/change");
  await field("Name").fill("Bella II");
  expect(await read("/v1/pets")).toEqual([before]);
  await send("/v1/pets/1", { name: "Bellissima", status: "sold" }, "PATCH");
  await dialog("Save").click();
  await it.alert("Somebody else has changed this animal. Your changes are not saved yet.").waitFor();
  expect(await read("/v1/pets")).toMatchObject([{ name: "Bellissima", status: "sold" }]);
  expect(await violationsOf(page)).toEqual([]);
  await dialog("Reload and keep my changes").click();
  await page.getByText("Somebody else changed it to “Bellissima”.").waitFor();
  await untilTrue(page, `${FOCUSED}?.startsWith("Reloaded.")`);
  expect(await page.evaluate("document.querySelector('dialog input[name=name]').value")).toBe("Bella II");
  expect(await page.evaluate("document.querySelector('dialog select[name=status]').value")).toBe("sold");
  await dialog("Save").click();
  await it.status("“Bellissima” renamed to “Bella II”").waitFor();
  expect(await read("/v1/pets")).toEqual([{ id: 1, name: "Bella II", categoryId: 1, status: "sold" }]);

  await it.open("/animals/1/delete");
  await dialog("Delete").waitFor();
  await send("/v1/pets/1", { status: "pending" }, "PATCH");
  await dialog("Delete").click();
  await it.alert(/Somebody else has changed this in the meantime/).waitFor();
  await dialog("Reload").click();
  await page.locator("dialog .badge").getByText("pending").waitFor();
  await untilTrue(page, `${FOCUSED} === "Cancel"`);
  await dialog("Delete").click();
  await it.status("“Bella II” deleted").waitFor();
  await it.closed();
  expect(await read("/v1/pets")).toEqual([]);
});

test("the console offers a key only the actions of its scopes", async () => {
  const it = await openShelter();
  const { page, send, read, link } = it;
  await send("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  await send("/v1/store/orders", { petId: 1, adopter: { name: "Ada Byron", email: "ada@example.org" } });
  const minted = await send("/platform/keys", { name: "desk", scopes: ["orders:read"] });
  const { secret } = (await minted.json()) as { secret: string };
  await it.button("Sign out").click();
  // A navigation would cut off the request that ends the session.
  await signedOut(page);
  await signIn(page, page.url().replace(/\/console.*/, ""), secret, "");
  await page.getByRole("heading", { name: "Adoptions" }).waitFor();
  await page.getByText("Ada Byron").waitFor();
  expect(await link("Animals").count()).toBe(0);
  expect(await link("Start adoption").count()).toBe(0);
  expect(await page.locator("td button").count()).toBe(0);
  await it.open("/animals");
  await page.getByText("pets:read").waitFor();
  expect(await read("/v1/store/orders")).toHaveLength(1);
});
