import { pageOf, platform } from "../api/client.ts";
import { useAll, useOne } from "../parts/queries.ts";

/** The cache keys of projects. Everything about a project begins with its own key. */
export const KEYS = {
  list: ["projects"],
  one: (slug: string) => ["project", slug],
  deploys: (slug: string) => ["project", slug, "deploys"],
};

/** How soon a change that was made elsewhere is shown. */
const LIVE_MS = 15_000;

export const useProjects = () =>
  useAll(KEYS.list, (query) => pageOf(platform.GET("/platform/projects", { params: { query } })), {
    refetchInterval: LIVE_MS,
  });

export const useProject = (slug: string) =>
  useOne(KEYS.one(slug), () => platform.GET("/platform/projects/{slug}", { params: { path: { slug } } }), {
    refetchInterval: LIVE_MS,
  });

/** The deploys of a project, newest first, page by page. */
export const useDeploys = (slug: string) =>
  useAll(
    [...KEYS.deploys(slug), "list"],
    (query) =>
      pageOf(platform.GET("/platform/projects/{slug}/deploys", { params: { path: { slug }, query } })),
    { refetchInterval: LIVE_MS },
  );
