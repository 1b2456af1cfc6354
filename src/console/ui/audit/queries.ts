import { useQueryClient } from "@tanstack/preact-query";
import { adoptionsPath } from "../adoptions/addresses.ts";
import { animalPath } from "../animals/addresses.ts";
import { type Page, pageOf, platform, store } from "../api/client.ts";
import { categoriesPath } from "../categories/category.ts";
import { addressOf } from "../parts/address.ts";
import { useList } from "../parts/queries.ts";
import { useLive } from "../parts/visibility.ts";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { useSession } from "../session.tsx";
import type { Entry, Resource } from "./entry.ts";

/** The entries to show: those that match every field. */
export interface Filter {
  /** As in the API: "person:2", "key" or "operator". */
  actor?: string | undefined;
  /** As in the API: "pet" or "pet:7". */
  resource?: string | undefined;
  /** Days, such as "2026-11-20". Both are included. */
  since?: string | undefined;
  until?: string | undefined;
}

const ACTOR = /^(?:(?:key|person)(?::[1-9]\d{0,14})?|operator|service)$/;
const RESOURCE = /^[a-z]{1,20}(?::.{1,255})?$/;

/** A day that exists. */
const dayOf = (text: string | undefined): string | undefined =>
  text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

const matching = (text: string | undefined, pattern: RegExp): string | undefined =>
  text && pattern.test(text) ? text : undefined;

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = (query: Record<string, string | undefined>): Filter => ({
  actor: matching(query["actor"], ACTOR),
  resource: matching(query["resource"], RESOURCE),
  since: dayOf(query["since"]),
  until: dayOf(query["until"]),
});

/** The address of the page with a filter. */
export const activityPath = ({ actor, resource, since, until }: Filter = {}): string =>
  addressOf("/console/activity", {
    actor: actor || undefined,
    resource: resource || undefined,
    since: since || undefined,
    until: until || undefined,
  });

/** The start of a day in the user's time zone, or of a day `later` days after it. */
const startOf = (day: string, later = 0): string => {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later).toISOString();
};

/** The times from the start of the first day to the end of the last. */
const timesOf = ({ since, until }: Filter): { since?: string; until?: string } => ({
  ...(since !== undefined && { since: startOf(since) }),
  ...(until !== undefined && { until: startOf(until, 1) }),
});

/** The page of a resource, and the scope that it needs; undefined if it has none. */
export const pageOfResource = ({ kind, id, parent }: Resource) => {
  const slug = parent?.id ?? id;
  switch (kind) {
    case "pet":
      return { href: animalPath(Number(id)), scope: "pets:read" } as const;
    case "order":
      return { href: adoptionsPath({}, id), scope: "orders:read" } as const;
    case "category":
      return { href: categoriesPath(), scope: "pets:read" } as const;
    case "key":
      return { href: "/console/keys", scope: "keys:admin" } as const;
    case "person":
      return { href: "/console/people", scope: "people:admin" } as const;
    case "project":
      return { href: projectPath(id), scope: "platform:read" } as const;
    case "deploy":
      return { href: projectPath(slug, "deploys"), scope: "platform:read" } as const;
    case "domain":
      return { href: domainPath(slug, id), scope: "platform:read" } as const;
    default:
      return undefined;
  }
};

/** The cache key of everything that was recorded. Every successful change makes it stale. */
export const AUDIT = ["audit"] as const;

const REFRESH_MS = 30_000;

type Read = (query: { limit: number; cursor?: string }) => Promise<Page<Entry>>;

/** Requests for the histories of resources. */
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

/** The kinds of resources that have a history. */
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
