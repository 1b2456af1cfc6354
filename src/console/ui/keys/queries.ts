import { useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { dataOf, pageOf, platform } from "../api/client.ts";

const PAGE = 50;

/** What all that is read of keys is kept under. */
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

/** One key. @param id as the address names it */
export const useKey = (id: string) =>
  useQuery({
    queryKey: [...KEYS, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/keys/{keyId}", { params: { path: { keyId: Number(id) } } })),
  });
