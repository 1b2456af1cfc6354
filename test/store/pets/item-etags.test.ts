import { expect, test } from "bun:test";
import { addPet, faultOf, openStore } from "../../support/store.ts";

const itemEtagsOf = (response: Response): string[] => response.headers.get("item-etags")?.split(", ") ?? [];

test("a list by ids has the ETag of each animal in its header, in the order of the list", async () => {
  const store = await openStore();
  for (const name of ["Bella", 'Rex, the "Great"', "Zoë"]) await addPet(store, { name });
  const etags = itemEtagsOf(await store.call("GET", "/v1/pets?ids=3,1,99,2"));
  const own = await Promise.all([1, 2, 3].map((id) => store.call("GET", `/v1/pets/${id}`)));
  expect(etags).toEqual(own.map((response) => response.headers.get("etag") ?? ""));
  expect(itemEtagsOf(await store.call("GET", "/v1/pets?ids=1,2,3&limit=2"))).toEqual(etags.slice(0, 2));
});

test("If-Match takes the tag of a list until the animal changes", async () => {
  const store = await openStore();
  await addPet(store, { name: "Bella" });
  const [tag = ""] = itemEtagsOf(await store.call("GET", "/v1/pets?ids=1"));
  const change = (name: string) =>
    store.call("PATCH", "/v1/pets/1", { json: { name }, headers: { "if-match": tag } });
  expect((await change("Bello")).status).toBe(200);
  expect(await faultOf(await change("Bruno"))).toBe("412 precondition_failed");
  expect(itemEtagsOf(await store.call("GET", "/v1/pets?ids=1"))).not.toEqual([tag]);
});

test("a list without ids, and one that finds no animal, have no ETags of items", async () => {
  const store = await openStore();
  await addPet(store, {});
  for (const path of ["/v1/pets", "/v1/pets?q=b", "/v1/pets?ids=99"])
    expect((await store.call("GET", path)).headers.get("item-etags")).toBeNull();
});

test("the ETags of 50 animals fit the headers that proxies pass on, and a longer list has none", async () => {
  const store = await openStore();
  for (let id = 1; id <= 51; id++) await addPet(store, {});
  const ids = Array.from({ length: 51 }, (_, index) => index + 1).join();
  const response = await store.call("GET", `/v1/pets?ids=${ids}&limit=50`);
  expect(itemEtagsOf(response)).toHaveLength(50);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  expect(headers.length).toBeLessThan(3000);
  expect((await store.call("GET", `/v1/pets?ids=${ids}&limit=51`)).headers.get("item-etags")).toBeNull();
});

test("a page at another origin may read the ETags of items", async () => {
  const store = await openStore({ env: { CORS_ORIGINS: "https://shelter.example.org" } });
  await addPet(store, {});
  const response = await store.call("GET", "/v1/pets?ids=1", {
    headers: { origin: "https://shelter.example.org" },
  });
  expect(response.headers.get("access-control-expose-headers")).toContain("Item-ETags");
});
