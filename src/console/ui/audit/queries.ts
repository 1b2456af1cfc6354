import { useQueryClient } from "@tanstack/preact-query";
import { type Page, pageOf, platform, store } from "../api/client.ts";
import { useList } from "../parts/use-list.ts";
import { useLive } from "../parts/use-live.ts";
import { useSession } from "../session.tsx";
import { type Filter, timesOf } from "./addresses.ts";
import type { Entry } from "./entry.ts";

/** The cache key of everything that was recorded. Every successful change makes it stale. */
export const AUDIT = ["audit"] as const;

const REFRESH_MS = 30_000;

type Read = (query: { limit: number; cursor?: string }) => Promise<Page<Entry>>;

/** How to read the history of a resource. */
const HISTORIES = {
  pet: (id) => (query) =>
    pageOf(store.GET("/pets/{petId}/history", { params: { path: { petId: Number(id) }, query } })),
  order: (id) => (query) =>
    pageOf(
      store.GET("/store/orders/{orderId}/history", { params: { path: { orderId: Number(id) }, query } }),
    ),
  category: (id) => (query) =>
    pageOf(
      store.GET("/categories/{categoryId}/history", { params: { path: { categoryId: Number(id) }, query } }),
    ),
  key: (id) => (query) =>
    pageOf(
      platform.GET("/platform/keys/{keyId}/history", { params: { path: { keyId: Number(id) }, query } }),
    ),
  project: (slug) => (query) =>
    pageOf(platform.GET("/platform/projects/{slug}/history", { params: { path: { slug }, query } })),
} satisfies Record<string, (id: string) => Read>;

/** What has a history of its own. */
export type HistoryKind = keyof typeof HISTORIES;

/** Entries that were made elsewhere appear. */
const useFresh = () => {
  const queries = useQueryClient();
  useLive(() => queries.invalidateQueries({ queryKey: AUDIT }), REFRESH_MS);
};

/** The history of a resource, page by page. */
export const useHistory = (kind: HistoryKind, id: number | string) => {
  useFresh();
  const read: Read = HISTORIES[kind](String(id));
  return useList([...AUDIT, kind, String(id)], (cursor, limit) => read({ limit, ...(cursor && { cursor }) }));
};

/** The entries that match a filter, page by page. */
export const useActivity = (filter: Filter) => {
  useFresh();
  const { actor, resource } = filter;
  const isEnabled = useSession().can("audit:read");
  return useList<Entry>(
    [...AUDIT, filter],
    (cursor, limit) =>
      pageOf(
        platform.GET("/platform/audit", {
          params: {
            query: {
              limit,
              ...(actor !== undefined && { actor }),
              ...(resource !== undefined && { resource }),
              ...timesOf(filter),
              ...(cursor && { cursor }),
            },
          },
        }),
      ),
    { isEnabled },
  );
};
