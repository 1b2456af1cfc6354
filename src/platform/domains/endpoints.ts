import { status, t } from "elysia";
import { RECORD } from "../dns-records/model.ts";
import { type Endpoints, endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { SlugInPath } from "../../http/schemas.ts";
import { YAML_TYPES, writeYaml } from "../../http/yaml.ts";
import { prefersYaml } from "../../lib/accept.ts";
import type { WithoutIdleTimeout } from "../../lib/idle-timeout.ts";
import { holds } from "../../http/scopes.ts";
import {
  AllDomainsQuery,
  Domain,
  DomainAdditions,
  DomainHistory,
  Domains,
  DomainsConfig,
  NewDomain,
  NewDomains,
  NewDomainsConfig,
  NewDomainsQuery,
  fromDomain,
  fromEvent,
  fromRowResult,
} from "./model.ts";
import type { DomainRolesService } from "./roles.ts";
import type { DomainService } from "./service.ts";
import type { StoredStage } from "./stage.ts";

const DOCS = {
  hostname: "docs.example.org",
  unicode: "docs.example.org",
  project: "docs",
  stage: "awaiting_dns",
  role: "primary",
  record: RECORD,
  findings: [],
  createdAt: "2026-11-20T09:30:00.000Z",
  nextCheckAt: "2026-11-20T09:31:00.000Z",
};

const LIVE = {
  ...DOCS,
  stage: "live",
  checkedAt: "2026-11-20T09:31:00.000Z",
  nextCheckAt: "2026-11-21T09:31:00.000Z",
  verifiedAt: "2026-11-20T09:31:00.000Z",
  liveAt: "2026-11-20T09:31:00.000Z",
};

const HISTORY = [
  {
    at: "2026-11-20T09:31:00.000Z",
    actor: "service",
    event: "records_right",
    stage: "verified",
    findings: [],
  },
  {
    at: "2026-11-20T09:30:00.000Z",
    actor: "key",
    key: 1,
    event: "added",
    stage: "awaiting_dns",
    findings: [],
  },
];

const CONFIG = {
  domains: {
    primary: "docs.example.org",
    redirects: [{ from: "www.example.org", to: "docs.example.org", status: 301 }],
  },
};

const hostname = t.String({
  description: "The domain, in Unicode or in Punycode. Case makes no difference.",
  examples: ["docs.example.org"],
});

const addressOf = (slug: string, hostname: string): string =>
  `/platform/projects/${encodeURIComponent(slug)}/domains/${encodeURIComponent(hostname)}`;

interface DomainEndpointOptions {
  domains: DomainService;
  roles: DomainRolesService;
  macros: Macros;
  withoutIdleTimeout: WithoutIdleTimeout;
}

/** The domains of one project. */
const addProjectDomains = ({ add, list }: Endpoints, { domains }: DomainEndpointOptions): void => {
  list("GET /platform/projects/:slug/domains", {
    id: "listDomains",
    summary: "List the domains of a project",
    description:
      "Returns a page of domains in the order in which they were added. If more follow, the `Link` header has the address of the next page.",
    params: { slug: SlugInPath },
    returns: [Domains, "The domains.", [LIVE]],
    run: async ({ params, query: { limit, cursor } }) => {
      const { items, next } = await domains.list(params.slug, { limit, cursor });
      return { items: items.map(fromDomain), next };
    },
  });
  add("POST /platform/projects/:slug/domains", {
    id: "addDomain",
    summary: "Add a domain to a project",
    description:
      "Adds a custom domain. The project needs the plan Pro or above and a successful deploy. The response has the DNS record to create. The first domain of a project becomes its primary domain. Adding a domain again changes nothing.\n\n`pair` also adds the name with or without `www`, as a redirect with a separate certificate. A name such as `docs.example.org` has no pair, and is added alone.\n\nThe service looks for the record every 20 seconds for two hours, then every 2 minutes, for 48 hours in all. An apex domain that has only addresses also needs the TXT record in `record.proof`.\n\nAny project can add a name, even if another project holds it: the DNS decides. The project whose target the DNS shows gets the name. A project that held the name loses it, with its certificate.",
    scope: "platform:write",
    params: { slug: SlugInPath },
    body: NewDomain,
    bodyExample: { hostname: "docs.example.org" },
    returns: [Domain, "Domain added, or its pair. It waits for its DNS record.", DOCS],
    status: 201,
    response: { headers: ["Location"] },
    alsoReturns: {
      200: {
        description: "The project already has this domain, and its pair if it was asked for.",
        example: LIVE,
      },
    },
    faults: ["plan_required", "no_successful_deploy", "domain_limit_reached"],
    run: async ({ params: { slug }, body, caller, set }) => {
      const { domain, isNew } = await domains.add(slug, body, caller);
      if (!isNew) return status(200, fromDomain(domain));
      set.headers["location"] = addressOf(slug, domain.hostname);
      return status(201, fromDomain(domain));
    },
  });
};

/** The domains of all projects, under `/platform/domains`. */
const addAllDomains = ({ add, list }: Endpoints, options: DomainEndpointOptions): void => {
  const { domains, withoutIdleTimeout } = options;
  list("GET /platform/domains", {
    id: "listAllDomains",
    summary: "List the domains of all projects",
    description:
      "Returns a page of the domains of all projects: first those that need attention, then those that wait for their records or their certificates, then the others. Each group is sorted by host name. `q`, `stage` and `project` filter the list. If more follow, the `Link` header has the address of the next page.",
    query: AllDomainsQuery,
    returns: [Domains, "The domains.", [LIVE]],
    faults: ["not_found"],
    run: async ({ query: { stage, limit, cursor, ...filters } }) => {
      const stages = stage?.split(",") as StoredStage[] | undefined;
      const { items, next } = await domains.listAll({ ...filters, stages, limit, cursor });
      return { items: items.map(fromDomain), next };
    },
  });
  add("POST /platform/domains", {
    id: "addDomains",
    summary: "Add domains to projects",
    description:
      "Adds up to 1,000 domains, each in its own atomic step, and returns a result for each. A refused domain has the same error as if it were added alone. A domain that its project already has is left unchanged, so a request that was interrupted can be repeated. The size of the body is limited by `BODY_LIMIT`, 64 KiB by default.",
    scope: "platform:write",
    query: NewDomainsQuery,
    reads: "json or domain list",
    body: NewDomains,
    bodyExample: [{ hostname: "docs.example.org", project: "docs" }],
    returns: [
      DomainAdditions,
      "The results, in the order of the domains.",
      [{ hostname: "docs.example.org", project: "docs", result: "added", domain: DOCS }],
    ],
    run: async ({ query: { project }, body, request, caller }) => {
      const results = await withoutIdleTimeout(request, () => domains.addRows(body, project, caller));
      return results.map(fromRowResult);
    },
  });
};

/** One domain. */
const addSingleDomain = ({ add, list }: Endpoints, options: DomainEndpointOptions): void => {
  const { domains, withoutIdleTimeout } = options;
  add("GET /platform/projects/:slug/domains/:hostname", {
    id: "getDomain",
    summary: "Fetch one domain",
    description:
      "Returns one domain with the DNS record that it needs, the findings of its last check, and every DNS response to that check.",
    params: { slug: SlugInPath, hostname },
    returns: [Domain, "The domain.", LIVE],
    run: async ({ params: { slug, hostname } }) => fromDomain(await domains.get(slug, hostname)),
  });
  add("DELETE /platform/projects/:slug/domains/:hostname", {
    id: "removeDomain",
    summary: "Remove a domain",
    description:
      "Removes a domain. From the next request on, the service serves nothing for it. If you shared its address, set up a redirect first. Domains that redirected to it show the site themselves.",
    scope: "platform:write",
    params: { slug: SlugInPath, hostname },
    returns: "The domain is removed.",
    run: ({ params: { slug, hostname }, caller }) => domains.remove(slug, hostname, caller),
  });
  add("POST /platform/projects/:slug/domains/:hostname/verify", {
    id: "verifyDomain",
    summary: "Verify a domain now",
    description:
      "Checks the DNS records of a domain now. The service asks the zone's authoritative servers and public resolvers, which can take some seconds. The findings in the response say what is wrong. Each domain can be verified 10 times a minute.",
    scope: "platform:write",
    params: { slug: SlugInPath, hostname },
    returns: [Domain, "The domain with the findings and every DNS response of this check.", LIVE],
    faults: ["plan_required", "domain_taken", "not_ready"],
    // Strangers' name servers can be slow.
    run: async ({ params: { slug, hostname }, request, caller }) =>
      fromDomain(await withoutIdleTimeout(request, () => domains.verify(slug, hostname, caller))),
  });
  add("PUT /platform/projects/:slug/domains/:hostname/primary", {
    id: "makePrimaryDomain",
    summary: "Make a domain the primary one",
    description:
      "Makes a domain the primary domain of its project. When it is live, redirects lead to it. The previous primary domain shows the site. Repeating the request is safe.",
    scope: "platform:write",
    params: { slug: SlugInPath, hostname },
    returns: [Domain, "The primary domain.", LIVE],
    run: async ({ params: { slug, hostname }, caller }) =>
      fromDomain(await domains.makePrimary(slug, hostname, caller)),
  });
  list("GET /platform/projects/:slug/domains/:hostname/history", {
    id: "listDomainEvents",
    summary: "List the events of a domain",
    description:
      "Returns a page of events, newest first. A removed domain keeps its events. Only callers with the scope `audit:read` see which key or person caused an event. If more follow, the `Link` header has the address of the next page.",
    params: { slug: SlugInPath, hostname },
    returns: [DomainHistory, "The events.", HISTORY],
    run: async ({ params: { slug, hostname }, query: { limit, cursor }, caller }) => {
      const { items, next } = await domains.history(slug, hostname, { limit, cursor });
      const isNamed = holds(caller, "audit:read");
      return { items: items.map((event) => fromEvent(event, { isNamed })), next };
    },
  });
};

/** Which domain is the primary one, and which redirect to it. */
const addConfig = ({ add }: Endpoints, { roles }: DomainEndpointOptions): void => {
  add("GET /platform/projects/:slug/config", {
    id: "getDomainsConfig",
    summary: "Fetch the configuration of a project's domains",
    description:
      "Returns the primary domain and the redirects of a project. The response is YAML if the request prefers `application/yaml`, and JSON otherwise.",
    params: { slug: SlugInPath },
    returns: [DomainsConfig, "The configuration.", CONFIG],
    response: { alsoAs: YAML_TYPES.slice(0, 1) },
    run: async ({ params: { slug }, headers }) => {
      const config = await roles.read(slug);
      const isYaml = prefersYaml(headers["accept"]);
      return new Response(isYaml ? writeYaml(config) : JSON.stringify(config), {
        headers: {
          "content-type": isYaml ? "application/yaml" : "application/json",
          vary: "Authorization, Accept",
        },
      });
    },
  });
  add("PUT /platform/projects/:slug/config", {
    id: "putDomainsConfig",
    summary: "Replace the configuration of a project's domains",
    description:
      "Replaces the primary domain and the redirects of a project, all or nothing. Every redirect must lead to the primary domain, with status 301. Domains that the configuration does not name show the site. An error names everything that is wrong.",
    scope: "platform:write",
    params: { slug: SlugInPath },
    reads: "json or yaml",
    body: NewDomainsConfig,
    bodyExample: CONFIG,
    returns: [DomainsConfig, "The new configuration.", CONFIG],
    run: async ({ params, body, caller }) => roles.write(params.slug, body, caller),
  });
};

/** Custom domains of projects, under `/platform/projects/{slug}/domains`, and their configuration. */
export const domainEndpoints = (options: DomainEndpointOptions) => {
  const room = endpoints({ macros: options.macros, tag: "domains", scope: "platform:read" });
  addProjectDomains(room, options);
  addAllDomains(room, options);
  addSingleDomain(room, options);
  addConfig(room, options);
  return room.app;
};
