import { Elysia } from "elysia";
import { nextPage } from "../http/headers.ts";
import type { WithoutIdleTimeout } from "../http/idle-timeout.ts";
import type { Macros } from "../http/macros.ts";
import {
  AllDomainsQuery,
  DomainAdditions,
  DomainCountQuery,
  DomainStatistics,
  DomainsOfAll,
  NewDomains,
  NewDomainsQuery,
  fromCounts,
  fromRowResult,
  toFilters,
} from "./all-domains-model.ts";
import { fromDomain } from "./model.ts";
import { addDomains, countDomains, listAllDomains } from "./openapi.ts";
import type { DomainService } from "./service.ts";

interface AllDomainsRouteOptions {
  domains: DomainService;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The domains of all projects, under `/platform/domains`. */
export const allDomainsRoutes = ({ domains, macros, withoutIdleTimeout }: AllDomainsRouteOptions) =>
  new Elysia({ name: "all-domains", normalize: false })
    .use(macros)
    .get(
      "/platform/domains",
      async ({ query: { limit: size, cursor, ...query }, set }) => {
        const limit = Number(size);
        const { items, next } = await domains.listAll({ ...toFilters(query), limit, cursor });
        Object.assign(set.headers, nextPage("/platform/domains", { ...query, limit }, next));
        return items.map(fromDomain);
      },
      {
        stability: "beta",
        scope: "platform:read",
        query: AllDomainsQuery,
        response: { 200: DomainsOfAll },
        detail: listAllDomains,
      },
    )
    .post(
      "/platform/domains",
      async ({ query: { project }, body, request, caller }) => {
        const results = await withoutIdleTimeout(request, () => domains.addRows(body, project, caller));
        return results.map(fromRowResult);
      },
      {
        stability: "beta",
        scope: "platform:write",
        reads: "json or domain list",
        query: NewDomainsQuery,
        body: NewDomains,
        response: { 200: DomainAdditions },
        detail: addDomains,
      },
    )
    .get(
      "/platform/domains/statistics",
      async ({ query }) => fromCounts(await domains.count(toFilters(query))),
      {
        stability: "beta",
        scope: "platform:read",
        query: DomainCountQuery,
        response: { 200: DomainStatistics },
        detail: countDomains,
      },
    );
