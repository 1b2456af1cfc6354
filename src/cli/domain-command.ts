import { Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { Config } from "../config/config.ts";
import { SHARED } from "../config/shared-settings.ts";
import type { Database } from "../db/open.ts";
import type { DomainRolesService } from "../domains/roles.ts";
import type { DomainService } from "../domains/service.ts";
import { whenNotFound, withDatabase } from "./database.ts";
import { withExamples } from "./help/texts.ts";
import { withSettings } from "./settings.ts";

export interface DomainOptions extends Record<string, unknown> {
  project: string;
  json?: boolean;
  wait?: boolean;
  pair?: boolean;
  yes?: boolean;
  revoke?: boolean;
}

/** Runs `work` on the domains of DATA_DIR, with or without a running server. */
export const withDomains = <Result>(
  config: Config,
  work: (domains: DomainService, settings: DomainRolesService, database: Database) => Promise<Result>,
): Promise<Result> =>
  whenNotFound(
    "check the name and --project",
    withDatabase(config, (database) => {
      const { domains, domainSettings } = commandServices(config, database).platform;
      return work(domains, domainSettings, database);
    }),
  );

export const projectOption = (text = "the project, such as docs") => new Option("--project <slug>", text);

/** A command on domains, with the flags that all these commands share. */
export const domainCommand = (
  name: string,
  description: string,
  example: readonly [string, string],
  project = projectOption().makeOptionMandatory(),
) =>
  withSettings(
    withExamples(new Command(name), example)
      .description(description)
      .addOption(project)
      .option("--json", "print JSON"),
    [],
    SHARED,
  );
