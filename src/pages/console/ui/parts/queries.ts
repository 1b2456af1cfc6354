import { useEffect, useMemo, useState } from "preact/hooks";
import {
  type QueryKey,
  type UseQueryOptions,
  focusManager,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { type Page, dataOf } from "../api/client.ts";
import { entryKey, placeOf } from "./navigation.ts";

/** True while the user does not see the tab. */
export const useHidden = (): boolean => {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => focusManager.subscribe((isVisible) => setHidden(!isVisible)), []);
  return isHidden;
};

/** Items of a page: the most that the API returns, so that a long list is restored with few requests. */
export const PAGE_SIZE = 100;

/** A list with more pages than this is not read again when the user returns to the tab. */
const MAX_PAGES_ON_FOCUS = 5;

/** One thing of the API. @param queryKey with everything that `read` depends on */
export const useOne = <Data>(
  queryKey: QueryKey,
  read: () => Promise<{ data: Data }>,
  options: Omit<UseQueryOptions<Data>, "queryKey" | "queryFn"> = {},
) => useQuery({ queryKey, queryFn: () => dataOf(read()), ...options });

/**
 * A list of the API, page by page. Reloading and going back load as many pages as before.
 * @param queryKey with everything that `read` depends on
 * @param read reads a page: the first has no cursor
 */
export const useAll = <Item>(
  queryKey: QueryKey,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  given: {
    enabled?: boolean;
    /** Infinity: changes are patched in, and the list is never read again by itself. */
    staleTime?: number;
    /** How often the list is read again while the user sees it, because others change it. */
    refetchInterval?: number;
  } = {},
) => {
  const queries = useQueryClient();
  const hash = JSON.stringify(queryKey);
  const options = {
    queryKey,
    queryFn: ({ pageParam }: { pageParam: string }) =>
      read({ limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }: Page<Item>) => next,
    ...given,
  };
  const { enabled = true } = given;
  // Begins before the list is observed, which then waits for all of its pages.
  useMemo(() => {
    const pages = placeOf(entryKey()).pages[hash] ?? 1;
    if (enabled && pages > 1 && queries.getQueryData(queryKey) === undefined)
      void queries.prefetchInfiniteQuery({ ...options, pages });
  }, [hash, enabled]);
  const found = useInfiniteQuery({
    ...options,
    // The old list stays until the new one has loaded, so that nothing jumps.
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= MAX_PAGES_ON_FOCUS,
  });
  const count = found.isPlaceholderData ? undefined : found.data?.pages.length;
  useEffect(() => {
    if (count !== undefined) placeOf(entryKey()).pages[hash] = count;
  }, [count, hash]);
  return { ...found, items: found.data?.pages.flatMap(({ items }) => items) ?? [] };
};
