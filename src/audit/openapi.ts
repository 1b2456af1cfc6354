import { operation } from "../http/operation.ts";

const PAGES =
  "If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed.";

/** In the description of each history. */
const NAMES =
  "Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person.";

const CHANGED = {
  id: 43,
  at: "2026-11-20T09:31:00.000Z",
  actor: { kind: "person", id: 2, name: "Maria" },
  action: "pet.changed",
  resource: { kind: "pet", id: "7", name: "Bella" },
  changes: [{ field: "status", from: "available", to: "pending" }],
};

const APPROVED = {
  id: 44,
  at: "2026-11-20T09:32:00.000Z",
  actor: { kind: "key", id: 3, name: "front desk" },
  action: "order.approved",
  resource: { kind: "order", id: "26", name: "Bella", parent: { kind: "pet", id: "7" } },
  changes: [],
};

const entry = (action: string, resource: object) => ({ ...CHANGED, action, resource, changes: [] });

/** The history of one resource. */
const history = (
  { name, tag, of }: { name: string; tag: string; of: string },
  description: string,
  example: object[],
) =>
  operation({
    operationId: `list${name}History`,
    summary: `List the history of ${of}`,
    description: `${description} ${NAMES} ${PAGES}`,
    tags: [tag],
    responses: { 200: { description: "The entries.", headers: ["Link", "Next-Cursor"], example } },
  });

export const listAudit = operation({
  operationId: "listAuditEntries",
  summary: "List the audit log",
  description: `Returns a page of entries, newest first: who did what, and when. An entry is stored in the transaction of the change that it records. ${PAGES}`,
  tags: ["audit"],
  responses: {
    200: {
      description: "The entries.",
      headers: ["Link", "Next-Cursor"],
      example: [APPROVED, CHANGED],
    },
  },
});

export const listPetHistory = history(
  { name: "Pet", tag: "animals", of: "an animal" },
  "Returns what happened to an animal, newest first; with the scope `orders:read` its adoptions too. A deleted animal keeps its history. An unknown one has none.",
  [APPROVED, CHANGED],
);

export const listCategoryHistory = history(
  { name: "Category", tag: "categories", of: "a category" },
  "Returns what happened to a category, newest first. A deleted category keeps its history. An unknown one has none.",
  [entry("category.added", { kind: "category", id: "3", name: "Dogs" })],
);

export const listOrderHistory = history(
  { name: "Order", tag: "store", of: "an order" },
  "Returns the steps of an adoption, newest first. It never contains the adopter. An unknown order has none.",
  [APPROVED],
);

export const listKeyHistory = history(
  { name: "Key", tag: "keys", of: "a key" },
  "Returns who created, rotated and revoked an API key, newest first. For what the key did, filter the audit log by actor.",
  [entry("key.created", { kind: "key", id: "3", name: "front desk" })],
);

export const listPersonHistory = history(
  { name: "Person", tag: "people", of: "a person" },
  "Returns who added, invited, changed and removed a person, and when they joined, newest first. For what the person did, filter the audit log by actor.",
  [entry("person.added", { kind: "person", id: "3", name: "Ada Byron" })],
);

export const listProjectHistory = history(
  { name: "Project", tag: "projects", of: "a project" },
  "Returns what happened to a project, its deploys and its domains, newest first. A deleted project keeps its history.",
  [entry("deploy.published", { kind: "deploy", id: "12", parent: { kind: "project", id: "docs" } })],
);
