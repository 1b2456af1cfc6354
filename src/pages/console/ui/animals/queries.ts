import { type QueryClient, keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import { ApiError, dataOf, pageOf, store } from "../api/client.ts";
import { integerOf } from "../parts/address.ts";
import { ONCE, readOnce, readsDone, reread } from "../parts/reads.ts";
import { PAGE_SIZE, useAll } from "../parts/queries.ts";
import {
  type Animal,
  type AnimalChange,
  type AnimalVersion,
  DEFAULT_SORT,
  type Filter,
  type NewAnimal,
  type Statistics,
  type View,
  type WholeVersion,
  changeOf,
  isEmpty,
} from "./animal.ts";
import { type Outcome, type RequestedChange, mayEnter, outcomeOf } from "./changes.ts";
import { type Changes, type Pages, isEqual, recordsOf, setList, withFirst } from "../parts/records.ts";
import { formatCount } from "../parts/wording.ts";
import type { ProfileChange } from "./profile.ts";

/**
 * The cache keys. Lists are never reloaded as a whole: changes are patched in (`applyChanges`), because a list may have many
 * pages.
 */
export const ANIMALS = ["animals"] as const;
const STATISTICS = [...ANIMALS, "statistics"] as const;
const LIST = ["animal lists"] as const;
const ONE = ["animal"] as const;

/** The keys of everything that has profiles. */
export const WITH_PROFILES = [LIST, ONE] as const;

/** The API's limit for ids, or changes, in one request. */
const MAX_IDS = 100;
/** A longer list has no entity tags. */
const MAX_TAGGED = 50;

/** Both forms of a list have the same animals. */
const listKey = ({ status, q, category, sort }: View) => [...LIST, { status, q, category, sort }] as const;

const filterQuery = ({ q, category }: Filter) => ({
  ...(q !== undefined && { q }),
  ...(category !== undefined && { categoryId: integerOf(category) }),
});

const listQuery = ({ status, sort = DEFAULT_SORT, q, category }: View) => ({
  ...(status && { status }),
  ...filterQuery({ q, category }),
  sort,
  include: "profile,photos",
});

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
  return dataOf(store.GET("/pets", { params: { query } }));
};

/** Ids or changes in slices that the API takes. */
const slicesOf = <Item>(items: readonly Item[], size = MAX_IDS): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

const { known, show } = recordsOf<Animal>(LIST, ONE);

/** The changed animals with the profiles and photos that are known: neither events nor changes have them. */
const withParts = (queries: QueryClient, changes: Changes<Animal>): Changes<Animal> =>
  new Map(
    [...changes].map(([id, now]) => {
      const { profile, photos } = known(queries, id) ?? {};
      return [id, now && { ...(profile && { profile }), ...(photos && { photos }), ...now }];
    }),
  );

const isKnown = (queries: QueryClient, [id, now]: readonly [number, Animal | undefined]): boolean => {
  const before = known(queries, id);
  return before === undefined ? false : isEqual(before, now ?? null);
};

const notFound = (): ApiError => new ApiError(404, "not_found", "There is no animal with this number.");

/** One animal: from a loaded list at first, then from the API. Null: it was deleted while it was shown. */
export const useAnimal = (id: number | undefined) => {
  const queries = useQueryClient();
  return useQuery<Animal | null>({
    queryKey: [...ONE, id],
    placeholderData: () => (id === undefined ? undefined : (known(queries, id) ?? undefined)),
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
const applyChanges = (queries: QueryClient, given: Changes<Animal>): void => {
  const changes = withParts(queries, given);
  const hasChanged = [...changes].some((change) => !isKnown(queries, change));
  for (const [queryKey, list] of queries.getQueriesData<Pages<Animal>>({ queryKey: LIST })) {
    const view = queryKey[1] as View;
    if (list && [...changes.values()].some((now) => now && mayEnter(list, view, now)))
      void queries.invalidateQueries({ queryKey, exact: true, type: "inactive", refetchType: "none" });
  }
  show(queries, changes);
  if (hasChanged) recount(queries);
};

/** Waits until no read of animals is in progress: its response would overwrite changes that are applied before it. */
export const animalsRead = (queries: QueryClient): Promise<void> =>
  readsDone(queries, [LIST, ONE, ANIMALS, ONCE]);

export const rereadAnimal = (queries: QueryClient, id: number): Promise<void> =>
  reread(queries, [...ONE, id]);

export const recount = (queries: QueryClient): void => void queries.invalidateQueries({ queryKey: ANIMALS });

/** Reads a list again from its first page. */
export const resetList = (queries: QueryClient, view: View): void =>
  void queries.resetQueries({ queryKey: listKey(view), exact: true });

/** Reads all lists and animals again, as if the page had just been opened: more may have changed than patches can show. */
export const resetAnimals = (queries: QueryClient): void => {
  for (const queryKey of WITH_PROFILES) void queries.resetQueries({ queryKey });
};

export const readNewest = (queries: QueryClient, view: View): Promise<Animal[]> => {
  const query = { limit: PAGE_SIZE, ...listQuery({ ...view, sort: DEFAULT_SORT }) };
  return readOnce(queries, () => dataOf(store.GET("/pets", { params: { query } })));
};

export const putFirst = (queries: QueryClient, view: View, animals: readonly Animal[]): void => {
  const queryKey = listKey(view);
  const list = queries.getQueryData<Pages<Animal>>(queryKey);
  if (list) setList(queries, queryKey, withFirst(list, animals));
};

export const rereadAnimals = async (queries: QueryClient, ids: readonly number[]): Promise<void> => {
  for (const some of slicesOf(ids)) {
    const animals = await readOnce(queries, () => readAnimals(some));
    const found = new Map(animals.map((one) => [one.id, one]));
    applyChanges(queries, new Map(some.map((id) => [id, found.get(id)])));
  }
};

/**
 * Shows events. Their animals may be older than those that the page shows: shown ones that differ are read again.
 * @param partsOf animals whose profile or photos have changed
 */
export const applyEvents = async (
  queries: QueryClient,
  given: Changes<Animal>,
  partsOf: ReadonlySet<number>,
): Promise<void> => {
  const events = withParts(queries, given);
  const isShown = ([id, then]: readonly [number, Animal | undefined]) =>
    then !== undefined &&
    known(queries, id) !== undefined &&
    (partsOf.has(id) || !isKnown(queries, [id, then]));
  const shown = [...events].filter(isShown).map(([id]) => id);
  applyChanges(queries, new Map([...events].filter((event) => !isShown(event))));
  // Animals that can't be read now are read at the next gap.
  await rereadAnimals(queries, shown).catch(() => {});
};

/** Those of the animals of events that a list has not loaded, but that belong to it now. */
export const findArrivals = async (
  queries: QueryClient,
  view: View,
  animals: readonly Animal[],
): Promise<Animal[]> => {
  const list = queries.getQueryData<Pages<Animal>>(listKey(view));
  const candidates = list ? animals.filter((one) => mayEnter(list, view, one)) : [];
  // With more than that, the list offers to be read again.
  if (candidates.length === 0 || (view.q === undefined && candidates.length > MAX_IDS)) return candidates;
  const ids = candidates.slice(0, MAX_IDS).map(({ id }) => id);
  return readOnce(queries, () => readAnimals(ids, view));
};

const readVersions = async (ids: readonly number[]): Promise<AnimalVersion[]> => {
  const versions: AnimalVersion[] = [];
  for (const some of slicesOf(ids, MAX_TAGGED)) {
    const query = { ids: some.join(","), limit: MAX_TAGGED };
    const { data, response } = await store.GET("/pets", { params: { query } });
    // Entity tags contain no quotes (RFC 9110 section 8.8.3).
    const tags = response.headers.get("item-etags")?.match(/"[^"]*"/g) ?? [];
    versions.push(...data.map((animal, index) => ({ animal, tag: tags[index] ?? "*" })));
  }
  return versions;
};

const ofAnimal = (petId: number, header = {}) => ({ params: { path: { petId }, header } });

type ProfileVersion = Pick<WholeVersion, "profile" | "profileTag">;

const readProfile = async (id: number): Promise<ProfileVersion> => {
  const { data, response } = await store.GET("/pets/{petId}/profile", ofAnimal(id));
  return { profile: data, profileTag: response.headers.get("etag") ?? "*" };
};

/** @throws ApiError */
export const fetchVersion = async (id: number): Promise<WholeVersion> => {
  const [[version], profile] = await Promise.all([readVersions([id]), readProfile(id)]);
  if (!version) throw notFound();
  return { ...version, ...profile };
};

/** An animal to edit or delete. It is read once: it does not change while the user looks at it. */
export const useAnimalVersion = (id: number) =>
  useQuery({
    queryKey: ["animal version", id],
    queryFn: () => fetchVersion(id),
    gcTime: 0,
    staleTime: Infinity,
  });

/** The animal and its profile to save. The profile's change is a merge patch. */
interface Wanted {
  animal: NewAnimal;
  profile: ProfileChange;
}

/** The profile's version after a change of its animal, which has changed `updatedAt`. If another user has changed it too, it stays. */
const afterChange = async ({ animal: { id }, ...before }: WholeVersion): Promise<ProfileVersion> => {
  const now = await readProfile(id).catch(() => before);
  const { updatedAt } = now.profile;
  return isEqual({ ...before.profile, updatedAt }, now.profile) ? now : before;
};

const patchProfile = async (
  { animal, profileTag }: WholeVersion,
  body: ProfileChange,
): Promise<ProfileVersion> => {
  const init = { ...ofAnimal(animal.id, { "If-Match": profileTag }), body };
  const { data, response } = await store.PATCH("/pets/{petId}/profile", init);
  return { profile: data, profileTag: response.headers.get("etag") ?? "*" };
};

const patchAnimal = async (
  { animal: { id }, tag }: WholeVersion,
  body: AnimalChange,
): Promise<AnimalVersion> => {
  const init = { ...ofAnimal(id, { "If-Match": tag }), body };
  const { data, response } = await store.PATCH("/pets/{petId}", init);
  return { animal: data, tag: response.headers.get("etag") ?? "*" };
};

const changeSlice = async (changes: readonly RequestedChange[]): Promise<Outcome> => {
  const body = {
    changes: changes.map(({ from: { animal, tag }, change }) => ({ id: animal.id, ifMatch: tag, change })),
  };
  const results = await dataOf(store.POST("/pets/changes", { body })).catch((error: ApiError) =>
    changes.map(({ from }) => ({ id: from.animal.id, error })),
  );
  return outcomeOf(changes, results);
};

const saveAll = async (
  queries: QueryClient,
  changes: readonly RequestedChange[],
  onProgress: (done: number) => void = () => {},
): Promise<Outcome> => {
  const outcome: Outcome = { changed: [], failed: [] };
  for (const some of slicesOf(changes)) {
    const { changed, failed } = await changeSlice(some);
    outcome.changed.push(...changed);
    outcome.failed.push(...failed);
    applyChanges(queries, new Map(changed.map(({ now: { animal } }) => [animal.id, animal])));
    onProgress(outcome.changed.length + outcome.failed.length);
  }
  return outcome;
};

/** The changes of animals, which all views show immediately. */
export const useAnimalActions = () => {
  const queries = useQueryClient();
  return {
    async add(body: NewAnimal, header: { "Idempotency-Key": string }): Promise<Animal> {
      const animal = await dataOf(store.POST("/pets", { params: { header }, body }));
      applyChanges(queries, new Map([[animal.id, animal]]));
      return animal;
    },
    /**
     * Saves what differs of an animal and its profile.
     * @param onSaved called when the profile is saved: the animal may be refused after it
     * @throws ApiError precondition_failed if another user has changed it since
     */
    async save(
      version: WholeVersion,
      wanted: Wanted,
      onSaved: (now: WholeVersion) => void = () => {},
    ): Promise<WholeVersion> {
      let now = version;
      const showNow = () =>
        applyChanges(queries, new Map([[now.animal.id, { ...now.animal, profile: now.profile }]]));
      if (!isEmpty(wanted.profile)) {
        now = { ...now, ...(await patchProfile(now, wanted.profile)) };
        showNow();
        onSaved(now);
      }
      const change = changeOf(now.animal, wanted.animal);
      if (!isEmpty(change)) {
        now = { ...now, ...(await patchAnimal(now, change)) };
        now = { ...now, ...(await afterChange(now)) };
        showNow();
      }
      return now;
    },
    async remove({ animal: { id }, tag }: AnimalVersion): Promise<void> {
      await store.DELETE("/pets/{petId}", { params: { path: { petId: id }, header: { "If-Match": tag } } });
      applyChanges(queries, new Map([[id, undefined]]));
    },
    /** Changes many animals, each unless another user changes it at the same time. */
    async changeMany(
      animals: readonly Animal[],
      change: AnimalChange,
      onProgress: (done: number) => void,
    ): Promise<Outcome> {
      const versions = await readVersions(animals.map(({ id }) => id));
      const changes = versions.map((from) => ({ from, change }));
      const outcome = await saveAll(queries, changes, onProgress);
      const found = new Set(versions.map(({ animal: { id } }) => id));
      const deleted = animals.filter(({ id }) => !found.has(id));
      const error = notFound();
      outcome.failed.push(...deleted.map((animal) => ({ animal, error })));
      return outcome;
    },
    /** Undoes it, but not where others have made a change since. @throws Error */
    async changeBack(changed: Outcome["changed"]): Promise<void> {
      const changes = changed.map(({ before, now }) => ({ from: now, change: changeOf(now.animal, before) }));
      const { failed } = await saveAll(queries, changes);
      if (failed.length > 0)
        throw new Error(
          `${formatCount(failed.length)} of ${formatCount(changed.length)} could not be undone: others have changed these animals since.`,
        );
    },
  };
};
