import { Argument, Command } from "commander";
import { SETTINGS } from "../config/settings.ts";
import { type Site, composeFile, containerfile } from "../service/container.ts";
import { caddyfile, nginxSite } from "../service/proxies.ts";
import { systemdUnit } from "../service/unit.ts";
import { withExamples } from "./help/texts.ts";
import { availableConfig, withSettings } from "./settings.ts";

/** The files that `service print` can print. */
const FILES: Readonly<Record<string, (site: Site) => string>> = {
  systemd: () => systemdUnit(),
  container: containerfile,
  compose: composeFile,
  caddy: caddyfile,
  nginx: nginxSite,
};

const EXAMPLE_URL = SETTINGS.baseUrl.form.replace(/^.* such as /, "");

export const printFileCommand = (): Command =>
  withExamples(
    withSettings(
      new Command("print")
        .description("print a working file for a service manager, a container or a reverse proxy")
        .addArgument(new Argument("<file>", "which file").choices(Object.keys(FILES))),
      ["baseUrl", "port", "deployLimit"],
    ),
    [
      "Put Caddy in front of the server",
      "adoption-store service print caddy --base-url https://adopt.example.org",
    ],
    ["Write the file of a container image", "adoption-store service print container > Containerfile"],
  ).action((file: string, options: Record<string, unknown>) => {
    const { baseUrl = EXAMPLE_URL, port, deployLimit } = availableConfig(options);
    process.stdout.write(FILES[file]?.({ baseUrl, port, maxUploadBytes: deployLimit }) ?? "");
  });
