import { type InfiniteData, type QueryClient, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { readAnimals, rereadAnimals } from "../animals/queries.ts";
import { type Page, dataOf, pageOf, readAfterWrites, store } from "../api/client.ts";
import { reread, restartReads } from "../parts/reads.ts";
import { useAll, useLive, withItems } from "../parts/queries.ts";
import { useSession } from "../session.tsx";
import {
  type Adoption,
  type Counts,
  type Filter,
  type NewOrder,
  type Order,
  type Status,
  type Step,
  type View,
  areSame,
  isSame,
  recounted,
  withAnimals,
  withOrder,
} from "./order.ts";

const ADOPTIONS = ["adoptions"] as const;
const LIST = [...ADOPTIONS, "list"] as const;
const COUNTS = [...ADOPTIONS, "counts"] as const;
const ONE = [...ADOPTIONS, "one"] as const;
/** The adoptions of an animal, on its page. */
export const OF_ANIMAL = [...ADOPTIONS, "of"] as const;

type Narrow = Omit<Filter, "status">;
type Pages = InfiniteData<Page<Adoption>>;

const POLL_MS = 10_000;

const narrowQuery = ({ q, animal }: Narrow) => ({
  ...(q !== undefined && { q }),
  ...(animal !== undefined && { petId: animal }),
});

const listKey = (view: View) => [...LIST, view] as const;
const countsKey = ({ q, animal }: Narrow) => [...COUNTS, { q, animal }] as const;

/** Reads the animals of all orders in one request. If that fails, adoptions are shown with the animals' numbers. */
const useAnimalsOf = () => {
  const mayRead = useSession().can("pets:read");
  return async (orders: readonly Order[]): Promise<Adoption[]> => {
    const ids = [...new Set(orders.map(({ petId }) => petId))];
    const isAsked = mayRead && ids.length > 0;
    return withAnimals(orders, isAsked ? await readAnimals(ids).catch(() => undefined) : undefined);
  };
};

const readCounts = (narrow: Narrow): Promise<Counts> =>
  dataOf(store.GET("/store/statistics", { params: { query: narrowQuery(narrow) } })).then(
    ({ byStatus }) => byStatus,
  );

/** How many adoptions match, by status. They are exact after every write, also of this page. */
export const useCounts = (narrow: Narrow) =>
  useQuery({
    queryKey: countsKey(narrow),
    queryFn: () => readCounts(narrow),
    // `useChangesElsewhere` compares them with those before.
    refetchOnWindowFocus: false,
  });

export const useAdoptions = (view: View) => {
  const withTheirs = useAnimalsOf();
  const { status, sort } = view;
  return useAll(listKey(view), async (page): Promise<Page<Adoption>> => {
    const query = { ...page, sort, ...narrowQuery(view), ...(status && { status }) };
    const { items, next } = await pageOf(store.GET("/store/orders", { params: { query } }));
    return { items: await withTheirs(items), next };
  });
};

/** How long the pointer must rest before rows may move. */
const CALM_MS = 2000;

/**
 * Reads the list again when adoptions were started or changed elsewhere, which the counts tell in one small request. Rows do not
 * move while the user points at them.
 * @returns the handler of the pointer above the list
 */
export const useChangesElsewhere = (view: View): (() => void) => {
  const queries = useQueryClient();
  const pointedAt = useRef(-Infinity);
  const isWaiting = useRef(false);
  useLive(async () => {
    if (isWaiting.current) return;
    const queryKey = countsKey(view);
    const before = queries.getQueryData<Counts>(queryKey);
    const now = await readAfterWrites(() => readCounts(view)).catch(() => undefined);
    if (!now || (before && areSame(before, now))) return;
    isWaiting.current = true;
    while (performance.now() - pointedAt.current < CALM_MS)
      await new Promise((done) => setTimeout(done, CALM_MS));
    isWaiting.current = false;
    // Counted again: the user may have changed adoptions since.
    void reread(queries, queryKey);
    await reread(queries, LIST);
  }, POLL_MS);
  return () => {
    pointedAt.current = performance.now();
  };
};

const readOrder = (orderId: number): Promise<Order> =>
  dataOf(store.GET("/store/orders/{orderId}", { params: { path: { orderId } } }));

const listed = (queries: QueryClient): Adoption[] =>
  queries
    .getQueriesData<Pages>({ queryKey: LIST })
    .flatMap(([, list]) => list?.pages ?? [])
    .flatMap(({ items }) => items);

/** One adoption: as in a loaded list at first, then from the API. */
export const useAdoption = (id: number) => {
  const queries = useQueryClient();
  const withTheirs = useAnimalsOf();
  return useQuery({
    queryKey: [...ONE, id],
    queryFn: async () => (await withTheirs([await readOrder(id)]))[0]!,
    placeholderData: () => listed(queries).find((one) => one.id === id),
    gcTime: 0,
  });
};

export const useAdoptionLive = (id: number): void => {
  const queries = useQueryClient();
  useLive(() => rereadOrder(queries, id), POLL_MS);
};

/** True if every adoption with this status and animal is counted: the page cannot predict the results of a search. */
const isCertain = ({ q, animal }: Narrow, { petId }: Order): boolean =>
  q === undefined && (animal === undefined || animal === petId);

/** Counts an adoption under its new status. Counts that depend on a search are read again. */
const recount = (queries: QueryClient, order: Order, from: Status | undefined): void => {
  for (const [queryKey, counts] of queries.getQueriesData<Counts>({ queryKey: COUNTS })) {
    const narrow = queryKey[2] as Narrow;
    if (!counts || (narrow.animal !== undefined && narrow.animal !== order.petId)) continue;
    if (isCertain(narrow, order)) queries.setQueryData(queryKey, recounted(counts, from, order.status));
    else void queries.invalidateQueries({ queryKey });
  }
};

const known = (queries: QueryClient, id: number): Adoption | undefined =>
  [...queries.getQueriesData<Adoption>({ queryKey: ONE }).map(([, one]) => one), ...listed(queries)].find(
    (one) => one?.id === id,
  );

/**
 * Shows an adoption's new state wherever it is shown. In a list it stays at its place until the list is read again, so that no
 * other row moves under the pointer.
 */
const patch = (queries: QueryClient, order: Order): void => {
  const before = known(queries, order.id);
  if (before && before.status !== order.status) recount(queries, order, before.status);
  queries.setQueriesData<Pages>(
    { queryKey: LIST },
    withItems((items) => items.map((one) => (one.id === order.id ? withOrder(one, order) : one))),
  );
  queries.setQueryData<Adoption>([...ONE, order.id], (one) => one && withOrder(one, order));
  void queries.invalidateQueries({ queryKey: LIST, refetchType: "none" });
};

/** Shows a new adoption in the lists that it certainly belongs to. */
const insert = (queries: QueryClient, adoption: Adoption): void => {
  recount(queries, adoption, undefined);
  for (const [queryKey, list] of queries.getQueriesData<Pages>({ queryKey: LIST })) {
    const view = queryKey[2] as View;
    const isShown = isCertain(view, adoption) && (view.status ?? adoption.status) === adoption.status;
    const [first, ...rest] = list?.pages ?? [];
    if (isShown && first && view.sort === "-id")
      queries.setQueryData<Pages>(queryKey, {
        ...list!,
        pages: [{ ...first, items: [adoption, ...first.items] }, ...rest],
      });
    else void queries.invalidateQueries({ queryKey });
  }
};

const rereadOrder = async (queries: QueryClient, id: number): Promise<Order | undefined> => {
  const order = await readAfterWrites(() => readOrder(id)).catch(() => undefined);
  if (!order) return undefined;
  const before = known(queries, id);
  if (before && isSame(before, order)) return order;
  restartReads(queries, { queryKey: LIST });
  patch(queries, order);
  return order;
};

/** The changes of adoptions, which all views show immediately. */
export const useAdoptionActions = () => {
  const queries = useQueryClient();
  const mayRead = useSession().can("pets:read");
  /** Shows the animal's new status, and the adoption on its page. If that fails, the animals follow soon by themselves. */
  const refreshAnimal = ({ petId }: Order) => {
    void queries.invalidateQueries({ queryKey: [...OF_ANIMAL, petId] });
    if (mayRead) rereadAnimals(queries, [petId]).catch(() => {});
  };
  return {
    async start(
      body: NewOrder,
      animal: Adoption["animal"],
      header: { "Idempotency-Key": string },
    ): Promise<Adoption> {
      const order = await dataOf(store.POST("/store/orders", { params: { header }, body }));
      const adoption = { ...(animal && { animal: { ...animal, status: "pending" as const } }), ...order };
      insert(queries, adoption);
      refreshAnimal(order);
      return adoption;
    },
    async step(id: number, step: Step, header: { "Idempotency-Key": string }): Promise<Order> {
      const path = `/store/orders/{orderId}/${step}` as const;
      const order = await dataOf(store.POST(path, { params: { path: { orderId: id }, header } }));
      patch(queries, order);
      refreshAnimal(order);
      return order;
    },
    reread: (id: number): Promise<Order | undefined> => rereadOrder(queries, id),
  };
};
