import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Clock } from "../lib/time.ts";
import type { Plan } from "./plan.ts";
import type { Project, ProjectChange, Projects } from "./repository.ts";
import { slugProblem, randomTargetLabel } from "./slug.ts";

export type { Project } from "./repository.ts";

export interface NewProject {
  slug: string;
  name: string;
  plan: Plan;
}

export interface ProjectService {
  /** @throws Fault invalid_request for a slug that cannot be one, slug_taken */
  create(project: NewProject): Promise<Project>;
  /** @throws Fault not_found */
  get(slug: string): Promise<Project>;
  /** @throws Fault invalid_cursor */
  list(query: { limit: number; cursor: string | undefined }): Promise<Page<Project>>;
  /** @throws Fault not_found */
  change(slug: string, change: ProjectChange): Promise<Project>;
  /** @throws Fault not_found */
  remove(slug: string): Promise<void>;
}

/** What a cursor of the list of projects is bound to. */
const LIST = "projects";

const notFound = () => new Fault("not_found", "There is no project with this slug.");

export const projectService = ({
  projects,
  isOwn,
  clock,
  random,
}: {
  projects: Projects;
  /** True for the slug whose default address is a name of the service itself. */
  isOwn: (slug: string) => boolean;
  clock: Clock;
  random: (count: number) => Uint8Array;
}): ProjectService => {
  const get = async (slug: string) => {
    const project = await projects.find(slug);
    if (!project) throw notFound();
    return project;
  };

  return {
    get,
    async create({ slug, name, plan }) {
      const problem = slugProblem(slug) ?? (isOwn(slug) ? "is reserved: choose another" : undefined);
      if (problem) throw new Fault("invalid_request", `slug: ${problem}`);
      const project = { slug, name, plan, targetLabel: randomTargetLabel(random), createdAt: clock.now() };
      const added = await projects.add(project);
      if (!added) throw new Fault("slug_taken");
      return added;
    },
    async list({ limit, cursor }) {
      const after = cursor === undefined ? 0 : readCursor(cursor, LIST);
      return cutPage(await projects.list({ after, limit: limit + 1 }), limit, LIST);
    },
    async change(slug, change) {
      const { id } = await get(slug);
      const project = await projects.change(id, change, clock.now());
      if (!project) throw notFound();
      return project;
    },
    async remove(slug) {
      const { id } = await get(slug);
      if (!(await projects.remove(id))) throw notFound();
    },
  };
};
