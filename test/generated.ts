import { expect, test } from "bun:test";
import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import fc from "fast-check";
import { FAULTS } from "../src/lib/errors.ts";
import { type Node, type Operation, operationsOf, pathWith } from "./support/operations.ts";
import { addPhoto } from "./store/photos/photos.ts";
import { png } from "./support/images.ts";
import { DEPLOY, makeProject, openFakeDns } from "./platform/domains/projects.ts";
import { character } from "./support/characters.ts";
import { type Store, addPet, openStore } from "./support/store.ts";

/** The size of a pool of generated values. */
const POOL_SIZE = 2000;
const SEED = 20_301_205;

const ajv = new Ajv({ strict: false, validateFormats: false });
const { operations, schemas } = await operationsOf(await openStore());
ajv.addSchema({ $id: "store", components: { schemas } });

const validators = new Map<Node, ValidateFunction>();

/** Compiled once, because that takes longer than ten requests. */
const validatorOf = (schema: Node): ValidateFunction => {
  const cached = validators.get(schema);
  if (cached) return cached;
  const inStore = JSON.parse(JSON.stringify(schema).replaceAll("#/components", "store#/components")) as Node;
  const validator = ajv.compile(inStore);
  validators.set(schema, validator);
  return validator;
};

/** Checks a value against a schema of the document. @returns the mistake, or "" */
const problemsOf = (schema: Node, value: unknown): string => {
  const validator = validatorOf(schema);
  return validator(value) ? "" : ajv.errorsText(validator.errors);
};

const HOSTILE = [
  "",
  " ",
  "0",
  "-1",
  "1",
  "2",
  "01",
  "1.0",
  "1e3",
  "0x1",
  "NaN",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999",
  "' OR 1=1 --",
  '"; DROP TABLE pets; --',
  "../../etc/passwd",
  "..%2f..",
  "%00",
  "%ff",
  "%",
  "<script>alert(1)</script>",
  "${7*7}",
  "{{7*7}}",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud83d\ude00",
  "\u202e",
  "a".repeat(5000),
  "available",
  "sold",
  "100",
  "101",
];

/** Replaces `expect`, which would cost more than the requests in 200,000 calls. */
const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

const mustBeError = (body: object, what: string) =>
  must(Object.keys(body).join() === "code,message,status", `not in the Error shape: ${what}`);

/** Draws from values that are generated once, because generating one costs more than a request. */
const pool = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.constantFrom(...fc.sample(values, { numRuns: POOL_SIZE, seed: SEED }));

const words = pool(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
    fc.string({ unit: character, maxLength: 40 }),
    fc.integer().map(String),
  ),
);
const json = pool(fc.jsonValue());

const petChanges = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 50 }),
    categoryId: fc.integer(),
    status: fc.constantFrom("available", "pending", "sold", null),
  },
  { requiredKeys: [] },
);

const profiles = {
  sex: fc.constantFrom("female", "male", "unknown"),
  birthDate: fc.constantFrom("2024", "2024-05", "2024-05-17"),
  weightGrams: fc.integer({ min: 1, max: 2_000_000 }),
  reference: fc.oneof(fc.integer(), fc.constantFrom("A-1", "A-2")),
  tags: fc.uniqueArray(fc.constantFrom("calm", "playful")),
};

const fields = {
  name: fc.constantFrom("coat", "vet", "aunt"),
  label: fc.string({ minLength: 1, maxLength: 50 }),
  public: fc.boolean(),
  position: fc.integer({ min: 0, max: 1000 }),
};

const valid: Record<string, fc.Arbitrary<unknown>> = {
  NewPet: fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 50 }),
      categoryId: fc.integer(),
      status: fc.constantFrom("available", "pending", "sold"),
    },
    { requiredKeys: ["name", "categoryId"] },
  ),
  PetChange: petChanges,
  PetChanges: fc.record({
    changes: fc.array(
      fc.record(
        { id: fc.integer({ min: 1, max: 8 }), ifMatch: fc.constantFrom("*", '"x"'), change: petChanges },
        { requiredKeys: ["id", "change"] },
      ),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  PhotoChange: fc.record(
    { alt: fc.constantFrom("", "On a sofa"), position: fc.integer({ min: 0, max: 29 }) },
    { requiredKeys: [] },
  ),
  ProfileDocument: fc.record(
    {
      ...profiles,
      goodWith: fc.record({ dogs: fc.constantFrom("yes", "no") }),
      fee: fc.record({ amount: fc.nat(100_000), currency: fc.constantFrom("EUR", "JPY") }),
    },
    { requiredKeys: [] },
  ),
  ProfileChange: fc.record(
    {
      ...profiles,
      goodWith: fc.record({ dogs: fc.constantFrom("yes", null) }),
      fee: fc.constant(null),
      custom: fc.constant(null),
    },
    { requiredKeys: [] },
  ),
  NewField: fc.record(
    { ...fields, kind: fc.constantFrom("text", "number", "boolean", "date") },
    { requiredKeys: ["name", "label", "kind"] },
  ),
  FieldChange: fc.record(fields, { requiredKeys: [] }),
  NewCategory: fc.record({ name: fc.string({ minLength: 1, maxLength: 50 }) }),
  CategoryChange: fc.record({ name: fc.string({ minLength: 1, maxLength: 50 }) }, { requiredKeys: [] }),
  OrderReturn: fc.record(
    { reason: fc.string({ minLength: 1, maxLength: 50 }), animal: fc.constantFrom("available", "pending") },
    { requiredKeys: ["reason"] },
  ),
  NewOrder: fc.record(
    {
      petId: fc.integer({ min: 1, max: 8 }),
      adopter: fc.record({
        name: fc.string({ minLength: 1, maxLength: 50 }),
        email: fc.emailAddress(),
      }),
      note: fc.string({ minLength: 1, maxLength: 50 }),
    },
    { requiredKeys: ["petId", "adopter"] },
  ),
  NewPerson: fc.record({
    name: fc.string({ minLength: 1, maxLength: 50 }),
    email: fc.emailAddress(),
    role: fc.constantFrom("volunteer", "staff", "administrator"),
  }),
  PersonChange: fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 50 }),
      role: fc.constantFrom("volunteer", "staff", "administrator"),
    },
    { requiredKeys: [] },
  ),
  NewKey: fc.record(
    {
      name: fc.string({ minLength: 1, maxLength: 50 }),
      scopes: fc.uniqueArray(fc.constantFrom("*", "pets:read", "keys:admin"), { minLength: 1 }),
      rateLimit: fc.constantFrom("5/s", "1000000/h"),
      expiresAt: fc.constantFrom("2030-12-05T00:00:00Z", "2020-01-01T00:00:00Z"),
    },
    { requiredKeys: ["name", "scopes"] },
  ),
  NewProject: fc.record(
    {
      slug: fc.stringMatching(/^[a-z][a-z0-9]{3,20}$/),
      name: fc.string({ minLength: 1, maxLength: 50 }),
      plan: fc.constantFrom("free", "pro", "enterprise"),
    },
    { requiredKeys: ["slug", "name"] },
  ),
  ProjectChange: fc.record(
    { name: fc.string({ minLength: 1, maxLength: 50 }), plan: fc.constantFrom("pro", "enterprise") },
    { requiredKeys: [] },
  ),
  NewDomainCheck: fc.record(
    { hostname: fc.domain(), target: fc.constant("k3vq7zj5n2xw4ryt6mbd.cname.example.net") },
    { requiredKeys: ["hostname"] },
  ),
  NewDomain: fc.record({
    hostname: fc.oneof(
      fc.constantFrom("docs.example.org", "b\u00fccher.example.org", "example.org"),
      fc.domain().map((name) => `docs.${name}`),
    ),
  }),
  NewDomains: fc.array(
    fc.record(
      {
        hostname: fc.oneof(
          fc.domain(),
          words.map((word) => [...word].slice(0, 500).join("")),
        ),
        project: fc.constantFrom("docs", "lost"),
        role: fc.constantFrom("primary", "served", "redirect", "other"),
      },
      { requiredKeys: ["hostname"] },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  NewDomainsConfig: fc.constantFrom(
    { domains: { primary: "docs.example.org" } },
    {
      domains: {
        primary: "docs.example.org",
        redirects: [{ from: "www.example.org", to: "docs.example.org", status: 301 }],
      },
    },
  ),
  Rotation: fc.record({ graceSeconds: fc.integer({ min: 0, max: 1000 }) }, { requiredKeys: [] }),
};

type Body = string | Uint8Array<ArrayBuffer>;

/** Media types of an operation's body; none if it has no body. */
const typesOf = ({ raw }: Operation): string[] =>
  Object.keys((raw["requestBody"] as { content?: Node } | undefined)?.content ?? {});

const isArchive = (operation: Operation): boolean => typesOf(operation).includes("application/gzip");
const isPhoto = (operation: Operation): boolean => typesOf(operation).includes("image/png");
const isImport = ({ operationId }: Operation): boolean => operationId === "importPets";
const isUpload = (operation: Operation): boolean =>
  isArchive(operation) || isPhoto(operation) || isImport(operation);

/** Files: valid, truncated, with a changed byte, and texts. */
const damaged = (file: Uint8Array<ArrayBuffer>) =>
  fc.oneof(
    fc.constant(file),
    fc.nat(file.length).map((end) => file.slice(0, end)),
    fc.tuple(fc.nat(file.length - 1), fc.nat(255)).map(([at, byte]) => file.with(at, byte)),
    words,
  );
const archives = damaged(new Uint8Array(DEPLOY));
const PHOTO = new Uint8Array(await png(8, 8));
const photos = damaged(PHOTO);
const imports = fc.oneof(
  damaged(new TextEncoder().encode("Animal ID,name,categoryId,size\nA-1,Max,1,small\nA-2,Luna,1,Toy\n")),
  damaged(new TextEncoder().encode('{"name":"Max","categoryId":1}\n')),
);

/** Bodies: valid, with one broken field, any JSON, truncated JSON, and other text. */
const bodies = (operation: Operation): fc.Arbitrary<Body | undefined> => {
  if (isArchive(operation)) return archives;
  if (isPhoto(operation)) return photos;
  if (isImport(operation)) return imports;
  const { bodySchema } = operation;
  if (!bodySchema) return fc.option(words, { nil: undefined, freq: 3 });
  const right = valid[String(bodySchema["$ref"]).split("/").at(-1) ?? ""] ?? fc.object();
  const broken = fc
    .tuple(right, words, json)
    .map(([body, field, value]) => ({ ...(body as object), [field]: value }));
  const mutated = fc.tuple(right, fc.nat(), json).map(([body, at, value]) => {
    const names = Object.keys(body as object);
    return { ...(body as object), ...(names.length > 0 && { [names[at % names.length] ?? ""]: value }) };
  });
  const cut = fc.tuple(right, fc.nat(200)).map(([body, end]) => JSON.stringify(body).slice(0, end));
  return fc.oneof(
    ...[right, broken, mutated, json].map((one) => one.map((value) => JSON.stringify(value))),
    cut,
    words,
  );
};

/** Values of path parameters for which the store has a resource. */
const PRESENT: Record<string, string[]> = {
  slug: ["docs"],
  hostname: ["docs.example.org", "www.example.org"],
  photoId: ["1"],
  file: ["320.webp", "preview.jpg"],
};

/** Only the first animal has a photo: without more weight, few requests would reach it. */
const present = ({ path }: Operation, name: string): string[] =>
  name === "petId" && path.includes("{photoId}") ? ["1"] : (PRESENT[name] ?? ["1", "2", "3"]);

/** The query without which a field is not deleted. */
const CONFIRMED: [name: string, value: string][] = [["confirm", "0"]];
const DRY_RUN: [name: string, value: string][] = [["dryRun", "true"]];

/** Most parameters are valid, because a domain is only reached through its project. */
const pathParameters = (operation: Operation) =>
  fc.record(
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name }) => [
          name,
          fc.oneof(
            {
              weight: operation.path.includes("{photoId}") ? 20 : 2,
              arbitrary: fc.constantFrom(...present(operation, name)),
            },
            { weight: 1, arbitrary: words },
          ),
        ]),
    ),
  );

/** Values of conditional headers, idempotency keys and event ids. */
const HEADER_VALUES = [
  "*",
  '"x"',
  '"x", W/"y"',
  '"',
  "1",
  "1234",
  "9".repeat(20),
  "once",
  '"a key, quoted"',
  "é",
];

/** The headers that the document names. Most are omitted, because many of them prevent a request from succeeding. */
const headersFor = (operation: Operation) =>
  fc.record(
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === "header")
        .map(({ name }) => [
          name,
          // Other versions than `*` are rarely that of the resource.
          fc.option(fc.constantFrom(...HEADER_VALUES, ...(/^if-/i.test(name) ? ["*", "*", "*"] : [])), {
            freq: 2,
          }),
        ]),
    ),
  );

const queries = (operation: Operation) =>
  fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(...operation.parameters.map(({ name }) => name), "limit", "access_token"),
        words,
      ),
      words,
    ),
    { maxLength: 3 },
  );

const requests = (operation: Operation) =>
  fc.record({
    path: pathParameters(operation),
    query:
      operation.operationId === "deleteField" || isImport(operation)
        ? fc.oneof(fc.constant(isImport(operation) ? DRY_RUN : CONFIRMED), queries(operation))
        : queries(operation),
    key: fc.constantFrom("right", "right", "right", "right", "none", "wrong", "narrow"),
    type: fc.constantFrom(
      ...(isUpload(operation) ? typesOf(operation) : ["application/json", "application/json"]),
      ...(typesOf(operation).length > 1 ? typesOf(operation) : ["application/json", "application/json"]),
      "text/plain",
      "multipart/form-data",
      undefined,
    ),
    id: fc.constantFrom(undefined, "abc", "<x>", "a".repeat(500)),
    headers: headersFor(operation),
    body: bodies(operation),
  });

/** Replaces lone surrogates, which a URL cannot carry. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** Adds categories, available animals, and an order that is placed, one that is approved and one that is completed. */
const fillShop = async (store: Store): Promise<void> => {
  for (const name of ["Dogs", "Cats", "Birds"])
    await store.call("POST", "/v1/categories", { json: { name } });
  fillFields(store);
  for (let at = 0; at < 5; at++) await addPet(store, { status: "available" });
  for (const petId of [4, 5, 6])
    await store.call("POST", "/v1/store/orders", {
      json: { petId, adopter: { name: "Ada", email: "ada@example.org" } },
    });
  for (const step of ["2/approve", "3/approve", "3/complete"])
    await store.call("POST", `/v1/store/orders/${step}`);
};

/** Adds three people, each with the passkey of their number. */
const fillPeople = async (store: Store): Promise<void> => {
  for (const id of [1, 2, 3]) {
    const json = { name: `Person ${id}`, email: `${id}@example.org`, role: "staff" };
    await store.call("POST", "/platform/people", { json });
    store.database.client.run(
      "INSERT INTO passkeys (person_id, credential_id, public_key, sign_count, transports, name, created_at) VALUES (?, ?, '', 0, '[]', 'Passkey', 0)",
      [id, `credential-${id}`],
    );
  }
};

/** A store with animals, and the project `docs` with two deploys and two domains. */
const openFull = async (): Promise<Store> => {
  const { fakeDns, inspect } = openFakeDns("records_right");
  const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "1000000" }, inspect });
  for (let at = 0; at < 3; at++) await addPet(store, {});
  await fillPhotos(store);
  await fillShop(store);
  for (const name of ["Kim", "Leo", "Zoe"])
    await store.call("POST", "/v1/imports", {
      body: `name,categoryId\n${name},1\n`,
      headers: { "content-type": "text/csv" },
    });
  await fillPeople(store);
  await makeProject(store, "docs");
  await fillProject(store);
  expect(fakeDns.asked).toEqual([]);
  return store;
};

/** Gives the first animal photo 1. */
const fillPhotos = async (store: Store): Promise<void> => {
  store.database.client.run("DELETE FROM pet_photos");
  store.database.client.run("DELETE FROM sqlite_sequence WHERE name = 'pet_photos'");
  await addPhoto(store, PHOTO);
};

/** Adds custom fields, or restores deleted ones. */
const fillFields = (store: Store): void => {
  for (const id of [1, 2, 3])
    store.database.client.run(
      "INSERT OR IGNORE INTO pet_fields (id, name, label, kind, is_public, position) VALUES (?, ?, 'Field', 'text', 0, 1)",
      [id, `field${id}`],
    );
};

/** Restores deleted animals. */
const restoreAnimals = (store: Store): void => {
  for (const id of [1, 2, 3])
    store.database.client.run(
      "INSERT OR IGNORE INTO pets (id, name, category_id, created_at) VALUES (?, 'Bella', 1, 0)",
      [id],
    );
};

/** Creates the project `docs` and its domains if they are missing. */
const fillProject = async (store: Store): Promise<void> => {
  await makeProject(store, "docs");
  for (const hostname of PRESENT["hostname"] ?? [])
    await store.call("POST", "/platform/projects/docs/domains", { json: { hostname } });
};

const list = operations.map(
  (operation) => [`${operation.method} ${operation.base}${operation.path}`, operation] as const,
);

const routed = await openFull();
const everyRoute = routed.app.routes.map(({ method, path }) => [`${method} ${path}`, method, path] as const);

/** Path segments of a hostile client, with broken percent-encoding. */
const rawSegments = fc.oneof(
  fc.constantFrom(
    "%",
    "%ff",
    "%zz",
    "%00",
    "%2e%2e",
    "toString",
    "constructor",
    "__proto__",
    "hasOwnProperty",
    "..",
    ".",
    "*",
    "x",
    "docs",
    "docs.example.org",
    "1",
  ),
  words.map(encode),
);

/** Calls of a route, but for its path and its method. */
const rawCalls = fc.record({
  segments: fc.array(rawSegments, { minLength: 3, maxLength: 3 }),
  query: fc.option(fc.array(rawSegments, { maxLength: 3 }), { nil: undefined }),
  at: fc.nat(),
  keyed: fc.boolean(),
  type: fc.constantFrom("application/json", "application/gzip", undefined),
});

/** Sends each route `count` requests that are generated from its document, and `count` raw paths. */
export const sendGenerated = (count: number): void => {
  test.each(list)(
    `%s responds to ${count} generated requests as its document says`,
    async (_name, operation) => {
      // A GET does not change the store.
      const store = operation.method === "GET" ? routed : await openFull();
      const narrow = await store.createKey({
        scopes: [operation.scope === "orders:read" ? "metrics:read" : "orders:read"],
      });
      const seen = new Set<number>();
      let right = await store.createKey({});
      for (const request of fc.sample(requests(operation), { numRuns: count, seed: SEED })) {
        const key = { right, none: false as const, wrong: "aas_wrong", narrow }[request.key];
        // An empty segment, `.` and `..` make another path.
        const path = pathWith(operation, (name) => {
          const value = request.path[name] ?? "";
          return /^\.*$/.test(value) ? "x" : encode(value);
        });
        const query = request.query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
        const response = await store.call(operation.method, query === "" ? path : `${path}?${query}`, {
          key,
          headers: {
            ...(request.type && { "content-type": request.type }),
            ...(request.id && { "x-request-id": request.id }),
            ...Object.fromEntries(Object.entries(request.headers).filter(([, value]) => value !== null)),
          },
          ...(operation.method !== "GET" &&
            request.body !== undefined && {
              body: typeof request.body === "string" ? new TextEncoder().encode(request.body) : request.body,
            }),
        });
        const what = `${operation.method} ${path}?${query} ${String(request.body)} -> ${response.status}`;
        seen.add(response.status);
        // The request may have revoked or rotated its own key.
        if (request.key === "right" && response.status === 401) right = await store.createKey({});
        if (operation.method === "DELETE" && response.status === 204) await fillProject(store);
        if (operation.operationId === "deletePet" && response.status === 204) restoreAnimals(store);
        if (operation.operationId === "deletePhoto" && response.status === 204) await fillPhotos(store);
        if (operation.operationId === "deleteField" && response.status === 204) fillFields(store);
        must(
          response.status < 500 && String(response.status) in operation.responses,
          `not documented: ${what}`,
        );
        const schema = operation.responses[String(response.status)];
        if (response.headers.get("content-type") === "text/event-stream") {
          await response.body?.cancel();
          continue;
        }
        const text = await response.text();
        if (!schema && response.status < 400) continue;
        const responseBody = JSON.parse(text) as object;
        if (schema)
          must(problemsOf(schema, responseBody) === "", `${problemsOf(schema, responseBody)}: ${what}`);
        if (response.status < 400) continue;
        mustBeError(responseBody, what);
        const { code } = responseBody as { code: keyof typeof FAULTS };
        must(Number(FAULTS[code][0]) === response.status, `${code}: ${what}`);
      }
      // The requests reached every successful status and the usual refusals.
      const success = Object.keys(operation.responses)
        .filter((status) => status < "400")
        .map(Number);
      const refusals = operation.isPublic ? [400] : [400, 401, 403];
      expect([...seen]).toEqual(expect.arrayContaining([...success, ...refusals]));
    },
    30_000,
  );

  // Generated once for all routes, because generating one costs as much as sending it.
  const calls = fc.sample(rawCalls, { numRuns: count, seed: SEED });

  test.each(everyRoute)(
    `%s, hidden or not, responds to ${count} raw paths without a 5xx`,
    async (_name, method, path) => {
      const store = routed;
      const verbs = method === "ALL" ? ["GET", "POST", "PUT", "DELETE", "PURGE"] : [method];
      for (const { segments, query, at, keyed, type } of calls) {
        const verb = verbs[at % verbs.length] ?? "";
        let part = 0;
        const target =
          path.replace(/:\w+|\*/g, () => segments[part++ % segments.length] ?? "") +
          (query ? `?${query.join("&")}` : "");
        const response = await store.call(verb, `http://localhost${target}`, {
          key: keyed && store.key,
          ...(verb !== "GET" && type && { headers: { "content-type": type }, body: "{}" }),
        });
        const what = `${verb} ${target} -> ${response.status}`;
        must(response.status < 500, what);
        if (response.status >= 400) mustBeError((await response.json()) as object, what);
        // The request may have revoked its own key.
        if (verb === "DELETE") {
          await store.database.client.run("UPDATE keys SET revoked_at = NULL");
          if (response.status === 204) await fillProject(store);
        }
      }
    },
    30_000,
  );
};
