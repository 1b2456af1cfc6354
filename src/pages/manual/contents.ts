import { textsBelow } from "./texts.ts" with { type: "macro" };

/** The texts of the pages and pictures, by their path below this directory. A map, because the bundler would repeat an object. */
const TEXTS = new Map(Object.entries(textsBelow()));

const textAt = (path: string): string => {
  const text = TEXTS.get(path);
  if (text === undefined) throw new Error(`the manual has no file ${path}`);
  return text;
};

/** The source of one page. Its first line is `# Title`, and its first paragraph states the question it answers. */
export interface Source {
  /** The last part of its address. */
  name: string;
  text: string;
}

export const INDEX: Source = { name: "index", text: textAt("index.md") };

const section = (name: string, title: string, pages: readonly string[]) => ({
  /** The directory of its pages. */
  name,
  title,
  /** In the order of the sidebar. */
  pages: pages.map((page) => ({ name: page, text: textAt(`${name}/${page}.md`) })),
});

export type Section = ReturnType<typeof section>;

/** The table of contents, in the order of the sidebar. A new page is a file and its name here. */
export const CONTENTS: readonly Section[] = [
  section("tutorials", "Tutorials", [
    "on-a-vm-in-ten-minutes",
    "your-first-integration",
    "a-shelters-spreadsheet",
    "publish-a-site-on-your-own-domain",
  ]),
  section("how-to", "How-to guides", [
    "first-month",
    "behind-caddy-and-nginx",
    "container",
    "upgrades-and-rollback",
    "https",
    "api-keys",
    "people",
    "openid-connect",
    "profiles",
    "adoptions",
    "photos",
    "list-and-search",
    "import-and-export",
    "idempotency-and-retries",
    "events",
    "openapi-and-generated-clients",
    "typescript-client",
    "sites-and-deploys",
    "redirects-and-headers",
    "check-a-domain",
    "custom-domains",
    "name-server",
    "wildcard-certificates",
    "console",
    "backups-off-the-machine",
    "moving-to-another-machine",
    "monitoring",
    "every-core",
    "cluster",
    "cluster-setup",
    "cluster-recovery",
    "object-storage",
    "troubleshooting",
    "erasure-of-personal-data",
  ]),
  section("reference", "Reference", [
    "settings",
    "commands",
    "errors",
    "scopes",
    "limits",
    "metrics",
    "events",
    "stages-of-a-domain",
    "findings",
    "domain-faults",
    "dns-providers",
    "custom-domain-procedure",
  ]),
  section("background", "Background", [
    "durability",
    "how-verification-decides",
    "security-model",
    "performance",
    "dependencies",
    "changelog",
  ]),
  section("contributing", "Contributing", [
    "architecture",
    "adding-a-column",
    "adding-an-operation",
    "adding-a-setting",
    "adding-a-command",
    "adding-a-filter",
    "adding-a-finding",
    "adding-a-migration",
    "writing-the-manual",
    "debugging",
    "decisions",
  ]),
];

/** The pictures of the pages, by their path below this directory. */
export const PICTURES: Readonly<Record<string, string>> = Object.fromEntries(
  [...TEXTS].filter(([path]) => path.endsWith(".svg")),
);
