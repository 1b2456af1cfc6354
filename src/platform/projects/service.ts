import { Fault, fieldFault } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { type Page, type PageQuery, hashedFilter, pageAfter } from "../../lib/pagination.ts";
import type { Context } from "../../data/context.ts";
import type { Project, ProjectChange, ProjectRepository } from "./repository.ts";
import { RESERVED, SLUG, slugProblem, randomTargetLabel } from "./slug.ts";

export type { Project } from "./repository.ts";

type NewProject = Pick<Project, "slug" | "name" | "plan">;

interface ListProjects extends PageQuery {
  text?: string | undefined;
}

/** Returns a function that builds a project's CNAME target from its label. */
export const cnameTargetIn = (domain: string) => (label: string) => `${label}.${domain}`;

const notFound = (slug: string) =>
  new Fault(
    "not_found",
    SLUG.test(slug) ? `The project ${slug} does not exist.` : "There is no project with this slug.",
  );

/** @param isOwn true if the default address of this slug is one of the service's own host names */
export const projectService = (
  { clock, randomBytes }: Context,
  projects: ProjectRepository,
  isOwn: (slug: string) => boolean,
) => {
  /** @throws Fault not_found */
  const get = async (slug: string): Promise<Project> => {
    const project = await projects.find(slug);
    if (!project) throw notFound(slug);
    return project;
  };

  return {
    get,
    /** @throws Fault invalid_request for a slug that breaks a rule, slug_taken */
    async create({ slug, name, plan }: NewProject, actor: Actor): Promise<Project> {
      const problem = slugProblem(slug) ?? (isOwn(slug) ? RESERVED : undefined);
      if (problem)
        throw fieldFault("invalid_request", { field: "slug", ...problem }, `slug: ${problem.words}`);
      const project = { slug, name, plan, targetLabel: randomTargetLabel(randomBytes) };
      const added = await projects.add(project, { actor, now: clock.now() });
      if (!added) throw fieldFault("slug_taken", { field: "slug", rule: "taken" });
      return added;
    },
    /** All projects, or those whose slug or name contains `text`. @throws Fault invalid_cursor */
    list({ text, ...query }: ListProjects): Promise<Page<Project>> {
      const list = text === undefined ? "projects" : hashedFilter("projects", [text]);
      return pageAfter(query, list, (page) => projects.list({ text, ...page }));
    },
    /** @throws Fault not_found */
    async change(slug: string, change: ProjectChange, actor: Actor): Promise<Project> {
      const { id } = await get(slug);
      const project = await projects.change(id, change, { actor, now: clock.now() });
      if (!project) throw notFound(slug);
      return project;
    },
    /** @throws Fault not_found */
    async remove(slug: string, actor: Actor): Promise<void> {
      const { id } = await get(slug);
      if (!(await projects.remove(id, { actor, now: clock.now() }))) throw notFound(slug);
    },
  };
};

export type ProjectService = ReturnType<typeof projectService>;
