import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { UNATTENDED, dataOf, platform } from "../api/client.ts";
import { KEYS as PROJECT } from "../projects/queries.ts";
import { refetchDelay, listRefetchDelay } from "./stages.ts";

/** The cache keys of a project's domains. All begin with that of the project. */
export const KEYS = {
  all: (slug: string) => [...PROJECT.one(slug), "domains"],
  list: (slug: string) => [...KEYS.all(slug), "list"],
  config: (slug: string) => [...KEYS.all(slug), "config"],
  one: (slug: string, hostname: string) => [...KEYS.all(slug), "one", hostname],
  history: (slug: string, hostname: string) => [...KEYS.all(slug), "history", hostname],
};

/** The maximum number of domains in a project. */
const MAX_DOMAINS = 100;

/** The user asked for the first request. The page repeats it without them. */
const useAttendance = () => {
  const queries = useQueryClient();
  return (queryKey: readonly unknown[]) =>
    queries.getQueryData(queryKey) === undefined ? {} : { headers: UNATTENDED };
};

/** All domains of a project, refetched while the page is visible. */
export const useDomains = (slug: string) => {
  const attendance = useAttendance();
  return useQuery({
    queryKey: KEYS.list(slug),
    queryFn: ({ queryKey }) =>
      dataOf(
        platform.GET("/platform/projects/{slug}/domains", {
          params: { path: { slug }, query: { limit: MAX_DOMAINS } },
          ...attendance(queryKey),
        }),
      ),
    refetchInterval: ({ state }) => listRefetchDelay(state.data ?? []),
  });
};

/** One domain, refetched while the page is visible: often while work is in progress. */
export const useDomain = (slug: string, hostname: string) => {
  const attendance = useAttendance();
  return useQuery({
    queryKey: KEYS.one(slug, hostname),
    queryFn: ({ queryKey }) =>
      dataOf(
        platform.GET("/platform/projects/{slug}/domains/{hostname}", {
          params: { path: { slug, hostname } },
          ...attendance(queryKey),
        }),
      ),
    refetchInterval: ({ state }) => refetchDelay(state.data),
  });
};

/** The recent history of a domain, newest first, refetched as often as the domain. */
export const useHistory = (slug: string, hostname: string, everyMs: number) => {
  const attendance = useAttendance();
  return useQuery({
    queryKey: KEYS.history(slug, hostname),
    queryFn: ({ queryKey }) =>
      dataOf(
        platform.GET("/platform/projects/{slug}/domains/{hostname}/history", {
          params: { path: { slug, hostname }, query: { limit: 50 } },
          ...attendance(queryKey),
        }),
      ),
    refetchInterval: everyMs,
  });
};

/** @throws ApiError */
export const fetchConfig = (slug: string) =>
  dataOf(platform.GET("/platform/projects/{slug}/config", { params: { path: { slug } } }));

/** The primary domain, and the domains that redirect to it. */
export const useConfig = (slug: string) =>
  useQuery({ queryKey: KEYS.config(slug), queryFn: () => fetchConfig(slug) });
