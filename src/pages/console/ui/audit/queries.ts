import { adoptionsPath } from "../adoptions/order.ts";
import { animalPath } from "../animals/animal.ts";
import { type Page, pageOf, platform, store } from "../api/client.ts";
import { categoriesPath } from "../categories/category.ts";
import { addressOf } from "../parts/address.ts";
import { useAll } from "../parts/queries.ts";
import { domainPath, projectPath } from "../projects/model.ts";
import { type Grant, useSession } from "../session.tsx";
import type { Entry, Kind, Resource } from "./words.ts";

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

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = (query: Record<string, string | undefined>): Filter => {
  const { actor = "", resource = "", since = "", until = "" } = query;
  return {
    actor: ACTOR.test(actor) ? actor : undefined,
    resource: RESOURCE.test(resource) ? resource : undefined,
    since: isDay(since) ? since : undefined,
    until: isDay(until) ? until : undefined,
  };
};

export const activityPath = (filter: Filter = {}): string => addressOf("/console/activity", { ...filter });

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

const PAGES: Partial<Record<Kind, { scope: Grant; hrefOf: (id: string, slug: string) => string }>> = {
  pet: { scope: "pets:read", hrefOf: (id) => animalPath(Number(id)) },
  order: { scope: "orders:read", hrefOf: (id) => adoptionsPath({}, id) },
  category: { scope: "pets:read", hrefOf: () => categoriesPath() },
  key: { scope: "keys:admin", hrefOf: () => "/console/keys" },
  person: { scope: "people:admin", hrefOf: () => "/console/people" },
  project: { scope: "platform:read", hrefOf: (id) => projectPath(id) },
  deploy: { scope: "platform:read", hrefOf: (_, slug) => projectPath(slug, "deploys") },
  domain: { scope: "platform:read", hrefOf: (hostname, project) => domainPath({ project, hostname }) },
};

/** The page of a resource, and the scope that it needs; undefined if it has none. */
export const pageOfResource = ({
  kind,
  id,
  parent,
}: Resource): { href: string; scope: Grant } | undefined => {
  const page = PAGES[kind];
  return page && { href: page.hrefOf(id, parent?.id ?? id), scope: page.scope };
};

/** The cache key of everything that was recorded. Every successful change makes it stale. */
export const AUDIT = ["audit"] as const;

const REFRESH_MS = 30_000;

type Read = (query: { limit: number; cursor?: string }) => Promise<Page<Entry>>;

const HISTORIES = {
  pet: (id) => (query) =>
    pageOf(store.GET("/pets/{petId}/history", { params: { path: { petId: Number(id) }, query } })),
  order: (id) => (query) =>
    pageOf(
      store.GET("/store/orders/{orderId}/history", { params: { path: { orderId: Number(id) }, query } }),
    ),
  project: (slug) => (query) =>
    pageOf(platform.GET("/platform/projects/{slug}/history", { params: { path: { slug }, query } })),
} satisfies Record<string, (id: string) => Read>;

/** The history of a resource, page by page. Entries that were made elsewhere appear. */
export const useHistory = (kind: keyof typeof HISTORIES, id: number | string) => {
  const read: Read = HISTORIES[kind](String(id));
  return useAll([...AUDIT, kind, String(id)], read, { refetchInterval: REFRESH_MS });
};

/** The entries that match a filter, page by page. Entries that were made elsewhere appear. */
export const useActivity = (filter: Filter) => {
  const { actor, resource } = filter;
  const enabled = useSession().can("audit:read");
  const narrow = {
    ...(actor !== undefined && { actor }),
    ...(resource !== undefined && { resource }),
    ...timesOf(filter),
  };
  return useAll<Entry>(
    [...AUDIT, filter],
    (page) => pageOf(platform.GET("/platform/audit", { params: { query: { ...page, ...narrow } } })),
    { enabled, refetchInterval: REFRESH_MS },
  );
};
