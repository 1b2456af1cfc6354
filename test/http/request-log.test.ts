import { describe, expect, test } from "bun:test";
import { openStore } from "../support/store.ts";

describe("the log", () => {
  test("has a line for each request, with its id, route, status, time and key", async () => {
    const store = await openStore();
    await store.call("GET", "/v1/pets/5", { headers: { "x-request-id": "mine" } });
    expect(store.log).toHaveLength(1);
    expect(store.log[0]).toMatchObject({
      msg: "request",
      requestId: "mine",
      method: "GET",
      route: "/v1/pets/:petId",
      status: 404,
      keyId: 1,
    });
    expect(store.log[0]?.["ms"]).toBeNumber();
  });

  test("omits the secrets of a response that violates its schema", async () => {
    const store = await openStore();
    store.database.client.run("UPDATE keys SET name = ''");
    expect((await store.call("GET", "/platform/keys")).status).toBe(500);
    const refusal = store.log.find(({ msg }) => msg === "internal_error");
    expect(JSON.stringify(refusal)).toContain("0.name: must be a string");
    expect(JSON.stringify(refusal)).not.toContain(store.key.slice(0, 8));
  });

  test("omits secrets, whatever a request contains", async () => {
    const store = await openStore();
    const cookie = "session=hidden-cookie";
    await store.call("GET", "/v1/pets?limit=hidden-query", { headers: { cookie } });
    await store.call("GET", "/v1/pets", { key: "aas_hidden-key" });
    await store.call("POST", "/v1/pets", { json: { name: "hidden-body" } });
    expect(JSON.stringify(store.log)).not.toMatch(new RegExp(`hidden|${store.key.slice(8)}`));
  });
});
