import { RECORD } from "../dns-records/model.ts";
import { operation } from "../http/operation.ts";
import { YAML_TYPES } from "../http/yaml.ts";

const TAGS = ["domains"];

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

const CONFIG = {
  domains: {
    primary: "docs.example.org",
    redirects: [{ from: "www.example.org", to: "docs.example.org", status: 301 }],
  },
};

export const listDomains = operation({
  operationId: "listDomains",
  summary: "List the domains of a project",
  description:
    "Returns a page of domains in the order in which they were added. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: { 200: { description: "The domains.", headers: ["Link", "Next-Cursor"], example: [LIVE] } },
});

export const listAllDomains = operation({
  operationId: "listAllDomains",
  summary: "List the domains of all projects",
  description:
    "Returns a page of the domains of all projects: first those that need attention, then those that wait for their records or their certificates, then the others. Each group is sorted by host name. `q`, `stage` and `project` filter the list. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: { 200: { description: "The domains.", headers: ["Link", "Next-Cursor"], example: [LIVE] } },
  faults: ["not_found"],
});

export const addDomain = operation({
  operationId: "addDomain",
  summary: "Add a domain to a project",
  description:
    "Adds a custom domain. The project needs the plan Pro or above and a successful deploy. The response has the DNS record to create. The first domain of a project becomes its primary domain. Adding a domain again changes nothing.\n\n`pair` also adds the name with or without `www`, as a redirect with a separate certificate. A name such as `docs.example.org` has no pair, and is added alone.\n\nThe service looks for the record every 20 seconds for two hours, then every 2 minutes, for 48 hours in all. An apex domain that has only addresses also needs the TXT record in `record.proof`.\n\nAny project can add a name, even if another project holds it: the DNS decides. The project whose target the DNS shows gets the name. A project that held the name loses it, with its certificate.",
  tags: TAGS,
  bodyExample: { hostname: "docs.example.org" },
  responses: {
    200: {
      description: "The project already has this domain, and its pair if it was asked for.",
      example: LIVE,
    },
    201: {
      description: "Domain added, or its pair. It waits for its DNS record.",
      headers: ["Location"],
      example: DOCS,
    },
  },
  faults: ["plan_required", "no_successful_deploy", "domain_limit_reached"],
});

export const addDomains = operation({
  operationId: "addDomains",
  summary: "Add domains to projects",
  description:
    "Adds up to 1,000 domains, each in its own atomic step, and returns a result for each. A refused domain has the same error as if it were added alone. A domain that its project already has is left unchanged, so a request that was interrupted can be repeated. The size of the body is limited by `BODY_LIMIT`, 64 KiB by default.",
  tags: TAGS,
  bodyExample: [{ hostname: "docs.example.org", project: "docs" }],
  responses: {
    200: {
      description: "The results, in the order of the domains.",
      example: [{ hostname: "docs.example.org", project: "docs", result: "added", domain: DOCS }],
    },
  },
});

export const getDomain = operation({
  operationId: "getDomain",
  summary: "Fetch one domain",
  description:
    "Returns one domain with the DNS record that it needs, the findings of its last check, and every DNS response to that check.",
  tags: TAGS,
  responses: { 200: { description: "The domain.", example: LIVE } },
});

export const removeDomain = operation({
  operationId: "removeDomain",
  summary: "Remove a domain",
  description:
    "Removes a domain. From the next request on, the service serves nothing for it. If you shared its address, set up a redirect first. Domains that redirected to it show the site themselves.",
  tags: TAGS,
  responses: { 204: { description: "The domain is removed." } },
});

export const verifyDomain = operation({
  operationId: "verifyDomain",
  summary: "Verify a domain now",
  description:
    "Checks the DNS records of a domain now. The service asks the zone's authoritative servers and public resolvers, which can take some seconds. The findings in the response say what is wrong. Each domain can be verified 10 times a minute.",
  tags: TAGS,
  responses: {
    200: { description: "The domain with the findings and every DNS response of this check.", example: LIVE },
  },
  faults: ["plan_required", "domain_taken", "not_ready"],
});

export const makePrimary = operation({
  operationId: "makePrimaryDomain",
  summary: "Make a domain the primary one",
  description:
    "Makes a domain the primary domain of its project. When it is live, redirects lead to it. The previous primary domain shows the site. Repeating the request is safe.",
  tags: TAGS,
  responses: { 200: { description: "The primary domain.", example: LIVE } },
});

export const listDomainEvents = operation({
  operationId: "listDomainEvents",
  summary: "List the events of a domain",
  description:
    "Returns a page of events, newest first. A removed domain keeps its events. Only callers with the scope `audit:read` see which key or person caused an event. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: {
    200: {
      description: "The events.",
      headers: ["Link", "Next-Cursor"],
      example: [
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
      ],
    },
  },
});

export const getDomainsConfig = operation({
  operationId: "getDomainsConfig",
  summary: "Fetch the configuration of a project's domains",
  description:
    "Returns the primary domain and the redirects of a project. The response is YAML if the request prefers `application/yaml`, and JSON otherwise.",
  tags: TAGS,
  responses: { 200: { description: "The configuration.", example: CONFIG, alsoAs: YAML_TYPES.slice(0, 1) } },
});

export const putDomainsConfig = operation({
  operationId: "putDomainsConfig",
  summary: "Replace the configuration of a project's domains",
  description:
    "Replaces the primary domain and the redirects of a project, all or nothing. Every redirect must lead to the primary domain, with status 301. Domains that the configuration does not name show the site. An error names everything that is wrong.",
  tags: TAGS,
  bodyExample: CONFIG,
  responses: { 200: { description: "The new configuration.", example: CONFIG } },
});
