import { auditRoutes } from "../audit/routes.ts";
import { categoryRoutes } from "../categories/routes.ts";
import type { Config } from "../config/config.ts";
import type { Ceremonies } from "../console/ceremonies.ts";
import type { Gateway } from "../console/gateway.ts";
import { consoleRoutes } from "../console/routes.ts";
import type { Sessions } from "../console/sessions.ts";
import { deployRoutes } from "../deploys/routes.ts";
import { checkPageRoutes } from "../name-checks/page-routes.ts";
import { nameCheckRoutes } from "../name-checks/routes.ts";
import { domainRoutes } from "../domains/routes.ts";
import type { Connections } from "../edge/connections.ts";
import { type Check, type Warning, healthRoutes } from "../http/health.ts";
import type { Macros } from "../http/macros.ts";
import type { Metrics } from "../http/metrics.ts";
import { type Caller, bearerToken } from "../http/authorization.ts";
import { holds } from "../lib/scopes.ts";
import { formatRate } from "../lib/rate-limiter.ts";
import { keyRoutes } from "../keys/routes.ts";
import type { KeyService } from "../keys/service.ts";
import { manualRoutes } from "../manual/routes.ts";
import type { Documents } from "../openapi/document.ts";
import { docsRoutes } from "../openapi/routes.ts";
import { orderRoutes } from "../orders/routes.ts";
import { eventStream } from "../pets/events/stream-response.ts";
import type { RelyingParty } from "../people/person.ts";
import { personRoutes } from "../people/routes.ts";
import { petRoutes } from "../pets/routes.ts";
import { previewAddress, projectAddresses } from "../projects/addresses.ts";
import { projectRoutes } from "../projects/routes.ts";
import { apiPages } from "./api-pages.ts";
import { documentAddresses } from "./document-addresses.ts";
import { serverEdition } from "./manual.ts";
import type { Services } from "./services.ts";

/** What routes need in addition to services. */
export interface RouteContext {
  config: Config;
  macros: Macros;
  metrics: Metrics;
  connections: Connections;
  /** The port in the addresses of sites, unless BASE_URL names one. */
  port: number;
  console: {
    storeId: string;
    sessions: Sessions;
    ceremonies: Ceremonies;
    gateway: Gateway;
    isSecure: (request: Request) => boolean;
    siteOf: (request: Request) => RelyingParty;
    attempt: (request: Request) => Promise<unknown>;
    fail: (request: Request) => Promise<unknown>;
  };
  /** The client that limits without a key count against. */
  clientOf: (request: Request) => string;
  /** The person for whom the console forwards a request; undefined for every other request. */
  personOf: (request: Request) => Promise<Caller | undefined> | undefined;
  checks: Readonly<Record<string, Check>>;
  warnings: () => readonly Warning[];
  /** The OpenAPI documents of these routes. */
  documents: () => Promise<Documents>;
}

const callerReader =
  (keys: KeyService, personOf: RouteContext["personOf"]) =>
  (request: Request): Promise<Caller | undefined> =>
    personOf(request) ??
    keys.authenticate(bearerToken(request.headers.get("authorization") ?? undefined) ?? "");

/** Every route of the program. */
export const createRoutes = (
  services: Services,
  { config, macros, metrics, connections, ...context }: RouteContext,
) => {
  const { keys, pets, categories, orders, projects, deploys, domains, domainSettings } = services;
  const { withoutIdleTimeout } = connections;
  const { documents, port } = context;
  const addresses = documentAddresses(config, port);
  const callerOf = callerReader(keys, context.personOf);
  const stream = eventStream({
    streams: services.petStreams,
    isAuthorized: async (request) =>
      !context.console.gateway.hasEnded(request) && (await callerOf(request)) !== undefined,
    withoutIdleTimeout,
  });
  return [
    petRoutes({ pets, pages: services.petPages, statistics: services.petStatistics, stream, macros }),
    categoryRoutes({ categories, macros }),
    orderRoutes({ orders, adopterReads: services.adopterReads, macros }),
    projectRoutes({ projects, addresses: projectAddresses(config, port), macros }),
    deployRoutes({
      deploys,
      previewOf: previewAddress(config, port, services.https?.certificates.hasValid),
      macros,
      withoutIdleTimeout,
    }),
    domainRoutes({ domains, roles: domainSettings, macros, withoutIdleTimeout }),
    nameCheckRoutes({ nameChecks: services.nameChecks, macros, withoutIdleTimeout }),
    ...(services.publicNameChecks
      ? [
          checkPageRoutes({
            nameChecks: services.publicNameChecks,
            clientOf: context.clientOf,
            withoutIdleTimeout,
            macros,
          }),
        ]
      : []),
    auditRoutes({ audit: services.audit, macros }),
    keyRoutes({ keys, deprecatedCalls: metrics.deprecatedCalls, macros }),
    personRoutes({
      people: services.people,
      originOf: (request) => config.baseUrl ?? context.console.siteOf(request).origin,
      macros,
    }),
    healthRoutes({
      checks: context.checks,
      warnings: context.warnings,
      mayReadDetails: async (request) => {
        const caller = await callerOf(request);
        return caller !== undefined && holds(caller, "metrics:read");
      },
      metrics,
      macros,
    }),
    manualRoutes({ edition: serverEdition(config, apiPages(documents, addresses)), macros }),
    docsRoutes({ documents, addresses, macros }),
    ...(config.console
      ? [
          consoleRoutes({
            ...context.console,
            partyOf: context.console.siteOf,
            authenticate: keys.authenticate,
            people: services.people,
            passkeys: services.passkeys,
            signInLinks: services.signInLinks,
            oidc: services.oidc,
            formatRate,
            macros,
          }),
        ]
      : []),
  ];
};
