import { Elysia, status } from "elysia";
import { nextPage } from "../http/headers.ts";
import type { WithoutIdleTimeout } from "../lib/idle-timeout.ts";
import { NoContent, NoQuery } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import { writeYaml } from "../http/yaml.ts";
import { prefersYaml } from "../lib/accept.ts";
import { holds } from "../lib/scopes.ts";
import {
  AllDomainsQuery,
  Domain,
  DomainAdditions,
  DomainHistory,
  DomainParams,
  Domains,
  DomainsConfig,
  NewDomain,
  NewDomains,
  NewDomainsConfig,
  NewDomainsQuery,
  PageQuery,
  ProjectParams,
  fromDomain,
  fromEvent,
  fromRowResult,
} from "./model.ts";
import {
  addDomain,
  addDomains,
  getDomain,
  getDomainsConfig,
  listAllDomains,
  listDomainEvents,
  listDomains,
  makePrimary,
  putDomainsConfig,
  removeDomain,
  verifyDomain,
} from "./openapi.ts";
import type { DomainService } from "./service.ts";
import type { StoredStage } from "./stage.ts";
import type { DomainRolesService } from "./roles.ts";

const pathOf = (slug: string, hostname?: string): string => {
  const list = `/platform/projects/${encodeURIComponent(slug)}/domains`;
  return hostname === undefined ? list : `${list}/${encodeURIComponent(hostname)}`;
};

/** The common options of the routes that read, and of those that write. */
const READ = { stability: "beta", scope: "platform:read", query: NoQuery } as const;
const WRITE = { stability: "beta", scope: "platform:write", query: NoQuery } as const;

interface DomainRouteOptions {
  domains: DomainService;
  roles: DomainRolesService;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** One domain. */
const domainItemRoutes = ({ domains, macros, withoutIdleTimeout }: DomainRouteOptions) =>
  new Elysia({ name: "domain", normalize: false })
    .use(macros)
    .get(
      "/platform/projects/:slug/domains/:hostname",
      async ({ params: { slug, hostname } }) => fromDomain(await domains.get(slug, hostname)),
      { ...READ, params: DomainParams, response: { 200: Domain }, detail: getDomain },
    )
    .delete(
      "/platform/projects/:slug/domains/:hostname",
      async ({ params: { slug, hostname }, caller }) => {
        await domains.remove(slug, hostname, caller);
        return status(204, undefined);
      },
      { ...WRITE, params: DomainParams, response: { 204: NoContent }, detail: removeDomain },
    )
    .post(
      "/platform/projects/:slug/domains/:hostname/verify",
      // Strangers' name servers can be slow.
      async ({ params: { slug, hostname }, request, caller }) =>
        fromDomain(await withoutIdleTimeout(request, () => domains.verify(slug, hostname, caller))),
      { ...WRITE, params: DomainParams, response: { 200: Domain }, detail: verifyDomain },
    )
    .put(
      "/platform/projects/:slug/domains/:hostname/primary",
      async ({ params: { slug, hostname }, caller }) =>
        fromDomain(await domains.makePrimary(slug, hostname, caller)),
      { ...WRITE, params: DomainParams, response: { 200: Domain }, detail: makePrimary },
    )
    .get(
      "/platform/projects/:slug/domains/:hostname/history",
      async ({ params: { slug, hostname }, query, set, caller }) => {
        const limit = Number(query.limit);
        const { items, next } = await domains.history(slug, hostname, { limit, cursor: query.cursor });
        Object.assign(set.headers, nextPage(`${pathOf(slug, hostname)}/history`, { limit }, next));
        const isNamed = holds(caller, "audit:read");
        return items.map((event) => fromEvent(event, { isNamed }));
      },
      {
        ...READ,
        params: DomainParams,
        query: PageQuery,
        response: { 200: DomainHistory },
        detail: listDomainEvents,
      },
    );

/** Which domain is the primary one, and which redirect to it. */
const domainConfigRoutes = ({ roles, macros }: DomainRouteOptions) =>
  new Elysia({ name: "domain-config", normalize: false })
    .use(macros)
    .get(
      "/platform/projects/:slug/config",
      async ({ params: { slug }, headers }) => {
        const config = await roles.read(slug);
        const isYaml = prefersYaml(headers["accept"]);
        return new Response(isYaml ? writeYaml(config) : JSON.stringify(config), {
          headers: {
            "content-type": isYaml ? "application/yaml" : "application/json",
            vary: "Authorization, Accept",
          },
        });
      },
      { ...READ, params: ProjectParams, response: { 200: DomainsConfig }, detail: getDomainsConfig },
    )
    .put(
      "/platform/projects/:slug/config",
      async ({ params: { slug }, body, caller }) => roles.write(slug, body, caller),
      {
        ...WRITE,
        reads: "json or yaml",
        params: ProjectParams,
        body: NewDomainsConfig,
        response: { 200: DomainsConfig },
        detail: putDomainsConfig,
      },
    );

/** The domains of all projects, under `/platform/domains`. */
const allDomainsRoutes = ({ domains, macros, withoutIdleTimeout }: DomainRouteOptions) =>
  new Elysia({ name: "all-domains", normalize: false })
    .use(macros)
    .get(
      "/platform/domains",
      async ({ query: { limit: size, cursor, ...query }, set }) => {
        const limit = Number(size);
        const stages = query.stage?.split(",") as StoredStage[] | undefined;
        const { items, next } = await domains.listAll({ ...query, stages, limit, cursor });
        Object.assign(set.headers, nextPage("/platform/domains", { ...query, limit }, next));
        return items.map(fromDomain);
      },
      { ...READ, query: AllDomainsQuery, response: { 200: Domains }, detail: listAllDomains },
    )
    .post(
      "/platform/domains",
      async ({ query: { project }, body, request, caller }) => {
        const results = await withoutIdleTimeout(request, () => domains.addRows(body, project, caller));
        return results.map(fromRowResult);
      },
      {
        ...WRITE,
        reads: "json or domain list",
        query: NewDomainsQuery,
        body: NewDomains,
        response: { 200: DomainAdditions },
        detail: addDomains,
      },
    );

/** Custom domains of projects, under `/platform/projects/{slug}/domains`, and their configuration. */
export const domainRoutes = (options: DomainRouteOptions) => {
  const { domains, macros } = options;
  return new Elysia({ name: "domains", normalize: false })
    .use(macros)
    .get(
      "/platform/projects/:slug/domains",
      async ({ params: { slug }, query, set }) => {
        const limit = Number(query.limit);
        const { items, next } = await domains.list(slug, { limit, cursor: query.cursor });
        Object.assign(set.headers, nextPage(pathOf(slug), { limit }, next));
        return items.map(fromDomain);
      },
      { ...READ, params: ProjectParams, query: PageQuery, response: { 200: Domains }, detail: listDomains },
    )
    .post(
      "/platform/projects/:slug/domains",
      async ({ params: { slug }, body, caller, set }) => {
        const { domain, isNew } = await domains.add(slug, body, caller);
        if (!isNew) return status(200, fromDomain(domain));
        set.headers["location"] = pathOf(slug, domain.hostname);
        return status(201, fromDomain(domain));
      },
      {
        ...WRITE,
        reads: "json",
        params: ProjectParams,
        body: NewDomain,
        response: { 200: Domain, 201: Domain },
        detail: addDomain,
      },
    )
    .use(allDomainsRoutes(options))
    .use(domainItemRoutes(options))
    .use(domainConfigRoutes(options));
};
