import { Elysia, t } from "elysia";
import type { Caller } from "../http/authorization.ts";
import { nextPage } from "../http/headers.ts";
import { IdInPath } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import type { Page } from "../lib/pagination.ts";
import { holds } from "../lib/scopes.ts";
import type { Entry } from "./entry.ts";
import { AuditEntries, AuditQuery, HistoryQuery, fromEntry, toFilters } from "./model.ts";
import {
  listAudit,
  listCategoryHistory,
  listKeyHistory,
  listOrderHistory,
  listPetHistory,
  listPersonHistory,
  listProjectHistory,
} from "./openapi.ts";
import type { AuditService, HistoryOf } from "./service.ts";

interface Setter {
  headers: Record<string, string | number | undefined>;
}

type Query = Record<string, string | undefined>;

const respond = (
  { set, caller }: { set: Setter; caller: Caller },
  path: string,
  query: Query,
  { items, next }: Page<Entry>,
) => {
  Object.assign(set.headers, nextPage(path, query, next));
  const isNamed = holds(caller, "audit:read");
  return items.map((entry) => fromEntry(entry, { isNamed }));
};

const historyOptions = {
  stability: "beta",
  query: HistoryQuery,
  response: { 200: AuditEntries },
} as const;

interface AuditRouteOptions {
  audit: AuditService;
  macros: Macros;
}

interface HistoryContext {
  /** As the request has it: the link to the next page repeats it. */
  path: string;
  query: { limit?: string | number; cursor?: string };
  set: Setter;
  caller: Caller;
}

const historyReader = (audit: AuditService) => async (of: HistoryOf, context: HistoryContext) => {
  const { path, query } = context;
  const limit = Number(query.limit);
  return respond(
    context,
    path,
    { limit: `${limit}` },
    await audit.history(of, { limit, cursor: query.cursor }),
  );
};

/** The history of single resources of the store. */
const storeHistoryRoutes = ({ audit, macros }: AuditRouteOptions) => {
  const history = historyReader(audit);
  return new Elysia({ name: "store-history", normalize: false })
    .use(macros)
    .get(
      "/v1/pets/:petId/history",
      (context) => {
        const mayRead = () => holds(context.caller, "orders:read");
        return history({ kind: "pet", id: context.params.petId, mayRead }, context);
      },
      {
        ...historyOptions,
        scope: "pets:read",
        params: t.Object({ petId: IdInPath("Id of the animal.") }),
        detail: listPetHistory,
      },
    )
    .get(
      "/v1/categories/:categoryId/history",
      (context) => history({ kind: "category", id: context.params.categoryId }, context),
      {
        ...historyOptions,
        scope: "pets:read",
        params: t.Object({ categoryId: IdInPath("Id of the category.") }),
        detail: listCategoryHistory,
      },
    )
    .get(
      "/v1/store/orders/:orderId/history",
      (context) => history({ kind: "order", id: context.params.orderId }, context),
      {
        ...historyOptions,
        scope: "orders:read",
        params: t.Object({ orderId: IdInPath("Id of the order.") }),
        detail: listOrderHistory,
      },
    );
};

/** The history of single resources of the platform. */
const platformHistoryRoutes = ({ audit, macros }: AuditRouteOptions) => {
  const history = historyReader(audit);
  return new Elysia({ name: "platform-history", normalize: false })
    .use(macros)
    .get(
      "/platform/keys/:keyId/history",
      (context) => history({ kind: "key", id: context.params.keyId }, context),
      {
        ...historyOptions,
        scope: "keys:admin",
        params: t.Object({ keyId: IdInPath("Id of the key.") }),
        detail: listKeyHistory,
      },
    )
    .get(
      "/platform/people/:personId/history",
      (context) => history({ kind: "person", id: context.params.personId }, context),
      {
        ...historyOptions,
        scope: "people:admin",
        params: t.Object({ personId: IdInPath("Id of the person.") }),
        detail: listPersonHistory,
      },
    )
    .get(
      "/platform/projects/:slug/history",
      (context) => history({ kind: "project", id: context.params.slug }, context),
      {
        ...historyOptions,
        scope: "platform:read",
        params: t.Object({ slug: t.String({ description: "The project's slug.", examples: ["docs"] }) }),
        detail: listProjectHistory,
      },
    );
};

/** The audit log, and the history of single resources. */
export const auditRoutes = (options: AuditRouteOptions) =>
  new Elysia({ name: "audit", normalize: false })
    .use(options.macros)
    .get(
      "/platform/audit",
      async ({ query: { limit, cursor, ...filters }, set, caller }) =>
        respond(
          { set, caller },
          "/platform/audit",
          { ...filters, limit: String(limit) },
          await options.audit.list({ ...toFilters(filters), limit: Number(limit), cursor }),
        ),
      {
        stability: "beta",
        scope: "audit:read",
        query: AuditQuery,
        response: { 200: AuditEntries },
        detail: listAudit,
      },
    )
    .use(storeHistoryRoutes(options))
    .use(platformHistoryRoutes(options));
