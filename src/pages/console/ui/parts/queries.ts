import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type InfiniteData,
  type QueryKey,
  type UseQueryOptions,
  keepPreviousData,
  replaceEqualDeep,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { type Page, dataOf } from "../api/client.ts";
import { entryKey, placeOf } from "./navigation.ts";
import { withLoadedPages } from "./reads.ts";

/** True while the user does not see the tab. */
export const useHidden = (): boolean => {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const update = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isHidden;
};

/**
 * Calls `refresh` every `everyMs` while the tab is visible, and immediately when the user returns after that time. For changes
 * that are made elsewhere: `useLive(() => queries.invalidateQueries({ queryKey: KEYS }), 15_000)`.
 */
export const useLive = (refresh: () => unknown, everyMs: number): void => {
  const current = useRef(refresh);
  current.current = refresh;
  useEffect(() => {
    let last = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = () => {
      last = Date.now();
      void current.current();
      timer = setTimeout(run, everyMs);
    };
    const adjust = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(run, Math.max(0, last + everyMs - Date.now()));
    };
    adjust();
    document.addEventListener("visibilitychange", adjust);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", adjust);
    };
  }, [everyMs]);
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

/** Reads data again every `everyMs`, because others change it. */
export const useFresh = (queryKey: QueryKey, everyMs: number): void => {
  const queries = useQueryClient();
  useLive(() => queries.invalidateQueries({ queryKey }), everyMs);
};

/**
 * A list of the API, page by page. Reloading and going back load as many pages as before.
 * @param queryKey with everything that `read` depends on
 * @param read reads a page: the first has no cursor
 */
export const useAll = <Item>(
  queryKey: QueryKey,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  {
    isEnabled = true,
    staleTime,
  }: {
    isEnabled?: boolean;
    /** Infinity: changes are patched in, and the list is never read again by itself. */
    staleTime?: number;
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
    structuralSharing: withLoadedPages(replaceEqualDeep),
    ...(staleTime !== undefined && { staleTime }),
  };
  // Begins before the list is observed, which then waits for all of its pages.
  useMemo(() => {
    const pages = placeOf(entryKey()).pages[hash] ?? 1;
    if (isEnabled && pages > 1 && queries.getQueryData(queryKey) === undefined)
      void queries.prefetchInfiniteQuery({ ...options, pages });
  }, [hash, isEnabled]);
  const found = useInfiniteQuery({
    ...options,
    enabled: isEnabled,
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

/** The cached pages of a list with its items changed: for `setQueriesData`, so that a change costs no request. */
export const withItems =
  <Item>(change: (items: readonly Item[]) => readonly Item[]) =>
  (list: InfiniteData<Page<Item>> | undefined): InfiniteData<Page<Item>> | undefined =>
    list && {
      ...list,
      pages: list.pages.map((page) => ({ ...page, items: [...change(page.items)] })),
    };
