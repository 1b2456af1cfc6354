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
    "In the order in which they were created. While more pages follow, the `Link` header gives the address of the next one.",
  tags: TAGS,
  responses: { 200: { description: "The projects.", headers: ["Link", "Next-Cursor"], example: [DOCS] } },
});

export const createProject = operation({
  operationId: "createProject",
  summary: "Create a project",
  description:
    "The slug must be a DNS label that no other project has. Some labels are reserved, such as `www` and `api`.",
  tags: TAGS,
  bodyExample: { slug: "docs", name: "Documentation", plan: "pro" },
  responses: { 201: { description: "The new project.", headers: ["Location"], example: DOCS } },
  faults: ["slug_taken"],
});

export const getProject = operation({
  operationId: "getProject",
  summary: "Fetch one project",
  description: "With its default address and its CNAME target.",
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
    "Deletes the project with its deploys and domains. It stops being served with the next request.",
  tags: TAGS,
  responses: { 204: { description: "The project is deleted." } },
});
