import { expect } from "bun:test";
import { violationsOf } from "./axe.ts";
import { type Page, eventually } from "./browser.ts";
import { openConsole, publishDocs } from "./console.ts";
import { signIn } from "./sign-in.ts";
import { openBrowser, type Server, real, serve, until } from "./support.ts";

const test = real("chromium", "playwright-core", "axe-core");

const entriesOf = async (page: Page): Promise<string[]> =>
  (await page.evaluate(
    "[...document.querySelectorAll('.entries li')].map((one) => [...one.querySelectorAll('p')].map((line) => line.innerText).join(' | '))",
  )) as string[];

const untilEntries = (page: Page, expected: readonly string[]): Promise<void> =>
  eventually(() => entriesOf(page), expected);

/** An animal that was changed, adopted and given back, and a key that a user created. */
const fill = async (server: Server): Promise<void> => {
  await publishDocs(server);
  await server.send("/v1/categories", { name: "Dogs" });
  await server.send("/v1/pets", { name: "Bella", categoryId: 1, status: "sold" });
  await server.send("/v1/pets/1", { name: "Luna", status: "available" }, "PATCH");
  const adopter = { name: "Ada Byron", email: "ada@example.org" };
  await server.send("/v1/store/orders", { petId: 1, adopter });
  await server.send("/v1/store/orders/1/cancel", {});
  await server.send("/platform/keys", { name: "website", scopes: ["pets:read"] });
};

const SHOP = [
  "Key admin cancelled adoption no. 1 of Luna",
  "Key admin started adoption no. 1 of Luna",
  "Key admin changed Luna | Name: Bella → Luna | Status: adopted → available",
  "Key admin added Bella",
];

test("the activity lists each action with its actor, and is filtered by actor, kind and day", async () => {
  const server = await serve();
  await fill(server);
  const { page, seen } = await openConsole(server, "/activity");
  await page.getByText(/^[0-9]+ entries$/).waitFor();
  const all = await entriesOf(page);
  expect(all.slice(0, 7)).toEqual([
    "Key admin signed in with Chrome on Linux | With: an API key",
    "Key admin created the key website | Permissions: pets:read",
    ...SHOP,
    "Key admin added the category Dogs",
  ]);
  expect(await page.locator("body").innerText()).not.toContain("Ada");

  await page.getByLabel("What").selectOption({ label: "Adoptions" });
  await untilEntries(page, SHOP.slice(0, 2));
  await eventually(() => page.url(), `${server.url}/console/activity?resource=order`);
  await page.getByLabel("Who").selectOption({ label: "The operator" });
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await untilEntries(page, all);

  await page.getByLabel("From").fill("2030-01-01");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.goBack();
  await untilEntries(page, all);

  await page.getByRole("link", { name: "Luna", exact: true }).first().click();
  await until("the animal's page", async () => page.url().includes("/console/animals/1"));
  await page.goBack();
  await page.getByRole("link", { name: "Key admin" }).first().click();
  await page.getByText("Only what Key admin did.").waitFor();
  await eventually(() => page.url(), expect.stringMatching(/actor=key%3A1$/));
  expect(await violationsOf(page)).toEqual([]);
  expect(seen.errors).toEqual([]);
});

test("a change that is made elsewhere appears without a reload", async () => {
  const server = await serve();
  await fill(server);
  const { page } = await openConsole(server, "/activity?resource=category");
  await untilEntries(page, ["Key admin added the category Dogs"]);
  await server.send("/v1/categories/1", { name: "Hounds" }, "PATCH");
  await until(
    "the new entry",
    async () => (await entriesOf(page))[0] === "Key admin renamed the category Hounds | Name: Dogs → Hounds",
    40_000,
  );
});

test("a key without the scope audit:read finds no page of activity", async () => {
  const server = await serve();
  const { secret } = await server.send<{ secret: string }>("/platform/keys", {
    name: "front desk",
    scopes: ["pets:read", "orders:read"],
  });
  const { page } = await openBrowser();
  await signIn(page, server.url, secret, "/activity");
  await page.getByRole("heading", { name: "Not allowed" }).waitFor();
  expect(await page.getByRole("link", { name: "Activity" }).count()).toBe(0);
});
