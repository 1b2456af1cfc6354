import { useQuery } from "@tanstack/preact-query";
import { type PageOf, pageOf, store } from "../api/client.ts";
import { useSession } from "../session.tsx";
import { type Category, byName } from "./category.ts";

/** What all that is read of categories is kept under. */
export const CATEGORIES = ["categories"] as const;

const PAGE = 100;
/** Those beyond are shown by their numbers. */
export const MOST = 1000;

const readAll = async (): Promise<Category[]> => {
  const categories: Category[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined && categories.length < MOST;) {
    const page: PageOf<Category> = await pageOf(
      store.GET("/categories", { params: { query: { limit: PAGE, ...(cursor && { cursor }) } } }),
    );
    categories.push(...page.items);
    cursor = page.next;
  }
  return byName(categories);
};

/** The categories by name: there are few, and they are read together. */
export const useCategories = () => {
  const isAllowed = useSession().can("pets:read");
  const found = useQuery({ queryKey: CATEGORIES, queryFn: readAll, enabled: isAllowed });
  return {
    ...found,
    /** As far as they are known. */
    categories: found.data ?? [],
    /** They are on their way: what shows names waits for them. Once reading them has failed, it shows numbers. */
    isLoading: found.isLoading && found.failureCount === 0,
  };
};
