export const API_VERSION = "1.0.0";

const infoOf = (title: string, description: string) => ({
  title,
  version: API_VERSION,
  license: { name: "MIT", identifier: "MIT" },
  contact: { name: "The operator of this service" },
  description,
});

export const DOCUMENTS = ["store", "platform"] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

export interface Addresses {
  /** The origin of production; "" makes the addresses relative to the document's own. */
  baseUrl: string;
  /** "" without a staging environment. */
  stagingBaseUrl: string;
  /** The origin in code samples without `baseUrl`, because a relative address can't be run. */
  localUrl?: string;
}

/** The form of a document's servers: addresses, or the specified variables with the addresses as defaults. */
export type ServerForm = "addresses" | "variables";

/**
 * Without BASE_URL an address is relative, and clients resolve it against the document's own. The Host header would add
 * nothing, and an attacker could put another host into a cached document.
 */
const SERVERS = {
  addresses: (_variable: string, description: string, address: string) => ({ url: address, description }),
  variables: (variable: string, description: string, address: string) => ({
    url: `{${variable}}`,
    description,
    variables: {
      [variable]: { default: address, description: `Address of ${description.toLowerCase()}.` },
    },
  }),
};

const servers = ({ baseUrl, stagingBaseUrl }: Addresses, path: string, form: ServerForm) => [
  SERVERS[form]("base_url", "Production", `${baseUrl}${path}` || "/"),
  ...(stagingBaseUrl === ""
    ? []
    : [SERVERS[form]("staging_base_url", "Staging", `${stagingBaseUrl}${path}`)]),
];

const PREFIXES: Record<DocumentName, string> = { store: "/v1", platform: "" };

/** The absolute address that the paths of a document are relative to. */
export const absoluteBase = (
  name: DocumentName,
  { baseUrl, localUrl = "http://localhost:3000" }: Addresses,
): string => `${baseUrl || localUrl}${PREFIXES[name]}`;

export const sections = (addresses: Addresses, form: ServerForm) => ({
  store: {
    info: infoOf(
      "Animal Adoption Store API",
      "A JSON API for listing, adding and fetching animals offered for adoption. Every operation requires an API key. Operations marked beta can still change. All others are stable.",
    ),
    servers: servers(addresses, PREFIXES.store, form),
    sampleBase: absoluteBase("store", addresses),
    tags: [
      { name: "animals", description: "Animals offered for adoption." },
      { name: "photos", description: "Photos of animals." },
      { name: "imports", description: "Files of animals." },
      { name: "categories", description: "Categories that animals belong to." },
      { name: "store", description: "Adoptions of animals, from the order to its completion." },
    ],
    tagGroups: [
      { name: "Store", tags: ["store"] },
      { name: "Pets", tags: ["animals", "photos", "imports", "categories"] },
    ],
    pathOf: (path: string) => (path.startsWith("/v1/") ? path.slice("/v1".length) : undefined),
  },
  platform: {
    info: infoOf(
      "Adoption Store Platform API",
      "An API for publishing documentation projects on custom domains, and for operators: API keys, health and metrics. All operations are beta: they can still change.",
    ),
    servers: servers(addresses, PREFIXES.platform, form),
    sampleBase: absoluteBase("platform", addresses),
    tags: [
      { name: "projects", description: "Documentation projects." },
      { name: "deploys", description: "Uploaded versions of a project's site." },
      { name: "domains", description: "Custom domains of projects, their DNS records and certificates." },
      { name: "keys", description: "API keys and their scopes." },
      { name: "audit", description: "The audit log: who did what, and when." },
      { name: "people", description: "People who sign in to the console, and their roles." },
      { name: "operation", description: "Health, metrics and the OpenAPI documents." },
    ],
    pathOf: (path: string) => (path.startsWith("/v1/") || path.startsWith("/docs") ? undefined : path),
  },
});
