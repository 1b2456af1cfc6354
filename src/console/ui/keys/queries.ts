import { useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { dataOf, pageOf, platform } from "../api/client.ts";

const PAGE = 50;

/** The cache key of everything about keys. */
export const KEYS = ["keys"] as const;

/** All keys, page by page. */
export const useKeys = () =>
  useInfiniteQuery({
    queryKey: [...KEYS, "list"],
    queryFn: ({ pageParam: cursor }) =>
      pageOf(
        platform.GET("/platform/keys", {
          params: { query: { limit: PAGE, ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });

/** One key. @param id from the address */
export const useKey = (id: string) =>
  useQuery({
    queryKey: [...KEYS, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/keys/{keyId}", { params: { path: { keyId: Number(id) } } })),
  });
