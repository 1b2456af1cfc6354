import type { Config } from "../config/config.ts";
import type { Edition } from "../manual/edition.ts";
import { VERSION } from "./version.ts";

/** The manual as the server publishes it, next to its other pages. */
export const serverEdition = (config: Config, otherPages: Edition["otherPages"]): Edition => ({
  origin: config.baseUrl ?? "",
  version: VERSION,
  neighbours: [
    { href: "/manual/api/store", label: "API" },
    { href: "/docs", label: "Try it" },
    ...(config.console ? [{ href: "/console", label: "Console" }] : []),
  ],
  otherPages,
});
