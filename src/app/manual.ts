import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";
import { publishOwnSite } from "../deploys/own-site.ts";
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

/** Publishes the manual as the site of project `docs`, and again after each upgrade, unless somebody has replaced it. */
export const publishManual = async (
  config: Config,
  services: Services,
  documents: () => Promise<Documents>,
): Promise<void> => {
  // Imported here, so that it does not slow down the start.
  const { SOURCE } = await import("./source.ts");
  // A port that changes with every start would publish a site with every start.
  const addresses = documentAddresses(config, config.port || DEFAULT_PORT);
  const edition = createHash("sha256").update(JSON.stringify([SOURCE, addresses]));
  const marker = `assets/edition-${edition.digest("hex").slice(0, 16)}.txt`;
  await publishOwnSite(
    {
      marker,
      async files() {
        const pages = apiPages(documents, addresses, config.baseUrl);
        const { manualSite } = await import("../manual/site.ts");
        return new Map([...(await manualSite(siteEdition(config, pages))), [marker, `${VERSION}\n`]]);
      },
    },
    services,
  );
};
