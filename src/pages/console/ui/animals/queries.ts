import { type QueryClient, keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import { ApiError, dataOf, pageOf, store } from "../api/client.ts";
import { readAfterWrites } from "../api/writes.ts";
import { integerOf } from "../parts/address.ts";
import { readsDone, reread } from "../parts/reads.ts";
import { PAGE_SIZE, useAll } from "../parts/queries.ts";
import { type Filter, type View, DEFAULT_SORT } from "./addresses.ts";
import { type Changes, type Pages, isSame, itemsOf, mayEnter, patchPages, withFirst } from "./changes.ts";
import type { Animal, AnimalVersion } from "./animal.ts";
import type { Statistics } from "./statistics.ts";

/**
 * The cache keys. Lists are never reloaded as a whole: changes are patched in (`applyChanges`), because a list may have many
 * pages.
 */
export const ANIMALS = ["animals"] as const;
const STATISTICS = [...ANIMALS, "statistics"] as const;
const LIST = ["animal lists"] as const;
const ONE = ["animal"] as const;

/** The API's limit for ids, or changes, in one request. */
const MAX_IDS = 100;
/** A longer list has no entity tags. */
const MAX_TAGGED = 50;

const listKey = (view: View) => [...LIST, view] as const;

const filterQuery = ({ q, category }: Filter) => ({
  ...(q !== undefined && { q }),
  ...(category !== undefined && { categoryId: integerOf(category) }),
});

const listQuery = ({ status, sort = DEFAULT_SORT, ...filter }: View) => ({
  ...(status && { status }),
  ...filterQuery(filter),
  sort,
});

/** The animals that match a filter, page by page. */
export const useAnimals = (view: View) =>
  useAll<Animal>(
    listKey(view),
    (page) => pageOf(store.GET("/pets", { params: { query: { ...page, ...listQuery(view) } } })),
    // What changes is patched in.
    { staleTime: Infinity },
  );

/** The counts of the animals that match a search and a category, by status. */
export const useStatistics = ({ q, category }: Filter = {}) =>
  useQuery({
    queryKey: [...STATISTICS, q ?? "", category ?? ""],
    queryFn: ({ signal }): Promise<Statistics> =>
      dataOf(store.GET("/statistics", { params: { query: filterQuery({ q, category }) }, signal })),
    placeholderData: keepPreviousData,
  });

/** The animals with these ids, at most 100. Deleted ones are missing, and those that do not match the filter. */
export const readAnimals = (ids: readonly number[], filter: Filter = {}): Promise<Animal[]> => {
  const { sort: _, ...narrow } = listQuery(filter);
  const query = { ...narrow, ids: ids.join(","), limit: MAX_IDS };
  return readAfterWrites(() => dataOf(store.GET("/pets", { params: { query } })));
};

/** Ids or changes in slices that the API takes. */
export const slicesOf = <Item>(items: readonly Item[], size = MAX_IDS): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

const listsOf = (queries: QueryClient): Pages[] =>
  queries.getQueriesData<Pages>({ queryKey: LIST }).flatMap(([, list]) => (list ? [list] : []));

/** The animal as the console knows it: null if it was deleted. */
const knownAnimal = (queries: QueryClient, id: number): Animal | null | undefined => {
  const known = queries.getQueryData<Animal | null>([...ONE, id]);
  if (known !== undefined) return known;
  return listsOf(queries)
    .flatMap(itemsOf)
    .find((one) => one.id === id);
};

const isKnown = (queries: QueryClient, id: number, now: Animal | undefined): boolean => {
  const known = knownAnimal(queries, id);
  return now && known ? isSame(known, now) : known === null && now === undefined;
};

export const notFound = (): ApiError =>
  new ApiError(404, "not_found", "There is no animal with this number.");

/** One animal: from a loaded list at first, then from the API. Null: it was deleted while it was shown. */
export const useAnimal = (id: number | undefined) => {
  const queries = useQueryClient();
  return useQuery<Animal | null>({
    queryKey: [...ONE, id],
    placeholderData: () => (id === undefined ? undefined : (knownAnimal(queries, id) ?? undefined)),
    queryFn: async () => {
      const [animal] = id === undefined ? [] : await readAnimals([id]);
      if (!animal) throw notFound();
      return animal;
    },
    enabled: id !== undefined,
  });
};

/**
 * Shows changes wherever the animals are shown, and counts again. Lists that are not shown and may have become longer are
 * read again when they are.
 */
export const applyChanges = (queries: QueryClient, changes: Changes): void => {
  const isNews = [...changes].some(([id, now]) => !isKnown(queries, id, now));
  for (const [queryKey, list] of queries.getQueriesData<Pages>({ queryKey: LIST })) {
    if (!list) continue;
    const view = queryKey[1] as View;
    if ([...changes.values()].some((now) => now && mayEnter(list, view, now)))
      void queries.invalidateQueries({ queryKey, exact: true, type: "inactive", refetchType: "none" });
    const patched = patchPages(list, changes);
    if (patched !== list) queries.setQueryData(queryKey, patched);
  }
  for (const [id, now] of changes)
    queries.setQueryData<Animal | null>([...ONE, id], (before) =>
      before === undefined ? undefined : (now ?? null),
    );
  if (isNews) recount(queries);
};

/** Waits until no read of animals is in progress: its response would overwrite changes that are applied before it. */
export const animalsRead = (queries: QueryClient): Promise<void> => readsDone(queries, [LIST, ONE, ANIMALS]);

export const rereadAnimal = (queries: QueryClient, id: number): Promise<void> =>
  reread(queries, [...ONE, id]);

export const recount = (queries: QueryClient): void => void queries.invalidateQueries({ queryKey: ANIMALS });

/** Reads a list again from its first page. */
export const resetList = (queries: QueryClient, view: View): void =>
  void queries.resetQueries({ queryKey: listKey(view), exact: true });

/** The newest animals that match. */
export const readNewest = (view: View): Promise<Animal[]> => {
  const query = { limit: PAGE_SIZE, ...listQuery({ ...view, sort: DEFAULT_SORT }) };
  return readAfterWrites(() => dataOf(store.GET("/pets", { params: { query } })));
};

export const putFirst = (queries: QueryClient, view: View, animals: readonly Animal[]): void => {
  queries.setQueryData<Pages>(listKey(view), (list) => list && withFirst(list, animals));
};

/** Reloads changed animals in one request, and shows them. */
export const rereadAnimals = async (queries: QueryClient, ids: readonly number[]): Promise<void> => {
  for (const some of slicesOf(ids)) {
    const found = new Map((await readAnimals(some)).map((one) => [one.id, one]));
    applyChanges(queries, new Map(some.map((id) => [id, found.get(id)])));
  }
};

/** Those of the animals that a list has not loaded, but that belong to it. */
export const findArrivals = async (
  queries: QueryClient,
  view: View,
  animals: readonly Animal[],
): Promise<Animal[]> => {
  const list = queries.getQueryData<Pages>(listKey(view));
  const candidates = list ? animals.filter((one) => mayEnter(list, view, one)) : [];
  if (view.q === undefined || candidates.length === 0) return candidates;
  const ids = candidates.slice(0, MAX_IDS).map(({ id }) => id);
  return readAnimals(ids, view);
};

/** Entity tags contain no quotes (RFC 9110 section 8.8.3). */
const tagsOf = (header: string | null): string[] => header?.match(/"[^"]*"/g) ?? [];

/** The versions of these animals. Deleted ones are missing. */
export const readVersions = async (ids: readonly number[]): Promise<AnimalVersion[]> => {
  const versions: AnimalVersion[] = [];
  for (const some of slicesOf(ids, MAX_TAGGED)) {
    const query = { ids: some.join(","), limit: MAX_TAGGED };
    const { data, response } = await store.GET("/pets", { params: { query } });
    const tags = tagsOf(response.headers.get("item-etags"));
    versions.push(...data.map((animal, at) => ({ animal, tag: tags[at] ?? "*" })));
  }
  return versions;
};

/** @throws ApiError */
export const fetchVersion = async (id: number): Promise<AnimalVersion> => {
  const [version] = await readVersions([id]);
  if (!version) throw notFound();
  return version;
};

/** An animal to edit or delete. It is read once: it does not change while the user looks at it. */
export const useAnimalVersion = (id: number) =>
  useQuery({
    queryKey: ["animal version", id],
    queryFn: () => fetchVersion(id),
    gcTime: 0,
    staleTime: Infinity,
  });
