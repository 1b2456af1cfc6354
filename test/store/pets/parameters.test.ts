import { expect, test } from "bun:test";
import { ListQuery } from "../../../src/store/pets/model.ts";
import { storingProfileWords } from "../../../src/store/pets/word-queries.ts";
import { addPet, faultOf, openOnce, openStore, type Store } from "../../support/store.ts";

/** A value of each parameter with which the list differs from the list without it. A new parameter needs one. */
const SAMPLES: Readonly<Record<string, string>> = {
  include: "profile",
  limit: "3",
  status: "sold",
  categoryId: "2",
  q: "bel",
  ids: "2,3,5,7",
  sort: "-name",
  updatedSince: "2026-11-20T00:00:07Z",
  sex: "female",
  size: "small",
  tag: "senior",
  reference: "A-1",
  arrivedSince: "2026-03-14",
};

/** The parameters of a list in addition to the start of its page. */
const PARAMETERS = Object.keys(ListQuery.properties).filter((name) => name !== "cursor");

const openShelter = async (): Promise<Store> => {
  const store = await openStore();
  for (let index = 1; index <= 24; index++) {
    await addPet(store, {
      name: `${["Bella", "Max", "Belle"][index % 3]} ${index}`,
      categoryId: 1 + (index % 4),
      ...(index % 5 > 0 && { status: index % 2 > 0 ? "sold" : "available" }),
    });
    store.clock.advance(1000);
    const profile = {
      sex: "female",
      size: "small",
      tags: ["senior"],
      reference: "A-1",
      arrivedOn: "2026-04-01",
    };
    if (index % 3 > 0) await store.database.commit([storingProfileWords(index, profile)]);
  }
  return store;
};

const shelter = openOnce(openShelter);

const PAIRS = PARAMETERS.flatMap((first, index) =>
  PARAMETERS.slice(index + 1).map((second) => [first, second] as const),
);

const addressOf = (...names: string[]): string =>
  `/v1/pets?${new URLSearchParams(Object.fromEntries(names.map((name) => [name, SAMPLES[name] ?? ""])))}`;

const read = async (address: string) => {
  const response = await shelter().call("GET", address);
  return { status: response.status, link: response.headers.get("link"), body: await response.text() };
};

/** The response to a request whose response is in no cache. */
const readFresh = async (address: string) => {
  const { id } = await addPet(shelter(), { name: "Zoe" });
  await shelter().call("DELETE", `/v1/pets/${id}`);
  return read(address);
};

test("every parameter of the list has a sample here", () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(PARAMETERS.toSorted());
});

test.each(PARAMETERS)("%s alone gives another list than no parameter", async (name) => {
  expect((await readFresh(addressOf(name))).body).not.toBe((await readFresh("/v1/pets")).body);
});

test.each(PAIRS)("a list with %s and then with %s is the same from the cache", async (first, second) => {
  const addresses = [addressOf(first), addressOf(second), addressOf(first, second), "/v1/pets"];
  const fresh = [];
  for (const address of addresses) fresh.push(await readFresh(address));
  expect(fresh.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const cached = [];
  for (const address of [...addresses, ...addresses]) cached.push(await read(address));
  expect(cached).toEqual([...fresh, ...fresh]);
});

/** Parameters that select and order the same animals. */
const SAME_ANIMALS = ["limit", "include"];

test.each(PARAMETERS.filter((name) => !SAME_ANIMALS.includes(name)))(
  "a cursor of a list with %s is refused without it, and the reverse",
  async (name) => {
    const cursorAt = async (address: string) => {
      const { link } = await read(`${address}${address.includes("?") ? "&" : "?"}limit=1`);
      return new URL(/<(.+)>/.exec(link ?? "")?.[1] ?? "", "http://localhost").searchParams.get("cursor");
    };
    const ofFiltered = await cursorAt(addressOf(name));
    const ofAll = await cursorAt("/v1/pets");
    expect([typeof ofFiltered, typeof ofAll]).toEqual(["string", "string"]);
    const call = async (address: string) => faultOf(await shelter().call("GET", address));
    expect([
      await call(`/v1/pets?cursor=${ofFiltered}`),
      await call(`${addressOf(name)}&cursor=${ofAll}`),
    ]).toEqual(["400 invalid_cursor", "400 invalid_cursor"]);
  },
);
