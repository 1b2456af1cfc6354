import { expect, test } from "bun:test";
import { petsByIdOrder } from "../../../src/store/pets/id-order-queries.ts";
import { petRepository } from "../../../src/store/pets/repository.ts";
import { foldLetters } from "../../../src/lib/letter-folds.ts";
import { ftsQuery, searchWords, wordMatcher } from "../../../src/lib/search.ts";
import { logQueries } from "../../support/query-log.ts";
import { type Store, addPet, faultOf, messageOf, openStore } from "../../support/store.ts";

const SHELTER = [
  { name: "Bella", categoryId: 1, status: "available" },
  { name: "Zoé von Bärenfels", categoryId: 1, status: "sold" },
  { name: "Zoe\u0301 2", categoryId: 2, status: "available" },
  { name: "STRASSE", categoryId: 2 },
  { name: "बेला", categoryId: -3, status: "available" },
  { name: "Bell-Boy \u{1f415}", categoryId: "9223372036854775807", status: "pending" },
  { name: "AND OR NOT", categoryId: 1, status: "sold" },
];

const shelter = async () => {
  const store = await openStore();
  for (const { name, categoryId, status } of SHELTER) {
    const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ""}}`;
    await store.call("POST", "/v1/pets", { body, headers: { "content-type": "application/json" } });
  }
  return store;
};

const list = (store: Store, query: Record<string, string>) =>
  store.call("GET", `/v1/pets?${new URLSearchParams(query)}`);

const idsOf = async (response: Response) => ((await response.json()) as { id: number }[]).map(({ id }) => id);

const store = await shelter();

test.each([
  [{ categoryId: "1" }, [1, 2, 7]],
  [{ categoryId: "-3" }, [5]],
  [{ categoryId: "9223372036854775807" }, [6]],
  [{ categoryId: "9223372036854775806" }, []],
  [{ categoryId: "1", status: "sold" }, [2, 7]],
  [{ q: "bel" }, [1, 6]],
  [{ q: "BELLA" }, [1]],
  [{ q: "zoe" }, [2, 3]],
  [{ q: "zoé" }, [2, 3]],
  [{ q: "zoe\u0301" }, [2, 3]],
  [{ q: "bar zo" }, [2]],
  [{ q: "zoe luna" }, []],
  [{ q: "boy,bell!" }, [6]],
  [{ q: "strasse" }, [4]],
  [{ q: "straße" }, [4]],
  [{ q: "bel \u{1f415}!" }, [1, 6]],
  [{ q: "2" }, [2, 3]],
  [{ q: "#7" }, [7]],
  [{ q: "7 and" }, []],
  [{ q: "07" }, []],
  [{ q: "9007199254740993" }, []],
  [{ q: "2", status: "sold" }, [2]],
  [{ q: "2", ids: "1,2" }, [2]],
  [{ q: "2", sort: "-id" }, [3, 2]],
  [{ q: "2", sort: "name" }, [3, 2]],
  [{ q: "" }, [1, 2, 3, 4, 5, 6, 7]],
  [{ q: " " }, [1, 2, 3, 4, 5, 6, 7]],
  [{ q: "!?*\"'" }, [1, 2, 3, 4, 5, 6, 7]],
  [{ q: "\u{1f415}", status: "sold" }, [2, 7]],
  [{ q: "\u0301", ids: "5" }, [5]],
  [{ q: "बेला" }, [5]],
  [{ q: "AND OR" }, [7]],
  [{ q: "ella" }, []],
  [{ q: "zoe", status: "available" }, [3]],
  [{ q: "zoe", categoryId: "1" }, [2]],
  [{ q: "zoe", categoryId: "1", status: "available" }, []],
  [{ ids: "3,1,99,1" }, [1, 3]],
  [{ ids: "9007199254740991" }, []],
  [{ ids: "1,2,3", status: "available" }, [1, 3]],
  [{ ids: "1,2,3", categoryId: "1" }, [1, 2]],
  [{ ids: "1,3,6", q: "zoe" }, [3]],
  [{ ids: "1,2,3,6", q: "b", categoryId: "1", status: "sold" }, [2]],
])("the search %j selects %j", async (query, ids) => {
  const response = await list(store, query);
  expect([response.status, await idsOf(response)]).toEqual([200, ids]);
});

test.each([
  ["categoryId", ["", "1.0", "+1", "01", "-0", "1e3", "9223372036854775808", "-9223372036854775809", "x"]],
  ["q", ["a".repeat(101), "a b c d e f g h i"]],
  [
    "ids",
    [
      "",
      "0",
      "1,",
      ",1",
      "1,,2",
      "1, 2",
      "-1",
      "01",
      "1.0",
      "x",
      "99999999999999999",
      "1,".repeat(100) + "1",
    ],
  ],
])("%s is refused by name with each of %j", async (name, values) => {
  for (const value of values) {
    const response = await list(store, { [name]: value });
    expect([value, response.status]).toEqual([value, 400]);
    expect(await messageOf(response)).toStartWith(`${name}: must be`);
  }
});

test.each([
  '"',
  '" OR name:*',
  "name:bella",
  "bella*",
  "NEAR(a b)",
  "a AND",
  "^a",
  "{a}: b",
  "-a",
  "a\u0000b",
  "x'--",
])("%j is read as words, not as query syntax", async (q) => {
  expect([200, 400]).toContain((await list(store, { q })).status);
});

test("every letter and digit that a search accepts in a word is part of a word in the index", () => {
  const search = store.database.client.query("SELECT rowid FROM pets_words WHERE pets_words MATCH ?");
  const isRefused = (some: readonly string[]): boolean => {
    try {
      search.all(ftsQuery(some));
      return false;
    } catch {
      return true;
    }
  };
  const words: string[] = [];
  for (let code = 1; code < 0x11_0000; code++) {
    const text = `a${String.fromCodePoint(code)}b`;
    const found = text.isWellFormed() ? searchWords(text) : undefined;
    if (found?.length === 1) words.push(...found);
  }
  // A query with 100 words costs little more than one with a single word.
  const batches = Array.from({ length: Math.ceil(words.length / 100) }, (_, index) =>
    words.slice(100 * index, 100 * (index + 1)),
  );
  expect(words.length).toBeGreaterThan(140_000);
  expect(batches.filter(isRefused).flatMap((batch) => batch.filter((word) => isRefused([word])))).toEqual([]);
});

test("names are compared with words as the index does it, or not at all", async () => {
  const { client } = (await openStore()).database;
  client.run("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, pets_words, instance)");
  const insert = client.query("INSERT INTO pets_words (rowid, name) VALUES (?, ?)");
  const isCompared = wordMatcher(["b"]);
  const texts = new Map<number, string>();
  for (let code = 0x20; code < 0x11_0000; code++) {
    const text = foldLetters(`x${String.fromCodePoint(code)}b`);
    if (text.isWellFormed() && isCompared(text) !== undefined) texts.set(code, text);
  }
  client.transaction(() => texts.forEach((text, code) => insert.run(code, text)))();
  const terms = new Map<number, string[]>();
  for (const [term, code] of client.query("SELECT term, doc FROM terms").values() as [string, number][])
    terms.set(code, [...(terms.get(code) ?? []), term]);
  const different = [...texts].filter(([code, text]) =>
    ["x", "b", ...(searchWords(text) ?? [])].some((word) => {
      const isMatch = wordMatcher([word])(text);
      return isMatch !== undefined && isMatch !== terms.get(code)?.some((term) => term.startsWith(word));
    }),
  );
  expect(texts.size).toBeGreaterThan(140_000);
  expect(different).toEqual([]);
});

test("a search finds letters that no accent tells apart, in either direction", async () => {
  const own = await openStore();
  const names = ["Łucja", "Søren", "Straße", "Æsir", "Þór", "Đuro", "İpek"];
  for (const name of names) await addPet(own, { name });
  for (const [at, plain] of ["lucja", "soren", "strasse", "aesir", "thor", "duro", "ipek"].entries())
    for (const q of [plain, plain.slice(0, 3), names[at] ?? ""])
      expect([q, await idsOf(await list(own, { q }))]).toEqual([q, [at + 1]]);
});

test("a search sees a new name, and a deletion, immediately", async () => {
  const own = await shelter();
  expect(await idsOf(await list(own, { q: "luna" }))).toEqual([]);
  await own.call("PATCH", "/v1/pets/1", { json: { name: "Luna" } });
  expect(await idsOf(await list(own, { q: "luna" }))).toEqual([1]);
  expect(await idsOf(await list(own, { q: "bella" }))).toEqual([]);
  await own.call("DELETE", "/v1/pets/1");
  expect(await idsOf(await list(own, { q: "luna" }))).toEqual([]);
});

const IDS = Array.from({ length: 30 }, (_, index) => index + 1).join();

test.each([
  { categoryId: "1" },
  { categoryId: "1", status: "sold" },
  { q: "béll an" },
  { q: "bell", status: "sold", categoryId: "1" },
  { ids: IDS },
  { ids: IDS, q: "bell", categoryId: "1" },
])(
  "pages of a list filtered by %j hold each of its animals once, and the link keeps the filters",
  async (query) => {
    const own = await openStore();
    for (let at = 0; at < 24; at++)
      await addPet(own, {
        name: `Bella Animal ${at}`,
        categoryId: at % 2,
        status: at % 3 === 0 ? "sold" : "available",
      });
    const all = await idsOf(await list(own, { ...query, limit: "100" }));
    const found: number[] = [];
    let next: string | undefined = `/v1/pets?${new URLSearchParams({ limit: "3", ...query })}`;
    for (let page = 0; next !== undefined && page < 20; page++) {
      const response: Response = await own.call("GET", next);
      found.push(...(await idsOf(response)));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      if (next) expect(Object.fromEntries(new URLSearchParams(next.split("?")[1]))).toMatchObject(query);
    }
    expect(all.length).toBeGreaterThan(3);
    expect(found).toEqual(all);
  },
);

test("the cursor of a filtered list is accepted with its own filters only", async () => {
  const link = (await list(store, { categoryId: "1", limit: "1" })).headers.get("link") ?? "";
  const cursor = /cursor=([\w-]+)/.exec(link)?.[1] ?? "";
  for (const query of [{}, { categoryId: "2" }, { categoryId: "1", q: "b" }, { ids: "1" }])
    expect(await faultOf(await list(store, { ...query, cursor }))).toBe("400 invalid_cursor");
  expect((await list(store, { categoryId: "1", cursor })).status).toBe(200);
});

/** SQLite's query plan for the queries of a list. */
test("a search finds words by prefixes of any length, even those that are too long for the index", async () => {
  const own = await openStore();
  await addPet(own, { name: "Donaudampfschifffahrtskapitän" });
  await addPet(own, { name: "Donaudampfschifffahrtskasse" });
  const found = async (q: string, more: Record<string, string> = {}) =>
    idsOf(await list(own, { q, ...more }));
  expect(await found("donaudampfschifffahr")).toEqual([1, 2]);
  expect(await found("donaudampfschifffahrtskap")).toEqual([1]);
  expect(await found("donaudampfschifffahrtskap", { ids: "1,2" })).toEqual([1]);
  expect(await found("donaudampfschifffahrtskx")).toEqual([]);
});

/** The turns of the event loop during an act. */
const turnsDuring = async <Value>(act: () => Promise<Value>): Promise<{ turns: number; value: Value }> => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const value = await act();
  isDone = true;
  return { turns, value };
};

test("searches and orders with many matches find them all, and a count of them lets other requests run", async () => {
  const own = await openStore();
  own.database.client.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
     INSERT INTO pets (name, category_id, status, created_at)
     SELECT 'Bella', 1, iif(i % 20000 = 0, 'sold', 'available'), 0 FROM n`,
  );
  const first = await list(own, { q: "bella", status: "sold", limit: "2" });
  expect(((await first.json()) as { id: number }[]).map(({ id }) => id)).toEqual([20_000, 40_000]);
  const [, next = ""] = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "") ?? [];
  const second = await own.call("GET", next);
  expect(((await second.json()) as { id: number }[]).map(({ id }) => id)).toEqual([60_000]);
  expect(second.headers.get("link")).toBeNull();
  for (const query of [{ q: "bella" }, { status: "available" }, { categoryId: "1" }]) {
    const byName = await list(own, { ...query, sort: "-name", limit: "2" });
    expect(await idsOf(byName)).toEqual("status" in query ? [59_999, 59_998] : [60_000, 59_999]);
  }
  const plain = await turnsDuring(() => list(own, {}));
  const counted = await turnsDuring(() => own.call("GET", "/v1/statistics?q=bella"));
  expect(counted.turns).toBeGreaterThan(plain.turns);
  expect(await counted.value.json()).toMatchObject({
    total: 60_000,
    byStatus: { available: 59_997, sold: 3 },
  });
});

test("a page by name of few matches among names that only the index can compare lets other requests run", async () => {
  const own = await openStore();
  own.database.client.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
     INSERT INTO pets (name, category_id, status, created_at)
     SELECT 'Ⅷ ' || i || iif(i % 40, ' Bella', ' Luna'), i % 40, 'available', 0 FROM n`,
  );
  await list(own, { q: "luna" });
  const plain = await turnsDuring(() => list(own, {}));
  for (const query of [{ q: "luna" }, { categoryId: "0" }]) {
    const { turns, value } = await turnsDuring(() => list(own, { ...query, sort: "name", limit: "100" }));
    expect([query, (await idsOf(value)).length]).toEqual([query, 100]);
    expect(turns).toBeGreaterThan(plain.turns + 10);
  }
});

test("a search for words that no two animals share lets other requests run", async () => {
  const own = await openStore();
  own.database.client.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
     INSERT INTO pets (name, category_id, status, created_at)
     SELECT iif(i % 2, 'Bella', 'Luna'), i % 2, 'available', 0 FROM n`,
  );
  for (const query of [{ q: "bella luna" }, { q: "bella", categoryId: "0" }, { q: "luna", categoryId: "1" }])
    for (const sort of ["id", "-id", "name"]) {
      const { turns, value } = await turnsDuring(() => list(own, { ...query, sort }));
      expect([query, sort, await idsOf(value), turns > 1]).toEqual([query, sort, [], true]);
    }
});

const plansOf = async (
  own: Store,
  page: Parameters<ReturnType<typeof petRepository>["list"]>[0],
): Promise<string[]> => {
  const { client, queries } = logQueries(own.database.client);
  await petRepository({ ...own.database, client }).list(page);
  // Every search, as if all of its lists were long.
  if (page.q !== undefined) await petsByIdOrder({ client }, { rowCost: Infinity, maxFtsIds: 0 })(page);
  return queries.flatMap((text) =>
    own.database.client
      .query<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  );
};

const PAGE = { sort: "id" as const, after: undefined, limit: 21, status: undefined };

test.each([
  ["no filter", PAGE],
  ["status", { ...PAGE, status: "sold" as const }],
  ["categoryId", { ...PAGE, categoryId: 1n }],
  ["categoryId and status", { ...PAGE, categoryId: 1n, status: "sold" as const }],
  ["q", { ...PAGE, limit: 2, q: "strasse" }],
  ["q, categoryId and status", { ...PAGE, limit: 1, q: "and", categoryId: 1n, status: "sold" as const }],
  ["ids", { ...PAGE, ids: [1, 2] }],
  ["ids and q", { ...PAGE, ids: [1, 2], q: "bella" }],
  ["-id", { ...PAGE, sort: "-id" as const }],
  ["-id and status", { ...PAGE, sort: "-id" as const, status: "sold" as const }],
  ["-id and q", { ...PAGE, limit: 2, sort: "-id" as const, q: "bella" }],
  ["name", { ...PAGE, sort: "name" as const }],
  ["-name", { ...PAGE, sort: "-name" as const, after: { id: 3, key: "bella" } }],
  ["createdAt", { ...PAGE, sort: "createdAt" as const, after: { id: 3, key: 5 } }],
  ["-createdAt", { ...PAGE, sort: "-createdAt" as const }],
  ["updatedAt and updatedSince", { ...PAGE, sort: "updatedAt" as const, updatedSince: 5 }],
  ["-updatedAt and updatedSince", { ...PAGE, sort: "-updatedAt" as const, updatedSince: 5 }],
])("a list by %s neither sorts nor reads a whole table", async (_name, page) => {
  const plan = await plansOf(store, page);
  expect(plan.join("; ")).toMatch(/SEARCH pets USING /);
  expect(
    plan.filter((step) =>
      /TEMP B-TREE FOR ORDER BY|SCAN (?!(pets_words|json_each) VIRTUAL|pets_words EXISTS VIRTUAL TABLE INDEX 0:=)/.test(
        step,
      ),
    ),
  ).toEqual([]);
});
