import { expect, test } from "bun:test";
import { openStore } from "../../support/store.ts";

const ADA = { name: "Ada Byron", email: "ada@example.org" };

test("every POST under /v1 that is repeated with its Idempotency-Key runs once", async () => {
  const store = await openStore();
  const twice = async (path: string, json?: object) => {
    const headers = { "idempotency-key": `of ${path}`.replaceAll(" ", "-") };
    const send = () => store.call("POST", path, { headers, ...(json && { json }) });
    const [first, again] = [await send(), await send()];
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect([again.status, again.headers.get("location")]).toEqual([
      first.status,
      first.headers.get("location"),
    ]);
    const body = await first.text();
    expect(await again.text()).toBe(body);
    return JSON.parse(body) as Record<string, unknown>;
  };
  await twice("/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  await twice("/v1/categories", { name: "Dogs" });
  await twice("/v1/store/orders", { petId: 1, adopter: ADA });
  await twice("/v1/store/orders/1/approve");
  expect(await twice("/v1/store/orders/1/complete")).toMatchObject({ status: "completed" });
  expect(await twice("/v1/store/orders/1/return", { reason: "Too wild." })).toMatchObject({
    status: "returned",
  });
  await store.call("POST", "/v1/pets", { json: { name: "Rex", categoryId: 1, status: "available" } });
  await store.call("POST", "/v1/store/orders", { json: { petId: 2, adopter: ADA } });
  await twice("/v1/store/orders/2/cancel");
  for (const [path, count] of [
    ["/v1/pets", 2],
    ["/v1/categories", 1],
    ["/v1/store/orders", 2],
  ] as const)
    expect(await (await store.call("GET", path)).json()).toHaveLength(count);
});
