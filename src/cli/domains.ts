import { Command } from "commander";
import type { Config } from "../config/config.ts";
import { SHARED } from "../config/saved-settings.ts";
import { OPERATOR } from "../domains/domain.ts";
import { fromDomain, fromEvent } from "../domains/model.ts";
import type { DomainService, InspectedDomain, ListedDomain } from "../domains/service.ts";
import type { DomainSettings } from "../domains/settings.ts";
import { isHeld, isServed } from "../domains/stage.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import { reasonOf } from "../lib/reason.ts";
import type { Database } from "../db/open.ts";
import { commandServices } from "../app/command-services.ts";
import type { CertificateService } from "../certificates/service.ts";
import { withDatabase } from "./database.ts";
import { configBeside, withSettings } from "./settings.ts";
import { confirm, print, table } from "./terminal.ts";

const PAGE = 100;
/** Below what the service allows: 10 checks of a domain a minute. */
const WAIT_MS = 10_000;

interface Options extends Record<string, unknown> {
  project: string;
  json?: boolean;
  wait?: boolean;
  yes?: boolean;
  revoke?: boolean;
}

type WireDomain = ReturnType<typeof fromDomain>;

/** Runs some work on the domains of DATA_DIR, beside a server or without one. */
const withDomains = <Result>(
  config: Config,
  work: (domains: DomainService, settings: DomainSettings, database: Database) => Promise<Result>,
): Promise<Result> =>
  withDatabase(config, (database) => {
    const { domains, domainSettings } = commandServices(config, database).platform;
    return work(domains, domainSettings, database);
  });

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

const nameOf = ({ hostname, unicode }: WireDomain): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;

const printRecord = ({ record }: WireDomain) => {
  const { value, note, bind, proof } = record;
  const records = proof ? [record, proof] : [record];
  print(`Create ${proof ? "these records" : "this record"} at your DNS provider:\n`);
  const rows = records.map(({ type, name, value, ttl }) => [type, name, value, String(ttl)]);
  print(indent(table([["type", "name", "value", "TTL"], ...rows])));
  if (note) print(`\n${note}`);
  if (value.endsWith(".localhost"))
    print(
      "\nNo DNS leads to localhost: start the server with --platform-domain and a domain of yours first.",
    );
  const line = bind ?? proof?.bind;
  if (line) print(`\n${proof ? "The TXT record in" : "In"} a zone file:\n\n${indent(line)}`);
  print(`\nIn Terraform:\n\n${indent(records.map(({ terraform }) => terraform).join("\n\n"))}`);
};

const printFindings = ({ findings }: WireDomain) => {
  for (const { message } of findings) print(`  ${message}`);
};

const printStage = (domain: WireDomain) => {
  print(
    `${nameOf(domain)}: ${domain.stage}${domain.role === "redirect" ? ", redirects to the primary domain" : ""}`,
  );
  printFindings(domain);
};

const printCertificate = ({ certificate }: WireDomain) => {
  if (!certificate) return;
  const { status, notAfter, problem, nextAttemptAt } = certificate;
  print(`\nCertificate: ${status}${notAfter ? `, valid until ${notAfter}` : ""}`);
  if (problem) print(`  ${problem.type}: ${problem.detail}`);
  for (const { type, detail, identifier } of problem?.subproblems ?? [])
    print(`    ${identifier ? `${identifier}: ` : ""}${type}: ${detail}`);
  if (problem && nextAttemptAt) print(`  Next attempt: ${nextAttemptAt}, or when it is verified again.`);
};

const printQuestions = ({ trace }: WireDomain) => {
  if (!trace) return print("Never checked yet.");
  print(
    `\nThe last check, of ${trace.zone ?? "an unknown zone"} (${trace.nameServers.join(", ") || "no server"}):\n`,
  );
  for (const { server, name, type, outcome, detail, records, milliseconds } of trace.questions) {
    print(`  ${server}  ${name} ${type}  ${outcome}${detail ? ` (${detail})` : ""}  ${milliseconds} ms`);
    for (const record of records) print(`    ${record}`);
  }
};

const printHistory = async (domains: DomainService, project: string, hostname: string) => {
  const { items } = await domains.history(project, hostname, { limit: 20, cursor: undefined });
  print("\nWhat happened, newest first:\n");
  const rows = items
    .map(fromEvent)
    .map(({ at, actor, key, event, stage }) => [at, key === undefined ? actor : `key ${key}`, event, stage]);
  print(indent(table([["at", "who", "event", "stage"], ...rows])));
};

/** Prints what is seen whenever it is something else, until the domain is live. */
const follow = async (
  domains: DomainService,
  project: string,
  hostname: string,
  show: (domain: WireDomain) => void,
) => {
  let before = "";
  for (;;) {
    const domain = fromDomain(await verifyPatiently(domains, project, hostname));
    const seen = JSON.stringify([domain.stage, domain.findings]);
    if (seen !== before) show(domain);
    before = seen;
    if (isServed(domain.stage)) return;
    await Bun.sleep(WAIT_MS);
  }
};

/** Checks of another's count as well, and name servers can be slow: whoever waits can wait a little longer. */
const PASSING: ReadonlySet<FaultCode> = new Set(["rate_limited", "not_ready"]);

const verifyPatiently = async (
  domains: DomainService,
  project: string,
  hostname: string,
): Promise<InspectedDomain> => {
  for (;;) {
    try {
      return await domains.verify(project, hostname, OPERATOR);
    } catch (error) {
      if (!(error instanceof Fault && PASSING.has(error.code))) throw error;
      await Bun.sleep(WAIT_MS);
    }
  }
};

const showOrJson =
  ({ json }: Options) =>
  (domain: WireDomain) =>
    json ? print(JSON.stringify(domain)) : printStage(domain);

/** A command on domains, with the flags that all of them have. */
const domainCommand = (name: string, description: string) =>
  withSettings(
    new Command(name)
      .description(description)
      .requiredOption("--project <slug>", "the project, such as docs")
      .option("--json", "print JSON"),
    ["dataDir", ...SHARED],
  );

const addCommand = () =>
  domainCommand("add", "add a custom domain to a project, and print the DNS record that it needs")
    .argument("<hostname>", "the domain or subdomain, such as docs.example.org")
    .option("--wait", "check until it is live, and print what is seen")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains) => {
        const { domain } = await domains.add(options.project, hostname, OPERATOR);
        const added = fromDomain(domain);
        if (options.json) print(JSON.stringify(added));
        else {
          printStage(added);
          if (!isServed(added.stage)) printRecord(added);
        }
        if (options.wait) return follow(domains, options.project, hostname, showOrJson(options));
        if (!options.json && !isServed(added.stage))
          print(
            `\nThen: adoption-store domains verify ${added.hostname} --project ${options.project} --wait`,
          );
      }),
    );

const verifyCommand = () =>
  domainCommand("verify", "check a domain's DNS records now")
    .argument("<hostname>", "the domain")
    .option("--wait", "check until it is live, and print what is seen")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains) => {
        const show = showOrJson(options);
        if (options.wait) return follow(domains, options.project, hostname, show);
        const domain = fromDomain(await domains.verify(options.project, hostname, OPERATOR));
        show(domain);
        // For scripts.
        if (!isServed(domain.stage)) process.exitCode = 1;
      }),
    );

const everyDomain = async (domains: DomainService, project: string): Promise<ListedDomain[]> => {
  const found: ListedDomain[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await domains.list(project, { limit: PAGE, cursor });
    found.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return found;
};

const listCommand = () =>
  domainCommand("list", "list a project's domains").action((options: Options) =>
    withDomains(configBeside(options), async (domains) => {
      const found = (await everyDomain(domains, options.project)).map(fromDomain);
      if (options.json) return print(JSON.stringify(found));
      if (found.length === 0)
        return print(`No domains. Add one: adoption-store domains add HOSTNAME --project ${options.project}`);
      const rows = found.map((domain) => [
        nameOf(domain),
        domain.stage,
        domain.role,
        domain.checkedAt ?? "never",
      ]);
      print(table([["domain", "stage", "role", "checked"], ...rows]));
    }),
  );

const showCommand = () =>
  domainCommand("show", "show a domain: its record, what the last check found, and its history")
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains) => {
        const domain = fromDomain(await domains.get(options.project, hostname));
        if (options.json) return print(JSON.stringify(domain));
        printStage(domain);
        printRecord(domain);
        printCertificate(domain);
        printQuestions(domain);
        await printHistory(domains, options.project, hostname);
      }),
    );

const primaryCommand = () =>
  domainCommand("primary", "make a domain the one that the others redirect to")
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains) => {
        const domain = fromDomain(await domains.makePrimary(options.project, hostname, OPERATOR));
        print(
          options.json
            ? JSON.stringify(domain)
            : `${nameOf(domain)} is the primary domain of ${options.project}.`,
        );
      }),
    );

const redirectCommand = () =>
  domainCommand("redirect", "send a domain's visitors to the primary domain, with status 301")
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains, settings) => {
        const { domains: mapping } = await settings.read(options.project);
        const { hostname: from } = fromDomain(await domains.get(options.project, hostname));
        const to = mapping.primary ?? "";
        const others = mapping.redirects.filter((redirect) => redirect.from !== from);
        const redirects = [...others, { from, to, status: 301 as const }];
        const { domains: now } = await settings.write(
          options.project,
          { domains: { primary: to, redirects } },
          OPERATOR,
        );
        print(options.json ? JSON.stringify({ domains: now }) : `${from} redirects to ${to}.`);
      }),
    );

/** Revokes the certificate of a domain that has the name: of one that waits for it, it may be another project's. */
const revokeFor = async (
  { hostname, stage }: WireDomain,
  certificates: CertificateService,
): Promise<undefined> => {
  if (!isHeld(stage)) throw new Error("the project does not hold the name.");
  await certificates.revoke(hostname);
};

/** What to do first if the domain's address was shared. */
const sayBeforeRemoval = ({ hostname, role }: WireDomain, project: string, all: readonly ListedDomain[]) => {
  const other = all.find((one) => one.hostname !== hostname && isServed(one.stage))?.hostname;
  print(`${hostname} is live: its traffic stops being served immediately.`);
  print("If its address was shared, redirect it first, and remove it later:");
  if (other === undefined)
    return print(`  adoption-store domains add OTHER --project ${project} --wait   (where to)`);
  if (role === "primary") print(`  adoption-store domains primary ${other} --project ${project}`);
  print(`  adoption-store domains redirect ${hostname} --project ${project}`);
};

const removeCommand = () =>
  domainCommand("remove", "remove a domain: its traffic is served no longer, at once")
    .argument("<hostname>", "the domain")
    .option("--yes", "do not ask")
    .option("--revoke", "tell the authority that its certificate must not be trusted any more")
    .action((hostname: string, options: Options) =>
      withDomains(configBeside(options), async (domains, _, database) => {
        const domain = fromDomain(await domains.get(options.project, hostname));
        if (isServed(domain.stage) && domain.role !== "redirect" && !options.yes)
          sayBeforeRemoval(domain, options.project, await everyDomain(domains, options.project));
        if (!options.yes && !(await confirm(`Remove ${nameOf(domain)}?`)))
          return print("Nothing was removed.");
        // A domain is removed all the same if the authority cannot be told.
        const refusal = options.revoke
          ? await revokeFor(domain, commandServices(configBeside(options), database).certificates).catch(
              reasonOf,
            )
          : undefined;
        await domains.remove(options.project, hostname, OPERATOR);
        if (refusal !== undefined)
          throw new Error(`${domain.hostname} is removed, but its certificate is not revoked: ${refusal}`);
        if (options.json) return print(JSON.stringify({ removed: domain.hostname }));
        print(`${nameOf(domain)} is removed. Delete its DNS record too: it would still point here.`);
      }),
    );

export const domainsCommand = (): Command => {
  const command = new Command("domains").description("custom domains of projects");
  for (const part of [
    addCommand(),
    listCommand(),
    showCommand(),
    verifyCommand(),
    primaryCommand(),
    redirectCommand(),
    removeCommand(),
  ])
    command.addCommand(part);
  return command;
};
