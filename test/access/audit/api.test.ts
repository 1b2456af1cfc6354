import { expect, test } from "bun:test";
import { openAudit } from "../../../src/access/audit/service.ts";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import { record } from "../../../src/data/db/audit.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { openProject } from "../../platform/domains/projects.ts";
import {
  type Store,
  type StoreSettings,
  addPet,
  faultOf,
  openOnce,
  openStore,
  testClock,
} from "../../support/store.ts";

interface WireEntry {
  id: number;
  at: string;
  actor: { kind: string; id?: number; name?: string };
  action: string;
  resource: { kind: string; id: string; name?: string };
  changes: unknown[];
}

const ADOPTER = { name: "Ada Byron", email: "ada.byron@example.org" };

const read = async (store: Store, path: string, key?: string): Promise<WireEntry[]> =>
  (await (await store.call("GET", path, key === undefined ? {} : { key })).json()) as WireEntry[];

const actionsOf = (entries: readonly WireEntry[]) =>
  entries.map(({ action, resource: { id } }) => `${action} ${id}`);

/** An animal that was added, adopted and given back, a second one, and a category. */
const openBusyStore = async () => {
  const store = await openStore();
  await addPet(store, { status: "available" });
  store.clock.advance(60_000);
  await store.call("POST", "/v1/store/orders", {
    json: { petId: 1, adopter: ADOPTER, note: "Has a garden" },
  });
  await store.call("POST", "/v1/store/orders/1/cancel", { json: {} });
  store.clock.advance(60_000);
  const frontDesk = await store.createKey({ name: "front desk", scopes: ["pets:write"] });
  await store.call("POST", "/v1/pets", { key: frontDesk, json: { name: "Luna", categoryId: 1 } });
  await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  return store;
};

/** For tests that change nothing. */
const busy = openOnce(openBusyStore);

test.each<[query: string, expected: string[]]>([
  ["actor=key:2", ["pet.added 2"]],
  ["actor=operator", ["key.created 2", "key.created 1"]],
  ["actor=person", []],
  ["actor=service", []],
  ["action=pet.added", ["pet.added 2", "pet.added 1"]],
  ["resource=pet", ["pet.added 2", "pet.added 1"]],
  ["resource=pet:1", ["pet.added 1"]],
  ["resource=order:1", ["order.cancelled 1", "order.placed 1"]],
  ["since=2026-11-20T00:02:00Z", ["category.added 1", "pet.added 2", "key.created 2"]],
  ["until=2026-11-20T00:01:00Z", ["pet.added 1", "key.created 1"]],
  ["since=2026-11-20T00:01:00Z&until=2026-11-20T00:02:00Z", ["order.cancelled 1", "order.placed 1"]],
  ["actor=key:1&resource=pet", ["pet.added 1"]],
  ["since=2026-11-20T00:05:00Z", []],
  ["until=2026-11-19T00:00:00Z", []],
  ["resource=pet:1&action=pet.changed", []],
])("the audit log can be filtered by %s", async (query, expected) => {
  expect(actionsOf(await read(busy(), `/platform/audit?${query}`))).toEqual(expected);
});

test.each([
  "actor=somebody",
  "actor=operator:1",
  "actor=key:0",
  "actor=key:x",
  "resource=cat",
  "resource=pet:",
  "action=pet",
  "since=yesterday",
])("the audit log refuses the filter %s", async (query) => {
  expect(await faultOf(await busy().call("GET", `/platform/audit?${query}`))).toBe("400 invalid_request");
});

test("the audit log comes in pages, newest first, whose link keeps the filters", async () => {
  const store = busy();
  const all = await read(store, "/platform/audit?limit=100");
  expect(all).toHaveLength(7);
  const found: WireEntry[] = [];
  for (let path: string | undefined = "/platform/audit?limit=2&since=2026-11-20T00:00:00Z"; path;) {
    const response = await store.call("GET", path);
    found.push(...((await response.json()) as WireEntry[]));
    path = /^<([^>]+)>/.exec(response.headers.get("link") ?? "")?.[1];
  }
  expect(found).toEqual(all);
  expect(found.map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1]);
});

test("the audit log refuses the cursor of other filters", async () => {
  const store = busy();
  const cursor = (await store.call("GET", "/platform/audit?limit=2")).headers.get("next-cursor");
  expect((await store.call("GET", `/platform/audit?limit=1&cursor=${cursor}`)).status).toBe(200);
  expect(await faultOf(await store.call("GET", `/platform/audit?actor=key&cursor=${cursor}`))).toBe(
    "400 invalid_cursor",
  );
});

test("the audit log is for keys with the scope audit:read", async () => {
  const store = await openStore();
  const auditor = await store.createKey({ scopes: ["audit:read"] });
  expect((await store.call("GET", "/platform/audit", { key: auditor })).status).toBe(200);
  const admin = await store.createKey({ scopes: ["keys:admin"] });
  expect(await faultOf(await store.call("GET", "/platform/audit", { key: admin }))).toBe(
    "403 insufficient_scope",
  );
});

test("the audit log has the name that a key had at the time", async () => {
  const store = await openBusyStore();
  store.database.client.run("UPDATE keys SET name = 'renamed'");
  const [entry] = await read(store, "/platform/audit?action=pet.added");
  expect(entry?.actor).toEqual({ kind: "key", id: 2, name: "front desk" });
});

test("the audit log finds the only entry of a key among a hundred thousand", async () => {
  const store = await openStore();
  const { client } = store.database;
  client.run(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
      INSERT INTO audit_entries (at, actor, actor_id, actor_name, action, resource, resource_id)
      SELECT 1, 'key', iif(n = 5, 77, 1), 'website', 'pet.added', 'pet', n FROM numbers`);
  expect(actionsOf(await read(store, "/platform/audit?actor=key:77"))).toEqual(["pet.added 5"]);
  expect(actionsOf(await read(store, "/platform/audit?actor=key:1&limit=1"))).toEqual(["pet.added 100000"]);
});

test("the history of an animal has its adoptions too, for keys that may read orders", async () => {
  const store = await openBusyStore();
  expect(actionsOf(await read(store, "/v1/pets/1/history"))).toEqual([
    "order.cancelled 1",
    "order.placed 1",
    "pet.added 1",
  ]);
  const website = await store.createKey({ scopes: ["pets:read"] });
  expect(actionsOf(await read(store, "/v1/pets/1/history", website))).toEqual(["pet.added 1"]);
});

test("the history of an animal outlives it", async () => {
  const store = await openBusyStore();
  await store.call("DELETE", "/v1/pets/1");
  expect(actionsOf(await read(store, "/v1/pets/1/history?limit=1"))).toEqual(["pet.deleted 1"]);
});

test("the history of an order has its steps", async () => {
  const store = await openBusyStore();
  expect(actionsOf(await read(store, "/v1/store/orders/1/history"))).toEqual([
    "order.cancelled 1",
    "order.placed 1",
  ]);
});

test("a category and a key have a history", async () => {
  const store = await openBusyStore();
  expect(actionsOf(await read(store, "/v1/categories/1/history"))).toEqual(["category.added 1"]);
  expect(actionsOf(await read(store, "/platform/keys/2/history"))).toEqual(["key.created 2"]);
});

test("the history of a project has its deploys and domains", async () => {
  const { store, add } = await openProject();
  await add("docs.example.org");
  expect(actionsOf(await read(store, "/platform/projects/docs/history"))).toEqual([
    "domain.added docs.example.org",
    "deploy.published 1",
    "project.created docs",
  ]);
});

test.each(["/v1/pets/99/history", "/v1/pets/x/history", "/platform/projects/nothing/history"])(
  "a resource that does not exist has an empty history: %s",
  async (path) => {
    expect(await read(await openBusyStore(), path)).toEqual([]);
  },
);

test("a history comes in pages", async () => {
  const store = await openBusyStore();
  const first = await store.call("GET", "/v1/pets/1/history?limit=2");
  const next = /^<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  expect(actionsOf(await read(store, next))).toEqual(["pet.added 1"]);
  const other = next.replace("/pets/1/", "/pets/2/");
  expect(await faultOf(await store.call("GET", other))).toBe("400 invalid_cursor");
});

test("no entry contains an adopter's data or a secret, and an erasure leaves none", async () => {
  const store = await openBusyStore();
  await addPet(store, { status: "available" });
  await store.call("POST", "/v1/store/orders", {
    json: { petId: 3, adopter: ADOPTER, note: "Has a garden" },
  });
  const adopters = adopterRepository(store.database);
  await adopters.forget(ADOPTER.email, true, { actor: OPERATOR, now: store.clock.now() });
  expect(actionsOf(await read(store, "/platform/audit?actor=operator&resource=order"))).toEqual([
    "order.erased 2",
    "order.erased 1",
    "order.cancelled 2",
  ]);
  const text = JSON.stringify(store.database.client.query("SELECT * FROM audit_entries").all());
  for (const private_ of ["Ada", "Byron", "ada.byron", "garden", "aas_", store.key])
    expect(text).not.toContain(private_);
});

/** A log with so many entries, one a minute. */
const openLog = async (count: number, settings: StoreSettings = {}) => {
  const store = await openStore(settings);
  const { client } = store.database;
  client.run("DELETE FROM audit_entries");
  client.run(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
     INSERT INTO audit_entries (id, at, actor, action, resource, resource_id)
     SELECT n, n * 60000, 'operator', 'pet.added', 'pet', n FROM numbers`,
  );
  const left = () => client.query<{ n: number }, []>("SELECT count(*) AS n FROM audit_entries").get()?.n;
  return { store, service: openAudit(store.context).audit, left };
};

const MINUTE_MS = 60_000;

test("since and until are exact where ids are missing and times are out of order", async () => {
  const { store, service } = await openLog(300);
  store.database.client.run("DELETE FROM audit_entries WHERE id < 20 OR id BETWEEN 100 AND 200");
  // Two writes that overlapped.
  store.database.client.run("UPDATE audit_entries SET at = 251 * 60000 WHERE id = 250");
  store.database.client.run("UPDATE audit_entries SET at = 250 * 60000 WHERE id = 251");
  const idsOf = async (since: number, until: number) => {
    const times = { since: since * MINUTE_MS, until: until * MINUTE_MS };
    return (await service.list({ ...times, limit: 100, cursor: undefined })).items.map(({ id }) => id);
  };
  expect(await idsOf(0, 22)).toEqual([21, 20]);
  expect(await idsOf(98, 203)).toEqual([202, 201, 99, 98]);
  expect(await idsOf(120, 180)).toEqual([]);
  expect(await idsOf(249, 251)).toEqual([251, 249]);
  expect(await idsOf(251, 253)).toEqual([252, 250]);
  expect(await idsOf(299, 400)).toEqual([300, 299]);
  expect(await idsOf(400, 500)).toEqual([]);
});

const DAY_MS = 86_400_000;

test("old entries are removed in small steps", async () => {
  const clock = testClock(10 * DAY_MS + 1000 * MINUTE_MS);
  const { service, left } = await openLog(1200, { clock, env: { AUDIT_DAYS: "10" } });
  expect(await service.sweep()).toBe(true);
  expect(left()).toBe(700);
  expect(await service.sweep()).toBe(false);
  expect(left()).toBe(201);
  expect(await service.sweep()).toBe(false);
  expect(left()).toBe(201);
});

test("old entries stay permanently if the setting is 0", async () => {
  const { service, left } = await openLog(10, { clock: testClock(1000 * DAY_MS), env: { AUDIT_DAYS: "0" } });
  expect(await service.sweep()).toBe(false);
  expect(left()).toBe(10);
});

test("a person's entries name the person", async () => {
  const store = await openStore();
  const actor = { kind: "person", id: 2, name: "Maria" } as const;
  const entry = { action: "pet.added", id: 1, label: "Bella" } as const;
  await store.database.commit([], () => record({ actor, now: 0 }, entry));
  const [found] = await read(store, "/platform/audit?actor=person:2");
  expect(found?.actor).toEqual(actor);
});
