import { useQuery } from "@tanstack/preact-query";
import { dataOf, pageOf, platform } from "../api/client.ts";
import { useList } from "../parts/use-list.ts";

/** The cache key of everything about keys. */
export const KEYS = ["keys"] as const;

/** All keys, page by page. */
export const useKeys = () =>
  useList([...KEYS, "list"], (cursor, limit) =>
    pageOf(platform.GET("/platform/keys", { params: { query: { limit, ...(cursor && { cursor }) } } })),
  );

/** One key. @param id from the address */
export const useKey = (id: string) =>
  useQuery({
    queryKey: [...KEYS, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/keys/{keyId}", { params: { path: { keyId: Number(id) } } })),
  });
