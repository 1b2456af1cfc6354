import { operation } from "../http/operation.ts";

const TAGS = ["projects"];
const DOCS = {
  slug: "docs",
  name: "Documentation",
  plan: "pro",
  target: "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
  address: "http://docs.example.org/",
  createdAt: "2026-11-20T09:30:00.000Z",
};

export const listProjects = operation({
  operationId: "listProjects",
  summary: "List projects",
  description:
    "Returns a page of projects in creation order: all, or those that match `q`. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: { 200: { description: "The projects.", headers: ["Link", "Next-Cursor"], example: [DOCS] } },
});

export const createProject = operation({
  operationId: "createProject",
  summary: "Create a project",
  description:
    "Creates a project. Its slug must be a DNS label that no other project uses. Some labels are reserved, such as `www` and `api`.",
  tags: TAGS,
  bodyExample: { slug: "docs", name: "Documentation", plan: "pro" },
  responses: { 201: { description: "The new project.", headers: ["Location"], example: DOCS } },
  faults: ["slug_taken"],
});

export const getProject = operation({
  operationId: "getProject",
  summary: "Fetch one project",
  description: "Returns one project with its default address and its CNAME target.",
  tags: TAGS,
  responses: { 200: { description: "The project.", example: DOCS } },
});

export const changeProject = operation({
  operationId: "changeProject",
  summary: "Change a project",
  description: "Changes the name, the plan, or both. Absent fields keep their value.",
  tags: TAGS,
  bodyExample: { plan: "enterprise" },
  responses: { 200: { description: "The changed project.", example: { ...DOCS, plan: "enterprise" } } },
});

export const deleteProject = operation({
  operationId: "deleteProject",
  summary: "Delete a project",
  description:
    "Deletes the project with its deploys and domains. From the next request on, it is no longer served.",
  tags: TAGS,
  responses: { 204: { description: "The project is deleted." } },
});
