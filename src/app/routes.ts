import { auditEndpoints } from "../access/audit/endpoints.ts";
import { categoryEndpoints } from "../store/categories/endpoints.ts";
import type { Config } from "../config/config.ts";
import type { Context } from "../data/context.ts";
import { type ConsoleParts, consoleRoutes } from "../pages/console/routes.ts";
import { deployEndpoints } from "../platform/deploys/endpoints.ts";
import { domainEndpoints } from "../platform/domains/endpoints.ts";
import type { Connections } from "../edge/connections.ts";
import { type Check, type Warning, healthEndpoints } from "../http/health.ts";
import type { Macros } from "../http/macros.ts";
import type { Metrics } from "../http/metrics.ts";
import { type Caller, bearerToken } from "../http/authorization.ts";
import { keyEndpoints } from "../access/keys/endpoints.ts";
import type { KeyService } from "../access/keys/service.ts";
import { formatRate } from "../lib/rate-limiter.ts";
import { holds } from "../http/scopes.ts";
import { type Edition, MANUAL_PATH, type OtherPage } from "../pages/manual/edition.ts";
import { manualRoutes } from "../pages/manual/routes.ts";
import { checkPageRoutes } from "../platform/dns-checks/name-checks/page-routes.ts";
import { nameCheckEndpoints } from "../platform/dns-checks/name-checks/endpoints.ts";
import { FORMATS, type FormatName, documentPath } from "../pages/openapi/formats.ts";
import type { Documents } from "../pages/openapi/document.ts";
import { type Document, referencePage } from "../pages/openapi/reference.ts";
import { docsRoutes } from "../pages/openapi/routes.ts";
import { type Addresses, DOCUMENTS, type DocumentName, absoluteBase } from "../pages/openapi/sections.ts";
import { importEndpoints } from "../store/import-export/endpoints.ts";
import { orderEndpoints } from "../store/orders/endpoints.ts";
import { personEndpoints } from "../access/people/endpoints.ts";
import { eventStream } from "../store/pets/events/streams.ts";
import { photoEndpoints, photosOf } from "../store/photos/endpoints.ts";
import { petEndpoints } from "../store/pets/endpoints.ts";
import { fieldEndpoints } from "../store/pets/fields/endpoints.ts";
import { profileEndpoints, profilesOf } from "../store/pets/profile/endpoints.ts";
import { previewAddress, projectAddresses } from "../platform/projects/addresses.ts";
import { projectEndpoints } from "../platform/projects/endpoints.ts";
import type { Services } from "./services.ts";
import { VERSION } from "../lib/version.ts";

/** The addresses in OpenAPI documents. @param port of the samples' addresses while BASE_URL is not set */
const documentAddresses = ({ baseUrl, stagingBaseUrl }: Config, port: number): Addresses => ({
  baseUrl: baseUrl ?? "",
  stagingBaseUrl: stagingBaseUrl ?? "",
  localUrl: `http://localhost:${port}`,
});

/** The manual as the server publishes it, next to its other pages. */
const serverEdition = (config: Config, otherPages: Edition["otherPages"]): Edition => ({
  origin: config.baseUrl ?? "",
  version: VERSION,
  neighbours: [
    { href: "/manual/api/store", label: "API" },
    { href: "/docs", label: "Try it" },
    ...(config.console ? [{ href: "/console", label: "Console" }] : []),
  ],
  otherPages,
});

const PAGES: Record<DocumentName, { title: string; summary: string }> = {
  store: {
    title: "Store API",
    summary: "Every operation on animals, categories and adoptions, with examples in four languages.",
  },
  platform: {
    title: "Platform API",
    summary: "Every operation on projects, deploys, domains and API keys, with examples in four languages.",
  },
};

const FORMAT_LABELS: Record<FormatName, string> = {
  json: "OpenAPI (JSON)",
  yaml: "OpenAPI (YAML)",
  postman: "a Postman collection",
};

const filesOf = (name: DocumentName): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(FORMATS) as FormatName[]).map((format) => [
      FORMAT_LABELS[format],
      documentPath(name, format),
    ]),
  );

/** The API reference, as pages of the manual. */
const apiPages = (documents: () => Promise<Documents>, addresses: Addresses): OtherPage[] =>
  DOCUMENTS.map((name) => ({
    path: `api/${name}`,
    title: PAGES[name].title,
    summary: PAGES[name].summary,
    async make(highlight) {
      const document = (await documents())(name, addresses) as Document;
      return referencePage(document, {
        base: MANUAL_PATH,
        highlight,
        apiAddress: absoluteBase(name, addresses),
        files: filesOf(name),
      });
    },
  }));

/** The dependencies of routes in addition to services. */
interface RouteParts {
  macros: Macros;
  metrics: Metrics;
  connections: Connections;
  /** The port in the addresses of sites, unless BASE_URL names one. */
  port: number;
  console: ConsoleParts;
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
  (keys: KeyService, personOf: RouteParts["personOf"]) =>
  (request: Request): Promise<Caller | undefined> =>
    personOf(request) ??
    keys.authenticate(bearerToken(request.headers.get("authorization") ?? undefined) ?? "");

/** Every route of the program. */
export const createRoutes = (
  context: Context,
  services: Services,
  { macros, metrics, connections, ...parts }: RouteParts,
) => {
  const { keys, pets, categories, orders, projects, deploys, domains, domainSettings } = services;
  const { withoutIdleTimeout } = connections;
  const { config } = context;
  const { documents, port } = parts;
  const addresses = documentAddresses(config, port);
  const callerOf = callerReader(keys, parts.personOf);
  const stream = eventStream({
    streams: services.petStreams,
    isAuthorized: async (request) =>
      !parts.console.gateway.hasEnded(request) && (await callerOf(request)) !== undefined,
    withoutIdleTimeout,
  });
  return [
    petEndpoints(context, macros, {
      pets,
      partsOf: { profile: profilesOf(services.profiles), photos: photosOf(services.photos) },
      stream,
    }),
    photoEndpoints(services.photos, { macros, withoutIdleTimeout }),
    importEndpoints({
      imports: services.imports,
      receive: services.importFiles.receive,
      macros,
      withoutIdleTimeout,
    }),
    profileEndpoints({ profiles: services.profiles, macros }),
    fieldEndpoints({ fields: services.fields, macros }),
    categoryEndpoints({ categories, macros }),
    orderEndpoints({ orders, adopterReads: services.adopterReads, macros }),
    projectEndpoints({ projects, addresses: projectAddresses(config, port), macros }),
    deployEndpoints({
      deploys,
      previewOf: previewAddress(config, port, services.https?.certificates.hasValid),
      macros,
      withoutIdleTimeout,
    }),
    domainEndpoints({ domains, roles: domainSettings, macros, withoutIdleTimeout }),
    nameCheckEndpoints({ nameChecks: services.nameChecks, macros, withoutIdleTimeout }),
    ...(services.publicNameChecks
      ? [
          checkPageRoutes({
            nameChecks: services.publicNameChecks,
            clientOf: parts.clientOf,
            withoutIdleTimeout,
            macros,
          }),
        ]
      : []),
    auditEndpoints({ audit: services.audit, macros }),
    keyEndpoints({ keys, deprecatedCalls: metrics.deprecatedCalls, macros }),
    personEndpoints({
      people: services.people,
      originOf: (request) => config.baseUrl ?? parts.console.partyOf(request).origin,
      macros,
    }),
    healthEndpoints({
      checks: parts.checks,
      warnings: parts.warnings,
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
            ...services,
            ...parts.console,
            authenticate: keys.authenticate,
            formatRate,
            macros,
          }),
        ]
      : []),
  ];
};
