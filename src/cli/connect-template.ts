import { Command } from "commander";
import { commandDomainConnect } from "../app/domain-connect.ts";
import type { Config } from "../config/config.ts";
import { SHARED } from "../config/shared-settings.ts";
import { SERVICES, fileNameOf } from "../domain-connect/template.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { print, printJson } from "./print/output.ts";
import { availableConfig, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

interface Options extends Record<string, unknown> {
  json?: boolean;
}

const TEXTS: CommandTexts = {
  notes: [
    "Domain Connect lets a DNS provider create the records of a custom domain, once its holder agrees. The providers must have the templates of this service. They verify its requests with the public key that it publishes in the DNS.",
    "The command creates the key on first use, in DATA_DIR/domain-connect.key.",
  ],
  examples: [
    { text: "See what to publish", line: "adoption-store domains template" },
    {
      text: "Save the template for subdomains to a file",
      line: "adoption-store domains template subdomain > example.org.subdomain.json",
    },
  ],
};

const connectOf = (config: Config) => {
  const connect = commandDomainConnect(config);
  if (connect) return connect;
  throw new OperatorError(
    "Domain Connect is off: set DOMAIN_CONNECT_PROVIDER_ID to a domain that identifies this service",
  );
};

type Connect = ReturnType<typeof connectOf>;

/** The wildcard record of the targets covers every label. */
const ANY_LABEL = "template";

const templateNamed = async (connect: Connect, name: string) => {
  const service = SERVICES.find((one) => one === name);
  if (!service) throw new UsageError(`the template must be one of ${SERVICES.join(", ")}`);
  const template = await connect.templateOf(service, ANY_LABEL);
  if (template) return template;
  throw new OperatorError(
    "The template for an apex needs the addresses of this service, but the DNS has none: create the wildcard record below PLATFORM_CNAME_TARGET, then run the command again",
  );
};

const printOverview = (connect: Connect, { nameserver }: Config): void => {
  const isPublished = nameserver.length > 0;
  print(`${isPublished ? "The name server of this service publishes" : "Publish"} these TXT records:\n`);
  for (const { name, value } of connect.keyRecords()) print(`  ${name}. 3600 IN TXT "${value}"`);
  print("\nSubmit these files to https://github.com/Domain-Connect/Templates:\n");
  for (const serviceId of SERVICES)
    print(`  adoption-store domains template ${serviceId} > ${fileNameOf({ ...connect, serviceId })}`);
};

/** `domains template`. */
export const templateCommand = (): Command =>
  withSettings(
    withTexts(new Command("template"), TEXTS)
      .summary("print what DNS providers need for Domain Connect")
      .description(
        "print the Domain Connect templates of this service, and the DNS records of its public key",
      )
      .argument("[template]", `the template to print: ${SERVICES.join(" or ")}`)
      .option("--json", "print JSON"),
    [],
    SHARED,
  ).action(async (name: string | undefined, { json, ...settings }: Options) => {
    const config = availableConfig(settings);
    const connect = connectOf(config);
    if (name !== undefined) return print(JSON.stringify(await templateNamed(connect, name), null, 2));
    if (!json) return printOverview(connect, config);
    const templates = await Promise.all(SERVICES.map((service) => connect.templateOf(service, ANY_LABEL)));
    printJson({ templates: templates.filter((one) => one !== undefined), records: connect.keyRecords() });
  });
