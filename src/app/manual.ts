import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";
import { type SiteFiles, publishOwnSite } from "../deploys/own-site.ts";
import type { Edition } from "../manual/edition.ts";
import type { Documents } from "../openapi/generate.ts";
import { apiPages } from "./api-pages.ts";
import { documentAddresses } from "./document-addresses.ts";
import type { Services } from "./services.ts";
import { VERSION } from "./version.ts";

const DEFAULT_PORT = 3000;

/** The manual as the server publishes it, beside its other pages. */
export const serverEdition = (config: Config, otherPages: Edition["otherPages"]): Omit<Edition, "base"> => ({
  origin: config.baseUrl ?? "",
  version: VERSION,
  neighbours: [
    { href: "/manual/api/store", label: "API" },
    { href: "/docs", label: "Try it" },
    ...(config.console ? [{ href: "/console", label: "Console" }] : []),
  ],
  otherPages,
});

/** The manual as a site of its own. */
const siteEdition = ({ baseUrl }: Config, otherPages: Edition["otherPages"]): Edition => ({
  base: "",
  origin: "",
  version: VERSION,
  neighbours: [
    { href: "/api/store", label: "API" },
    ...(baseUrl === undefined ? [] : [{ href: `${baseUrl}/docs`, label: "Try it" }]),
  ],
  otherPages,
});

// A port that changes with every start would publish a site with every start.
const addressesOf = (config: Config) => documentAddresses(config, config.port || DEFAULT_PORT);

/** Makes the files of the manual as a site. */
export async function* renderManual(config: Config, documents: () => Promise<Documents>): SiteFiles {
  // Imported here, so that it does not slow down the start.
  const { manualSite } = await import("../manual/site.ts");
  yield* manualSite(siteEdition(config, apiPages(documents, addressesOf(config), config.baseUrl)));
}

/**
 * Publishes the manual as the site of project `docs`, and again after each upgrade, unless somebody has replaced it.
 * @param files makes the files of `renderManual`
 */
export const publishManual = async (
  config: Config,
  services: Services,
  files: () => SiteFiles,
): Promise<void> => {
  // Imported here, so that it does not slow down the start.
  const { SOURCE } = await import("./source.ts");
  const edition = createHash("sha256").update(JSON.stringify([SOURCE, addressesOf(config)]));
  const marker = `assets/edition-${edition.digest("hex").slice(0, 16)}.txt`;
  await publishOwnSite(
    {
      marker,
      async *files() {
        yield* files();
        yield [marker, `${VERSION}\n`];
      },
    },
    services,
  );
};
