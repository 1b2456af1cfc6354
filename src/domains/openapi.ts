import { operation } from "../http/operation.ts";
import { YAML_TYPES } from "../http/yaml.ts";

const TAGS = ["domains"];
const TARGET = "k3vq7zj5n2xw4ryt6mbd.cname.example.net";

const DOCS = {
  hostname: "docs.example.org",
  unicode: "docs.example.org",
  stage: "awaiting_dns",
  role: "primary",
  record: {
    type: "CNAME",
    name: "docs",
    value: TARGET,
    ttl: 3600,
    bind: `docs.example.org. 3600 IN CNAME ${TARGET}.`,
    terraform: `resource "dns_cname_record" "docs_example_org" {\n  zone  = "example.org."\n  name  = "docs"\n  cname = "${TARGET}."\n  ttl   = 3600\n}`,
  },
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
  description: "In the order they were added. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: { 200: { description: "The domains.", headers: ["Link", "Next-Cursor"], example: [LIVE] } },
});

export const addDomain = operation({
  operationId: "addDomain",
  summary: "Add a domain to a project",
  description:
    "Needs the plan Pro or above and a successful deploy. The response has the DNS record to create. The service looks for it at 1, 2, 5 and 10 minutes, then every 15, for 48 hours. A project's first domain is its primary one. Any project can add a name, even one that another project holds: the DNS decides. The first project whose own target it shows gets the name at once; a project that held it loses it, with its certificate. An apex that has only addresses also needs the TXT record `record.proof`. Adding a domain again changes nothing.",
  tags: TAGS,
  bodyExample: { hostname: "docs.example.org" },
  responses: {
    200: { description: "The project has the domain already.", example: LIVE },
    201: {
      description: "The domain. It waits for its record.",
      headers: ["Location"],
      example: DOCS,
    },
  },
  faults: ["plan_required", "no_successful_deploy", "domain_limit_reached"],
});

export const getDomain = operation({
  operationId: "getDomain",
  summary: "Fetch one domain",
  description: "With the record that it needs, what its last check found, and every response to that check.",
  tags: TAGS,
  responses: { 200: { description: "The domain.", example: LIVE } },
});

export const removeDomain = operation({
  operationId: "removeDomain",
  summary: "Remove a domain",
  description:
    "Nothing is served under it after the response. If its address was shared, let it redirect instead, in the project's configuration. Domains that redirected to it show the site themselves.",
  tags: TAGS,
  responses: { 204: { description: "The domain is gone." } },
});

export const verifyDomain = operation({
  operationId: "verifyDomain",
  summary: "Verify a domain now",
  description:
    "Can be repeated, 10 times a minute for each domain. Asks the zone's own name servers and the resolvers, which may take some seconds. The findings in the response say what is wrong.",
  tags: TAGS,
  responses: {
    200: { description: "The domain as it is now, with every response to the check.", example: LIVE },
  },
  faults: ["plan_required", "domain_taken", "not_ready"],
});

export const makePrimary = operation({
  operationId: "makePrimaryDomain",
  summary: "Make a domain the primary one",
  description:
    "Domains that redirect now redirect to it, once it is live. The domain that was primary before shows the site. Can be repeated.",
  tags: TAGS,
  responses: { 200: { description: "The domain.", example: LIVE } },
});

export const listDomainEvents = operation({
  operationId: "listDomainEvents",
  summary: "List what happened to a domain",
  description:
    "Newest first, also of a domain that was removed. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: {
    200: {
      description: "What happened.",
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
  description: "As JSON, or as YAML if the request prefers `application/yaml`.",
  tags: TAGS,
  responses: { 200: { description: "The configuration.", example: CONFIG, alsoAs: YAML_TYPES.slice(0, 1) } },
});

export const putDomainsConfig = operation({
  operationId: "putDomainsConfig",
  summary: "Replace the configuration of a project's domains",
  description:
    "Applied whole or not at all. The error names everything that is wrong. Every redirect must lead to the primary domain, with 301. Domains that it does not name show the site.",
  tags: TAGS,
  bodyExample: CONFIG,
  responses: { 200: { description: "The configuration as it is now.", example: CONFIG } },
});
