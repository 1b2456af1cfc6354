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
  description: "In the order they were made. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: { 200: { description: "The projects.", headers: ["Link", "Next-Cursor"], example: [DOCS] } },
});

export const createProject = operation({
  operationId: "createProject",
  summary: "Make a project",
  description:
    "Its slug must be a DNS label that no other project holds and that is not reserved, such as `www` or `api`.",
  tags: TAGS,
  bodyExample: { slug: "docs", name: "Documentation", plan: "pro" },
  responses: { 201: { description: "The project.", headers: ["Location"], example: DOCS } },
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
  description: "Its name, its plan, or both; what is not named stays.",
  tags: TAGS,
  bodyExample: { plan: "enterprise" },
  responses: { 200: { description: "The project as it is now.", example: { ...DOCS, plan: "enterprise" } } },
});

export const deleteProject = operation({
  operationId: "deleteProject",
  summary: "Delete a project",
  description: "With its deploys; it is served no longer from the next request on.",
  tags: TAGS,
  responses: { 204: { description: "The project is gone." } },
});
