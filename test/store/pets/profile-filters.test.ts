import { expect, test } from "bun:test";
import { filterTerms, profileWords, type SearchedProfile } from "../../../src/store/pets/filter-words.ts";
import { type Store, addPet, messageOf, openOnce, openStore } from "../../support/store.ts";

const PROFILES: readonly SearchedProfile[] = [
  {
    sex: "female",
    size: "small",
    tags: ["Senior", "house-trained"],
    breeds: ["Poodle"],
    arrivedOn: "2026-03-14",
  },
  { sex: "male", size: "large", tags: ["senior dog"], reference: "A-10", arrivedOn: "2025-12-31" },
  { sex: "unknown", size: "extra_large", tags: ["Âgé"], reference: "A-1", arrivedOn: "2026-11-01" },
  { breeds: ["柴犬"], reference: "2" },
  {},
];

const store = async ({ isIndexed = false } = {}): Promise<Store> => {
  const own = await openStore();
  for (const [at, profile] of PROFILES.entries()) {
    await addPet(own, { name: `Rex ${at + 1}`, categoryId: 3, status: "available" });
    if (isIndexed) await own.call("GET", "/v1/pets?q=rex");
    await own.call("PUT", `/v1/pets/${at + 1}/profile`, { json: profile });
  }
  return own;
};

const idsOf = async (from: Store, query: Record<string, string>) => {
  const response = await from.call("GET", `/v1/pets?${new URLSearchParams(query)}`);
  return ((await response.json()) as { id: number }[]).map(({ id }) => id);
};

const shelter = openOnce(() => store());

test.each([
  [{ sex: "female" }, [1]],
  [{ sex: "male" }, [2]],
  [{ size: "large" }, [2]],
  [{ size: "extra_large" }, [3]],
  [{ tag: "SENIOR" }, [1]],
  [{ tag: "age" }, [3]],
  [{ tag: "house" }, []],
  [{ reference: "A-1" }, [3]],
  [{ reference: "a-1" }, []],
  [{ arrivedSince: "2026-03-14" }, [1, 3]],
  [{ arrivedSince: "2026-03-15" }, [3]],
  [{ arrivedSince: "2025-12-31" }, [1, 2, 3]],
  [{ arrivedSince: "2026-11-02" }, []],
  [{ sex: "female", arrivedSince: "2026-03-01", q: "poo" }, [1]],
  [{ sex: "female", q: "2" }, []],
  [{ q: "2" }, [2, 4]],
  [{ q: "2", reference: "A-10" }, [2]],
  [{ q: "trained" }, [1]],
  [{ q: "柴" }, [4]],
  [{ q: "a-10" }, [2]],
  [{ sex: "male", status: "available", ids: "1,2,3" }, [2]],
  [{ sex: "male", status: "sold" }, []],
])("the filters %j select %j, in every order", async (query, ids) => {
  for (const sort of ["id", "name", "updatedAt"])
    expect([sort, await idsOf(shelter(), { ...query, sort })]).toEqual([sort, ids]);
  expect(await idsOf(shelter(), { ...query, sort: "-id" })).toEqual(ids.toReversed());
});

test("a reference is found whatever way its letters are composed", async () => {
  const own = await store({ isIndexed: true });
  for (const stored of ["\u00c9-1", "E\u0301-1"]) {
    await own.call("PUT", "/v1/pets/1/profile", { json: { reference: stored } });
    for (const reference of ["\u00c9-1", "E\u0301-1"]) expect(await idsOf(own, { reference })).toEqual([1]);
  }
});

test("words of a profile are found also when the animal was indexed before, and only while it has them", async () => {
  const own = await store({ isIndexed: true });
  expect(await idsOf(own, { tag: "senior", q: "poodle" })).toEqual([1]);
  await own.call("PUT", "/v1/pets/1/profile", { json: { sex: "male" } });
  expect([await idsOf(own, { q: "poodle" }), await idsOf(own, { sex: "male" })]).toEqual([[], [1, 2]]);
  await own.call("PATCH", "/v1/pets/1", { json: { name: "東京犬" } });
  expect([await idsOf(own, { q: "犬" }), await idsOf(own, { sex: "male" })]).toEqual([[1], [1, 2]]);
});

test.each([
  [{ sex: "f" }, "sex: must be"],
  [{ size: "huge" }, "size: must be"],
  [{ tag: "x".repeat(51) }, "tag: must be"],
  [{ arrivedSince: "2026-02-30" }, "arrivedSince: must be a day such as 2026-11-01"],
])("the filter %j is refused by name", async (query, message) => {
  const response = await shelter().call("GET", `/v1/pets?${new URLSearchParams(query)}`);
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toStartWith(message);
});

test("no word of a filter is longer than the prefixes that the index has", () => {
  const words = profileWords(PROFILES[2] ?? {})
    .split(" ")
    .filter((word) => word.startsWith("\ue000"));
  expect(words).toHaveLength(5);
  for (const word of words) expect(word.length).toBeLessThanOrEqual(20);
});

test("a day is found from every earlier day on, and from no later one", () => {
  const days = Array.from({ length: 800 }, (_, day) =>
    new Date(Date.UTC(2024, 11, 1 + day)).toJSON().slice(0, 10),
  );
  for (const since of ["2024-12-01", "2025-09-09", "2025-12-31", "2026-02-09"]) {
    const [term = []] = filterTerms({ arrivedSince: since });
    const found = days.filter((arrivedOn) =>
      [...term].some((word) => profileWords({ arrivedOn }).startsWith(word)),
    );
    expect(found).toEqual(days.filter((day) => day >= since));
  }
});
