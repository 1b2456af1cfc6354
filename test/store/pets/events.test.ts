import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { join } from "node:path";
import Ajv from "ajv/dist/2020";
import { petEventRepository } from "../../../src/store/pets/events/repository.ts";
import { petStreams } from "../../../src/store/pets/events/streams.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { NOW, backUp, copyDatabase, restoreTo, storeIn } from "../../operate/backups/stores.ts";
import { openOwnDatabase } from "../../support/database.ts";
import {
  type Call,
  type Store,
  addPet,
  atEnd,
  faultOf,
  messageOf,
  openStore,
  runInCommit,
  temporaryDirectory,
} from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** The migrations before the one that added events. */
const BEFORE_EVENTS = migrations.findIndex(({ tag }) => tag === "0004_shop");
const LIMITS = { total: 3, perCaller: 2, heartbeatMs: 15_000 };

interface Event {
  id: string;
  event: string;
  data: unknown;
}

/** The part of the OpenAPI document that describes the events. */
interface Document {
  paths: {
    "/pets/events": { get: { responses: { 200: { content: { "text/event-stream": { schema: object } } } } } };
  };
  components: object;
}

const fieldsOf = (block: string): Record<string, string> =>
  Object.fromEntries(
    block.split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(":") + 2)]),
  );

/** Follows the events as a browser would. */
const follow = async (store: Store, headers: Record<string, string> = {}, query = "", call: Call = {}) => {
  const response = await store.call("GET", `/v1/pets/events${query}`, { headers, ...call });
  if (response.status !== 200) throw new Error(`answered ${response.status} ${await response.text()}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  atEnd(() => reader.cancel());
  let text = "";
  const blocks = async (count: number): Promise<string[]> => {
    while (text.split("\n\n").length <= count) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream ended");
      text += value;
    }
    const all = text.split("\n\n");
    text = all.slice(count).join("\n\n");
    return all.slice(0, count);
  };
  const [first] = await blocks(1);
  return {
    response,
    first,
    next: async (count: number): Promise<Event[]> =>
      (await blocks(count)).map(fieldsOf).map(({ id = "", event = "", data = "null" }) => ({
        id,
        event,
        data: JSON.parse(data) as unknown,
      })),
    raw: blocks,
    /** Resolves when the stream has ended. */
    ended: async () => {
      while (!(await reader.read()).done);
    },
    leave: () => reader.cancel(),
  };
};

const rename = (store: Store, id: number, name: string) =>
  store.call("PATCH", `/v1/pets/${id}`, { json: { name } });

/** A store with this many added animals. */
const withEvents = async (count: number): Promise<Store> => {
  const store = await openStore();
  await runInCommit(
    store.database,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO pets (name, category_id, created_at) SELECT 'Bella', 1, 0 FROM n`,
    [count],
  );
  return store;
};

const BELLA = { id: 1, name: "Bella", categoryId: 1 };

test("GET /v1/pets/events sends changes from now on, with the animal as it is now", async () => {
  const store = await openStore();
  await addPet(store, {});
  const stream = await follow(store);
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  expect(stream.response.headers.get("cache-control")).toContain("no-cache");
  expect(stream.response.headers.get("x-stability")).toBe("beta");
  expect(stream.response.headers.get("x-request-id")).not.toBeNull();
  expect(stream.first).toBe("retry: 2000\nid: 1");
  await addPet(store, { name: "Rex", status: "sold" });
  expect(await stream.next(1)).toEqual([
    { id: "2", event: "added", data: { id: 2, name: "Rex", categoryId: 1, status: "sold" } },
  ]);
  await rename(store, 1, "Luna");
  expect(await stream.next(1)).toEqual([{ id: "3", event: "changed", data: { ...BELLA, name: "Luna" } }]);
  store.database.client.run("DELETE FROM pets WHERE id = 1");
  await rename(store, 2, "Max");
  const [deleted] = await stream.next(2);
  expect(deleted).toEqual({ id: "4", event: "deleted", data: { id: 1 } });
});

test.each([
  ["the header", { "last-event-id": "1" }, ""],
  ["the query", {}, "?lastEventId=1"],
  ["the header rather than the query", { "last-event-id": "1" }, "?lastEventId=3"],
])("GET /v1/pets/events resumes after the event that %s names", async (_name, headers, query) => {
  const store = await openStore();
  for (let at = 0; at < 3; at++) await addPet(store, {});
  const stream = await follow(store, headers, query);
  expect((await stream.next(2)).map(({ id }) => id)).toEqual(["2", "3"]);
});

test("GET /v1/pets/events sends several batches in order, without a gap", async () => {
  const store = await openStore();
  for (let at = 0; at < 450; at++) await addPet(store, {});
  const stream = await follow(store, { "last-event-id": "0" });
  const ids = (await stream.next(450)).map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
});

test("GET /v1/pets/events sends the animal as it was after each action, with all digits of 64-bit integers", async () => {
  const store = await openStore();
  await store.call("POST", "/v1/pets", {
    headers: { "content-type": "application/json" },
    body: '{"name":"x","categoryId":9223372036854775807}',
  });
  await rename(store, 1, "y");
  await store.call("DELETE", "/v1/pets/1");
  const stream = await follow(store, { "last-event-id": "0" });
  expect(await stream.raw(3)).toEqual([
    'id: 1\nevent: added\ndata: {"id":1,"name":"x","categoryId":9223372036854775807}',
    'id: 2\nevent: changed\ndata: {"id":1,"name":"y","categoryId":9223372036854775807}',
    'id: 3\nevent: deleted\ndata: {"id":1}',
  ]);
});

test("each event conforms to the schema of its type in the document, and to no other", async () => {
  const store = await openStore();
  const document = (await (await store.call("GET", "/openapi.json", { key: false })).json()) as Document;
  const { schema } = document.paths["/pets/events"].get.responses[200].content["text/event-stream"];
  expect(schema).toEqual({
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { $ref: "#/components/schemas/PetEvent" },
  });
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "store", components: document.components });
  const types = ["Added", "Changed", "Deleted", "Reset"];
  await addPet(store, { status: "sold" });
  await rename(store, 1, "y");
  store.database.client.run(
    "INSERT INTO pet_events (kind, pet_id, name, category_id, part) VALUES ('changed', 1, 'y', 1, 'profile')",
  );
  await store.call("DELETE", "/v1/pets/1");
  const events = await (await follow(store, { "last-event-id": "0" })).next(4);
  const [reset] = await (await follow(store, { "last-event-id": "99" })).next(1);
  expect(events[2]?.data).toMatchObject({ name: "y", changed: ["profile"] });
  expect(
    [...events, reset].map((event) =>
      types.filter((type) => ajv.validate({ $ref: `store#/components/schemas/PetEvent${type}` }, event)),
    ),
  ).toEqual([["Added"], ["Changed"], ["Changed"], ["Deleted"], ["Reset"]]);
});

test("an event of an earlier version has the present animal, and is the deletion of one that is gone", async () => {
  const store = await openStore();
  await addPet(store, {});
  await addPet(store, {});
  await rename(store, 1, "Rex");
  const { client } = store.database;
  client.run("DELETE FROM pets WHERE id = 2");
  client.run("UPDATE pet_events SET name = NULL, category_id = NULL WHERE id < 3");
  const stream = await follow(store, { "last-event-id": "0" });
  expect((await stream.raw(2)).map((text) => text.replace(/,"categoryId.*/, ""))).toEqual([
    'id: 1\nevent: added\ndata: {"id":1,"name":"Rex"',
    'id: 2\nevent: deleted\ndata: {"id":2}',
  ]);
});

test("GET /v1/pets/events sends the changes that another process wrote", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  const other = await openOwnDatabase(path);
  const stream = await follow(store);
  await runInCommit(other, "INSERT INTO pets (name, category_id, created_at) VALUES ('Bella', 1, 0)");
  expect(await stream.next(1)).toEqual([{ id: "1", event: "added", data: BELLA }]);
  await stream.leave();
  await other.close();
});

test.each(["2", "99", "999999999999999"])(
  "GET /v1/pets/events after the event %s, with missing events in between, starts with a reset and continues from now on",
  async (last) => {
    const store = await openStore();
    for (let at = 0; at < 10; at++) await addPet(store, {});
    await petEventRepository(store.database).sweep(7);
    const stream = await follow(store, { "last-event-id": last });
    const [reset] = await stream.next(1);
    if (last === "2")
      expect(store.database.client.query("SELECT min(id) AS id FROM pet_events").get()).toEqual({ id: 4 });
    expect(reset).toMatchObject({ id: "10", event: "reset" });
    await addPet(store, {});
    expect((await stream.next(1)).map(({ id }) => id)).toEqual(["11"]);
  },
);

test("GET /v1/pets/events sends no reset to a client whose last event is the one before the oldest that is kept", async () => {
  const store = await openStore();
  for (let at = 0; at < 10; at++) await addPet(store, {});
  await petEventRepository(store.database).sweep(7);
  const stream = await follow(store, { "last-event-id": "3" });
  expect((await stream.next(7)).map(({ id }) => id)).toEqual(["4", "5", "6", "7", "8", "9", "10"]);
});

test("GET /v1/pets/events sends a reset to a client that read too slowly", async () => {
  const store = await openStore();
  const reader = (await store.call("GET", "/v1/pets/events")).body!.getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value as Uint8Array);
  expect(await read()).toStartWith("retry: ");
  for (let at = 0; at < 10; at++) await addPet(store, {});
  await petEventRepository(store.database).sweep(1);
  expect(await read()).toStartWith("id: 10\nevent: reset\n");
  await addPet(store, {});
  expect(await read()).toStartWith("id: 11\nevent: added\n");
  await reader.cancel();
});

test("GET /v1/pets/events lets other requests run between two batches of a stream that catches up", async () => {
  const store = await withEvents(10_000);
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(
    [1, 2, 3].map(async (last) => {
      const reader = (await store.call("GET", `/v1/pets/events?lastEventId=${last}`)).body!.getReader();
      const text = new TextDecoder();
      while (!text.decode((await reader.read()).value).includes("id: 10000\n"));
      await reader.cancel();
    }),
  );
  isDone = true;
  // Three times 50 pages, each in a separate turn.
  expect(turns).toBeGreaterThanOrEqual(149);
});

const blocksOf = async (store: Store, last: string, count: number) =>
  (await follow(store, { "last-event-id": last })).next(count);

/** A store that was backed up after 3 events, wrote 3 more, and was restored where it was, from `choose` of its backup. */
const restored = async (choose = (backup: string): string => backup) => {
  const before = temporaryDirectory();
  const source = await storeIn(before);
  for (const name of ["Ada", "Bella", "Carl"]) await addPet(source, { name });
  const file = choose((await backUp(before)).file);
  for (const name of ["Dora", "Emil", "Fido"]) await addPet(source, { name });
  const dataDir = temporaryDirectory();
  copyDatabase(before, dataDir);
  await restoreTo(dataDir, file);
  return { dataDir, file, store: await storeIn(dataDir) };
};

test.each(["2", "3", "6", "7", "9"])(
  "after a restore, a client that had read %s before it gets a reset, and then misses nothing",
  async (last) => {
    const { store } = await restored();
    const [reset] = await blocksOf(store, last, 1);
    expect(reset?.event).toBe("reset");
    for (let at = 0; at < 9; at++) await addPet(store, { name: `new ${at}` });
    expect((await blocksOf(store, last, 1))[0]?.event).toBe("reset");
    const after = await blocksOf(store, reset?.id ?? "", 9);
    expect(after.map(({ event, data }) => [event, (data as { name: string }).name])).toEqual(
      Array.from({ length: 9 }, (_, index) => ["added", `new ${index}`]),
    );
  },
);

test("after a restore, a new client starts with the next change", async () => {
  const { store } = await restored();
  const stream = await follow(store);
  const began = Number(/id: (\d+)$/.exec(stream.first ?? "")?.[1]);
  await addPet(store, { name: "new" });
  expect(await stream.next(1)).toMatchObject([{ id: String(began + 1), data: { name: "new" } }]);
});

test("after a restore, ids are above all earlier ids, even if the clock was set back or the backup comes from another machine", async () => {
  const { dataDir, file, store } = await restored();
  await addPet(store, {});
  const first = petEventRepository(store.database).bounds().newest;
  const again = temporaryDirectory();
  copyDatabase(dataDir, again);
  await restoreTo(again, file, 0);
  const second = petEventRepository((await storeIn(again)).database).bounds().newest;
  const elsewhere = join(temporaryDirectory(), "new");
  await restoreTo(elsewhere, file, NOW + 1);
  const third = petEventRepository((await storeIn(elsewhere)).database).bounds().newest;
  expect(first).toBeGreaterThan(6);
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(first);
  // As a header may have them.
  for (const id of [first, second, third]) expect(String(id).length).toBeLessThanOrEqual(15);
});

test("after a restore, ids are above all earlier ids, even if the backup is older than the table of events", async () => {
  const before = temporaryDirectory();
  const older = new Client(databasePath(before), { create: true, strict: true });
  migrate(older, migrations.slice(0, BEFORE_EVENTS));
  older.close();
  const { file } = await backUp(before);
  const { store } = await restored(() => file);
  for (let at = 0; at < 9; at++) await addPet(store, {});
  expect((await blocksOf(store, "6", 1))[0]?.event).toBe("reset");
});

test("GET /v1/pets/events sends a comment at each heartbeat while nothing changes", async () => {
  const store = await openStore({ streamLimits: { ...LIMITS, heartbeatMs: 20 } });
  const stream = await follow(store);
  expect(await stream.raw(2)).toEqual([":", ":"]);
});

test("GET /v1/pets/events sends nothing more to a revoked key", async () => {
  const store = await openStore();
  const stream = await follow(store, {}, "", { key: await store.createKey({ scopes: ["pets:read"] }) });
  await store.call("DELETE", "/platform/keys/2");
  await addPet(store, {});
  expect(await outcomeOf(stream.next(1))).toThrow("the stream ended");
});

test("GET /v1/pets/events ends when its key is revoked", async () => {
  const store = await openStore({ streamLimits: { ...LIMITS, heartbeatMs: 20 } });
  const revoked = await follow(store, {}, "", { key: await store.createKey({ scopes: ["pets:read"] }) });
  const expired = await follow(store, {}, "", {
    key: await store.createKey({ expiresAt: store.clock.now() + 1000 }),
  });
  await store.call("DELETE", "/platform/keys/2");
  store.clock.advance(2000);
  await Promise.all([revoked.ended(), expired.ended()]);
});

test("GET /v1/pets/events ends when the server stops", async () => {
  const store = await openStore();
  const stream = await follow(store);
  store.streams.stop();
  await stream.ended();
});

test("GET /v1/pets/events allows a key 200 open streams by default", async () => {
  const store = await openStore();
  const streams = await Promise.all(Array.from({ length: 200 }, () => follow(store)));
  expect(await faultOf(await store.call("GET", "/v1/pets/events"))).toBe("429 rate_limited");
  for (const stream of streams) await stream.leave();
});

test("GET /v1/pets/events limits the open streams of a key, and of all keys and people together", async () => {
  const store = await openStore({ env: { EVENT_STREAMS: "3", EVENT_STREAMS_PER_KEY: "2" } });
  const streams = [await follow(store), await follow(store)];
  const refused = await store.call("GET", "/v1/pets/events");
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await faultOf(refused)).toBe("429 rate_limited");
  const key = await store.createKey({});
  streams.push(await follow(store, {}, "", { key }));
  expect(await messageOf(await store.call("GET", "/v1/pets/events", { key }))).toContain(
    "a key or person may have 2, and all of them together 3. Operators: raise EVENT_STREAMS_PER_KEY or EVENT_STREAMS",
  );
  await streams.pop()?.leave();
  streams.push(await follow(store, {}, "", { key }));
  for (const stream of streams) await stream.leave();
});

test("GET /v1/pets/events responds to HEAD with the same headers and opens no stream", async () => {
  const store = await openStore({ streamLimits: LIMITS });
  for (let at = 0; at < 5; at++) {
    const response = await store.call("HEAD", "/v1/pets/events");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await response.text()).toBe("");
  }
});

test.each(["-1", "x", "1.0", "1e3", "9".repeat(16)])(
  "GET /v1/pets/events refuses the event id %j",
  async (id) => {
    const store = await openStore();
    for (const call of [
      store.call("GET", "/v1/pets/events", { headers: { "last-event-id": id } }),
      store.call("GET", `/v1/pets/events?lastEventId=${id}`),
    ])
      expect(await faultOf(await call)).toBe("400 invalid_request");
  },
);

test("a stream whose read fails ends alone and no longer counts, and the others continue, and can be stopped", async () => {
  let version = 0;
  const listAfter = (last: number) => {
    if (last === 1) throw new Error("unreadable");
    return last === 3 && version > 0
      ? [{ id: 4, kind: "added" as const, petId: 1, part: null, pet: undefined }]
      : [];
  };
  const streams = petStreams({
    events: { bounds: () => ({ oldest: 1, newest: 3 }), listAfter },
    fresh: async () => {},
    version: () => version,
    limits: LIMITS,
  });
  const open = (last: number) => {
    const reader = { caller: "key:1", signal: new AbortController().signal, isAuthorized: async () => true };
    return streams.open(reader, last).body.getReader();
  };
  const healthy = open(3);
  await healthy.read();
  for (let at = 0; at < 5; at++) {
    const failing = open(1);
    await failing.read();
    expect(await outcomeOf(failing.read())).toThrow("unreadable");
  }
  version += 1;
  const { value } = await healthy.read();
  expect(new TextDecoder().decode(value)).toStartWith("id: 4\nevent: added\n");
  streams.stop();
  expect((await healthy.read()).done).toBe(true);
});

test("a stream continues when the changes of others can be read again", async () => {
  let version = 0;
  let isAway = true;
  const polls: boolean[] = [];
  const streams = petStreams({
    events: {
      bounds: () => ({ oldest: 1, newest: 3 }),
      listAfter: () =>
        version > 0 ? [{ id: 4, kind: "added" as const, petId: 1, part: null, pet: undefined }] : [],
    },
    fresh: async () => {
      polls.push(isAway);
      if (isAway) throw new Error("the engine is unreachable");
    },
    version: () => version,
    limits: LIMITS,
  });
  const reader = { caller: "key:1", signal: new AbortController().signal, isAuthorized: async () => true };
  const stream = streams.open(reader, 3).body.getReader();
  await stream.read();
  while (polls.length < 3) await Bun.sleep(5);
  version = 1;
  isAway = false;
  const { value } = await stream.read();
  expect(new TextDecoder().decode(value)).toStartWith("id: 4\nevent: added\n");
  streams.stop();
});

test("the sweep of events keeps the newest, and works slice by slice", async () => {
  const store = await openStore();
  for (let at = 0; at < 2500; at++)
    store.database.client.run("INSERT INTO pet_events (kind, pet_id) VALUES ('added', 1)");
  const events = petEventRepository(store.database);
  expect([await events.sweep(100), await events.sweep(100), await events.sweep(100)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(events.bounds()).toEqual({ oldest: 2401, newest: 2500 });
});
