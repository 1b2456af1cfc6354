import { dataOf, pageOf, platform } from "../api/client.ts";
import { KEYS as PROJECT } from "../projects/queries.ts";
import { useAll, useOne } from "../parts/queries.ts";
import type { Filter } from "./progress.ts";
import { type Domain, type NewConfig, listRefetchDelay, refetchDelay } from "./model.ts";

/** The cache keys of a project's domains. All begin with that of the project. */
export const KEYS = {
  all: (slug: string) => [...PROJECT.one(slug), "domains"],
  list: (slug: string) => [...KEYS.all(slug), "list"],
  one: (slug: string, hostname: string) => [...KEYS.all(slug), "one", hostname],
  history: (slug: string, hostname: string) => [...KEYS.all(slug), "history", hostname],
};

export const at = (slug: string, hostname: string) => ({ params: { path: { slug, hostname } } });

const MAX_DOMAINS = 100;

/** All domains of a project, refetched while the page is visible. */
export const useDomains = (slug: string) => {
  const params = { path: { slug }, query: { limit: MAX_DOMAINS } };
  return useOne(KEYS.list(slug), () => platform.GET("/platform/projects/{slug}/domains", { params }), {
    refetchInterval: ({ state }) => listRefetchDelay(state.data ?? []),
  });
};

/** One domain, refetched while the page is visible: often while work is in progress. */
export const useDomain = (slug: string, hostname: string) =>
  useOne(
    KEYS.one(slug, hostname),
    () => platform.GET("/platform/projects/{slug}/domains/{hostname}", at(slug, hostname)),
    { refetchInterval: ({ state }) => refetchDelay(state.data) },
  );

/** The recent history of a domain, newest first, refetched as often as the domain. */
export const useHistory = (slug: string, hostname: string, everyMs: number) => {
  const params = { path: { slug, hostname }, query: { limit: 50 } };
  return useOne(
    KEYS.history(slug, hostname),
    () => platform.GET("/platform/projects/{slug}/domains/{hostname}/history", { params }),
    { refetchInterval: everyMs },
  );
};

/** The primary domain, and the domains that redirect to it. @throws ApiError */
export const fetchConfig = (slug: string) =>
  dataOf(platform.GET("/platform/projects/{slug}/config", { params: { path: { slug } } }));

/** @throws ApiError */
export const putConfig = (slug: string, body: NewConfig) =>
  dataOf(platform.PUT("/platform/projects/{slug}/config", { params: { path: { slug } }, body }));

/** @throws ApiError */
export const putPrimary = (slug: string, hostname: string) =>
  dataOf(platform.PUT("/platform/projects/{slug}/domains/{hostname}/primary", at(slug, hostname)));

export const ALL_DOMAINS = ["domains"] as const;
const LIVE_MS = 15_000;

/** The domains of all projects that match a filter, page by page, problems first. */
export const useAllDomains = (filter: Filter) =>
  useAll<Domain>(
    [...ALL_DOMAINS, "list", filter],
    (page) => pageOf(platform.GET("/platform/domains", { params: { query: { ...page, ...filter } } })),
    // Other pages change domains too.
    { staleTime: 0, refetchInterval: LIVE_MS },
  );
