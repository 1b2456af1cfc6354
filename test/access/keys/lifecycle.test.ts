import { expect, test } from "bun:test";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { signedIn } from "../people/visitor.ts";
import {
  faultOf,
  messageOf,
  openOnce,
  openStore,
  temporaryDirectory,
  type Store,
} from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const DAY = 86_400_000;

/** For requests that are refused. */
const shared = openOnce(openStore);

const statusWith = async (store: Store, key: string) => (await store.call("GET", "/v1/pets", { key })).status;

const createKey = async (store: Store, wishes: Record<string, unknown> = {}) => {
  const response = await store.call("POST", "/platform/keys", {
    json: { name: "web", scopes: ["pets:read"], ...wishes },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: number; secret: string } & Record<string, unknown>;
};

test("a key over HTTP is created with the requested fields, and its secret works", async () => {
  const store = await openStore();
  const key = await createKey(store, { rateLimit: "600/min", expiresAt: "2030-12-05T00:00:00Z" });
  expect(key).toMatchObject({
    name: "web",
    scopes: ["pets:read"],
    rateLimit: "600/min",
    expiresAt: "2030-12-05T00:00:00.000Z",
    prefix: key.secret.slice(0, 8),
  });
  expect(await statusWith(store, key.secret)).toBe(200);
});

test("a key shows its secret only when it is created", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  await statusWith(store, secret);
  await store.keys.flush();
  const rest = secret.slice(8);
  for (const path of ["/platform/keys", `/platform/keys/${id}`, "/metrics"])
    expect(await (await store.call("GET", path)).text()).not.toContain(rest);
  expect(JSON.stringify(store.log)).not.toContain(rest);
  expect(JSON.stringify(store.database.client.query("select * from secrets join keys").all())).not.toContain(
    rest,
  );
});

test.each([
  [{ name: "" }, "name: must be"],
  [{ scopes: [] }, "scopes: must name one scope or more, each only once"],
  [{ scopes: ["pets:fly"] }, "scopes.0: must be one of *, pets:read"],
  [{ scopes: "pets:read" }, "scopes: "],
  [{ rateLimit: "fast" }, "rateLimit: must be a number of requests and a window"],
  [{ expiresAt: "tomorrow" }, "expiresAt: must be a time"],
  [{ expiresAt: "2030-02-30T00:00:00Z" }, "expiresAt: must be a time"],
  [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt: must be in the future"],
  [{ expiresAt: "9999-12-31T23:59:59-01:00" }, "expiresAt: must be a time"],
  [{ secret: "mine" }, "secret: is not a known field"],
])("a key is refused with %j", async (wishes, reason) => {
  const response = await shared().call("POST", "/platform/keys", {
    json: { name: "web", scopes: ["pets:read"], ...wishes },
  });
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toContain(reason);
});

test("keys are listed in pages", async () => {
  const store = await openStore();
  for (let at = 0; at < 4; at++) await createKey(store);
  const first = await store.call("GET", "/platform/keys?limit=3");
  expect(((await first.json()) as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3]);
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  const second = await store.call("GET", next);
  expect(((await second.json()) as { id: number }[]).map(({ id }) => id)).toEqual([4, 5]);
  expect(second.headers.get("link")).toBeNull();
});

test("a key stops working with the next request after it is revoked, and can be revoked again", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  expect(await statusWith(store, secret)).toBe(200);
  expect((await store.call("DELETE", `/platform/keys/${id}`)).status).toBe(204);
  expect(await statusWith(store, secret)).toBe(401);
  expect((await store.call("DELETE", `/platform/keys/${id}`)).status).toBe(204);
  expect(await (await store.call("GET", `/platform/keys/${id}`)).json()).toMatchObject({
    revokedAt: "2026-11-20T00:00:00.000Z",
  });
});

test("a key expires to the millisecond", async () => {
  const store = await openStore();
  const { secret } = await createKey(store, { expiresAt: "2026-11-21T00:00:00Z" });
  store.clock.advance(DAY - 1);
  expect(await statusWith(store, secret)).toBe(200);
  store.clock.advance(1);
  expect(await statusWith(store, secret)).toBe(401);
});

test("a key gets a new secret by rotation, and the old secret stays valid for the grace period", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  const rotated = await store.call("POST", `/platform/keys/${id}/rotate`, { json: { graceSeconds: 60 } });
  const { secret: fresh } = (await rotated.json()) as { secret: string };
  expect([await statusWith(store, secret), await statusWith(store, fresh)]).toEqual([200, 200]);
  store.clock.advance(60_000);
  expect([await statusWith(store, secret), await statusWith(store, fresh)]).toEqual([401, 200]);
});

test("a key keeps the earlier expiry of an old secret when it is rotated again", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  const rotate = (graceSeconds: number) =>
    store.call("POST", `/platform/keys/${id}/rotate`, { json: { graceSeconds } });
  await rotate(10);
  await rotate(1000);
  store.clock.advance(10_000);
  expect(await statusWith(store, secret)).toBe(401);
});

test("a revoked key cannot be rotated, and an unknown one gets 404", async () => {
  const store = await openStore();
  const { id } = await createKey(store);
  await store.call("DELETE", `/platform/keys/${id}`);
  expect(await faultOf(await store.call("POST", `/platform/keys/${id}/rotate`, { json: {} }))).toBe(
    "409 key_revoked",
  );
  expect(await faultOf(await store.call("POST", "/platform/keys/99/rotate", { json: {} }))).toBe(
    "404 not_found",
  );
  expect(await faultOf(await store.call("DELETE", "/platform/keys/99"))).toBe("404 not_found");
  expect(await faultOf(await store.call("GET", "/platform/keys/x"))).toBe("404 not_found");
});

test("a key that expires cannot create a key that is valid for longer", async () => {
  const store = await openStore();
  const key = await store.createKey({ expiresAt: Date.UTC(2026, 11, 1) });
  const until = (expiresAt?: string) =>
    store.call("POST", "/platform/keys", {
      key,
      json: { name: "web", scopes: ["pets:read"], ...(expiresAt && { expiresAt }) },
    });
  expect((await until("2026-11-30T00:00:00Z")).status).toBe(201);
  for (const longer of [undefined, "2026-12-02T00:00:00Z"])
    expect(await faultOf(await until(longer))).toBe("403 insufficient_scope");
});

test("keys are not listed with the cursor of another list", async () => {
  const store = await openStore();
  for (const path of ["/v1/pets", "/v1/pets"])
    await store.call("POST", path, { json: { name: "x", categoryId: 1 } });
  const link = (await store.call("GET", "/v1/pets?limit=1")).headers.get("link") ?? "";
  const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
  expect(await faultOf(await store.call("GET", `/platform/keys?cursor=${cursor}`))).toBe(
    "400 invalid_cursor",
  );
});

test("a key cannot be rotated with graceSeconds as digits in a string", async () => {
  const store = await openStore();
  const response = await store.call("POST", "/platform/keys/1/rotate", { json: { graceSeconds: "5" } });
  expect(await faultOf(response)).toBe("400 invalid_request");
});

test("a key cannot create, rotate or revoke a key with more privileges", async () => {
  const store = await openStore();
  const key = await store.createKey({ scopes: ["keys:admin", "pets:read"] });
  const json = (scopes: string[]) => ({ key, json: { name: "web", scopes } });
  expect((await store.call("POST", "/platform/keys", json(["pets:read"]))).status).toBe(201);
  for (const scopes of [["*"], ["pets:read", "pets:write"]])
    expect(await faultOf(await store.call("POST", "/platform/keys", json(scopes)))).toBe(
      "403 insufficient_scope",
    );
  expect(await faultOf(await store.call("POST", "/platform/keys/1/rotate", { key, json: {} }))).toBe(
    "403 insufficient_scope",
  );
  expect(await faultOf(await store.call("DELETE", "/platform/keys/1", { key }))).toBe(
    "403 insufficient_scope",
  );
});

test("a key that another process revokes is refused from the next request on", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const [server, operator] = [await openStore({ path }), await openStore({ path })];
  for (let at = 0; at < 20; at++) {
    const { key, secret } = await operator.keys.create({ name: "web", scopes: ["pets:read"] }, OPERATOR);
    expect(await statusWith(server, secret)).toBe(200);
    await operator.keys.revoke(key.id, OPERATOR);
    expect(await statusWith(server, secret)).toBe(401);
  }
});

test("the first key is created once, for an empty database, after its secret is saved", async () => {
  const store = await openStore();
  store.database.client.run("delete from secrets");
  store.database.client.run("delete from keys");
  const savedSecrets: string[] = [];
  const file = {
    save: async (secret: string) => void savedSecrets.push(secret),
    remove: async () => void savedSecrets.pop(),
  };
  expect((await store.keys.createFirst(file))?.name).toBe("admin");
  expect(await store.keys.createFirst(file)).toBeUndefined();
  expect(savedSecrets).toHaveLength(1);
  expect(await statusWith(store, savedSecrets[0] ?? "")).toBe(200);
});

test("the first key is created by one of the processes that start together, and the others remove the secrets that they have saved", async () => {
  const store = await openStore();
  store.database.client.run("delete from secrets");
  store.database.client.run("delete from keys");
  const files = Array.from({ length: 3 }, () => new Set<string>());
  const created = await Promise.all(
    files.map((file) =>
      store.keys.createFirst({
        save: async (secret) => void file.add(secret),
        remove: async () => file.clear(),
      }),
    ),
  );
  expect(created.map((key) => key?.name)).toEqual(["admin", undefined, undefined]);
  expect(files.map(({ size }) => size)).toEqual([1, 0, 0]);
  expect(await store.keys.list({ after: 0, limit: 10 })).toHaveLength(1);
  expect(store.database.client.query("select count(*) as n from secrets").get()).toEqual({ n: 1 });
});

test("the first key is not created if an administrator can sign in and create keys", async () => {
  const store = await openStore();
  await signedIn(store, { role: "administrator" });
  await store.keys.revoke(1, OPERATOR);
  const file = { save: async () => {}, remove: async () => {} };
  expect(await store.keys.createFirst(file)).toBeUndefined();
});

test("the first key does not exist if its secret could not be saved", async () => {
  const store = await openStore();
  store.database.client.run("delete from secrets");
  store.database.client.run("delete from keys");
  const refuse = () => Promise.reject(new Error("disk full"));
  const file = { save: refuse, remove: async () => {} };
  expect(await outcomeOf(store.keys.createFirst(file))).toThrow("disk full");
  expect(await store.keys.list({ after: 0, limit: 1 })).toEqual([]);
});

test("a time of last use that could not be stored is stored later", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  await statusWith(store, secret);
  store.database.writer.run("PRAGMA query_only=ON");
  expect(await outcomeOf(store.keys.flush())).toThrow();
  store.database.writer.run("PRAGMA query_only=OFF");
  await store.keys.flush();
  expect((await store.keys.get(id)).lastUsedAt).toBeDefined();
});

test("the time of last use is stored in batches and never moves back", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  store.clock.advance(5000);
  await statusWith(store, secret);
  expect((await store.keys.get(id)).lastUsedAt).toBeUndefined();
  await store.keys.flush();
  expect((await store.keys.get(id)).lastUsedAt).toBe(Date.UTC(2026, 10, 20) + 5000);
  store.clock.advance(-4000);
  await statusWith(store, secret);
  await store.keys.flush();
  expect((await store.keys.get(id)).lastUsedAt).toBe(Date.UTC(2026, 10, 20) + 5000);
});

test("a key has its number of calls to deprecated operations, in the list and by itself", async () => {
  const store = await openStore();
  const { id, secret } = await createKey(store);
  const readDeprecatedCalls = async () => {
    const [one, all] = await Promise.all(
      [`/platform/keys/${id}`, "/platform/keys"].map(async (path) => (await store.call("GET", path)).json()),
    );
    return [one, ...(all as object[])].map((key) => (key as { deprecatedCalls: number }).deprecatedCalls);
  };
  expect(await readDeprecatedCalls()).toEqual([0, 0, 0]);
  for (const path of ["/v1/pets/1", "/v1/pets/2", "/v1/pets"]) await store.call("GET", path, { key: secret });
  expect(await readDeprecatedCalls()).toEqual([2, 0, 2]);
});
