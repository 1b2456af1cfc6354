import { useQuery } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";

export type { Deploy, Project } from "./model.ts";

/** The cache keys of projects. Everything about a project begins with its own key. */
export const KEYS = {
  list: ["projects"],
  one: (slug: string) => ["project", slug],
  deploys: (slug: string) => ["project", slug, "deploys"],
};

/** One project. */
export const useProject = (slug: string) =>
  useQuery({
    queryKey: KEYS.one(slug),
    queryFn: () => dataOf(platform.GET("/platform/projects/{slug}", { params: { path: { slug } } })),
  });
