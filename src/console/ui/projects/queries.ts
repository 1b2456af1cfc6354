import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { dataOf, pageOf, platform } from "../api/client.ts";
import { useList } from "../parts/queries.ts";
import { useLive } from "../parts/visibility.ts";

/** The cache keys of projects. Everything about a project begins with its own key. */
export const KEYS = {
  list: ["projects"],
  one: (slug: string) => ["project", slug],
  deploys: (slug: string) => ["project", slug, "deploys"],
};

/** How soon a change that was made elsewhere is shown. */
const LIVE_MS = 15_000;

/** All projects, page by page. */
export const useProjects = () => {
  const queries = useQueryClient();
  useLive(() => queries.invalidateQueries({ queryKey: KEYS.list }), LIVE_MS);
  return useList(KEYS.list, (cursor, limit) =>
    pageOf(
      platform.GET("/platform/projects", {
        params: { query: { limit, ...(cursor && { cursor }) } },
      }),
    ),
  );
};

/** One project. */
export const useProject = (slug: string) => {
  return useQuery({
    queryKey: KEYS.one(slug),
    queryFn: () => dataOf(platform.GET("/platform/projects/{slug}", { params: { path: { slug } } })),
    refetchInterval: LIVE_MS,
  });
};

/** The deploys of a project, newest first, page by page. */
export const useDeploys = (slug: string) => {
  const queries = useQueryClient();
  const queryKey = [...KEYS.deploys(slug), "list"];
  useLive(() => queries.invalidateQueries({ queryKey }), LIVE_MS);
  return useList(queryKey, (cursor, limit) =>
    pageOf(
      platform.GET("/platform/projects/{slug}/deploys", {
        params: { path: { slug }, query: { limit, ...(cursor && { cursor }) } },
      }),
    ),
  );
};
