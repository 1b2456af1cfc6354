import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { type Page, ApiError, dataOf, pageOf, store } from "../api/client.ts";
import { integerOf } from "../parts/integer.ts";
import type { Filter } from "./addresses.ts";
import type { Animal } from "./statistics.ts";

/** The cache key of everything about animals. Changes to animals invalidate it. */
export const ANIMALS = ["animals"] as const;
const LIST = [...ANIMALS, "list"] as const;

const PAGE = 50;

const queryOf = ({ status, q, category, id }: Filter) => ({
  ...(status && { status }),
  ...(q !== undefined && { q }),
  ...(category !== undefined && { categoryId: integerOf(category) }),
  ...(id !== undefined && { ids: String(id) }),
});

/** The animals that match a filter, page by page. */
export const useAnimals = (filter: Filter) =>
  useInfiniteQuery({
    queryKey: [...LIST, filter],
    queryFn: ({ pageParam: cursor }) =>
      pageOf(
        store.GET("/pets", {
          params: { query: { limit: PAGE, ...queryOf(filter), ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // The old list stays until the new one is there, so that nothing jumps.
    placeholderData: keepPreviousData,
  });

/** The animals with these ids, at most 100. Deleted ones are missing. */
export const readAnimals = (ids: readonly number[]): Promise<Animal[]> =>
  dataOf(store.GET("/pets", { params: { query: { ids: ids.join(","), limit: 100 } } }));

/** One animal: from a loaded list at first, then from the API. */
export const useAnimal = (id: number | undefined) => {
  const queries = useQueryClient();
  return useQuery({
    queryKey: [...ANIMALS, "one", id],
    placeholderData: () =>
      queries
        .getQueriesData<InfiniteData<Page<Animal>>>({ queryKey: LIST })
        .flatMap(([, list]) => list?.pages ?? [])
        .flatMap(({ items }) => items)
        .find((one) => one.id === id),
    queryFn: async () => {
      const [animal] = id === undefined ? [] : await readAnimals([id]);
      if (!animal) throw new ApiError(404, "not_found", "There is no animal with this id.");
      return animal;
    },
    enabled: id !== undefined,
  });
};

/** An animal with its ETag, which identifies this version of it. */
export interface AnimalVersion {
  animal: Animal;
  tag: string;
}

/** Reads an animal with an empty patch: the only other operation that returns its ETag, getPet, is deprecated. */
export const fetchVersion = async (id: number): Promise<AnimalVersion> => {
  const { data, response } = await store.PATCH("/pets/{petId}", {
    params: { path: { petId: id } },
    body: {},
  });
  return { animal: data, tag: response.headers.get("etag") ?? "*" };
};

/** An animal to change or delete. It is read once: it does not change while the user looks at it. */
export const useAnimalVersion = (id: number) =>
  useQuery({
    // Its own cache key: changes to animals do not invalidate it.
    queryKey: ["animal seen", id],
    queryFn: () => fetchVersion(id),
    gcTime: 0,
    staleTime: Infinity,
  });
