import { expect } from "bun:test";
import { type Page, untilTrue } from "./browser.ts";
import { openConsole, addAnimals, sendAll } from "./console.ts";
import { real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

const MAX_CLICKS = 6;

/** Counts presses of the pointer: keys that press a button do not count. */
const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(
    "(() => { window.clicks = 0; addEventListener('pointerdown', () => window.clicks++, { capture: true }); })()",
  );
  return async () => (await page.evaluate("window.clicks")) as number;
};

const statusOf = async (call: (path: string) => Promise<Response>, id: number): Promise<string> =>
  ((await (await call(`/v1/store/orders/${id}`)).json()) as { status: string }).status;

test("from the search for an animal to its completed adoption it takes 6 clicks", async () => {
  const server = await serve();
  await addAnimals(server, 30);
  await server.send("/v1/pets", { name: "Milo", categoryId: 1, status: "available" });
  const { page } = await openConsole(server, "/animals");
  const clicks = await countClicks(page);
  await page.getByLabel(/^Search by name/).click();
  await page.keyboard.type("milo");
  await page.keyboard.press("Enter");
  const adopt = page.getByRole("link", { name: "Adopt Milo" });
  await untilTrue(page, "document.querySelectorAll('[aria-label=Animals] tbody tr').length === 1");
  await adopt.click();
  await untilTrue(page, "document.activeElement?.name === 'adopter'");
  await page.keyboard.type("Anna Kowalska");
  await page.keyboard.press("Tab");
  await page.keyboard.type("anna@example.org");
  await page.getByRole("button", { name: "Start adoption" }).click();
  await page.getByRole("link", { name: "View adoption" }).click();
  await page.getByRole("button", { name: "Approve adoption" }).click();
  await page.getByRole("button", { name: "Complete adoption" }).click();
  await page.getByText("Adoption of Milo completed (no. 1)").waitFor();
  expect(await clicks()).toBeLessThanOrEqual(MAX_CLICKS);
  expect(await statusOf(server.call, 1)).toBe("completed");
});

test("from a person's name to their completed adoption it takes 4 clicks", async () => {
  const server = await serve();
  await addAnimals(server, 3);
  for (const [at, name] of ["Anna Kowalska", "Jan Nowak", "Grace Hopper"].entries())
    await server.send("/v1/store/orders", { petId: at + 1, adopter: { name, email: `a${at}@example.org` } });
  const { page } = await openConsole(server, "/adoptions");
  const clicks = await countClicks(page);
  await page.getByLabel(/^Search by/).click();
  await page.keyboard.type("nowak");
  await untilTrue(page, "document.querySelectorAll('[aria-label=Adoptions] tbody tr').length === 1");
  await page.getByRole("button", { name: /^Approve the adoption/ }).click();
  await page.getByRole("link", { name: /^Complete the adoption/ }).click();
  await page.locator("dialog footer button").click();
  await page.getByText("Adoption of Animal 2 completed (no. 2)").waitFor();
  expect(await clicks()).toBe(4);
  expect(await statusOf(server.call, 2)).toBe("completed");
});

const MANY = 5000;
const FAMILY = "Żółkiewska";
/** As it is typed without the letters of her language. */
const TYPED = "zolkiewska";

/** As people type, in milliseconds for a letter. */
const TYPING_MS = 150;

test("among 5,000 adoptions one is found by the adopter's family name alone", async () => {
  const server = await serve();
  await addAnimals(server, MANY);
  await sendAll(
    server,
    "/v1/store/orders",
    Array.from({ length: MANY }, (_, index) => ({
      petId: index + 1,
      adopter:
        index === 1234
          ? { name: `Ottilie ${FAMILY}`, email: "o.z@example.org" }
          : {
              name: `Adopter ${index % 700} of Street ${index % 90}`,
              email: `adopter.${index}@mail.example.org`,
            },
    })),
  );
  const { page } = await openConsole(server, "/animals");
  const begin = performance.now();
  await page.getByRole("link", { name: "Adoptions" }).click();
  await page.getByLabel(/^Search by/).click();
  for (const letter of TYPED) {
    await page.keyboard.type(letter);
    await page.waitForTimeout(TYPING_MS);
  }
  await untilTrue(page, "document.querySelectorAll('[aria-label=Adoptions] tbody tr').length === 1");
  await page.getByText(`Ottilie ${FAMILY}`).waitFor();
  const seconds = (performance.now() - begin) / 1000;
  console.log(`found among ${MANY} adoptions after ${seconds.toFixed(1)} s, typing included`);
});
