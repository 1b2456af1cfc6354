import { expect, test } from "bun:test";
import { addPet, faultOf, messageOf, openStore, openOnce } from "../../support/store.ts";

const shared = openOnce(openStore);

const post = async (body: string) =>
  shared().call("POST", "/v1/pets", { body, headers: { "content-type": "application/json" } });

const withName = (name: string) => post(JSON.stringify({ name, categoryId: 1 }));

test("POST /v1/pets responds 201 with the animal and its id", async () => {
  const store = await openStore();
  const response = await store.call("POST", "/v1/pets", {
    json: { name: "Bella", categoryId: 3, status: "sold" },
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({ id: 1, name: "Bella", categoryId: 3, status: "sold" });
});

test("an absent status stays absent", async () => {
  const store = await openStore();
  await addPet(store, {});
  expect(await (await store.call("GET", "/v1/pets")).text()).toBe('[{"id":1,"name":"Bella","categoryId":1}]');
});

test.each([
  "x",
  "é",
  "  padded  ",
  "Zoë 🐕‍🦺",
  "كلب",
  "=1+1",
  "می\u200cخواهم",
  "x".repeat(200),
  "🐶".repeat(200),
])("the name %p is returned unchanged", async (name) => {
  const response = await withName(name);
  expect(response.status).toBe(201);
  expect(((await response.json()) as { name: string }).name).toBe(name);
});

test.each([
  "",
  " ",
  "\t",
  "\u00a0\u2003",
  "a\nb",
  "a\u0000b",
  "a\u007fb",
  "\u0085",
  "\ud800",
  "a\udc00b",
  "\u200b",
  "a\u200db",
  "a\u2028b",
  "\u202eevil",
  "x".repeat(201),
  "🐶".repeat(201),
])("the name %j is refused with the name of the field", async (name) => {
  const response = await withName(name);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toStartWith("name: must be a string of 1 to 200 characters");
});

test.each([
  ["{}", "categoryId: is required"],
  ['{"name":"x"}', "categoryId: is required"],
  ['{"categoryId":1}', "name: is required"],
  ['{"name":1,"categoryId":1}', "name: must be a string"],
  ['{"name":"x","categoryId":null}', "categoryId: must be an integer"],
  ['{"name":"x","categoryId":1,"status":null}', "status: must be one of"],
  ['{"name":"x","categoryId":1,"status":"gone"}', "status: must be one of"],
  ['{"name":"x","categoryId":1,"id":5}', "id: is not a known field (known: name, categoryId, status)"],
  ['{"name":"x","categoryId":1,"__proto__":{"status":"sold"}}', "__proto__: is not a known field"],
  ["[]", "The body must be a JSON object"],
  ["null", "The body must be a JSON object"],
  ['"x"', "The body must be a JSON object"],
  ['{"name":"x","categoryId":1', "The body is not valid JSON"],
  ['{"name":"x","categoryId":1}}', "The body is not valid JSON"],
  ['{"name":"x","categoryId":1} {}', "The body is not valid JSON"],
  ['{"name":"x","categoryId":01}', "The body is not valid JSON"],
  ["{'name':'x'}", "The body is not valid JSON"],
  ["", "The body is not valid JSON"],
  ['{"name":"x","name":"y","categoryId":1}', '"name": appears twice'],
  ['{"name":"x","categoryId":1,"categoryI\\u0064":2}', '"categoryId": appears twice'],
])("the body %p gets 400 with the reason", async (body, reason) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toContain(reason);
});

test.each([
  "[".repeat(30_000),
  "[".repeat(30_000) + "]".repeat(30_000),
  '{"a":'.repeat(10_000),
  `{"name":${"[".repeat(40)}${"]".repeat(40)}}`,
])("deep nesting is refused without a crash: case %#", async (body) => {
  expect(await faultOf(await post(body))).toBe("400 invalid_request");
});

test("a body that is not UTF-8 gets 400", async () => {
  const store = await openStore();
  const body = new Uint8Array([
    ...new TextEncoder().encode('{"name":"'),
    0xff,
    0xfe,
    ...new TextEncoder().encode('","categoryId":1}'),
  ]);
  const response = await store.call("POST", "/v1/pets", {
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await messageOf(response)).toBe("The body is not valid UTF-8.");
});

test.each([
  undefined,
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json-patch+json",
  "application/json; charset=latin1",
])("Content-Type %p gets 415 with the accepted type", async (type) => {
  const store = shared();
  const response = await store.call("POST", "/v1/pets", {
    body: new TextEncoder().encode('{"name":"x","categoryId":1}'),
    headers: type === undefined ? {} : { "content-type": type },
  });
  expect(response.headers.get("accept")).toBe("application/json");
  expect(await faultOf(response)).toBe("415 unsupported_media_type");
});

test.each([
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  'application/json;charset="UTF-8"',
])("Content-Type %p is accepted", async (type) => {
  const store = shared();
  const response = await store.call("POST", "/v1/pets", {
    body: '{"name":"x","categoryId":1}',
    headers: { "content-type": type },
  });
  expect(response.status).toBe(201);
});

test("a body of 64 KiB is read, and one byte more gets 413, with a length or without", async () => {
  const store = await openStore();
  const headers = { "content-type": "application/json" };
  const padded = (size: number) => '{"name":"x","categoryId":1}'.padEnd(size, " ");
  const streamed = (text: string) => new Blob([text]).stream();
  for (const body of [padded(65_536), streamed(padded(65_536))])
    expect((await store.call("POST", "/v1/pets", { body, headers })).status).toBe(201);
  for (const body of [padded(65_537), streamed(padded(65_537))])
    expect(await faultOf(await store.call("POST", "/v1/pets", { body, headers }))).toBe(
      "413 payload_too_large",
    );
});

test("a body that ends early is the client's fault", async () => {
  const store = await openStore();
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("connection lost")) });
  const response = await store.call("POST", "/v1/pets", {
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await messageOf(response)).toBe("The request body ended before it was complete.");
  expect(response.status).toBe(400);
});

test("a refused animal is not stored", async () => {
  const store = await openStore();
  await store.call("POST", "/v1/pets", { json: { name: "", categoryId: 1 } });
  expect(await (await store.call("GET", "/v1/pets")).json()).toEqual([]);
});
