import { type QueryClient, type QueryKey, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { readAnimals, rereadAnimals } from "../animals/queries.ts";
import { type Page, dataOf, pageOf, store } from "../api/client.ts";
import { type Pages, isEqual, recordsOf, setList, withFirst } from "../parts/records.ts";
import { readNow, reread, restartReads } from "../parts/reads.ts";
import { useAll } from "../parts/queries.ts";
import { useSession } from "../session.tsx";
import {
  type Adoption,
  type Counts,
  type Filter,
  type NewOrder,
  type Order,
  type OrderReturn,
  type Status,
  type Step,
  type View,
  areSame,
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

/** The counts of a list. They are old if a change of this page may have altered them in a way that only the API knows. */
type KnownCounts = Counts & { areOld?: true };

const POLL_MS = 10_000;

const { known, show } = recordsOf<Adoption>(LIST, ONE);

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
 * How many adoptions match, by status. If they differ from those that this page knows, adoptions were started or changed
 * elsewhere, and the list is read again. Rows do not move while the user points at them.
 * @returns also the handler of the pointer above the list
 */
export const useCounts = (view: View) => {
  const queries = useQueryClient();
  const pointedAt = useRef(-Infinity);
  const isWaiting = useRef(false);
  const rereadWhenCalm = async () => {
    if (isWaiting.current) return;
    isWaiting.current = true;
    while (performance.now() - pointedAt.current < CALM_MS)
      await new Promise((done) => setTimeout(done, CALM_MS));
    isWaiting.current = false;
    await reread(queries, LIST);
  };
  const queryKey = countsKey(view);
  const { data: counts } = useQuery<KnownCounts>({
    queryKey,
    async queryFn({ signal }) {
      const query = narrowQuery(view);
      const { byStatus } = await dataOf(store.GET("/store/statistics", { params: { query }, signal }));
      const before = queries.getQueryData<KnownCounts>(queryKey);
      if (before && !before.areOld && !areSame(before, byStatus)) void rereadWhenCalm();
      return byStatus;
    },
    refetchInterval: POLL_MS,
  });
  return {
    counts,
    onPointer() {
      pointedAt.current = performance.now();
    },
  };
};

/** One adoption as a query. Its state shows in the lists too. */
const useAdoptionQuery = () => {
  const queries = useQueryClient();
  const withTheirs = useAnimalsOf();
  return (orderId: number) => ({
    queryKey: [...ONE, orderId] as QueryKey,
    async queryFn({ signal }: { signal: AbortSignal }): Promise<Adoption> {
      const params = { path: { orderId } };
      const order = await dataOf(store.GET("/store/orders/{orderId}", { params, signal }));
      if (showOrder(queries, order)) restartReads(queries, { queryKey: LIST });
      const before = queries.getQueryData<Adoption>([...ONE, orderId]);
      // The animal is read once.
      const [adoption] = before ? [withOrder(before, order)] : await withTheirs([order]);
      return adoption!;
    },
    gcTime: 0,
  });
};

/** One adoption: as in a loaded list at first, then from the API. */
export const useAdoption = (id: number) => {
  const queries = useQueryClient();
  return useQuery({
    ...useAdoptionQuery()(id),
    placeholderData: () => known(queries, id) ?? undefined,
    refetchInterval: POLL_MS,
  });
};

/** True if every adoption with this status and animal is counted: the page cannot predict the results of a search. */
const isCertain = ({ q, animal }: Narrow, { petId }: Order): boolean =>
  q === undefined && (animal === undefined || animal === petId);

/** Counts an adoption under its new status. Counts that depend on a search are read again. */
const recount = (queries: QueryClient, order: Order, from: Status | undefined): void => {
  for (const [queryKey, counts] of queries.getQueriesData<Counts>({ queryKey: COUNTS })) {
    const narrow = queryKey[2] as Narrow;
    if (!counts || (narrow.animal !== undefined && narrow.animal !== order.petId)) continue;
    const isSure = isCertain(narrow, order);
    queries.setQueryData<KnownCounts>(
      queryKey,
      isSure ? recounted(counts, from, order.status) : { ...counts, areOld: true },
    );
    if (!isSure) void queries.invalidateQueries({ queryKey });
  }
};

/**
 * Shows an adoption's new state wherever it is shown. In a list it stays at its place until the list is read again, so that no
 * other row moves under the pointer.
 * @returns true if it is new
 */
const showOrder = (queries: QueryClient, order: Order): boolean => {
  const before = known(queries, order.id);
  if (!before) return false;
  const now = withOrder(before, order);
  if (isEqual(before, now)) return false;
  if (before.status !== order.status) recount(queries, order, before.status);
  show(queries, new Map([[order.id, now]]));
  void queries.invalidateQueries({ queryKey: LIST, refetchType: "none" });
  return true;
};

/** Shows a new adoption in the lists that it certainly belongs to. */
const insert = (queries: QueryClient, adoption: Adoption): void => {
  recount(queries, adoption, undefined);
  for (const [queryKey, list] of queries.getQueriesData<Pages<Adoption>>({ queryKey: LIST })) {
    const view = queryKey[2] as View;
    const isShown = isCertain(view, adoption) && (view.status ?? adoption.status) === adoption.status;
    if (list && isShown && view.sort === "-id") setList(queries, queryKey, withFirst(list, [adoption]));
    else void queries.invalidateQueries({ queryKey });
  }
};

/** The changes of adoptions, which all views show immediately. */
export const useAdoptionActions = () => {
  const queries = useQueryClient();
  const queryOf = useAdoptionQuery();
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
    async step(
      orderId: number,
      step: Step,
      details: OrderReturn | undefined,
      header: { "Idempotency-Key": string },
    ): Promise<Order> {
      // Only the return has a body.
      const path = `/store/orders/{orderId}/${step}` as "/store/orders/{orderId}/return";
      const init = { params: { path: { orderId }, header }, body: details as OrderReturn };
      const order = await dataOf(store.POST(path, init));
      showOrder(queries, order);
      refreshAnimal(order);
      return order;
    },
    /** The adoption as it is now, unless it can't be read. */
    reread: (id: number): Promise<Adoption | undefined> =>
      readNow(queries, queryOf(id)).catch(() => undefined),
  };
};
