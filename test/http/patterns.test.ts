import { describe, expect, test } from "bun:test";
import Ajv from "ajv/dist/2020";
import fc from "fast-check";
import { type Node, operationsOf } from "../support/operations.ts";
import { character } from "../support/characters.ts";
import { addPet, openStore } from "../support/store.ts";
import { words } from "../support/words.ts";
import { isLine } from "../../src/lib/text.ts";
import { isVisibleText } from "../../src/lib/visible-text.ts";

const SEED = 20_301_205;
const ajv = new Ajv({ strict: false, validateFormats: false });

const store = await openStore();
const { operations, schemas } = await operationsOf(store);
await addPet(store, {});
await store.call("POST", "/v1/categories", { json: { name: "Dogs" } });

const fieldOf = (schema: string, field: string): Node =>
  (schemas[schema] as { properties: Record<string, Node> }).properties[field] as Node;

const parameterOf = (operationId: string, name: string): Node =>
  operations
    .find((operation) => operation.operationId === operationId)
    ?.parameters.find((parameter) => parameter.name === name)?.schema as Node;

type Send = (value: string) => Promise<Response>;

const post =
  (path: string, bodyOf: (value: string) => object): Send =>
  (value) =>
    store.call("POST", path, { json: bodyOf(value) });

const withHeader =
  (method: string, path: string, header: string, json: object): Send =>
  (value) =>
    store.call(method, path, { json, headers: { [header]: value } });

const inQuery =
  (path: string, name: string): Send =>
  (value) =>
    store.call("GET", `${path}?${name}=${encodeURIComponent(value)}`);

const PET = { name: "Bella", categoryId: 1 };
const order = (adopter: object, more: object = {}) => ({
  petId: 999_999,
  adopter: { name: "Ada", email: "ada@example.org", ...adopter },
  ...more,
});

/** The documented schema of a rule, a request that sends a value to it, and edge cases. */
const RULES: [name: string, schema: Node, send: Send, edges: string[]][] = [
  ["an animal's name", fieldOf("NewPet", "name"), post("/v1/pets", (name) => ({ ...PET, name })), []],
  ["a category's name", fieldOf("NewCategory", "name"), post("/v1/categories", (name) => ({ name })), []],
  [
    "a key's name",
    fieldOf("NewKey", "name"),
    post("/platform/keys", (name) => ({ name, scopes: ["pets:read"] })),
    [],
  ],
  [
    "a key's rate limit",
    fieldOf("NewKey", "rateLimit"),
    post("/platform/keys", (rateLimit) => ({ name: "x", scopes: ["pets:read"], rateLimit })),
    [...words("0/s 01/s 1/sec 1/hour 1/MIN 999999999/h 1000000000/h 1/d"), "1/min "],
  ],
  [
    "a project's name",
    fieldOf("ProjectChange", "name"),
    (name) => store.call("PATCH", "/platform/projects/none", { json: { name } }),
    [],
  ],
  [
    "a project's slug",
    fieldOf("NewProject", "slug"),
    post("/platform/projects", (slug) => ({ slug, name: "x" })),
    [
      ...words("a a- -a ab a-b a--b ab--c ab-c a--- www api A a_b a.b"),
      "a".repeat(63),
      "a".repeat(64),
      `ab-${"c".repeat(60)}`,
      `ab-${"c".repeat(61)}`,
    ],
  ],
  [
    "an adopter's name",
    fieldOf("NewAdopter", "name"),
    post("/v1/store/orders", (name) => order({ name })),
    [],
  ],
  [
    "an adopter's mail address",
    fieldOf("NewAdopter", "email"),
    post("/v1/store/orders", (email) => order({ email })),
    [
      ...words("a@b @b a@ a@b@c \u00e4@\u00f6"),
      "a b@c",
      `${"a".repeat(252)}@b`,
      `${"a".repeat(253)}@b`,
      `${"\u{1f600}".repeat(252)}@b`,
      "a@\ufeff",
      "a@b\u2028",
      "a@b\n",
    ],
  ],
  [
    "an order's note",
    fieldOf("NewOrder", "note"),
    post("/v1/store/orders", (note) => order({}, { note })),
    [" ", "\n", "\t\r\n", "\v", "x".repeat(2000), "x".repeat(2001), "\u{1f600}".repeat(2000)],
  ],
  [
    "an Idempotency-Key",
    parameterOf("createPet", "Idempotency-Key"),
    withHeader("POST", "/v1/pets", "idempotency-key", PET),
    [
      ...words(String.raw`"" "a" "a a" a,b "a,b" "\\" "\a"`),
      "\\",
      "a b",
      '"a b"',
      "x".repeat(255),
      "x".repeat(256),
      `"${"x".repeat(255)}"`,
      `"${"x".repeat(256)}"`,
      `"${'\\"'.repeat(255)}"`,
      `"${'\\"'.repeat(256)}"`,
    ],
  ],
  [
    "an If-Match",
    parameterOf("changePet", "If-Match"),
    withHeader("PATCH", "/v1/pets/1", "if-match", {}),
    [...words(`* "a" W/"a" a "a","b" ,"a" , "a "\u00e4" *,*`), '"a" "b"', '"a" , "b",', '* , "a"', '"a b"'],
  ],
  [
    "ids of animals",
    parameterOf("listPets", "ids"),
    inQuery("/v1/pets", "ids"),
    [
      ...words("1 0 1,2 1, 9007199254740993 9999999999999999 99999999999999999"),
      Array.from({ length: 100 }, (_, index) => index + 1).join(),
      Array.from({ length: 101 }, (_, index) => index + 1).join(),
    ],
  ],
  [
    "the last event's id",
    parameterOf("streamPets", "lastEventId"),
    async (value) => {
      const response = await inQuery("/v1/pets/events", "lastEventId")(value);
      if (response.status === 200) await response.body?.cancel();
      return response;
    },
    ["0", "1", "-1", "999999999999999", "9999999999999999", "1 "],
  ],
];

/** Edge cases of a line of text. */
const LINES = [
  ..."\u00a0 \ufeff \u2003 \u200b \u0085 \u00ad \u180e \u2028".split(" "),
  "",
  " ",
  "a\n",
  "a\u0000",
  ...[100, 101, 200, 201].map((length) => "a".repeat(length)),
  "\u{1f600}".repeat(200),
  "\u{1f600}".repeat(201),
];

/** True if HTTP can carry the value in a header, which trims white space. */
const isHeaderValue = (value: string): boolean =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(value) && value === value.trim() && value !== "";

/** A valid text with one or two characters inserted, removed or replaced. */
const almost = (right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(right, fc.nat(), fc.string({ unit: character, maxLength: 2 })).map(([text, at, more]) => {
    const cut = at % (text.length + 1);
    return (text.slice(0, cut) + more + text.slice(cut + (at % 2))).toWellFormed();
  });

const valuesFor = ({ pattern, maxLength = 300 }: Node, edges: string[]): string[] => {
  const right = fc.stringMatching(new RegExp(String(pattern), "u"), {
    maxLength: Math.min(Number(maxLength), 300),
  });
  const generated = fc.oneof(right, almost(right), fc.string({ unit: character, maxLength: 10 }));
  return [...LINES, ...edges, ...fc.sample(generated, { numRuns: 400, seed: SEED })];
};

/** The part of a rule that no portable pattern can express. The description states it in words. */
const hasVisible = (name: string, value: string): boolean => {
  if (/^an? .* name$/.test(name)) return isLine(value, Infinity);
  return /address|note/.test(name) ? isVisibleText(value) : true;
};

describe.each(RULES)("the document of %s", (_name, schema, send, edges) => {
  test("the patterns and the lengths in the document match exactly the input that the server accepts", async () => {
    expect(typeof schema["pattern"]).toBe("string");
    const allows = ajv.compile(schema);
    const isHeader = /Idempotency-Key|If-Match/.test(_name);
    const values = valuesFor(schema, edges).filter((value) => !isHeader || isHeaderValue(value));
    const counts = { allowed: 0, refused: 0 };
    for (const value of values) {
      const { status } = await send(value);
      expect([value, status !== 400]).toEqual([value, allows(value) && hasVisible(_name, value)]);
      counts[status === 400 ? "refused" : "allowed"]++;
    }
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(5);
  });
});
