import { commandDomainConnect } from "../app/domain-connect.ts";
import { commandNameCheck } from "../app/domains.ts";
import { systemRuntime } from "../data/context.ts";
import type { Config } from "../config/config.ts";
import { SHARED } from "../config/shared-settings.ts";
import { dnsInspector } from "../platform/dns-checks/inspect.ts";
import { SERVICES, fileNameOf } from "../platform/domain-connect/template.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { fromNameCheck } from "../platform/dns-checks/name-checks/model.ts";
import { type NameVerdict, VERDICT_TONES } from "../platform/dns-checks/name-checks/name-check.ts";
import { command } from "./command.ts";
import { displayName, printFindings, printQuestions, printRecords } from "./print/domain.ts";
import { coloured, print, printJson } from "./print/output.ts";
import { availableConfig } from "./settings.ts";
import { UsageError } from "./input.ts";

const TOO_FEW_RESPONSES = 3;

const exitCodeOf = (verdict: NameVerdict): number => {
  if (verdict === "unknown") return TOO_FEW_RESPONSES;
  return VERDICT_TONES[verdict] === "good" ? 0 : 1;
};

type WireNameCheck = ReturnType<typeof fromNameCheck>;

const COLOURS = { good: "green", bad: "red" } as const;

const colourOf = (verdict: WireNameCheck["verdict"]) => {
  const tone = VERDICT_TONES[verdict];
  return tone ? COLOURS[tone] : "yellow";
};

/** Verdicts of names that have the record. */
const WITH_RECORD: ReadonlySet<string> = new Set(["right", "spreading", "blocked"]);

/** Prints the verdict on a name, the advice, and the required record. */
const printNameCheck = (check: WireNameCheck, withTrace: boolean): void => {
  const { verdict, message, findings, record, guide, trace } = check;
  print(`${displayName(check)}: ${coloured(colourOf(verdict), verdict)}\n  ${message}`);
  if (findings.length > 0) print("");
  printFindings(check);
  if (record && !WITH_RECORD.has(verdict)) {
    print("");
    printRecords([{ record, ...(guide && { guide }) }]);
  }
  if (!withTrace) return;
  const { zone = "an unknown zone", nameServers } = trace;
  print(`\nEvery query, in the zone ${zone} (name servers: ${nameServers.join(", ") || "none"}):\n`);
  printQuestions(trace);
};

/** `domains check`, which needs no project. */
export const checkCommand = command({
  name: "check",
  summary: "check a name's DNS before you add it to a project",
  description: "show the DNS records of a name, and the necessary changes, before you add it to a project",
  takes: {
    "<hostname>": "the domain or subdomain, such as docs.example.org",
    "--target <name>": "the project's target, which must be the value of the record",
    "--trace": "print every DNS query, its response, and the dig command that repeats it",
    "--json": "print JSON",
  },
  hiddenSettings: SHARED,
  notes: [
    "The command queries the DNS itself: it needs no server, no project and no DATA_DIR, and it stores nothing. With --target, it checks the records. Without --target, it reports records that would conflict.",
  ],
  examples: {
    "Find records that conflict with a name": "docs.example.org",
    "Check a name against a project's target, with every query":
      "example.org --target k3v.example.net --trace",
  },
  exitCodes: {
    0: "the records are correct; without --target: no record conflicts",
    1: "records must change, or need time; or the command failed",
    3: "too few name servers responded",
  },
  async run({ hostname, target, trace = false, ...input }) {
    const config = availableConfig(input);
    const check = commandNameCheck(config, dnsInspector(config, systemRuntime));
    const result = fromNameCheck(await check({ hostname, target }));
    process.exitCode = exitCodeOf(result.verdict);
    return { json: result, text: () => printNameCheck(result, trace) };
  },
});

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

/** `domains template`, which needs no project. */
export const templateCommand = command({
  name: "template",
  summary: "print what DNS providers need for Domain Connect",
  description: "print the Domain Connect templates of this service, and the DNS records of its public key",
  takes: { "[template]": `the template to print: ${SERVICES.join(" or ")}`, "--json": "print JSON" },
  hiddenSettings: SHARED,
  notes: [
    "Domain Connect lets a DNS provider create the records of a custom domain, once its holder agrees. The providers must have the templates of this service. They verify its requests with the public key that it publishes in the DNS.",
    "The command creates the key on first use, in DATA_DIR/domain-connect.key.",
  ],
  examples: {
    "See what to publish": "",
    "Save the template for subdomains to a file": "subdomain > example.org.subdomain.json",
  },
  async run({ template, json, ...input }) {
    const config = availableConfig(input);
    const connect = connectOf(config);
    if (template !== undefined) return print(JSON.stringify(await templateNamed(connect, template), null, 2));
    if (!json) return printOverview(connect, config);
    const templates = await Promise.all(SERVICES.map((service) => connect.templateOf(service, ANY_LABEL)));
    const found = templates.filter((one) => one !== undefined);
    printJson({ templates: found, records: connect.keyRecords() });
  },
});
