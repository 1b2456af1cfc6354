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
      {
        stability: "beta",
        scope: "platform:read",
        query: NoQuery,
        params: ProjectParams,
        response: { 200: Project },
        detail: getProject,
      },
    )
    .patch(
      "/platform/projects/:slug",
      async ({ params, body, caller }) =>
        fromProject(await projects.change(params.slug, body, caller), addresses),
      {
        stability: "beta",
        scope: "platform:write",
        reads: "json",
        query: NoQuery,
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
      {
        stability: "beta",
        scope: "platform:write",
        query: NoQuery,
        params: ProjectParams,
        response: { 204: NoContent },
        detail: deleteProject,
      },
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
      {
        stability: "beta",
        scope: "platform:read",
        query: ProjectQuery,
        response: { 200: Projects },
        detail: listProjects,
      },
    )
    .post(
      "/platform/projects",
      async ({ body: { plan = "free", ...rest }, caller, set }) => {
        const project = await projects.create({ ...rest, plan }, caller);
        set.headers["location"] = `/platform/projects/${project.slug}`;
        return status(201, fromProject(project, addresses));
      },
      {
        stability: "beta",
        scope: "platform:write",
        reads: "json",
        query: NoQuery,
        body: NewProject,
        response: { 201: Project },
        detail: createProject,
      },
    )
    .use(singleProjectRoutes({ projects, addresses, macros }));
