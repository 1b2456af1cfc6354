/** The districts of `src` and the other districts that each may import. `main.ts` starts the program. */
export const DISTRICTS: Readonly<Record<string, readonly string[]>> = {
  cli: [
    "access",
    "app",
    "client",
    "config",
    "data",
    "edge",
    "http",
    "lib",
    "operate",
    "pages",
    "platform",
    "store",
  ],
  app: [
    "access",
    "config",
    "data",
    "edge",
    "http",
    "lib",
    "operate",
    "pages",
    "platform",
    "protocols",
    "store",
  ],
  pages: ["access", "data", "http", "lib"],
  operate: ["config", "data", "lib", "platform"],
  store: ["data", "http", "lib"],
  access: ["data", "http", "lib"],
  platform: ["data", "http", "lib", "protocols"],
  edge: ["http", "lib", "protocols"],
  data: ["config", "lib", "protocols"],
  http: ["lib"],
  config: ["lib"],
  protocols: ["lib"],
  client: [],
  lib: [],
};

/** The rooms of a district that import other rooms of it. All others import none. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "access/keys": ["access"],
  "access/people": ["access"],
  data: ["data/cluster", "data/data-dir", "data/db"],
  "data/cluster": ["data/data-dir", "data/db"],
  "data/data-dir": ["data/db"],
  "data/recovery": ["data/db"],
  "operate/upgrade": ["operate/service"],
  "platform/deploys": ["platform/projects"],
  "platform/dns-checks": ["platform/dns-records"],
  "platform/dns-records": ["platform/dns-checks"],
  "platform/domains": [
    "platform/certificates",
    "platform/dns-checks",
    "platform/dns-records",
    "platform/projects",
  ],
  "platform/sites": ["platform/deploys", "platform/domains", "platform/projects"],
  "store/import-export": ["store/pets"],
  "store/photos": ["store/pets"],
};

/** Files with other rules than their district. The first row whose `from` matches applies. */
export const EXCEPTIONS: readonly { from: RegExp; to: readonly RegExp[]; reason: string }[] = [
  {
    from: /^src\/main\.ts$/,
    to: [/^src\/cli\/(run|heap)\.ts$/, /^src\/(app\/worker|edge\/workers\/argument)\.ts$/],
    reason: "it starts the program, or a worker",
  },
  {
    from: /^src\/pages\/console\/ui\//,
    to: [/^src\/client\//, /^src\/lib\/csv-writer\.ts$/],
    reason: "it is a client of the HTTP API in a browser, and writes the same CSV as `export`",
  },
  { from: /^src\/pages\/manual\/ui\//, to: [], reason: "it runs in a browser" },
  {
    from: /^src\/pages\/manual\/generated\//,
    to: [/^src\/(?!main\.ts|cli\/|app\/)/],
    reason: "the generated parts of the manual describe every room",
  },
  {
    from: /^src\/pages\/console\//,
    to: [/^src\/(http|lib)\//, /^src\/access\/people\//, /^src\/data\/db\//],
    reason: "a session is that of a person",
  },
  { from: /^src\/pages\//, to: [/^src\/(http|lib)\//], reason: "they know no feature" },
];

/** The district of a file: `store`; `main.ts` for a file in none. */
export const districtOf = (file: string): string => /^src\/([^/]+)/.exec(file)?.[1] ?? file;

/** The room of a file: `store/pets`, `protocols/dns`, or its district. */
export const roomOf = (file: string): string =>
  /^src\/((?:store|access|platform|pages|data|operate|protocols|edge)\/[\w-]+|[\w-]+)(?=\/)/.exec(
    file,
  )?.[1] ?? file;

/** The most lines that a room may have. A commit that raises one explains it in a line. */
export const MAX_LINES: Readonly<Record<string, number>> = {
  access: 33,
  "access/audit": 821,
  "access/keys": 760,
  "access/people": 1371,
  app: 3049,
  cli: 7264,
  client: 1060,
  config: 1423,
  data: 60,
  "data/cluster": 6420,
  "data/data-dir": 855,
  "data/db": 4600,
  "data/recovery": 1141,
  edge: 1964,
  "edge/workers": 314,
  http: 2663,
  lib: 2929,
  "operate/backups": 2561,
  "operate/service": 921,
  "operate/upgrade": 516,
  "pages/console": 14648,
  "pages/manual": 1960,
  "pages/openapi": 1790,
  "platform/certificates": 2751,
  "platform/deploys": 3902,
  "platform/dns-checks": 3819,
  "platform/dns-records": 588,
  "platform/domain-connect": 512,
  "platform/domains": 3233,
  "platform/nameserver": 276,
  "platform/projects": 549,
  "platform/sites": 1016,
  "protocols/acme": 1027,
  "protocols/dns": 1479,
  "protocols/dns-server": 948,
  "protocols/s3": 323,
  "protocols/tls": 1501,
  "src/main.ts": 26,
  "store/categories": 329,
  "store/import-export": 5122,
  "store/orders": 1018,
  "store/pets": 4359,
  "store/photos": 886,
};
