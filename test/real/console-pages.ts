import type { Page } from "./browser.ts";
import { addDomain } from "./console.ts";
import type { Server } from "./support.ts";

/** The console's pages and dialogs by area: a new one belongs here. They show what `fillStore` has made. */
export const PAGES: Record<string, readonly string[]> = {
  animals: [
    "/animals",
    "/animals?status=available",
    "/animals?q=be&category=1",
    "/animals?q=nobody",
    "/animals?sort=name",
    "/animals?as=pictures",
    "/animals/new",
    "/animals/import",
  ],
  "an animal": [
    "/animals/1",
    "/animals/7",
    "/animals/1/change?on=page",
    "/animals/1/photos?on=page",
    "/animals/1/print?on=page",
    "/animals/1/change",
    "/animals/1/delete",
    "/animals/1/adopt",
  ],
  adoptions: [
    "/adoptions",
    "/adoptions?status=all",
    "/adoptions?status=completed",
    "/adoptions?animal=1",
    "/adoptions?q=kowal",
    "/adoptions?q=nobody",
    "/adoptions/new",
    "/adoptions/1/cancel",
    "/adoptions/2/complete",
    "/adoptions/2/cancel",
    "/adoptions/2/cancel?on=page",
    "/adoptions/1",
    "/adoptions/2",
    "/adoptions/3",
    "/adoptions/4/return?on=page",
    "/adoptions/999",
  ],
  categories: [
    "/categories",
    "/categories/new",
    "/categories/1/rename",
    "/categories/1/delete",
    "/categories/fields/new",
    "/categories/fields/1/change",
    "/categories/fields/1/delete",
  ],
  projects: [
    "/projects",
    "/projects/new",
    "/projects/docs",
    "/projects/docs/deploys/1/activate",
    "/projects/docs/settings",
    "/projects/docs/settings/delete",
  ],
  domains: [
    "/domains",
    "/domains?q=docs&stage=awaiting_dns",
    "/domains?q=nothing",
    "/domains/add",
    "/projects/docs/domains",
    "/projects/docs/domains/new",
    "/projects/docs/domains/check",
    "/projects/docs/domains/docs.example.org",
    "/projects/docs/domains/docs.example.org/remove",
  ],
  keys: ["/keys", "/keys/new", "/keys/1/rotate", "/keys/1/revoke"],
  people: ["/people", "/people/new", "/people/1/edit", "/people/1/invite", "/people/1/remove"],
  activity: ["/activity", "/activity?resource=pet", "/activity?resource=pet:6", "/activity?actor=person"],
  elsewhere: ["/nowhere"],
};

const select = (page: Page, count: number) =>
  page.evaluate(
    `[...document.querySelectorAll("td.select input")].slice(0, ${count}).forEach((one) => one.click())`,
  );

const press = (page: Page, name: string) =>
  page.locator("dialog footer").getByText(name, { exact: true }).click();

/** A file of animals with long words, one of which is unknown, and a row without a name. */
const FILE = () => `ID,Name,Species,Status,${LONG}\n1,${LONG},Dog,,${LONG}\n2,,Dog,${LONG},"a\nb"\n`;

const chooseFile = async (page: Page): Promise<void> => {
  const file = { name: `${LONG}.csv`, mimeType: "text/csv", buffer: Buffer.from(FILE()) };
  await page.locator("dialog [type=file]").setInputFiles(file);
  await page.getByText("1 row rejected").waitFor();
};

/** What a page shows after something was done: how to get there. */
export const STATES: Record<string, { path: string; act: (page: Page) => Promise<unknown> }> = {
  "several animals are selected": { path: "/animals", act: (page) => select(page, 3) },
  "the status of several animals": {
    path: "/animals",
    async act(page) {
      await select(page, 3);
      await page.locator(".selection a").first().click();
    },
  },
  "the category of several animals": {
    path: "/animals",
    async act(page) {
      await select(page, 1);
      await page
        .locator(".selection")
        .getByRole("link", { name: /category/i })
        .click();
    },
  },
  "columns of animals that the user chooses": {
    path: "/animals",
    async act(page) {
      await page.locator("details.menu summary").click();
      for (const name of ["sex", "fee", "custom.coat"]) await page.locator(`[name="${name}"]`).click();
    },
  },
  "an animal without a name": { path: "/animals/new", act: (page) => press(page, "Add") },
  "a profile with errors": {
    path: "/animals/1/change",
    async act(page) {
      await page.locator("dialog summary").click();
      await page.locator("dialog [name=birthDate]").fill("May");
      await press(page, "Save");
      await page.locator("dialog .field.invalid").waitFor();
    },
  },
  "photos that are deleted when they are saved": {
    path: "/animals/1/photos",
    act: (page) => page.getByRole("button", { name: "Delete photo 1" }).click(),
  },
  "an adoption without anything": { path: "/adoptions/new", act: (page) => press(page, "Start adoption") },
  "a category to create": {
    path: "/animals/new",
    async act(page) {
      await page.locator("dialog [name=categoryId]").fill("Do");
    },
  },
  "the animals to choose from": { path: "/adoptions/new", act: (page) => page.keyboard.type("m") },
  "a toast": {
    path: "/adoptions",
    act: (page) =>
      page
        .getByRole("button", { name: /^Approve/ })
        .first()
        .click(),
  },
  "unsaved changes": {
    path: "/animals/2/change",
    async act(page) {
      await page.locator("dialog [name=name]").fill("Another");
      await page.keyboard.press("Escape");
    },
  },
  "an apex, which also adds its www": {
    path: "/projects/docs/domains/new",
    act: (page) => page.getByLabel("Domain or subdomain").fill("example.org"),
  },
  "the results of a list of domains": {
    path: "/domains/add",
    async act(page) {
      await page.getByLabel("Project", { exact: true }).fill("docs");
      await page
        .locator("dialog textarea")
        .fill(`docs.example.org\nnew.example.org\n192.0.2.1\n${"w".repeat(200)}`);
      await press(page, "Add domains");
      await page.locator("dialog .badge").first().waitFor();
    },
  },
  "an import with rejected rows": { path: "/animals/import", act: (page) => chooseFile(page) },
  "an undo of an import": {
    path: "/animals/import",
    async act(page) {
      await chooseFile(page);
      await press(page, "Import 1 animal");
      await page.locator("dialog footer").getByText("Undo this import").click();
      await page.locator("dialog").getByText("will be undone").waitFor();
    },
  },
  "a secret that is shown once": { path: "/keys/2/rotate", act: (page) => press(page, "Create new secret") },
  "a link that is shown once": { path: "/people/1/invite", act: (page) => press(page, "Create link") },
};

const LONG = "W".repeat(200);
/** A PNG of one gray pixel. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);
const RIGHT_TO_LEFT = "\u05de\u05d9\u05d0\u05d5 evil";

/** The profile of Bella, with long words, and two photos of her. */
const describe = async (server: Server): Promise<void> => {
  const field = {
    name: "coat",
    label: LONG.slice(0, 80),
    kind: "choice",
    choices: [LONG.slice(0, 80), "short"],
  };
  await server.send("/v1/fields", field);
  const profile = {
    description: `${LONG}\n\n**Calm.** <b>No HTML</b>`,
    sex: "female",
    birthDate: "2024-05",
    birthDateEstimated: true,
    breeds: [LONG.slice(0, 80)],
    microchip: "276098100000001",
    fee: { amount: 12_050, currency: "EUR" },
    arrivedOn: "2026-10-02",
    custom: { coat: LONG.slice(0, 80) },
  };
  await server.send("/v1/pets/1/profile", profile, "PUT");
  for (const alt of ["", LONG]) {
    const init = { method: "POST", headers: { "content-type": "image/png" }, body: PIXEL };
    const response = await server.call(`/v1/pets/1/photos?alt=${alt}`, init);
    if (response.status !== 201) throw new Error(await response.text());
  }
};

/** Fills a store with animals, adoptions, a category, keys, a project and a domain, some of them with hostile names. */
export const fillStore = async (server: Server): Promise<void> => {
  const statuses = ["available", "pending", "sold"];
  for (const [at, name] of ["Bella", "Rex", "Luna", "Max", "Mia"].entries())
    await server.send("/v1/pets", { name, categoryId: 1 + (at % 2), status: statuses[at % 3] });
  await server.send("/v1/categories", { name: "Dogs" });
  await describe(server);
  await server.send("/v1/pets", { name: LONG, categoryId: 1, status: "available" });
  const first = { name: RIGHT_TO_LEFT, email: "a@example.org" };
  await server.send("/v1/store/orders", { petId: 1, adopter: first });
  const second = { name: LONG, email: `${"e".repeat(240)}@example.org` };
  await server.send("/v1/store/orders", { petId: 6, adopter: second, note: `${LONG}\n`.repeat(9) });
  await server.send("/v1/store/orders/2/approve", {});
  await server.send("/v1/pets", { name: "Boomerang", categoryId: 1, status: "available" });
  for (const id of [3, 4]) {
    await server.send("/v1/store/orders", { petId: 7, adopter: first });
    for (const step of ["approve", "complete"]) await server.send(`/v1/store/orders/${id}/${step}`, {});
    if (id === 3) await server.send("/v1/store/orders/3/return", { reason: `${LONG} `.repeat(4).trim() });
  }
  await server.send("/platform/keys", {
    name: "shelter website",
    scopes: ["pets:read"],
    rateLimit: "600/min",
  });
  await server.send("/platform/people", { name: "Ada", email: "ada@example.org", role: "volunteer" });
  const longEmail = `${"e".repeat(60)}@${"shelter.".repeat(20)}example.org`;
  await server.send("/platform/people", {
    name: LONG.slice(0, 100),
    email: longEmail,
    role: "administrator",
  });
  await addDomain(server);
};
