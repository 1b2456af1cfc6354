import { png } from "../support/images.ts";
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ApiError, type Client, type ClientOptions, createClient } from "../../src/client/index.ts";
import type { OutgoingInit } from "../../src/client/transport.ts";
import { type Store, addPet, openStore } from "../support/store.ts";

const LARGEST = 9223372036854775807n;

let store: Store;
beforeAll(async () => {
  store = await openStore();
  for (let at = 0; at < 3; at++) await addPet(store, { name: `First ${at}` });
});

type Handler = (request: Request) => Promise<Response>;

const handle: Handler = (request) => store.app.handle(request);

/** A client of the store. `handler` may lose or replace responses. */
const clientOf = (options: Partial<ClientOptions> = {}, handler: Handler = handle): Client =>
  createClient({
    baseUrl: "http://localhost",
    apiKey: store.key,
    fetch: (url, init) => handler(new Request(url, init)),
    ...options,
  });

const errorOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.catch((error: unknown) => error);
  if (!(error instanceof ApiError)) throw new Error("no ApiError", { cause: error });
  return error;
};

/** Records requests. `respond` gets the number of the attempt. */
const recording = (respond: (request: Request, attempt: number) => Promise<Response>) => {
  const seen: Request[] = [];
  return Object.assign((request: Request) => respond(request, seen.push(request)), { seen });
};

/** Loses the responses of the first attempts, after the store has sent them. */
const losing = (count: number) =>
  recording(async (request, attempt) => {
    const response = await handle(request);
    if (attempt <= count) throw new TypeError("connection reset");
    return response;
  });

/** Sends these responses first. */
const refusing = (...responses: Response[]) =>
  recording(async (request, attempt) => responses[attempt - 1] ?? handle(request));

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ code, message: "No.", status }, { status, headers });

const namesOf = async (client: Client, q: string): Promise<string[]> =>
  (await Array.fromAsync(client.pets.iterate({ q }))).map(({ name }) => name);

test("a file is checked, imported once although its response is lost, and undone", async () => {
  const file = new Blob(["Number,Nickname,Kind,Size\nA-1,Kira,3,Toy\n"]);
  const query = { map: ["Nickname=name", "Kind=categoryId"], value: ["size:Toy=small"], name: "a.csv" };
  const options = { ...query, again: "true" } as const;
  expect(await clientOf().imports.add(file, { ...options, dryRun: "true" })).toMatchObject({ added: 1 });
  const client = clientOf({}, losing(1));
  const { id = 0 } = await client.imports.add(file, options);
  expect(await namesOf(client, "kira")).toEqual(["Kira"]);
  expect(await client.imports.get(id)).toMatchObject({ file: "a.csv", added: 1, canUndo: true });
  expect(await client.imports.undo(id)).toEqual({ id, deleted: 1, restored: 0, readded: [] });
  expect((await client.imports.list()).map(({ undoneAt }) => undoneAt !== undefined)).toEqual([true]);
});

test("an animal is added, listed, fetched, changed and deleted", async () => {
  const client = clientOf();
  const bella = await client.pets.add({ name: "Bella Methods", categoryId: 3, status: "available" });
  expect(await client.pets.get(bella.id)).toEqual(bella);
  expect((await client.pets.list({ q: "methods", status: "available" })).items).toEqual([bella]);
  expect(await client.pets.update(bella.id, { status: null })).toEqual({
    id: bella.id,
    name: "Bella Methods",
    categoryId: 3,
  });
  await client.pets.delete(bella.id);
  expect((await errorOf(client.pets.get(bella.id))).code).toBe("not_found");
});

test("a photo is added, listed, moved and deleted", async () => {
  const client = clientOf();
  const { id: petId } = await client.pets.add({ name: "Bella Photos", categoryId: 3 });
  const file = new Blob([await png(8, 8)]);
  const first = await client.photos.add(petId, file, { alt: "On a sofa" });
  const second = await client.photos.add(petId, file);
  expect([first.alt, first.width, second.alt]).toEqual(["On a sofa", 8, ""]);
  expect((await client.photos.update(petId, second.id, { position: 0 })).position).toBe(0);
  expect((await client.photos.list(petId)).map(({ id }) => id)).toEqual([second.id, first.id]);
  await client.photos.delete(petId, first.id);
  expect((await client.photos.list(petId)).length).toBe(1);
});

test.each([LARGEST, -LARGEST - 1n, 9007199254740993n])(
  "an animal keeps the category %p exact",
  async (categoryId) => {
    const client = clientOf();
    const { id } = await client.pets.add({ name: "Exact", categoryId: 1 });
    const bella = await client.pets.add({ name: "Exact", categoryId });
    expect(bella.categoryId).toBe(categoryId);
    expect((await client.pets.update(id, { categoryId })).categoryId).toBe(categoryId);
    const listed = await Array.fromAsync(client.pets.iterate({ categoryId }));
    expect(listed.map((pet) => [pet.id, pet.categoryId])).toEqual([
      [id, categoryId],
      [bella.id, categoryId],
    ]);
    const events = client.pets.events({ lastEventId: "0" });
    for await (const event of events)
      if (event.type === "added" && event.pet.id === bella.id) {
        expect(event.pet.categoryId).toBe(categoryId);
        break;
      }
  },
);

test("no animal is sent with an id that a number has rounded", async () => {
  const sent = clientOf().pets.add({ name: "Rounded", categoryId: Number(LARGEST) });
  expect(await sent.catch((error: unknown) => error)).toBeInstanceOf(RangeError);
});

test("a walk gives every animal once, page by page, while others are added and deleted", async () => {
  const client = clientOf();
  const added = await Promise.all(
    Array.from({ length: 250 }, (_, index) => client.pets.add({ name: `Walk ${index}`, categoryId: 1 })),
  );
  const seen: number[] = [];
  for await (const { id } of client.pets.iterate({ q: "walk" })) {
    seen.push(id);
    if (seen.length === 120) {
      await client.pets.delete(seen[5]!);
      await client.pets.add({ name: "Walk late", categoryId: 1 });
    }
  }
  expect(new Set(seen).size).toBe(251);
  expect(added.every(({ id }) => seen.includes(id))).toBe(true);
});

test("a walk reads no page before it is needed", async () => {
  const counted = refusing();
  for await (const _ of clientOf({}, counted).pets.iterate({ q: "first", limit: 1 })) break;
  expect(counted.seen.length).toBe(1);
});

test("a walk starts at a cursor", async () => {
  const client = clientOf();
  const { items, next } = await client.pets.list({ q: "first", limit: 2 });
  const [third] = await Array.fromAsync(client.pets.iterate({ q: "first", limit: 100, cursor: next! }));
  expect(third!.id).toBeGreaterThan(items[1]!.id);
});

test("the client keeps custom fields, and changes profiles with their values", async () => {
  const client = clientOf();
  const coat = await client.fields.add({ name: "coat", label: "Coat", kind: "choice", choices: ["long"] });
  const { id } = await client.pets.add({ name: "Bella", categoryId: 1 });
  const whole = { sex: "female", goodWith: { dogs: "no" }, custom: { coat: "long" } } as const;
  expect(await client.profile.replace(id, whole)).toMatchObject(whole);
  const changed = await client.profile.update(id, { sex: null, goodWith: { dogs: null, cats: "yes" } });
  expect(changed).toEqual(await client.profile.get(id));
  expect(changed).toMatchObject({ goodWith: { cats: "yes" }, custom: { coat: "long" } });
  expect(await client.profile.replace(id, changed)).toEqual(changed);
  expect(await client.fields.update(coat.id, { name: "fur" })).toEqual({ ...coat, name: "fur" });
  expect((await client.profile.get(id)).custom).toEqual({ fur: "long" });
  expect((await errorOf(client.fields.delete(coat.id, 0))).code).toBe("confirmation_required");
  await client.fields.delete(coat.id, 1);
  expect(await client.fields.list()).toEqual([]);
});

test("the client keeps categories and takes an adoption through its steps", async () => {
  const client = clientOf();
  const dogs = await client.categories.add({ name: "Dogs" });
  expect(await client.categories.update(dogs.id, { name: "Puppies" })).toEqual({
    ...dogs,
    name: "Puppies",
  });
  expect(await client.categories.get(dogs.id)).toEqual({ ...dogs, name: "Puppies" });
  const { id: petId } = await client.pets.add({ name: "Rex", categoryId: dogs.id, status: "available" });
  const adopter = { name: "Ada Byron", email: "ada@example.org" };
  const { id } = await client.orders.place({ petId, adopter });
  await client.orders.approve(id);
  expect((await client.orders.complete(id)).status).toBe("completed");
  expect((await client.orders.get(id)).adopter).toEqual(adopter);
  expect((await Array.fromAsync(client.orders.iterate({ petId }))).map((order) => order.id)).toEqual([id]);
  expect((await errorOf(client.orders.cancel(id))).code).toBe("order_status_conflict");
  expect((await client.statistics()).byStatus.sold).toBeGreaterThan(0);
  const returned = await client.orders.return(id, { reason: "Too loud.", animal: "pending" });
  expect([returned.status, returned.returnReason]).toEqual(["returned", "Too loud."]);
  expect((await client.pets.get(petId)).status).toBe("pending");
  expect((await errorOf(client.categories.delete(dogs.id))).code).toBe("category_in_use");
  const empty = await client.categories.add({ name: "Empty" });
  await client.categories.delete(empty.id);
  expect((await Array.fromAsync(client.categories.iterate())).map(({ id }) => id)).toEqual([dogs.id]);
});

test("the client reaches every operation by its path, also of the platform", async () => {
  const client = clientOf();
  const { data, response } = await client.platform.POST("/platform/projects", {
    body: { slug: "client-docs", name: "Docs" },
  });
  expect([data.slug, response.status]).toEqual(["client-docs", 201]);
  const params = { path: { slug: "client-docs" } };
  expect((await client.platform.GET("/platform/projects/{slug}", { params })).data.name).toBe("Docs");
  expect((await client.platform.GET("/livez")).response.status).toBe(200);
  expect((await client.platform.DELETE("/platform/projects/{slug}", { params })).data).toBeUndefined();
});

test("an address that ends with /v1 or a slash works", async () => {
  for (const baseUrl of ["http://localhost/v1", "http://localhost/", "http://localhost/v1/"])
    expect((await clientOf({ baseUrl }).pets.list({ limit: 1 })).items.length).toBe(1);
});

test("an error has the code, the status, the message and the id of the request", async () => {
  const error = await errorOf(clientOf().pets.add({ name: "", categoryId: 1 }));
  expect([error.status, error.code]).toEqual([400, "invalid_request"]);
  expect(error.message).toContain("name");
  expect(error.requestId).toMatch(/./);
});

test("an error of a proxy is an ApiError with its status", async () => {
  const proxy = refusing(new Response("<h1>Bad Request</h1>", { status: 400 }));
  const error = await errorOf(clientOf({}, proxy).pets.list());
  expect([error.status, error.code]).toEqual([400, "unreadable"]);
});

test("an error is reported before it is thrown", async () => {
  const codes: string[] = [];
  const client = clientOf({ apiKey: "wrong", onError: ({ code }) => codes.push(code) });
  await errorOf(client.pets.list());
  expect(codes).toEqual(["invalid_api_key"]);
});

test("an error never has the API key", async () => {
  const error = await errorOf(clientOf({ maxRetries: 0 }, losing(1)).pets.list());
  expect(Bun.inspect(error)).not.toContain(store.key);
});

test("a POST whose response is lost is sent again with its Idempotency-Key, and adds one animal", async () => {
  const lossy = losing(2);
  const added = await clientOf({}, lossy).pets.add({ name: "Once Only", categoryId: 1 });
  const keys = lossy.seen.map(({ headers }) => headers.get("idempotency-key"));
  expect(keys.length).toBe(3);
  expect(new Set(keys).size).toBe(1);
  expect(await namesOf(clientOf(), "once only")).toEqual([added.name]);
});

test("each POST has a separate Idempotency-Key, unless the caller gives one", async () => {
  const counted = refusing();
  const client = clientOf({}, counted);
  await client.pets.add({ name: "Own Key", categoryId: 1 });
  await client.pets.add({ name: "Own Key", categoryId: 1 });
  const headers = { "Idempotency-Key": "mine" };
  await client.pets.add({ name: "Own Key", categoryId: 1 }, { headers });
  await client.pets.add({ name: "Own Key", categoryId: 1 }, { headers });
  const keys = counted.seen.map((request) => request.headers.get("idempotency-key"));
  expect(new Set(keys).size).toBe(3);
  expect((await namesOf(client, "own key")).length).toBe(3);
});

test("the platform, which knows no Idempotency-Key, gets no POST again", async () => {
  const lossy = losing(1);
  const body = { slug: "lost-docs", name: "Docs" };
  const error = await errorOf(clientOf({}, lossy).platform.POST("/platform/projects", { body }));
  expect([error.code, lossy.seen.length]).toEqual(["unreachable", 1]);
});

test("a POST whose connection ends in the middle of its body is sent again", async () => {
  let attempts = 0;
  const client = clientOf({}, async (request) => {
    const response = await handle(request);
    if (attempts++ > 0) return response;
    const half = (await response.text()).slice(0, 10);
    const body = new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode(half)),
      pull: (to) => to.error(new TypeError("terminated")),
    });
    return new Response(body, { status: 201, headers: { "content-type": "application/json" } });
  });
  await client.pets.add({ name: "Half Body", categoryId: 1 });
  expect(await namesOf(clientOf(), "half body")).toEqual(["Half Body"]);
});

test("a retry waits for Retry-After, and reports the wait", async () => {
  const waits: number[] = [];
  const busy = refusing(refusal(429, "rate_limited", { "retry-after": "1" }));
  const client = clientOf({ onRetry: ({ delayMs }) => waits.push(delayMs) }, busy);
  const start = performance.now();
  await client.pets.list();
  expect(waits).toEqual([1000]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(990);
});

test("a request is not retried after minutes, and the caller gets the time", async () => {
  const busy = refusing(refusal(429, "rate_limited", { "retry-after": "3600" }));
  const error = await errorOf(clientOf({}, busy).pets.list());
  expect([error.retryAfter, busy.seen.length]).toEqual([3600, 1]);
});

test("a retry is made while the first attempt is still in progress", async () => {
  const busy = refusing(refusal(409, "idempotency_in_flight"));
  await clientOf({}, busy).pets.add({ name: "In Flight", categoryId: 1 });
  expect(busy.seen.length).toBe(2);
});

test.each([
  ["a GET after 502 of a proxy", "GET", 502, "unreadable", 2],
  ["a POST of the platform after 502", "POST", 502, "unreadable", 1],
  ["a POST of the platform after storage_unavailable", "POST", 503, "storage_unavailable", 2],
  ["a POST of the platform after outcome_unknown", "POST", 503, "outcome_unknown", 1],
  ["a GET after 500", "GET", 500, "internal_error", 1],
  ["a GET after 404", "GET", 404, "not_found", 1],
] as const)("%s: %s %p %s is sent %p times", async (_name, method, status, code, attempts) => {
  const failing = refusing(refusal(status, code), refusal(418, "stop"));
  const { platform } = clientOf({}, failing);
  await (method === "GET"
    ? errorOf(platform.GET("/platform/projects"))
    : errorOf(platform.POST("/platform/projects", { body: { slug: "x", name: "x" } })));
  expect(failing.seen.length).toBe(attempts);
});

test("a conditional change is not retried if its outcome is unknown", async () => {
  const { id } = await clientOf().pets.add({ name: "Conditional", categoryId: 1 });
  const lossy = losing(1);
  const params = { path: { petId: id }, header: { "If-Match": "*" } };
  const body = { name: "Changed" };
  const error = await errorOf(clientOf({}, lossy).store.PATCH("/pets/{petId}", { params, body }));
  expect([error.code, lossy.seen.length]).toEqual(["unreachable", 1]);
});

test("the retry of a deletion whose response was lost does not fail because the animal is gone", async () => {
  const { id } = await clientOf().pets.add({ name: "Gone", categoryId: 1 });
  await clientOf({}, losing(1)).pets.delete(id);
  expect((await errorOf(clientOf().pets.delete(id))).status).toBe(404);
});

test("a request is retried up to maxRetries times", async () => {
  const lossy = losing(9);
  const error = await errorOf(clientOf({ maxRetries: 1 }, lossy).pets.list());
  expect([error.code, error.status, lossy.seen.length]).toEqual(["unreachable", 0, 2]);
  expect(error.cause).toBeInstanceOf(TypeError);
});

/** Never responds, as a server that hangs. */
const hanging: ClientOptions["fetch"] = (_url, { signal }: OutgoingInit) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

test.each([Infinity, 2 ** 31, 1e15])(
  "an attempt may last %d ms, more than a timer can",
  async (timeoutMs) => {
    const slow: Handler = async (request) => {
      await Bun.sleep(50);
      request.signal.throwIfAborted();
      return handle(request);
    };
    expect(await clientOf({ timeoutMs, maxRetries: 0 }, slow).pets.list()).toBeDefined();
  },
);

test("an attempt ends after timeoutMs", async () => {
  const error = await errorOf(clientOf({ fetch: hanging, timeoutMs: 20, maxRetries: 0 }).pets.list());
  expect([error.code, error.status]).toEqual(["timeout", 0]);
});

test("an attempt ends with the signal of its caller, and with the reason of the signal", async () => {
  const reason = new Error("enough");
  const abort = new AbortController();
  const listed = clientOf({ fetch: hanging }).pets.list({}, { signal: abort.signal });
  setTimeout(() => abort.abort(reason), 5);
  expect(await listed.catch((error: unknown) => error)).toBe(reason);
});

test("an attempt keeps no process alive once it has ended", async () => {
  const script = `
      import { createClient } from ${JSON.stringify(join(import.meta.dir, "../../src/client/index.ts"))};
      const client = createClient({ baseUrl: "http://localhost", fetch: async () => Response.json([]) });
      await client.pets.list();`;
  const child = Bun.spawn([process.execPath, "-e", script]);
  const ended = await Promise.race([child.exited, Bun.sleep(10_000)]);
  child.kill();
  expect(ended).toBe(0);
});

test("an attempt is not followed by a wait once the signal is aborted", async () => {
  const abort = new AbortController();
  const client = clientOf({ onRetry: () => abort.abort() }, losing(9));
  const start = performance.now();
  const listed = client.pets.list({}, { signal: abort.signal });
  expect(((await listed.catch((error: unknown) => error)) as Error).name).toBe("AbortError");
  expect(performance.now() - start).toBeLessThan(100);
});
