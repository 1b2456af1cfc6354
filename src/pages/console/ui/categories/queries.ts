import { useQuery } from "@tanstack/preact-query";
import { walk } from "../../../../client/pages.ts";
import { ANIMALS } from "../animals/queries.ts";
import { type Page, pageOf, store } from "../api/client.ts";
import { useOne } from "../parts/queries.ts";
import { useSession } from "../session.tsx";
import { byName } from "./category.ts";

export const CATEGORIES = ["categories"] as const;

const PAGE = 100;
/** Categories beyond these are shown by their ids. */
export const MAX_CATEGORIES = 1000;

const readEvery = async <Item>(read: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>) => {
  const items: Item[] = [];
  for await (const item of walk((cursor) => read({ limit: PAGE, ...(cursor && { cursor }) }))) {
    items.push(item);
    if (items.length === MAX_CATEGORIES) break;
  }
  return items;
};

const readAll = async () =>
  byName(await readEvery((query) => pageOf(store.GET("/categories", { params: { query } }))));

const readCounts = async (): Promise<ReadonlyMap<number, number>> => {
  const counts = await readEvery((query) =>
    pageOf(store.GET("/statistics/categories", { params: { query } })),
  );
  return new Map(counts.map(({ id, total }) => [id, total]));
};

/** How many animals each category has, by its id. Changes to animals make it stale. */
export const useCounts = () => useQuery({ queryKey: [...ANIMALS, "by category"], queryFn: readCounts });

/** All categories, by name. There are few, so they are read together. */
export const useCategories = () => {
  const isAllowed = useSession().can("pets:read");
  const found = useQuery({ queryKey: CATEGORIES, queryFn: readAll, enabled: isAllowed });
  return {
    ...found,
    categories: found.data ?? [],
    /** True while names should be waited for. After a failed read, ids are shown instead. */
    isLoading: found.isLoading && found.failureCount === 0,
  };
};

export const CUSTOM_FIELDS = ["custom fields"] as const;

/** The custom fields of profiles, in their order: at most 40. */
export const useCustomFields = () =>
  useOne(CUSTOM_FIELDS, () => store.GET("/fields", {}), { enabled: useSession().can("pets:read") });
