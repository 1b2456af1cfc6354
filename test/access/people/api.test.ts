import { expect, test } from "bun:test";
import { faultOf, openStore, type Store } from "../../support/store.ts";
import { ADA, invite, signedIn, visitor } from "./visitor.ts";

const change = (store: Store, id: number, json: object, key?: string) =>
  store.call("PATCH", `/platform/people/${id}`, { json, ...(key !== undefined && { key }) });

test("people are added with an invitation, listed by id, changed and removed", async () => {
  const store = await openStore();
  const added = await store.call("POST", "/platform/people", { json: ADA });
  expect([added.status, added.headers.get("location")]).toEqual([201, "/platform/people/1"]);
  expect(await added.json()).toEqual({
    id: 1,
    ...ADA,
    createdAt: "2026-11-20T00:00:00.000Z",
    invitedUntil: "2026-11-27T00:00:00.000Z",
    passkeys: [],
    signsInWith: [],
    invitation: {
      link: expect.stringMatching(/^http:\/\/localhost\/console\/invitation#[\w-]{43}$/),
      expiresAt: "2026-11-27T00:00:00.000Z",
    },
  });
  await invite(store, { email: "b@example.org", name: "Bo" });
  const changed = await change(store, 1, { name: "Ada King", role: "staff" });
  expect(await changed.json()).toMatchObject({ name: "Ada King", role: "staff" });
  const page = await store.call("GET", "/platform/people?limit=1");
  expect([(await page.json()) as object, page.headers.get("next-cursor")]).toMatchObject([
    [{ id: 1 }],
    expect.any(String),
  ]);
  expect((await store.call("DELETE", "/platform/people/1")).status).toBe(204);
  expect(await (await store.call("GET", "/platform/people")).json()).toMatchObject([{ id: 2 }]);
  for (const method of ["GET", "DELETE"])
    expect(await faultOf(await store.call(method, "/platform/people/1"))).toBe("404 not_found");
});

test("people have different addresses, regardless of the case, and a removed person's address is free again", async () => {
  const store = await openStore();
  await invite(store, { email: "Ångström@Example.org" });
  const again = () =>
    store.call("POST", "/platform/people", { json: { ...ADA, email: "ÅNGSTRÖM@example.ORG" } });
  const refused = await again();
  expect(refused.headers.get("invalid-fields")).toBe('"email";rule=taken');
  expect(await faultOf(refused)).toBe("409 email_taken");
  await store.call("DELETE", "/platform/people/1");
  expect((await again()).status).toBe(201);
});

test("a removed person leaves only their name", async () => {
  const store = await openStore();
  const { id } = await signedIn(store);
  await store.call("DELETE", `/platform/people/${id}`);
  const { client } = store.database;
  expect(client.query("SELECT name, email, folded_email FROM people").values()).toEqual([
    ["Ada Byron", null, null],
  ]);
  for (const table of ["passkeys", "invitations", "identities"])
    expect(client.query(`SELECT count(*) FROM ${table}`).values()).toEqual([[0]]);
});

test("links for people lead to BASE_URL", async () => {
  const store = await openStore({ env: { BASE_URL: "https://shelter.example.org" } });
  const added = await store.call("POST", "/platform/people", { json: ADA });
  const { invitation } = (await added.json()) as { invitation: { link: string } };
  expect(invitation.link).toStartWith("https://shelter.example.org/console/invitation#");
});

test("a key gives and takes only roles whose scopes it holds", async () => {
  const store = await openStore();
  await invite(store, { role: "staff" });
  const key = await store.createKey({ scopes: ["people:admin", "pets:read", "orders:read", "orders:write"] });
  const add = (role: string) =>
    store.call("POST", "/platform/people", { key, json: { ...ADA, email: `${role}@example.org`, role } });
  expect((await add("volunteer")).status).toBe(201);
  for (const role of ["staff", "administrator"]) {
    const refused = await add(role);
    expect(refused.headers.get("invalid-fields")).toBe('"role";rule=forbidden');
    expect(await faultOf(refused)).toBe("403 insufficient_scope");
  }
  for (const refused of [
    await change(store, 1, { name: "X" }, key),
    await change(store, 1, { role: "volunteer" }, key),
    await change(store, 2, { role: "administrator" }, key),
    await store.call("POST", "/platform/people/1/invite", { key }),
    await store.call("DELETE", "/platform/people/1", { key }),
  ])
    expect(await faultOf(refused)).toBe("403 insufficient_scope");
});

test("a key with an end or a rate limit cannot manage people, because people have neither", async () => {
  const store = await openStore();
  for (const limit of [{ expiresAt: store.clock.now() + 1000 }, { rate: { requests: 100, seconds: 60 } }]) {
    const key = await store.createKey({ scopes: ["*"], ...limit });
    const refused = await store.call("POST", "/platform/people", { key, json: ADA });
    expect(await faultOf(refused)).toBe("403 insufficient_scope");
  }
});

/** A store without a usable admin key. */
const withoutKeys = async (roles: readonly string[]) => {
  const store = await openStore();
  const people = [];
  for (const [at, role] of roles.entries())
    people.push(await signedIn(store, { role, email: `${at}@example.org` }));
  const revoked = await people[0]!.send("DELETE", "/console/api/platform/keys/1");
  expect(revoked.status).toBe(204);
  return { store, people };
};

test("the last administrator is neither demoted, removed nor left without a passkey", async () => {
  const { people } = await withoutKeys(["administrator", "staff"]);
  const [ada] = people;
  const { passkeys } = (await (await ada!.send("GET", "/console/api/platform/people/1")).json()) as {
    passkeys: { id: number }[];
  };
  const refusals = [
    await ada!.send("PATCH", "/console/api/platform/people/1", { json: { role: "staff" } }),
    await ada!.send("DELETE", "/console/api/platform/people/1"),
    await ada!.send("DELETE", `/console/api/platform/people/1/passkeys/${passkeys[0]!.id}`),
  ];
  for (const refused of refusals) expect(await faultOf(refused)).toBe("409 last_administrator");
  const renamed = await ada!.send("PATCH", "/console/api/platform/people/1", {
    json: { name: "Ada King" },
  });
  expect(renamed.status).toBe(200);
});

test("the last administrator may be removed while a key with all scopes exists", async () => {
  const { store, people } = await withoutKeys(["administrator"]);
  await store.createKey({ scopes: ["*"] });
  expect((await people[0]!.send("DELETE", "/console/api/platform/people/1")).status).toBe(204);
});

test("the last admin key may be revoked once an administrator has a passkey", async () => {
  const store = await openStore();
  const { token } = await invite(store, { role: "administrator" });
  expect(await faultOf(await store.call("DELETE", "/platform/keys/1"))).toBe("409 last_admin_key");
  await visitor(store).accept(token);
  expect((await store.call("DELETE", "/platform/keys/1")).status).toBe(204);
});

test("one administrator stays when two remove each other at the same time", async () => {
  const { people } = await withoutKeys(["administrator", "administrator"]);
  const responses = await Promise.all([
    people[0]!.send("DELETE", "/console/api/platform/people/2"),
    people[1]!.send("DELETE", "/console/api/platform/people/1"),
  ]);
  const statuses = responses.map(({ status }) => status).toSorted();
  expect(statuses[0]).toBe(204);
  expect([401, 409]).toContain(statuses[1]!);
});
