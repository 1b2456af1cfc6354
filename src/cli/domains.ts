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
import {
  displayName,
  printFindings,
  printTrace,
  printRecords,
  type WireDomain,
  argumentOf,
  printBeforeRemoval,
  printCertificate,
  printHistory,
  printLastCheck,
  printPairHint,
  printStage,
} from "./print/domain.ts";
import { coloured, print, printJson, allPages, noteError, relativeTime, table } from "./print/output.ts";
import { availableConfig, effectiveConfig } from "./settings.ts";
import { UsageError, assertConfirmed, confirm } from "./input.ts";
import type { CertificateService } from "../platform/certificates/service.ts";
import { comparable } from "../platform/domains/checks.ts";
import { fromDomain, fromEvent, fromRowResult } from "../platform/domains/model.ts";
import type { DomainFilters } from "../platform/domains/repository.ts";
import { type DomainService, refusalOf } from "../platform/domains/service.ts";
import { STORED_STAGES, isHeld, isServed, wantsCertificate } from "../platform/domains/stage.ts";
import type { InspectedDomain, ListedDomain } from "../platform/domains/domain.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import { OPERATOR } from "../lib/actor.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertReadable } from "./file-arguments.ts";
import { action, list, resource } from "./resource.ts";

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
  if (withTrace) printTrace("Every query, in the zone", trace);
};

/** `domains check`, which needs no project. */
const checkCommand = command({
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
const templateCommand = command({
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

const HISTORY_LENGTH = 20;

const PROJECT = {
  "--project <slug>": { text: "the project, such as docs", required: true },
  "--json": "print JSON",
} as const;

const DOMAIN = { "<hostname>": "the domain", ...PROJECT } as const;

interface AddFlags {
  project: string;
  json: boolean | undefined;
  wait: boolean | undefined;
  pair: boolean | undefined;
}

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
  project: string | undefined,
  json: boolean | undefined,
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
const printAdded = (domains: readonly WireDomain[], { project, wait }: AddFlags): void => {
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
const addDomain = async (service: DomainService, hostname: string, flags: AddFlags): Promise<void> => {
  const add = (pair?: boolean) => service.add(flags.project, { hostname, pair }, OPERATOR);
  const { domain, pair } = await add(flags.pair);
  const added = fromDomain(domain);
  if (flags.json) return printJson(added);
  printAdded(flags.pair && pair ? [added, fromDomain(pair)] : [added], flags);
  if (pair || flags.pair !== undefined || added.pair === undefined) return;
  if (!process.stdin.isTTY) return printPairHint(hostname, added.pair, flags.project);
  if (!(await confirm(`Also add ${added.pair} and redirect it?`, true))) return;
  try {
    const { pair: other } = await add(true);
    if (other) printAdded([fromDomain(other)], flags);
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
  (json: boolean | undefined) =>
  (domain: WireDomain): void =>
    json ? printJson(domain) : printStage(domain);

const addDomains = action({
  name: "add",
  description: "add a custom domain to a project, and print the DNS record to create",
  takes: {
    "[hostname]": "the domain or subdomain, such as docs.example.org or '*.example.org'",
    "--project <slug>": "the project, such as docs; with --from, the project of lines without one",
    "--json": "print JSON",
    "--pair":
      "also add the name with or without www, if there is one, as a redirect (on a terminal, the command asks)",
    "--no-pair": "add only this name, and do not ask",
    "--wait": "check it every 10 seconds until it is live, and print every change",
    "--from <file>": {
      text: "add a list of domains instead; - for standard input",
      conflicts: ["pair", "wait"],
    },
  },
  notes: [
    "A --from list has one domain per line, or is CSV with the columns domain, project and role. A role is primary, served or redirect. Domains that a project already has do not change, so you can add a list again.",
  ],
  examples: {
    "Add a domain, create the record that it prints, and wait until it is live":
      "docs.example.org --project docs --wait",
  },
  exitCodes: { 0: "the domains were added", 1: "the command failed, or a domain was refused" },
  async run({ hostname, project, from, ...flags }, { platform: { domains } }) {
    const { json, wait } = flags;
    if (from !== undefined && hostname === undefined) return addDomainList(domains, from, project, json);
    if (from !== undefined || hostname === undefined || project === undefined)
      throw new UsageError("name a domain and its --project, or a list of domains with --from");
    await addDomain(domains, hostname, { ...flags, project });
    if (wait) await followDomain(domains, project, hostname, showOrJson(json));
  },
});

const verifyDomain = action({
  name: "verify",
  description: "check a domain's DNS records now",
  takes: { ...DOMAIN, "--wait": "check it every 10 seconds until it is live, and print every change" },
  examples: { "Check the records now": "docs.example.org --project docs" },
  exitCodes: { 0: "the domain is live", 1: "it is not live yet; the findings give the reason" },
  async run({ hostname, project, json, wait }, { platform: { domains } }) {
    if (wait) return followDomain(domains, project, hostname, showOrJson(json));
    const domain = fromDomain(await domains.verify(project, hostname, OPERATOR));
    // Scripts look at the exit code.
    if (!isServed(domain.stage)) process.exitCode = 1;
    return { json: domain, text: () => printStage(domain) };
  },
});

const everyDomain = (domains: DomainService, filters: DomainFilters): Promise<ListedDomain[]> =>
  allPages((page) => domains.listAll({ ...filters, ...page }));

const listDomains = list({
  name: "list",
  description: "list the domains of one project or of all projects, problems first",
  takes: {
    "--project <slug>": "only domains of this project, such as docs",
    "--json": "print JSON",
    "--stage <stage...>": { text: "only domains in these stages", choices: STORED_STAGES },
    "--q <text>": "only domains whose names contain this text",
  },
  examples: { "List the domains of the project docs": "--project docs" },
  rows: async ({ project, q, stage: stages }, { platform: { domains } }) =>
    (await everyDomain(domains, { project, q, stages })).map(fromDomain),
  columns: {
    DOMAIN: displayName,
    STAGE: ({ stage, suspension }) => (suspension ? `${stage} (the plan is below Pro)` : stage),
    ROLE: ({ role }) => role,
    PROJECT: ({ project }) => project,
    CHECKED: ({ checkedAt }, now) => (checkedAt ? relativeTime(Date.parse(checkedAt), now) : "never"),
  },
  empty: ({ project = "SLUG", q, stage }) =>
    q || stage
      ? "No domain matches."
      : `No domains. Add one: adoption-store domains add HOSTNAME --project ${project}`,
});

const showDomain = action({
  name: "show",
  description: "show a domain: its record, the findings of the last check, and its history",
  takes: DOMAIN,
  examples: { "Find out why a domain is not live": "docs.example.org --project docs" },
  async run({ hostname, project, json }, { platform: { domains } }) {
    const domain = fromDomain(await domains.get(project, hostname));
    if (json) return printJson(domain);
    printStage(domain);
    printRecords([domain]);
    printCertificate(domain);
    printLastCheck(domain);
    const { items } = await domains.history(project, hostname, { limit: HISTORY_LENGTH, cursor: undefined });
    printHistory(items.map((event) => fromEvent(event, { isNamed: true })));
  },
});

const makePrimary = action({
  name: "primary",
  description: "make a domain the primary one, which the others redirect to",
  takes: DOMAIN,
  examples: { "Make a domain the primary one": "docs.example.org --project docs" },
  async run({ hostname, project }, { platform: { domains } }) {
    const domain = fromDomain(await domains.makePrimary(project, hostname, OPERATOR));
    return { json: domain, text: `${displayName(domain)} is the primary domain of ${project}.` };
  },
});

const redirectDomain = action({
  name: "redirect",
  description: "redirect a domain's visitors to the primary domain, with status 301",
  takes: DOMAIN,
  examples: { "Redirect www to the primary domain": "www.example.org --project docs" },
  async run({ hostname, project }, { platform: { domains, domainSettings } }) {
    const { domains: mapping } = await domainSettings.read(project);
    const { hostname: from } = fromDomain(await domains.get(project, hostname));
    const to = mapping.primary;
    if (to === undefined)
      throw new OperatorError(
        `${project} has no primary domain: set one with adoption-store domains primary HOSTNAME --project ${project}`,
      );
    if (from === to)
      throw new OperatorError(
        `${from} is the primary domain and cannot redirect to itself: first make another one primary with adoption-store domains primary HOSTNAME --project ${project}`,
      );
    const others = mapping.redirects.filter((redirect) => redirect.from !== from);
    const redirects = [...others, { from, to, status: 301 as const }];
    const updated = await domainSettings.write(project, { domains: { primary: to, redirects } }, OPERATOR);
    return { json: { domains: updated.domains }, text: `${from} redirects to ${to}.` };
  },
});

/** Revokes a domain's certificate. If the domain does not hold its name, the certificate may be another project's. */
const revokeFor = async (
  { hostname, stage }: WireDomain,
  certificates: CertificateService,
): Promise<undefined> => {
  if (!isHeld(stage)) throw new Error("the project does not hold the name");
  await certificates.revoke(hostname);
};

const removeDomain = action({
  name: "remove",
  description: "remove a domain, and stop serving it immediately",
  takes: { ...DOMAIN, "--yes": "do not ask", "--revoke": "revoke its certificate at the CA too" },
  examples: { "Remove a domain and revoke its certificate": "old.example.org --project docs --revoke" },
  async run({ hostname, project, yes, revoke }, store) {
    const { domains } = store.platform;
    const domain = fromDomain(await domains.get(project, hostname));
    if (isServed(domain.stage) && domain.role !== "redirect" && !yes)
      printBeforeRemoval(domain, project, await everyDomain(domains, { project }));
    await assertConfirmed(yes, `Remove ${displayName(domain)}?`, "Nothing was removed.");
    // The domain is removed even if the CA cannot be reached.
    const refusal = revoke ? await revokeFor(domain, store.certificates).catch(reasonOf) : undefined;
    await domains.remove(project, hostname, OPERATOR);
    if (refusal !== undefined)
      throw new Error(`${domain.hostname} was removed, but its certificate could not be revoked: ${refusal}`);
    return {
      json: { removed: domain.hostname },
      text: `${displayName(domain)} has been removed. If it has a DNS record, delete that too.`,
    };
  },
});

export const domainsCommand = resource({
  name: "domains",
  summary: "manage the custom domains of sites",
  description: "check, add, verify, redirect and remove the custom domains of projects",
  hint: "check the name and --project",
  readConfig: effectiveConfig,
  hiddenSettings: SHARED,
  actions: [
    checkCommand,
    addDomains,
    listDomains,
    showDomain,
    verifyDomain,
    makePrimary,
    redirectDomain,
    removeDomain,
    templateCommand,
  ],
});
