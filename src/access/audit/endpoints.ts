import type { TSchema } from "elysia";
import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath, SlugInPath } from "../../http/schemas.ts";
import type { ResourceKind } from "../../data/db/actions.ts";
import type { Page } from "../../lib/pagination.ts";
import { type Scope, holds } from "../../http/scopes.ts";
import type { Entry } from "./entry.ts";
import { AuditEntries, AuditQuery, fromEntry } from "./model.ts";
import type { AuditService } from "./service.ts";

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

interface History {
  kind: ResourceKind;
  /** In the operation's id. */
  name: string;
  /** The path of the resource, which ends with its id. */
  path: `/${string}`;
  id: TSchema;
  tag: string;
  scope: Scope;
  /** In the summary. */
  of: string;
  description: string;
  examples: object[];
}

/** The histories of single resources, each an operation. */
const HISTORIES: readonly History[] = [
  {
    kind: "pet",
    name: "Pet",
    path: "/v1/pets/:petId",
    id: IdInPath("Id of the animal."),
    tag: "animals",
    scope: "pets:read",
    of: "an animal",
    description:
      "Returns what happened to an animal, newest first; with the scope `orders:read` its adoptions too. A deleted animal keeps its history. An unknown one has none.",
    examples: [APPROVED, CHANGED],
  },
  {
    kind: "category",
    name: "Category",
    path: "/v1/categories/:categoryId",
    id: IdInPath("Id of the category."),
    tag: "categories",
    scope: "pets:read",
    of: "a category",
    description:
      "Returns what happened to a category, newest first. A deleted category keeps its history. An unknown one has none.",
    examples: [entry("category.added", { kind: "category", id: "3", name: "Dogs" })],
  },
  {
    kind: "order",
    name: "Order",
    path: "/v1/store/orders/:orderId",
    id: IdInPath("Id of the order."),
    tag: "store",
    scope: "orders:read",
    of: "an order",
    description:
      "Returns the steps of an adoption, newest first. It never contains the adopter. An unknown order has none.",
    examples: [APPROVED],
  },
  {
    kind: "key",
    name: "Key",
    path: "/platform/keys/:keyId",
    id: IdInPath("Id of the key."),
    tag: "keys",
    scope: "keys:admin",
    of: "a key",
    description:
      "Returns who created, rotated and revoked an API key, newest first. For what the key did, filter the audit log by actor.",
    examples: [entry("key.created", { kind: "key", id: "3", name: "front desk" })],
  },
  {
    kind: "person",
    name: "Person",
    path: "/platform/people/:personId",
    id: IdInPath("Id of the person."),
    tag: "people",
    scope: "people:admin",
    of: "a person",
    description:
      "Returns who added, invited, changed and removed a person, and when they joined, newest first. For what the person did, filter the audit log by actor.",
    examples: [entry("person.added", { kind: "person", id: "3", name: "Ada Byron" })],
  },
  {
    kind: "project",
    name: "Project",
    path: "/platform/projects/:slug",
    id: SlugInPath,
    tag: "projects",
    scope: "platform:read",
    of: "a project",
    description:
      "Returns what happened to a project, its deploys and its domains, newest first. A deleted project keeps its history.",
    examples: [
      entry("deploy.published", { kind: "deploy", id: "12", parent: { kind: "project", id: "docs" } }),
    ],
  },
];

const shown = ({ items, next }: Page<Entry>, isNamed: boolean) => ({
  items: items.map((item) => fromEntry(item, { isNamed })),
  next,
});

/** The audit log, and the histories of single resources. */
export const auditEndpoints = ({ audit, macros }: { audit: AuditService; macros: Macros }) => {
  const { list, app } = endpoints({ macros, tag: "audit", scope: "audit:read" });
  list("GET /platform/audit", {
    id: "listAuditEntries",
    summary: "List the audit log",
    description: `Returns a page of entries, newest first: who did what, and when. An entry is stored in the transaction of the change that it records. ${PAGES}`,
    query: AuditQuery,
    returns: [AuditEntries, "The entries.", [APPROVED, CHANGED]],
    run: async ({ query }) => shown(await audit.list(query), true),
  });
  for (const { kind, name, path, tag, scope, id, of, description, examples } of HISTORIES) {
    const [, parameter = ""] = path.split(":");
    list(`GET ${path}/history`, {
      id: `list${name}History`,
      tag,
      scope,
      summary: `List the history of ${of}`,
      description: `${description} ${NAMES} ${PAGES}`,
      params: { [parameter]: id },
      returns: [AuditEntries, "The entries.", examples],
      run: async ({ params, query, caller }) => {
        const mayRead = (child: ResourceKind) => child !== "order" || holds(caller, "orders:read");
        const entries = await audit.history({ kind, id: String(params[parameter]), mayRead }, query);
        return shown(entries, holds(caller, "audit:read"));
      },
    });
  }
  return app;
};
