import { Elysia, status } from "elysia";
import { nextPage } from "../http/headers.ts";
import { NoContent, NoQuery } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import {
  NewProject,
  Project,
  ProjectChange,
  ProjectParams,
  ProjectQuery,
  Projects,
  type ProjectAddresses,
  fromProject,
} from "./model.ts";
import { changeProject, createProject, deleteProject, getProject, listProjects } from "./openapi.ts";
import type { ProjectService } from "./service.ts";

/** The common options of the routes that read, and of those that write. */
const READ = { stability: "beta", scope: "platform:read", query: NoQuery } as const;
const WRITE = { stability: "beta", scope: "platform:write", query: NoQuery } as const;

interface ProjectRouteOptions {
  projects: ProjectService;
  addresses: ProjectAddresses;
  macros: Macros;
}

const singleProjectRoutes = ({ projects, addresses, macros }: ProjectRouteOptions) =>
  new Elysia({ name: "single-project", normalize: false })
    .use(macros)
    .get(
      "/platform/projects/:slug",
      async ({ params }) => fromProject(await projects.get(params.slug), addresses),
      { ...READ, params: ProjectParams, response: { 200: Project }, detail: getProject },
    )
    .patch(
      "/platform/projects/:slug",
      async ({ params, body, caller }) =>
        fromProject(await projects.change(params.slug, body, caller), addresses),
      {
        ...WRITE,
        reads: "json",
        params: ProjectParams,
        body: ProjectChange,
        response: { 200: Project },
        detail: changeProject,
      },
    )
    .delete(
      "/platform/projects/:slug",
      async ({ params, caller }) => {
        await projects.remove(params.slug, caller);
        return status(204, undefined);
      },
      { ...WRITE, params: ProjectParams, response: { 204: NoContent }, detail: deleteProject },
    );

/** Documentation projects, under `/platform/projects`. */
export const projectRoutes = ({ projects, addresses, macros }: ProjectRouteOptions) =>
  new Elysia({ name: "projects", normalize: false })
    .use(macros)
    .get(
      "/platform/projects",
      async ({ query: { q, cursor, ...query }, set }) => {
        const limit = Number(query.limit);
        const { items, next } = await projects.list({ text: q, limit, cursor });
        Object.assign(set.headers, nextPage("/platform/projects", { q, limit }, next));
        return items.map((project) => fromProject(project, addresses));
      },
      { ...READ, query: ProjectQuery, response: { 200: Projects }, detail: listProjects },
    )
    .post(
      "/platform/projects",
      async ({ body: { plan = "free", ...rest }, caller, set }) => {
        const project = await projects.create({ ...rest, plan }, caller);
        set.headers["location"] = `/platform/projects/${project.slug}`;
        return status(201, fromProject(project, addresses));
      },
      { ...WRITE, reads: "json", body: NewProject, response: { 201: Project }, detail: createProject },
    )
    .use(singleProjectRoutes({ projects, addresses, macros }));
