import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { ANIMALS, readAnimals } from "../animals/queries.ts";
import { type Page, dataOf, hasCode, pageOf, store } from "../api/client.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { useSession } from "../session.tsx";
import type { Filter } from "./addresses.ts";
import { type Adoption, type Order, type Step, withOrder, withAnimals } from "./order.ts";

/** The cache key of everything about adoptions. */
export const ADOPTIONS = ["adoptions"] as const;
const LIST = [...ADOPTIONS, "list"] as const;
const ONE = [...ADOPTIONS, "one"] as const;

const PAGE = 50;

/** Reads the animals of all orders in one request. If that fails, adoptions are shown with ids. */
const useAnimalsOf = () => {
  const mayRead = useSession().can("pets:read");
  return async (orders: readonly Order[]): Promise<Adoption[]> => {
    const ids = [...new Set(orders.map(({ petId }) => petId))];
    const isAsked = mayRead && ids.length > 0;
    return withAnimals(orders, isAsked ? await readAnimals(ids).catch(() => undefined) : undefined);
  };
};

/** The adoptions that match a filter, page by page. */
export const useAdoptions = (filter: Filter) => {
  const withTheirs = useAnimalsOf();
  const { status, animal } = filter;
  return useInfiniteQuery({
    queryKey: [...LIST, filter],
    async queryFn({ pageParam: cursor }): Promise<Page<Adoption>> {
      const { items, next } = await pageOf(
        store.GET("/store/orders", {
          params: {
            query: {
              limit: PAGE,
              ...(status && { status }),
              ...(animal !== undefined && { petId: animal }),
              ...(cursor && { cursor }),
            },
          },
        }),
      );
      return { items: await withTheirs(items), next };
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // The old list stays until the new one is there, so that nothing jumps.
    placeholderData: keepPreviousData,
  });
};

const readOrder = (orderId: number): Promise<Order> =>
  dataOf(store.GET("/store/orders/{orderId}", { params: { path: { orderId } } }));

const readIfPossible = (id: number): Promise<Order | undefined> => readOrder(id).catch(() => undefined);

/** One adoption. */
export const useAdoption = (id: number) => {
  const withTheirs = useAnimalsOf();
  return useQuery({
    queryKey: [...ONE, id],
    queryFn: async () => (await withTheirs([await readOrder(id)]))[0]!,
    gcTime: 0,
  });
};

const PATHS = {
  approve: "/store/orders/{orderId}/approve",
  complete: "/store/orders/{orderId}/complete",
  cancel: "/store/orders/{orderId}/cancel",
} as const satisfies Record<Step, string>;

/**
 * Takes an adoption to its next step. It stays at its place in the list until the list is read again, so that no other row
 * moves under the pointer.
 */
export const useStep = (id: number, step: Step) => {
  const queries = useQueryClient();
  const header = useIdempotencyKey();
  const put = (order: Order) => {
    queries.setQueriesData<InfiniteData<Page<Adoption>>>(
      { queryKey: LIST },
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            items: page.items.map((one) => (one.id === id ? withOrder(one, order) : one)),
          })),
        },
    );
    void queries.invalidateQueries({ queryKey: LIST, refetchType: "none" });
    void queries.invalidateQueries({ queryKey: ANIMALS });
  };
  return useMutation({
    mutationFn: () => dataOf(store.POST(PATHS[step], { params: { path: { orderId: id }, header } })),
    onSuccess: put,
    async onError(error) {
      // Somebody else was faster: the new state explains the error.
      const isLate = hasCode(error, "order_status_conflict");
      const now = isLate ? await readIfPossible(id) : undefined;
      if (now) put(now);
    },
    // Adopters' data is not kept longer than it is shown.
    gcTime: 0,
  });
};
