import { expect, test } from "bun:test";
import { addPhoto } from "../store/photos/photos.ts";
import { png } from "../support/images.ts";
import { DEPLOY, makeProject, openFakeDns } from "../platform/domains/projects.ts";
import { type Operation, operationsOf, pathWith } from "../support/operations.ts";
import { type Call, type Store, addPet, openStore } from "../support/store.ts";

/** Values of path parameters for which the store below has a resource. */
const PRESENT: Record<string, string> = { slug: "docs", hostname: "docs.example.org", file: "preview.jpg" };

/** An animal in an order, a category, a custom field, a project with a deploy and a domain. */
const openFull = async (env: Record<string, string> = {}): Promise<Store> => {
  const store = await openStore({
    env: { AUTH_FAILURES_PER_MINUTE: "1000000", BODY_LIMIT: "1KiB", ...env },
    inspect: openFakeDns("records_right").inspect,
  });
  await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });
  await store.call("POST", "/v1/fields", { json: { name: "vet", label: "Vet", kind: "text" } });
  await addPet(store, { status: "available" });
  await addPhoto(store, PHOTO);
  await store.call("POST", "/v1/imports", {
    body: "name,categoryId\nLuna,1\n",
    headers: { "content-type": "text/csv" },
  });
  await store.call("POST", "/v1/store/orders", {
    json: { petId: 1, adopter: { name: "Ada", email: "ada@example.org" } },
  });
  await makeProject(store, "docs");
  await store.call("POST", "/platform/projects/docs/domains", { json: { hostname: PRESENT["hostname"] } });
  return store;
};

const PHOTO = await png(8, 8);

const store = await openFull();
const { operations } = await operationsOf(store);

const pathOf = (operation: Operation): string => pathWith(operation, (name) => PRESENT[name] ?? "1");

const accepts = (header: string) => (operation: Operation) =>
  operation.parameters.some((one) => one.in === "header" && one.name === header);
const isKeyed = ({ isPublic }: Operation) => !isPublic;
const hasBody = ({ raw }: Operation) => raw["requestBody"] !== undefined;
const isJson = ({ bodySchema }: Operation) => bodySchema !== undefined;

const exampleOf = ({ raw, bodySchema }: Operation): Call => {
  if (!hasBody({ raw } as Operation)) return {};
  const { content } = raw["requestBody"] as { content: Record<string, { example?: unknown }> };
  if ("image/png" in content) return { body: PHOTO, headers: { "content-type": "image/png" } };
  if ("text/csv" in content && !bodySchema)
    return { body: "name,categoryId\nMax,1\n", headers: { "content-type": "text/csv" } };
  if (!bodySchema) return { body: DEPLOY, headers: { "content-type": "application/gzip" } };
  return { json: content["application/json"]?.example };
};

/** For each status that does not follow from an operation's own rules: the operations that can send it, and how to provoke it. */
const SCENARIOS: [
  status: number,
  of: (operation: Operation) => boolean,
  provoke: (operation: Operation) => Promise<Response>,
][] = [
  [
    304,
    accepts("If-None-Match"),
    (one) => store.call(one.method, pathOf(one), { headers: { "if-none-match": "*" } }),
  ],
  [400, () => true, (one) => store.call(one.method, `${pathOf(one)}?nonsense=1`, exampleOf(one))],
  [401, isKeyed, (one) => store.call(one.method, pathOf(one), { key: false })],
  [403, isKeyed, async (one) => store.call(one.method, pathOf(one), { key: await narrowKey(one) })],
  [
    409,
    // A repeated photo or import waits for its turn, and then gets the first one's response.
    (one) => accepts("Idempotency-Key")(one) && !["addPhoto", "importPets"].includes(one.operationId),
    async (one) => {
      const full = await openFull();
      const send = () => full.call(one.method, pathOf(one), withKey(one, "twice"));
      const both = await Promise.all([send(), send()]);
      return both.find(({ status }) => status === 409) as Response;
    },
  ],
  [
    412,
    accepts("If-Match"),
    (one) => store.call(one.method, pathOf(one), { ...exampleOf(one), headers: { "if-match": '"x"' } }),
  ],
  [413, isJson, (one) => store.call(one.method, pathOf(one), { json: "x".repeat(2000) })],
  [
    415,
    hasBody,
    (one) => store.call(one.method, pathOf(one), { body: "x", headers: { "content-type": "text/css" } }),
  ],
  [
    422,
    accepts("Idempotency-Key"),
    async (one) => {
      const full = await openFull();
      // This stores the response to another request under the key.
      await full.call("POST", "/v1/pets", {
        json: { name: "Rex", categoryId: 1 },
        headers: { "idempotency-key": "used" },
      });
      return full.call(one.method, pathOf(one), withKey(one, "used"));
    },
  ],
  [
    429,
    isKeyed,
    async (one) => {
      const key = await store.createKey({ rate: { requests: 1, seconds: 3600 } });
      await store.call("GET", "/v1/none", { key });
      return store.call(one.method, pathOf(one), { key });
    },
  ],
];

const narrowKey = ({ scope }: Operation) =>
  store.createKey({ scopes: [scope === "orders:read" ? "metrics:read" : "orders:read"] });

const withKey = (operation: Operation, idempotencyKey: string): Call => ({
  ...exampleOf(operation),
  headers: { ...exampleOf(operation).headers, "idempotency-key": idempotencyKey },
});

test.each(SCENARIOS)(
  "status %d is sent, and declared, by every operation that can send it",
  async (status, of, provoke) => {
    const affected = operations.filter(of);
    expect(affected.length).toBeGreaterThan(0);
    for (const operation of affected) {
      const response = await provoke(operation);
      const name = `${operation.method} ${operation.path}`;
      expect([name, response?.status]).toEqual([name, status]);
      expect([name, Object.keys(operation.responses)]).toEqual([
        name,
        expect.arrayContaining([String(status)]),
      ]);
    }
  },
);

test("with STRICT_CATEGORIES an animal with an unknown category gets a declared 404", async () => {
  const strict = await openFull({ STRICT_CATEGORIES: "yes" });
  const json = { name: "Rex", categoryId: 9 };
  expect((await strict.call("POST", "/v1/pets", { json })).status).toBe(404);
  expect((await strict.call("PATCH", "/v1/pets/1", { json })).status).toBe(404);
  const declared = operations.filter(({ operationId }) => ["createPet", "changePet"].includes(operationId));
  expect(declared.map(({ responses }) => "404" in responses)).toEqual([true, true]);
});

test("every operation that writes declares the response for a full disk", async () => {
  const full = await openFull();
  full.database.writer.run("PRAGMA query_only=ON");
  const writing = operations.filter(
    ({ method, operationId }) => method !== "GET" && operationId !== "verifyDomain",
  );
  for (const operation of writing) {
    const { status } = await full.call(operation.method, pathOf(operation), exampleOf(operation));
    expect([operation.operationId, String(status) in operation.responses]).toEqual([
      operation.operationId,
      true,
    ]);
  }
});

test("the document declares Last-Event-ID, which resumes a stream", () => {
  const named = operations.filter(accepts("Last-Event-ID")).map(({ operationId }) => operationId);
  expect(named).toEqual(["streamPets"]);
});
