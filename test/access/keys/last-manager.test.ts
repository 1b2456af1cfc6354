import { describe, expect, test } from "bun:test";
import type { NewKey } from "../../../src/access/keys/repository.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { GRANTS, type Grant } from "../../../src/http/scopes.ts";
import { invite, signedIn } from "../people/visitor.ts";
import { type Store, faultOf, openStore } from "../../support/store.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 20);

const createKey = async (store: Store, key: Partial<NewKey>): Promise<number> =>
  (await store.keys.create({ name: "other", scopes: ["*"], ...key }, OPERATOR)).key.id;

const statusOf = async (response: Response) => (response.ok ? `${response.status}` : faultOf(response));

/** The access that remains, and whether a key or person with all scopes may go. */
const REMAINING: [title: string, add: (store: Store) => Promise<unknown>, mayGo: boolean][] = [
  ["nothing", async () => {}, false],
  ["a key with *", (store) => createKey(store, {}), true],
  [
    "a key with * and a rate limit",
    (store) => createKey(store, { rate: { requests: 5, seconds: 3600 } }),
    true,
  ],
  ["a key with * that expires", (store) => createKey(store, { expiresAt: NOW + 9 * HOUR }), false],
  [
    "a key with * that was revoked",
    async (store) => store.keys.revoke(await createKey(store, {}), OPERATOR),
    false,
  ],
  ["a key with keys:admin", (store) => createKey(store, { scopes: ["keys:admin"] }), false],
  [
    "a key with keys:admin and pets:read",
    (store) => createKey(store, { scopes: ["keys:admin", "pets:read"] }),
    false,
  ],
  [
    "a key with every scope of this version",
    (store) => createKey(store, { scopes: GRANTS.filter((grant) => grant !== "*") }),
    false,
  ],
  [
    "a key with every scope but keys:admin",
    (store) =>
      createKey(store, { scopes: GRANTS.filter((grant) => grant !== "*" && grant !== "keys:admin") }),
    false,
  ],
  ["an administrator with a passkey", (store) => signedIn(store, { role: "administrator" }), true],
  ["an administrator who has not joined", (store) => invite(store, { role: "administrator" }), false],
  ["a staff member", (store) => signedIn(store, { role: "staff" }), false],
  [
    "a removed administrator",
    async (store) => {
      const { id } = await signedIn(store, { role: "administrator" });
      expect((await store.call("DELETE", `/platform/people/${id}`)).status).toBe(204);
    },
    false,
  ],
];

describe.each(REMAINING)("with %s left", (_, add, mayGo) => {
  const expected = (done: string, refused: string) => (mayGo ? done : refused);

  test("the key with all scopes is revoked only if all scopes remain grantable", async () => {
    const store = await openStore();
    await add(store);
    const revoked = await store.call("DELETE", "/platform/keys/1");
    expect(await statusOf(revoked)).toBe(expected("204", "409 last_admin_key"));
    const path = "/platform/keys/1?force=true";
    expect((await store.call("GET", "/platform/keys/1")).status).toBe(mayGo ? 401 : 200);
    expect((await store.call("DELETE", path)).status).toBe(mayGo ? 401 : 204);
  });

  test.each<[string, (id: number) => [method: string, path: string, json?: object], string]>([
    ["demoted", (id) => ["PATCH", `people/${id}`, { role: "staff" }], "200"],
    ["removed", (id) => ["DELETE", `people/${id}`], "204"],
    ["left without a passkey", (id) => ["DELETE", `people/${id}/passkeys/1`], "204"],
  ])("the administrator is %s only if that keeps all scopes grantable", async (_action, request, done) => {
    const store = await openStore();
    const grace = await signedIn(store, { role: "administrator", email: "grace@example.org" });
    await add(store);
    await store.keys.revoke(1, OPERATOR, { force: true });
    const [method, path, json] = request(grace.id);
    const response = await grace.send(method, `/console/api/platform/${path}`, json ? { json } : {});
    expect(await statusOf(response)).toBe(expected(done, "409 last_administrator"));
  });
});

test.each<[scopes: Grant[], others: Partial<NewKey>[], mayGo: boolean]>([
  [["keys:admin", "pets:write"], [{ scopes: ["keys:admin", "orders:read"] }], false],
  [["keys:admin", "pets:write"], [{ scopes: ["keys:admin"] }, { scopes: ["pets:write"] }], false],
  [["keys:admin", "pets:write"], [{ scopes: ["keys:admin", "pets:write", "orders:read"] }], true],
  [
    ["keys:admin", "pets:write", "orders:read"],
    [{ scopes: ["keys:admin", "pets:write"] }, { scopes: ["keys:admin", "orders:read"] }],
    true,
  ],
  [["keys:admin"], [{ scopes: ["people:admin", "pets:read"] }], false],
  [["pets:write"], [], true],
  [["people:admin", "pets:read"], [], true],
])("a key with the scopes %j is revoked next to %j: %p", async (scopes, others, mayGo) => {
  const store = await openStore();
  const id = await createKey(store, { scopes });
  for (const other of others) await createKey(store, other);
  await store.keys.revoke(1, OPERATOR, { force: true });
  const revoked = store.keys.revoke(id, OPERATOR);
  if (mayGo) await revoked;
  else expect(await revoked.catch((error: unknown) => error)).toMatchObject({ code: "last_admin_key" });
});

test.each([
  [5 * HOUR, 5 * HOUR, true],
  [5 * HOUR, 6 * HOUR, true],
  [5 * HOUR, 5 * HOUR - 1, false],
])(
  "a key that expires in %d ms is revoked next to one that expires in %d ms: %p",
  async (own, other, mayGo) => {
    const store = await openStore();
    const id = await createKey(store, { expiresAt: NOW + own });
    await createKey(store, { expiresAt: NOW + other });
    await store.keys.revoke(1, OPERATOR, { force: true });
    const revoked = store.keys.revoke(id, OPERATOR);
    if (mayGo) await revoked;
    else expect(await revoked.catch((error: unknown) => error)).toMatchObject({ code: "last_admin_key" });
  },
);

test("the last key with all scopes keeps them when it is rotated without a grace period", async () => {
  const store = await openStore();
  const rotated = await store.call("POST", "/platform/keys/1/rotate", { json: { graceSeconds: 0 } });
  const { secret } = (await rotated.json()) as { secret: string };
  expect((await store.call("GET", "/platform/people", { key: store.key })).status).toBe(401);
  expect((await store.call("GET", "/platform/people", { key: secret })).status).toBe(200);
  expect(await faultOf(await store.call("DELETE", "/platform/keys/1", { key: secret }))).toBe(
    "409 last_admin_key",
  );
});
