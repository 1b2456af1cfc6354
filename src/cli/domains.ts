import { Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { CertificateService } from "../certificates/service.ts";
import { SHARED } from "../config/shared-settings.ts";
import { comparable } from "../domains/checks.ts";
import { fromDomain, fromEvent, fromRowResult } from "../domains/model.ts";
import type { DomainFilters } from "../domains/read-repository.ts";
import { type DomainService, refusalOf } from "../domains/service.ts";
import { STORED_STAGES, type StoredStage, isHeld, isServed, wantsCertificate } from "../domains/stage.ts";
import type { InspectedDomain, ListedDomain } from "../domains/reads.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { reasonOf } from "../lib/reason.ts";
import { confirm } from "./confirm.ts";
import { whenNotFound, withDatabase } from "./database.ts";
import { checkCommand, templateCommand } from "./domain-setup.ts";
import { assertReadable } from "./file-arguments.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import {
  type WireDomain,
  argumentOf,
  displayName,
  printBeforeRemoval,
  printCertificate,
  printHistory,
  printLastCheck,
  printPairHint,
  printRecords,
  printStage,
} from "./print/domain.ts";
import {
  allPages,
  type Columns,
  noteError,
  print,
  printDeclined,
  printJson,
  printList,
  printResult,
  relativeTime,
  table,
} from "./print/output.ts";
import { configBeside, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;
const HISTORY_LENGTH = 20;

interface Options extends Record<string, unknown> {
  project: string;
  json?: boolean;
  wait?: boolean;
  pair?: boolean;
  yes?: boolean;
  revoke?: boolean;
}

type Services = ReturnType<typeof commandServices>;

/** Runs `work` on the domains of DATA_DIR, with or without a running server. */
const withDomains = <Result>(
  options: Partial<Options>,
  work: (platform: Services["platform"], services: Services) => Promise<Result>,
): Promise<Result> => {
  const config = configBeside(options);
  return whenNotFound(
    "check the name and --project",
    withDatabase(config, (database) => {
      const services = commandServices(config, database);
      return work(services.platform, services);
    }),
  );
};

const projectOption = (text = "the project, such as docs") => new Option("--project <slug>", text);

/** A command on domains, with the flags that all these commands share. */
const domainCommand = (
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

/** @param path a file, or - for standard input */
const readList = (path: string): Promise<string> => {
  if (path === "-") return Bun.stdin.text();
  assertReadable(path);
  return Bun.file(path).text();
};

/** The record to create, or the reason for a refusal. */
const detailOf = ({ domain, error }: ReturnType<typeof fromRowResult>): string => {
  if (!domain) return error?.message ?? "";
  const { type, name, value } = domain.record;
  return `${type} ${name} ${value}`;
};

/** Adds the domains of a list, and prints a result for each. The exit code is 1 if any was refused. */
const addDomainList = async (
  domains: DomainService,
  path: string,
  { project, json }: Partial<Options>,
): Promise<void> => {
  const rows = parseDomainList(await readList(path));
  if (rows.length === 0) throw new OperatorError("The list has no domains.");
  const results = (await domains.addRows(rows, project, OPERATOR)).map(fromRowResult);
  if (results.some(({ result }) => result === "refused")) process.exitCode = 1;
  if (json) return printJson(results);
  const lines = results.map((one) => [one.hostname, one.project ?? "-", one.result, detailOf(one)]);
  // Untruncated, so that the records can be copied.
  print(table([["DOMAIN", "PROJECT", "RESULT", "RECORD OR REASON"], ...lines]));
};

/** Prints domains that were added with their records, and the next steps. */
const printAdded = (domains: readonly WireDomain[], { project, wait }: Options): void => {
  const waiting = domains.filter(({ stage }) => !isServed(stage));
  for (const domain of domains) printStage(domain);
  if (waiting.length > 0) printRecords(waiting);
  if (wait || waiting.length === 0) return;
  print("\nThen:");
  for (const { hostname } of waiting)
    print(`  adoption-store domains verify ${argumentOf(hostname)} --project ${project} --wait`);
};

/** Prints why the pair was refused. The domain remains, and `--wait` follows it. @throws anything but a refusal */
const printRefusal = (pair: string, error: unknown): void => {
  const { message } = refusalOf(error).fault;
  noteError(`${pair} was not added: ${message.replace(/^pair:/, "it")}`);
  process.exitCode = 1;
};

/** Adds a domain and prints its records. Then, on a terminal, it offers the pair, unless a flag decides. */
const addDomain = async (service: DomainService, hostname: string, options: Options): Promise<void> => {
  const add = (pair?: boolean) => service.add(options.project, { hostname, pair }, OPERATOR);
  const { domain, pair } = await add(options.pair);
  const added = fromDomain(domain);
  if (options.json) return printJson(added);
  printAdded(options.pair && pair ? [added, fromDomain(pair)] : [added], options);
  if (pair || options.pair !== undefined || added.pair === undefined) return;
  if (!process.stdin.isTTY) return printPairHint(hostname, added.pair, options.project);
  if (!(await confirm(`Also add ${added.pair} and redirect it?`, true))) return;
  try {
    const { pair: other } = await add(true);
    if (other) printAdded([fromDomain(other)], options);
  } catch (error) {
    printRefusal(added.pair, error);
  }
};

/** The service allows 10 checks of a domain a minute. */
const CHECK_INTERVAL_MS = 10_000;

/** The server's own checks count towards the limit, and name servers can be slow. A later try may succeed. */
const TRANSIENT_FAULTS: ReadonlySet<FaultCode> = new Set(["rate_limited", "not_ready"]);

const withRetries = async (verify: () => Promise<InspectedDomain>): Promise<InspectedDomain> => {
  for (;;) {
    try {
      return await verify();
    } catch (error) {
      if (!(error instanceof Fault && TRANSIENT_FAULTS.has(error.code))) throw error;
      await Bun.sleep(CHECK_INTERVAL_MS);
    }
  }
};

const stateOf = ({ stage, findings, certificate }: InspectedDomain): string =>
  JSON.stringify([stage, findings.map(comparable).toSorted(), certificate?.queue !== undefined]);

/**
 * Verifies a domain until its records are right, then reads it until it is live.
 * @param onChange called after the first check, and then on every change
 */
export const followDomain = async (
  domains: Pick<DomainService, "verify" | "get">,
  project: string,
  hostname: string,
  onChange: (domain: WireDomain) => void,
): Promise<void> => {
  const verify = () => withRetries(() => domains.verify(project, hostname, OPERATOR));
  let before = "";
  let domain = await verify();
  for (;;) {
    if (stateOf(domain) !== before) onChange(fromDomain(domain));
    if (isServed(domain.stage)) return;
    before = stateOf(domain);
    await Bun.sleep(CHECK_INTERVAL_MS);
    domain = await domains.get(project, hostname);
    // A verification would request another order. The server retries a failed one by itself.
    if (!wantsCertificate(domain.stage)) domain = await verify();
  }
};

const showOrJson =
  ({ json }: Partial<Options>) =>
  (domain: WireDomain) =>
    json ? printJson(domain) : printStage(domain);

type AddOptions = Partial<Options> & { from?: string };

const ADD_TEXTS = {
  notes: [
    "A --from list has one domain per line, or is CSV with the columns domain, project and role. A role is primary, served or redirect. Domains that a project already has do not change, so you can add a list again.",
  ],
  exitCodes: { 0: "the domains were added", 1: "the command failed, or a domain was refused" },
};

const addCommand = () =>
  withTexts(
    domainCommand(
      "add",
      "add a custom domain to a project, and print the DNS record to create",
      [
        "Add a domain, create the record that it prints, and wait until it is live",
        "adoption-store domains add docs.example.org --project docs --wait",
      ],
      projectOption("the project, such as docs; with --from, the project of lines without one"),
    ),
    ADD_TEXTS,
  )
    .argument("[hostname]", "the domain or subdomain, such as docs.example.org or '*.example.org'")
    .option(
      "--pair",
      "also add the name with or without www, if there is one, as a redirect (on a terminal, the command asks)",
    )
    .option("--no-pair", "add only this name, and do not ask")
    .option("--wait", "check it every 10 seconds until it is live, and print every change")
    .addOption(
      new Option("--from <file>", "add a list of domains instead; - for standard input").conflicts([
        "pair",
        "wait",
      ]),
    )
    .action((hostname: string | undefined, options: AddOptions) =>
      withDomains(options, async ({ domains }) => {
        const { from, project } = options;
        if (from !== undefined && hostname === undefined) return addDomainList(domains, from, options);
        if (from !== undefined || hostname === undefined || project === undefined)
          throw new UsageError("name a domain and its --project, or a list of domains with --from");
        await addDomain(domains, hostname, { ...options, project });
        if (options.wait) return followDomain(domains, project, hostname, showOrJson(options));
      }),
    );

const verifyCommand = () =>
  withTexts(
    domainCommand("verify", "check a domain's DNS records now", [
      "Check the records now",
      "adoption-store domains verify docs.example.org --project docs",
    ]),
    { exitCodes: { 0: "the domain is live", 1: "it is not live yet; the findings say why" } },
  )
    .argument("<hostname>", "the domain")
    .option("--wait", "check it every 10 seconds until it is live, and print every change")
    .action((hostname: string, options: Options) =>
      withDomains(options, async ({ domains }) => {
        const show = showOrJson(options);
        if (options.wait) return followDomain(domains, options.project, hostname, show);
        const domain = fromDomain(await domains.verify(options.project, hostname, OPERATOR));
        show(domain);
        // Scripts look at the exit code.
        if (!isServed(domain.stage)) process.exitCode = 1;
      }),
    );

const everyDomain = (domains: DomainService, filters: DomainFilters): Promise<ListedDomain[]> =>
  allPages((cursor: string | undefined) => domains.listAll({ ...filters, limit: PAGE_SIZE, cursor }));

const listCommand = () =>
  domainCommand(
    "list",
    "list the domains of one project or of all projects, problems first",
    ["List the domains of the project docs", "adoption-store domains list --project docs"],
    projectOption("only domains of this project, such as docs"),
  )
    .addOption(new Option("--stage <stage...>", "only domains in these stages").choices(STORED_STAGES))
    .option("--q <text>", "only domains whose names contain this text")
    .action(({ stage: stages, ...options }: Partial<Options> & { stage?: StoredStage[]; q?: string }) =>
      withDomains(options, async ({ domains }) => {
        const { project, q, json } = options;
        const found = (await everyDomain(domains, { project, q, stages })).map(fromDomain);
        const now = Date.now();
        const columns: Columns<WireDomain> = {
          DOMAIN: displayName,
          STAGE: ({ stage, suspension }) => (suspension ? `${stage} (the plan is below Pro)` : stage),
          ROLE: ({ role }) => role,
          PROJECT: (domain) => domain.project,
          CHECKED: ({ checkedAt }) => (checkedAt ? relativeTime(Date.parse(checkedAt), now) : "never"),
        };
        const slug = project ?? "SLUG";
        const none = `No domains. Add one: adoption-store domains add HOSTNAME --project ${slug}`;
        printList(found, columns, { json, empty: q || stages ? "No domain matches." : none });
      }),
    );

const showCommand = () =>
  domainCommand("show", "show a domain: its record, what the last check found, and its history", [
    "Find out why a domain is not live",
    "adoption-store domains show docs.example.org --project docs",
  ])
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(options, async ({ domains }) => {
        const domain = fromDomain(await domains.get(options.project, hostname));
        if (options.json) return printJson(domain);
        printStage(domain);
        printRecords([domain]);
        printCertificate(domain);
        printLastCheck(domain);
        const { items } = await domains.history(options.project, hostname, {
          limit: HISTORY_LENGTH,
          cursor: undefined,
        });
        printHistory(items.map((event) => fromEvent(event, { isNamed: true })));
      }),
    );

const primaryCommand = () =>
  domainCommand("primary", "make a domain the primary one, which the others redirect to", [
    "Make a domain the primary one",
    "adoption-store domains primary docs.example.org --project docs",
  ])
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(options, async ({ domains }) => {
        const domain = fromDomain(await domains.makePrimary(options.project, hostname, OPERATOR));
        printResult(
          options.json,
          domain,
          `${displayName(domain)} is the primary domain of ${options.project}.`,
        );
      }),
    );

const redirectCommand = () =>
  domainCommand("redirect", "redirect a domain's visitors to the primary domain, with status 301", [
    "Redirect www to the primary domain",
    "adoption-store domains redirect www.example.org --project docs",
  ])
    .argument("<hostname>", "the domain")
    .action((hostname: string, options: Options) =>
      withDomains(options, async ({ domains, domainSettings: settings }) => {
        const { domains: mapping } = await settings.read(options.project);
        const { hostname: from } = fromDomain(await domains.get(options.project, hostname));
        const to = mapping.primary;
        if (to === undefined)
          throw new OperatorError(
            `${options.project} has no primary domain: set one with adoption-store domains primary HOSTNAME --project ${options.project}`,
          );
        if (from === to)
          throw new OperatorError(
            `${from} is the primary domain and cannot redirect to itself: first make another one primary with adoption-store domains primary HOSTNAME --project ${options.project}`,
          );
        const others = mapping.redirects.filter((redirect) => redirect.from !== from);
        const redirects = [...others, { from, to, status: 301 as const }];
        const { domains: updated } = await settings.write(
          options.project,
          { domains: { primary: to, redirects } },
          OPERATOR,
        );
        printResult(options.json, { domains: updated }, `${from} redirects to ${to}.`);
      }),
    );

/** Revokes a domain's certificate. If the domain does not hold its name, the certificate may be another project's. */
const revokeFor = async (
  { hostname, stage }: WireDomain,
  certificates: CertificateService,
): Promise<undefined> => {
  if (!isHeld(stage)) throw new Error("the project does not hold the name");
  await certificates.revoke(hostname);
};

const removeCommand = () =>
  domainCommand("remove", "remove a domain, and stop serving it at once", [
    "Remove a domain and revoke its certificate",
    "adoption-store domains remove old.example.org --project docs --revoke",
  ])
    .argument("<hostname>", "the domain")
    .option("--yes", "do not ask")
    .option("--revoke", "revoke its certificate at the CA too")
    .action((hostname: string, options: Options) =>
      withDomains(options, async ({ domains }, services) => {
        const domain = fromDomain(await domains.get(options.project, hostname));
        if (isServed(domain.stage) && domain.role !== "redirect" && !options.yes)
          printBeforeRemoval(
            domain,
            options.project,
            await everyDomain(domains, { project: options.project }),
          );
        if (!options.yes && !(await confirm(`Remove ${displayName(domain)}?`)))
          return printDeclined(options.json, "Nothing was removed.");
        // The domain is removed even if the CA cannot be reached.
        const refusal = options.revoke
          ? await revokeFor(domain, services.certificates).catch(reasonOf)
          : undefined;
        await domains.remove(options.project, hostname, OPERATOR);
        if (refusal !== undefined)
          throw new Error(
            `${domain.hostname} was removed, but its certificate could not be revoked: ${refusal}`,
          );
        printResult(
          options.json,
          { removed: domain.hostname },
          `${displayName(domain)} has been removed. If it has a DNS record, delete that too.`,
        );
      }),
    );

export const domainsCommand = (): Command => {
  const command = new Command("domains")
    .summary("manage the custom domains of sites")
    .description("check, add, verify, redirect and remove the custom domains of projects");
  for (const part of [
    checkCommand(),
    addCommand(),
    listCommand(),
    showCommand(),
    verifyCommand(),
    primaryCommand(),
    redirectCommand(),
    removeCommand(),
    templateCommand(),
  ])
    command.addCommand(part);
  return command;
};
