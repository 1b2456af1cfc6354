import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError, type EventOptions, type PetEvent, createClient } from "../../src/client/index.ts";
import { type Message, messagesOf } from "../../src/client/server-sent-events.ts";
import { type Store, addPet, openStore } from "../support/store.ts";

let store: Store;
beforeAll(async () => {
  store = await openStore();
  // A stream after event 0 sends nothing while the store has no event.
  await addPet(store, { name: "First" });
});

/** A stream of these pieces. */
const streamOf = (pieces: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(to) {
      for (const piece of pieces)
        to.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      to.close();
    },
  });

const read = (pieces: readonly (string | Uint8Array)[]): Promise<Message[]> =>
  Array.fromAsync(messagesOf(streamOf(pieces), () => {}));

/** A client whose server asks it to reconnect immediately. `change` may break or replace a connection's response. */
const follow = (
  options: EventOptions = {},
  change: (response: Response, connection: number) => Response = (response) => response,
  key = store.key,
) => {
  const lastIds: (string | null)[] = [];
  const client = createClient({
    baseUrl: "http://localhost",
    apiKey: key,
    async fetch(url, init) {
      const request = new Request(url, init);
      lastIds.push(request.headers.get("last-event-id"));
      const response = await store.app.handle(request);
      const hurried = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(
        new TransformStream<string, string>({
          transform: (text, to) => to.enqueue(text.replace("retry: 2000", "retry: 10")),
        }),
      );
      const body = hurried?.pipeThrough(new TextEncoderStream()) ?? null;
      return change(new Response(body, response), lastIds.length);
    },
  });
  return { events: client.pets.events(options), lastIds };
};

const take = async (events: AsyncGenerator<PetEvent>, count: number): Promise<PetEvent[]> => {
  const taken: PetEvent[] = [];
  while (taken.length < count) {
    const { value } = await events.next();
    taken.push(value as PetEvent);
  }
  return taken;
};

/** Cuts a response off after this many events. */
const cutAfter = (response: Response, events: number): Response => {
  let left = events;
  const cut = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, string>({
      transform(text, to) {
        for (const block of text.split(/(?<=\n\n)/)) {
          if (block.includes("event:") && left-- === 0) return to.error(new TypeError("terminated"));
          to.enqueue(block);
        }
      },
    }),
  );
  return new Response(cut.pipeThrough(new TextEncoderStream()));
};

test("the events of animals begin with reset, and continue with the changes in their order", async () => {
  const { events } = follow();
  const [start] = await take(events, 1);
  expect(start!.type).toBe("reset");
  const { id } = await addPet(store, { name: "Ada" });
  await store.call("PATCH", `/v1/pets/${id}`, { json: { name: "Ada Byron" } });
  await store.call("DELETE", `/v1/pets/${id}`);
  const first = Number(start!.id);
  expect((await take(events, 3)).map((event) => [event.type, event.id])).toEqual([
    ["added", String(first + 1)],
    ["changed", String(first + 2)],
    ["deleted", String(first + 3)],
  ]);
  await events.return();
});

test("a replay has the animal after each action, and what else was changed, also of one that is gone", async () => {
  const [start] = await take(follow().events, 1);
  const { id } = await addPet(store, { name: "Before" });
  await store.call("PATCH", `/v1/pets/${id}`, { json: { name: "After" } });
  store.database.client.run(
    "INSERT INTO pet_events (kind, pet_id, name, category_id, part) VALUES ('changed', ?, 'After', 1, 'photos')",
    [id],
  );
  await store.call("DELETE", `/v1/pets/${id}`);
  const { events } = follow({ lastEventId: start!.id });
  const at = (index: number) => String(Number(start!.id) + index);
  const pet = { id, name: "Before", categoryId: 1 };
  expect(await take(events, 4)).toEqual([
    { type: "added", id: at(1), pet },
    { type: "changed", id: at(2), pet: { ...pet, name: "After" } },
    { type: "changed", id: at(3), pet: { ...pet, name: "After" }, changed: ["photos"] },
    { type: "deleted", id: at(4), petId: id },
  ]);
  await events.return();
});

test("an event of an earlier server without its animal is the deletion of that animal", async () => {
  const sent = ["added", "changed", "deleted"].map(
    (event, at) => `id: ${at}\nevent: ${event}\ndata: {"id":7}\n\n`,
  );
  const { events } = follow({ lastEventId: "0" }, () => new Response(streamOf(sent)));
  expect(await take(events, 3)).toEqual(
    [0, 1, 2].map((at) => ({ type: "deleted", id: String(at), petId: 7 })),
  );
  await events.return();
});

test("the events of animals resume after lastEventId, without a reset", async () => {
  const { events } = follow({ lastEventId: "0" });
  const [first] = await take(events, 1);
  expect(first!.id).toBe("1");
  await events.return();
});

test("the events of animals continue after lost connections, each exactly once", async () => {
  const [start] = await take(follow().events, 1);
  for (let at = 0; at < 20; at++) await addPet(store, { name: `Cut ${at}` });
  const { events, lastIds } = follow({ lastEventId: start!.id }, (response) => cutAfter(response, 6));
  const taken = await take(events, 20);
  expect(taken.map((event) => "pet" in event && event.pet.name)).toEqual(
    Array.from({ length: 20 }, (_, index) => `Cut ${index}`),
  );
  expect(lastIds.length).toBeGreaterThan(3);
  await events.return();
});

test("the events of animals resume after the first id, though the first connection brought no event", async () => {
  const { events, lastIds } = follow({}, (response, connection) =>
    connection === 1 ? cutAfter(response, 0) : response,
  );
  const [start] = await take(events, 1);
  const next = take(events, 1);
  await addPet(store, { name: "Between" });
  expect((await next).map((event) => "pet" in event && event.pet.name)).toEqual(["Between"]);
  expect(lastIds).toEqual([null, start!.id]);
  await events.return();
});

test("the events of animals include a reset if some are missing", async () => {
  const { events } = follow({ lastEventId: "999999" });
  expect((await take(events, 1))[0]!.type).toBe("reset");
  await events.return();
});

test("the events of animals end with an ApiError if the key is refused", async () => {
  const { events, lastIds } = follow({}, undefined, "wrong");
  const error: unknown = await events.next().catch((error: unknown) => error);
  expect(error instanceof ApiError && error.code).toBe("invalid_api_key");
  expect(lastIds.length).toBe(1);
});

test("the events of animals are requested again if a proxy fails", async () => {
  const { events, lastIds } = follow({ lastEventId: "0" }, (response, connection) =>
    connection === 1 ? new Response("", { status: 502, headers: { "retry-after": "0" } }) : response,
  );
  // The default of two seconds holds until the server has named another.
  expect((await take(events, 1))[0]!.id).toBe("1");
  expect(lastIds.length).toBe(2);
  await events.return();
});

test("the events of animals end with the signal of the caller, and leave no stream open", async () => {
  const abort = new AbortController();
  const reason = new Error("enough");
  const { events } = follow({ signal: abort.signal });
  await take(events, 1);
  const next = events.next().catch((error: unknown) => error);
  abort.abort(reason);
  expect(await next).toBe(reason);
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test("a loop over the events of animals that breaks leaves no stream open on the server", async () => {
  for (let at = 0; at < 25; at++) for await (const _ of follow({ lastEventId: "0" }).events) break;
});

test("a stream of messages is read with any line end, comments, empty fields, several lines of data and ids that stay", async () => {
  const text =
    "retry: 10\nid: 1\n\n:comment\n\nevent: added\ndata: a\ndata:b\n\nid: 2\r\ndata\r\n\r\ndata: c\rid: 3\r\rlast: lost";
  expect(await read([text])).toEqual([
    { id: "1", event: "message", data: undefined, retryMs: 10 },
    { id: "1", event: "message", data: undefined, retryMs: undefined },
    { id: "1", event: "added", data: "a\nb", retryMs: undefined },
    { id: "2", event: "message", data: "", retryMs: undefined },
    { id: "3", event: "message", data: "c", retryMs: undefined },
  ]);
});

test("a stream of messages is the same regardless of where it is cut", async () => {
  const bytes = new TextEncoder().encode("id: 7\r\ndata: Zoë 🐕\r\n\r\nid: 8\nevent: x\ndata: b\n\n");
  const whole = await read([bytes]);
  expect(whole.length).toBe(2);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, from) => bytes.subarray(at[from], end));
      expect(await read(pieces)).toEqual(whole);
    }),
  );
});
