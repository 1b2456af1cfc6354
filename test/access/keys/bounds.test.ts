import { expect, test } from "bun:test";
import type { NewKey } from "../../../src/access/keys/repository.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { type Store, faultOf, messageOf, openStore, temporaryDirectory } from "../../support/store.ts";

const SECOND = 1000;
const soon = (store: Store) => store.clock.now() + 20 * SECOND;

const createKey = async (store: Store, key: Partial<NewKey>) => {
  const keyWithSecret = await store.keys.create({ name: "test", scopes: ["*"], ...key }, OPERATOR);
  return { id: keyWithSecret.key.id, secret: keyWithSecret.secret };
};

const rotate = (store: Store, key: string, id: number, graceSeconds = 0) =>
  store.call("POST", `/platform/keys/${id}/rotate`, { key, json: { graceSeconds } });
const revoke = (store: Store, key: string, id: number, query = "") =>
  store.call("DELETE", `/platform/keys/${id}${query}`, { key });
const create = (store: Store, key: string, wishes: object) =>
  store.call("POST", "/platform/keys", { key, json: { name: "child", scopes: ["pets:read"], ...wishes } });

test("a key that expires cannot rotate or revoke a key that never expires or expires later", async () => {
  const store = await openStore();
  const { secret } = await createKey(store, { expiresAt: soon(store) });
  for (const expiresAt of [undefined, soon(store) + 1]) {
    const { id } = await createKey(store, { expiresAt });
    expect(await faultOf(await rotate(store, secret, id))).toBe("403 insufficient_scope");
    expect(await messageOf(await revoke(store, secret, id))).toContain("2026-11-20T00:00:20.000Z");
    expect((await store.keys.get(id)).revokedAt).toBeUndefined();
  }
});

test("a key that expires can rotate and revoke a key that expires no later", async () => {
  const store = await openStore();
  const { secret } = await createKey(store, { expiresAt: soon(store) });
  const { id } = await createKey(store, { expiresAt: soon(store) });
  expect((await rotate(store, secret, id)).status).toBe(200);
  expect((await revoke(store, secret, id)).status).toBe(204);
});

test("a key that expires can rotate itself, and keeps its expiry", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store, { expiresAt: soon(store) });
  const rotated = (await (await rotate(store, secret, id)).json()) as { secret: string; expiresAt: string };
  expect(rotated.expiresAt).toBe("2026-11-20T00:00:20.000Z");
  store.clock.advance(20 * SECOND - 1);
  expect((await store.call("GET", "/v1/pets", { key: rotated.secret })).status).toBe(200);
  store.clock.advance(1);
  expect((await store.call("GET", "/v1/pets", { key: rotated.secret })).status).toBe(401);
});

test("a secret that expires because its key was rotated cannot rotate that key, nor create, rotate or revoke a key that is valid for longer", async () => {
  const store = await openStore();
  const { id, secret: old } = await createKey(store, {});
  const { secret: newest } = (await (await rotate(store, store.key, id, 60)).json()) as { secret: string };
  for (const call of [
    () => rotate(store, old, id),
    () => create(store, old, {}),
    () => rotate(store, old, 1),
    () => revoke(store, old, id),
  ])
    expect(await faultOf(await call())).toBe("403 insufficient_scope");
  expect((await create(store, old, { expiresAt: "2026-11-20T00:01:00Z" })).status).toBe(201);
  expect((await rotate(store, newest, id)).status).toBe(200);
});

test.each([
  [{ rateLimit: "100/s" }, 201],
  [{ rateLimit: "99/s" }, 201],
  [{ rateLimit: "100/h" }, 201],
  [{ rateLimit: "101/s" }, 403],
  [{ rateLimit: "6000/min" }, 403],
  [{}, 403],
])("a key with a rate limit of 100/s creates a key with %j: %p", async (wishes, status) => {
  const store = await openStore();
  const { secret } = await createKey(store, { rate: { requests: 100, seconds: 1 } });
  expect((await create(store, secret, wishes)).status).toBe(status);
});

test("a key with a rate limit can rotate itself, but cannot rotate or revoke a key with a looser limit or none", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store, { rate: { requests: 100, seconds: 1 } });
  for (const rate of [undefined, { requests: 101, seconds: 1 }, { requests: 200, seconds: 60 }]) {
    const other = await createKey(store, { rate });
    expect(await faultOf(await rotate(store, secret, other.id))).toBe("403 insufficient_scope");
    expect(await faultOf(await revoke(store, secret, other.id))).toBe("403 insufficient_scope");
  }
  const rotated = await rotate(store, secret, id);
  expect(await rotated.json()).toMatchObject({ rateLimit: "100/s" });
});

test("the last usable key that can manage keys is revoked over HTTP only with force", async () => {
  const store = await openStore();
  for (const query of ["", "?force=false"])
    expect(await faultOf(await revoke(store, store.key, 1, query))).toBe("409 last_admin_key");
  expect((await store.call("GET", "/v1/pets")).status).toBe(200);
  expect((await revoke(store, store.key, 1, "?force=true")).status).toBe(204);
  expect((await store.call("GET", "/v1/pets")).status).toBe(401);
});

test.each(["?force=yes", "?force=", "?force", "?force=true&force=true"])(
  "the last usable key that can manage keys is not revoked with %s, which gets 400",
  async (query) => {
    const store = await openStore();
    expect(await faultOf(await revoke(store, store.key, 1, query))).toBe("400 invalid_request");
  },
);

test.each<[string, Partial<NewKey>, number]>([
  ["another with *", { scopes: ["*"] }, 204],
  ["another that has expired", { expiresAt: Date.UTC(2026, 10, 20) + SECOND }, 409],
  ["another that cannot manage keys", { scopes: ["pets:read", "pets:write"] }, 409],
])("a key that can manage keys is revoked next to %s: %p", async (_, other, status) => {
  const store = await openStore();
  await createKey(store, other);
  store.clock.advance(SECOND);
  expect((await revoke(store, store.key, 1)).status).toBe(status);
});

test("the last usable key that can manage keys does not prevent other keys from being revoked", async () => {
  const store = await openStore();
  const { id } = await createKey(store, { scopes: ["pets:read"] });
  expect((await revoke(store, store.key, id)).status).toBe(204);
});

test("the last usable key that can manage keys remains when the last two are revoked concurrently, by one server or by two", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const [one, other] = [await openStore({ path }), await openStore({ path })];
  let last = { id: 1, secret: one.key };
  let next = { id: 2, secret: other.key };
  for (let round = 0; round < 20; round++) {
    const statuses = await Promise.all([
      revoke(one, last.secret, last.id).then(({ status }) => status),
      revoke(round % 2 === 0 ? one : other, next.secret, next.id).then(({ status }) => status),
    ]);
    expect(statuses.toSorted()).toEqual([204, 409]);
    if (statuses[0] === 204) last = next;
    next = await createKey(one, {});
  }
});

test("a revoked key cannot be rotated: it gets 409 key_revoked, even if it has expired too", async () => {
  const store = await openStore();
  const { id } = await createKey(store, { expiresAt: soon(store) });
  await revoke(store, store.key, id);
  expect(await faultOf(await rotate(store, store.key, id))).toBe("409 key_revoked");
  store.clock.advance(60 * SECOND);
  expect(await faultOf(await rotate(store, store.key, id))).toBe("409 key_revoked");
});

test("an expired key cannot be rotated: it gets 409 key_expired", async () => {
  const store = await openStore();
  const { id } = await createKey(store, { expiresAt: soon(store) });
  store.clock.advance(20 * SECOND);
  expect(await faultOf(await rotate(store, store.key, id))).toBe("409 key_expired");
});
