import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { SlugInPath } from "../../http/schemas.ts";
import {
  NewProject,
  Project,
  ProjectChange,
  ProjectQuery,
  Projects,
  type ProjectAddresses,
  fromProject,
} from "./model.ts";
import type { ProjectService } from "./service.ts";

const DOCS = {
  slug: "docs",
  name: "Documentation",
  plan: "pro",
  target: "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
  address: "http://docs.example.org/",
  createdAt: "2026-11-20T09:30:00.000Z",
};

/** Documentation projects, under `/platform/projects`. */
export const projectEndpoints = ({
  projects,
  addresses,
  macros,
}: {
  projects: ProjectService;
  addresses: ProjectAddresses;
  macros: Macros;
}) => {
  const { add, list, app } = endpoints({ macros, tag: "projects", scope: "platform:read" });
  list("GET /platform/projects", {
    id: "listProjects",
    summary: "List projects",
    description:
      "Returns a page of projects in creation order: all, or those that match `q`. If more follow, the `Link` header has the address of the next page.",
    query: ProjectQuery,
    returns: [Projects, "The projects.", [DOCS]],
    run: async ({ query: { q, limit, cursor } }) => {
      const { items, next } = await projects.list({ text: q, limit, cursor });
      return { items: items.map((project) => fromProject(project, addresses)), next };
    },
  });
  add("POST /platform/projects", {
    id: "createProject",
    summary: "Create a project",
    description:
      "Creates a project. Its slug must be a DNS label that no other project uses. Some labels are reserved, such as `www` and `api`.",
    scope: "platform:write",
    body: NewProject,
    bodyExample: { slug: "docs", name: "Documentation", plan: "pro" },
    returns: [Project, "The new project.", DOCS],
    faults: ["slug_taken"],
    location: ({ slug }) => `/platform/projects/${slug}`,
    run: async ({ body: { plan = "free", ...rest }, caller }) =>
      fromProject(await projects.create({ ...rest, plan }, caller), addresses),
  });
  add("GET /platform/projects/:slug", {
    id: "getProject",
    summary: "Fetch one project",
    description: "Returns one project with its default address and its CNAME target.",
    params: { slug: SlugInPath },
    returns: [Project, "The project.", DOCS],
    run: async ({ params }) => fromProject(await projects.get(params.slug), addresses),
  });
  add("PATCH /platform/projects/:slug", {
    id: "changeProject",
    summary: "Change a project",
    description: "Changes the name, the plan, or both. Absent fields keep their value.",
    scope: "platform:write",
    params: { slug: SlugInPath },
    body: ProjectChange,
    bodyExample: { plan: "enterprise" },
    returns: [Project, "The changed project.", { ...DOCS, plan: "enterprise" }],
    run: async ({ params, body, caller }) =>
      fromProject(await projects.change(params.slug, body, caller), addresses),
  });
  add("DELETE /platform/projects/:slug", {
    id: "deleteProject",
    summary: "Delete a project",
    description:
      "Deletes the project with its deploys and domains. From the next request on, it is no longer served.",
    scope: "platform:write",
    params: { slug: SlugInPath },
    returns: "The project is deleted.",
    run: ({ params, caller }) => projects.remove(params.slug, caller),
  });
  return app;
};
