import { useQuery } from "@tanstack/preact-query";
import { type Page, pageOf, store } from "../api/client.ts";
import { useSession } from "../session.tsx";
import { type Category, byName } from "./category.ts";

/** The cache key of everything about categories. */
export const CATEGORIES = ["categories"] as const;

const PAGE = 100;
/** Categories beyond these are shown by their ids. */
export const MAX_CATEGORIES = 1000;

const readAll = async (): Promise<Category[]> => {
  const categories: Category[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined && categories.length < MAX_CATEGORIES;) {
    const page: Page<Category> = await pageOf(
      store.GET("/categories", { params: { query: { limit: PAGE, ...(cursor && { cursor }) } } }),
    );
    categories.push(...page.items);
    cursor = page.next;
  }
  return byName(categories);
};

/** All categories, by name. There are few, so they are read together. */
export const useCategories = () => {
  const isAllowed = useSession().can("pets:read");
  const found = useQuery({ queryKey: CATEGORIES, queryFn: readAll, enabled: isAllowed });
  return {
    ...found,
    /** Those that have been read. */
    categories: found.data ?? [],
    /** True while names should be waited for. After a failed read, ids are shown instead. */
    isLoading: found.isLoading && found.failureCount === 0,
  };
};
