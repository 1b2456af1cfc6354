import { expect, test } from "bun:test";
import { invite, visitor } from "../access/people/visitor.ts";
import { type Store, addPet, messageOf, openOnce, openStore } from "../support/store.ts";

const EVIL = "\u202eevil";
const HIDDEN_NAME = "Be\u200blla";
const RULE = "control, invisible, private-use or unassigned characters";

const shared = openOnce(() => openStore());

const ORDER = { petId: 1, adopter: { name: "Ada", email: "ada@example.org" } };
const PERSON = { name: "Grace", email: "grace@example.org", role: "staff" };

test.each([
  ["POST", "/v1/pets", { name: HIDDEN_NAME, categoryId: 1 }, "name"],
  ["PATCH", "/v1/pets/1", { name: HIDDEN_NAME }, "name"],
  ["POST", "/v1/categories", { name: HIDDEN_NAME }, "name"],
  ["PATCH", "/v1/categories/1", { name: HIDDEN_NAME }, "name"],
  ["POST", "/v1/store/orders", { ...ORDER, adopter: { ...ORDER.adopter, name: EVIL } }, "adopter.name"],
  ["POST", "/v1/store/orders", { ...ORDER, note: `Line 1\n${EVIL}` }, "note"],
  ["POST", "/platform/keys", { name: HIDDEN_NAME, scopes: ["pets:read"] }, "name"],
  ["POST", "/platform/projects", { name: HIDDEN_NAME, slug: "docs-2" }, "name"],
  ["PATCH", "/platform/projects/docs-2", { name: HIDDEN_NAME }, "name"],
  ["POST", "/platform/people", { ...PERSON, name: HIDDEN_NAME }, "name"],
  ["PATCH", "/platform/people/1", { name: HIDDEN_NAME }, "name"],
])(
  "%s %s %j is refused because of its invisible character, and the message has the field and the rule",
  async (method, path, json, field) => {
    const response = await shared().call(method, path, { json });
    expect(response.status).toBe(400);
    const message = await messageOf(response);
    expect(message).toStartWith(`${field}: must be a string of 1 to `);
    expect(message).toContain(field === "note" ? "invisible" : RULE);
    expect(response.headers.get("invalid-fields")).toBe(`"${field}";rule=format;reason=invisible`);
  },
);

test.each([
  ["/console/auth/invitation/accept", { token: "spent" }],
  ["/console/auth/passkeys", {}],
])(
  "POST %s refuses an invisible character in the name of a passkey, and the message has the field and the rule",
  async (path, more) => {
    const person = visitor(shared());
    const { token } = await invite(shared(), { email: `${path.length}@example.org` });
    await person.accept(token);
    const response = await person.send("POST", path, { json: { ...more, response: {}, name: EVIL } });
    expect(response.status).toBe(400);
    const message = await messageOf(response);
    expect(message).toStartWith("name: must be a string of 1 to ");
    expect(message).toContain(RULE);
    expect(response.headers.get("invalid-fields")).toBe('"name";rule=format;reason=invisible');
  },
);

test("an email address with an invisible character is refused, and the message has the field and the rule", async () => {
  const json = { ...PERSON, email: "grace\u200b@example.org" };
  const response = await shared().call("POST", "/platform/people", { json });
  expect(await messageOf(response)).toContain("email: must be an email address: ");
});

/** A store with one of everything, and a name that was accepted before. */
const withOldNames = async (): Promise<Store> => {
  const store = await openStore();
  await addPet(store, { status: "available" });
  const add = (path: string, json: object) => store.call("POST", path, { json });
  await add("/v1/categories", { name: "Dogs" });
  await add("/v1/store/orders", { ...ORDER, note: "Shy." });
  await add("/platform/projects", { name: "Docs", slug: "docs-2" });
  await add("/platform/people", PERSON);
  const old = store.database.client;
  for (const table of ["pets", "categories", "projects", "people", "keys"])
    old.run(`UPDATE ${table} SET name = '${EVIL}'`);
  old.run(`UPDATE orders SET adopter_name = '${EVIL}', adopter_email = '${EVIL}@b', note = '${EVIL}'`);
  return store;
};

test.each([
  ["GET", "/v1/pets/1", undefined],
  ["GET", "/v1/pets", undefined],
  ["PATCH", "/v1/pets/1", { categoryId: 2 }],
  ["GET", "/v1/categories/1", undefined],
  ["GET", "/v1/categories", undefined],
  ["GET", "/v1/store/orders/1", undefined],
  ["GET", "/v1/store/orders", undefined],
  ["POST", "/v1/store/orders/1/approve", {}],
  ["GET", "/platform/projects/docs-2", undefined],
  ["PATCH", "/platform/projects/docs-2", { plan: "free" }],
  ["GET", "/platform/projects", undefined],
  ["GET", "/platform/people/1", undefined],
  ["GET", "/platform/people", undefined],
  ["PATCH", "/platform/people/1", { role: "volunteer" }],
  ["GET", "/platform/keys", undefined],
  ["POST", "/platform/keys/1/rotate", {}],
])("a text that an earlier version accepted is in the response of %s %s", async (method, path, json) => {
  const store = await withOldNames();
  const response = await store.call(method, path, json && { json });
  expect(await response.text()).toContain(EVIL);
  expect(response.ok).toBe(true);
});
