import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Node, operationsOf } from "../../support/operations.ts";
import { addPet, openStore } from "../../support/store.ts";

const PATHS = ["/openapi.json", "/platform/openapi.json"] as const;

interface Served {
  servers: { url: string; description: string; variables?: object }[];
}

const serversAt = async (path: string, env: Record<string, string>, headers: Record<string, string> = {}) => {
  const store = await openStore({ env });
  const response = await store.call("GET", path, { key: false, headers });
  return ((await response.json()) as Served).servers;
};

test("a served document has a relative server address without BASE_URL, regardless of the Host header", async () => {
  const host = { host: "evil.example.org", "x-forwarded-host": "evil.example.org" };
  expect(await serversAt("/openapi.json", {}, host)).toEqual([{ url: "/v1", description: "Production" }]);
  expect(await serversAt("/platform/openapi.json", {}, host)).toEqual([
    { url: "/", description: "Production" },
  ]);
});

test("a served document has BASE_URL as its server, and staging only if it is configured", async () => {
  const env = { BASE_URL: "https://adopt.example.org" };
  const production = { url: "https://adopt.example.org/v1", description: "Production" };
  expect(await serversAt("/openapi.json", env)).toEqual([production]);
  expect(
    await serversAt("/openapi.json", { ...env, STAGING_BASE_URL: "https://staging.example.org" }),
  ).toEqual([production, { url: "https://staging.example.org/v1", description: "Staging" }]);
  expect(await serversAt("/platform/openapi.json", env)).toEqual([
    { url: "https://adopt.example.org", description: "Production" },
  ]);
});

test.each(PATHS)(
  "%s has the content coding that the client prefers, and each coding has a different ETag",
  async (path) => {
    const store = await openStore();
    const get = async (acceptEncoding: string) => {
      const response = await store.call("GET", path, {
        key: false,
        headers: { "accept-encoding": acceptEncoding },
      });
      const { headers } = response;
      expect([response.status, headers.get("content-type")]).toEqual([200, "application/json"]);
      expect([headers.get("vary"), headers.get("cache-control")]).toEqual(["Accept-Encoding", "no-cache"]);
      return {
        coding: headers.get("content-encoding"),
        tag: headers.get("etag"),
        bytes: await response.bytes(),
      };
    };
    const [plain, br, gzip] = [await get(""), await get("gzip, br"), await get("br;q=0.5, gzip")];
    expect([plain.coding, br.coding, gzip.coding]).toEqual([null, "br", "gzip"]);
    expect(new Set([plain.tag, br.tag, gzip.tag]).size).toBe(3);
    expect(brotliDecompressSync(br.bytes)).toEqual(Buffer.from(plain.bytes));
    expect(gunzipSync(gzip.bytes)).toEqual(Buffer.from(plain.bytes));
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 8);
    expect((await get("br;q=0, gzip;q=0")).coding).toBeNull();
  },
);

test.each(PATHS)("a client that already has %s gets 304 with the headers that caches need", async (path) => {
  const store = await openStore();
  const get = (headers: Record<string, string>) => store.call("GET", path, { key: false, headers });
  const tag = (await get({ "accept-encoding": "br" })).headers.get("etag") ?? "";
  const known = await get({ "accept-encoding": "br", "if-none-match": `"other", ${tag}` });
  expect([known.status, await known.text()]).toEqual([304, ""]);
  expect(Object.fromEntries(known.headers)).toMatchObject({
    etag: tag,
    vary: "Accept-Encoding",
    "cache-control": "no-cache",
  });
  // Another coding is another representation.
  expect((await get({ "if-none-match": tag })).status).toBe(200);
});

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

const hasFields = ({ properties }: Node): boolean => isNode(properties) && Object.keys(properties).length > 0;

/** All descendants of a node, with their paths. */
const below = (node: Node, place: string): [place: string, node: Node][] =>
  Object.entries(node)
    .filter((entry): entry is [string, Node] => isNode(entry[1]))
    .flatMap(
      ([name, one]) => [[`${place}.${name}`, one], ...below(one, `${place}.${name}`)] as [string, Node][],
    );

const checkedOperations = async () => {
  const store = await openStore();
  // When Elysia checks a response, it adds additionalProperties: false to the schema.
  for (const path of [
    "/v1/statistics",
    "/v1/categories",
    "/v1/store/orders",
    "/platform/keys",
    "/platform/projects",
  ])
    expect((await store.call("GET", path)).status).toBe(200);
  expect((await addPet(store, {})).id).toBe(1);
  return operationsOf(store);
};

const { operations, schemas } = await checkedOperations();

const named = Object.entries(schemas) as [string, Node][];

test("a document for code generators names every object with fields", () => {
  const places = [
    ...named.flatMap(([name, schema]) => below(schema, name)),
    ...operations.flatMap(({ operationId, raw }) => below(raw, operationId)),
  ];
  expect(places.filter(([, node]) => hasFields(node)).map(([place]) => place)).toEqual([]);
});

test("a document for code generators allows unknown fields in responses", () => {
  const referred = (node: Node): string[] =>
    [...JSON.stringify(node).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? "");
  const reachable = (names: string[], found = new Set<string>()): Set<string> => {
    for (const name of names)
      if (!found.has(name)) reachable(referred(schemas[name] as Node), found.add(name));
    return found;
  };
  const responses = reachable(operations.flatMap(({ raw }) => referred(raw["responses"] as Node)));
  const requests = reachable(
    operations.flatMap(({ bodySchema }) => (bodySchema ? referred(bodySchema) : [])),
  );
  const isClosed = (name: string) => JSON.stringify(schemas[name]).includes('"additionalProperties":false');
  expect([...responses].filter(isClosed)).toEqual([]);
  expect([...requests].filter((name) => isClosed(name)).length).toBeGreaterThan(9);
});

test("a document for code generators has one schema for the scopes of keys", () => {
  const items = ["Key", "MintedKey", "NewKey"].map(
    (name) => (schemas[name] as { properties: { scopes: { items: Node } } }).properties.scopes.items,
  );
  expect(items).toEqual(Array.from({ length: 3 }, () => ({ $ref: "#/components/schemas/Scope" })));
});

test("a document for code generators allows null for the status of an animal, which clears it", () => {
  const { status, categoryId } = (schemas["PetChange"] as { properties: Record<string, Node> }).properties;
  expect(status?.["anyOf"]).toEqual([{ $ref: "#/components/schemas/PetStatus" }, { type: "null" }]);
  expect(categoryId?.["description"]).toContain("2^53");
});

test("a document for code generators has texts in ASCII, so that Java compiles them in any locale", () => {
  const texts = JSON.stringify([schemas, operations.map(({ raw }) => raw)]);
  expect(texts.match(/"(summary|description)":"[^"]*[^ -~][^"]*"/g)).toBeNull();
});

test("a document for code generators has no quote in a field's pattern, which would end the struct tag of Go", () => {
  expect(JSON.stringify(schemas).match(/"pattern":"(?:[^"\\]|\\[^"])*\\"/g)).toBeNull();
});

test("a document for code generators has an example of an Idempotency-Key in quotes, as in the draft", () => {
  const keys = operations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === "Idempotency-Key"),
  );
  expect(keys.length).toBeGreaterThan(4);
  for (const { schema } of keys) expect(schema["examples"]).toEqual([expect.stringMatching(/^"[^"]+"$/)]);
});
