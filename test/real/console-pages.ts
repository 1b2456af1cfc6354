import { addDomain, send } from "./console-data.ts";
import type { Server } from "./support.ts";

/** The console's pages and dialogs by area: a new one belongs here. They show what `fillStore` has made. */
export const PAGES: Record<string, readonly string[]> = {
  animals: [
    "/animals",
    "/animals?status=available",
    "/animals?q=be&category=1",
    "/animals?q=nobody",
    "/animals?sort=name",
    "/animals/1",
    "/animals/1/change?on=page",
    "/animals/new",
    "/animals/1/change",
    "/animals/1/delete",
    "/animals/1/adopt",
  ],
  adoptions: [
    "/adoptions",
    "/adoptions?status=all",
    "/adoptions?status=completed",
    "/adoptions?animal=1",
    "/adoptions/new",
    "/adoptions/1/cancel",
    "/adoptions/2/complete",
    "/adoptions/2/cancel",
  ],
  categories: ["/categories", "/categories/new", "/categories/1/rename", "/categories/1/delete"],
  projects: [
    "/projects",
    "/projects/new",
    "/projects/docs",
    "/projects/docs/deploys/1/activate",
    "/projects/docs/settings",
    "/projects/docs/settings/delete",
  ],
  domains: [
    "/projects/docs/domains",
    "/projects/docs/domains/new",
    "/projects/docs/domains/docs.example.org",
    "/projects/docs/domains/docs.example.org/remove",
  ],
  keys: ["/keys", "/keys/new", "/keys/1/rotate", "/keys/1/revoke"],
  activity: ["/activity", "/activity?resource=pet", "/activity?resource=pet:6", "/activity?actor=person"],
  elsewhere: ["/nowhere"],
};

const LONG = "W".repeat(200);
const RIGHT_TO_LEFT = "\u202e\u05de\u05d9\u05d0\u05d5 evil";

/** Fills a store with animals, adoptions, a category, keys, a project and a domain, some of them with hostile names. */
export const fillStore = async (server: Server): Promise<void> => {
  const statuses = ["available", "pending", "sold"];
  for (const [at, name] of ["Bella", "Rex", "Luna", "Max", "Mia"].entries())
    await send(server, "/v1/pets", { name, categoryId: 1 + (at % 2), status: statuses[at % 3] });
  await send(server, "/v1/categories", { name: "Dogs" });
  await send(server, "/v1/pets", { name: LONG, categoryId: 1, status: "available" });
  const first = { name: RIGHT_TO_LEFT, email: "a@example.org" };
  await send(server, "/v1/store/orders", { petId: 1, adopter: first });
  const second = { name: LONG, email: `${"e".repeat(240)}@example.org` };
  await send(server, "/v1/store/orders", { petId: 6, adopter: second, note: `${LONG}\n`.repeat(9) });
  await send(server, "/v1/store/orders/2/approve", {});
  await send(server, "/platform/keys", {
    name: "shelter website",
    scopes: ["pets:read"],
    rateLimit: "600/min",
  });
  await addDomain(server);
};
