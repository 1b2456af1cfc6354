import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { type PageOf, Refusal, dataOf, pageOf, store } from "../api/client.ts";
import type { Filter } from "./addresses.ts";
import type { Animal } from "./statistics.ts";

/** What all that is read of animals is kept under: what changes animals renews it. */
export const ANIMALS = ["animals"] as const;
const LIST = [...ANIMALS, "list"] as const;

const PAGE = 50;

const queryOf = ({ status, q, category, id }: Filter) => ({
  ...(status && { status }),
  ...(q !== undefined && { q }),
  // Sent as it is written.
  ...(category !== undefined && { categoryId: category as unknown as number }),
  ...(id !== undefined && { ids: String(id) }),
});

/** Those that a filter lets through, page by page. */
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
    // Nothing jumps while others are read.
    placeholderData: keepPreviousData,
  });

/** The animals of some ids, 100 at the most, as far as there are any. */
export const readAnimals = (ids: readonly number[]): Promise<Animal[]> =>
  dataOf(store.GET("/pets", { params: { query: { ids: ids.join(","), limit: 100 } } }));

/** One animal, as the list shows it; else by its id. */
export const useAnimal = (id: number | undefined) => {
  const queries = useQueryClient();
  return useQuery({
    queryKey: [...ANIMALS, "one", id],
    placeholderData: () =>
      queries
        .getQueriesData<InfiniteData<PageOf<Animal>>>({ queryKey: LIST })
        .flatMap(([, list]) => list?.pages ?? [])
        .flatMap(({ items }) => items)
        .find((one) => one.id === id),
    queryFn: async () => {
      const [animal] = id === undefined ? [] : await readAnimals([id]);
      if (!animal) throw new Refusal(404, "not_found", "There is no animal with this id.");
      return animal;
    },
    enabled: id !== undefined,
  });
};

/** An animal, and the tag that tells this state of it from others. */
export interface AnimalVersion {
  animal: Animal;
  tag: string;
}

/**
 * By a change of nothing: the only way to the tag of an animal that was not changed is else an operation that will be
 * removed one day.
 */
export const fetchVersion = async (id: number): Promise<AnimalVersion> => {
  const { data, response } = await store.PATCH("/pets/{petId}", {
    params: { path: { petId: id } },
    body: {},
  });
  return { animal: data as Animal, tag: response.headers.get("etag") ?? "*" };
};

/** An animal that is to be changed: as it is now. It does not change under whoever looks at it. */
export const useAnimalVersion = (id: number) =>
  useQuery({
    // Apart from the others: what changes animals does not renew it.
    queryKey: ["animal seen", id],
    queryFn: () => fetchVersion(id),
    gcTime: 0,
    staleTime: Infinity,
  });
