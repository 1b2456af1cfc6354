import { expect, test } from "bun:test";
import { addPet, faultOf, openStore } from "../../support/store.ts";

test("GET /v1/pets/{petId} responds with the animal", async () => {
  const store = await openStore();
  await addPet(store, { status: "pending" });
  const response = await store.call("GET", "/v1/pets/1");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ id: 1, name: "Bella", categoryId: 1, status: "pending" });
});

test.each([
  "2",
  "0",
  "-1",
  "1.0",
  "01",
  "1e0",
  "abc",
  "%31x",
  "9223372036854775807",
  "99999999999999999999",
  "9007199254740993",
  "1%00",
  "%F0%9F%90%B6",
])("the id %s of no animal gets 404", async (id) => {
  const store = await openStore();
  await addPet(store, {});
  expect(await faultOf(await store.call("GET", `/v1/pets/${id}`))).toBe("404 not_found");
});

test.each(["/v1/pets/1", "/v1/pets/99"])(
  "the response of %s reports that it is deprecated, since when and until when",
  async (path) => {
    const store = await openStore();
    await addPet(store, {});
    const { headers } = await store.call("GET", path);
    expect(headers.get("deprecation")).toMatch(/^@\d{10}$/);
    expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    expect(headers.get("link")).toBe('</v1/pets>; rel="successor-version"');
  },
);

test("calls of GET /v1/pets/{petId} are counted by key", async () => {
  const store = await openStore();
  await store.call("GET", "/v1/pets/1");
  await store.call("GET", "/v1/pets/2");
  const metrics = await (await store.call("GET", "/metrics")).text();
  expect(metrics).toContain(
    'http_server_deprecated_requests_total{http_route="/v1/pets/:petId",key_id="1"} 2',
  );
});

test("GET /v1/pets/{petId} is deprecated, but the list is not", async () => {
  const { headers } = await (await openStore()).call("GET", "/v1/pets");
  expect([headers.get("deprecation"), headers.get("sunset")]).toEqual([null, null]);
});
