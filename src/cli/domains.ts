import type { CertificateService } from "../platform/certificates/service.ts";
import { SHARED } from "../config/shared-settings.ts";
import { comparable } from "../platform/domains/checks.ts";
import { fromDomain, fromEvent, fromRowResult } from "../platform/domains/model.ts";
import type { DomainFilters } from "../platform/domains/read-repository.ts";
import { type DomainService, refusalOf } from "../platform/domains/service.ts";
import { STORED_STAGES, isHeld, isServed, wantsCertificate } from "../platform/domains/stage.ts";
import type { InspectedDomain, ListedDomain } from "../platform/domains/reads.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { Fault, type FaultCode } from "../lib/errors.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { OPERATOR } from "../lib/actor.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertConfirmed, confirm, UsageError } from "./input.ts";
import { checkCommand, templateCommand } from "./domain-setup.ts";
import { assertReadable } from "./file-arguments.ts";
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
import { allPages, noteError, PAGE_SIZE, print, printJson, relativeTime, table } from "./print/output.ts";
import { action, list, resource } from "./resource.ts";
import { effectiveConfig } from "./settings.ts";

const HISTORY_LENGTH = 20;

const PROJECT = {
  "--project <slug>": { text: "the project, such as docs", required: true },
  "--json": "print JSON",
} as const;

const DOMAIN = { "<hostname>": "the domain", ...PROJECT } as const;

/** The flags of `domains add`. */
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
  allPages((cursor: string | undefined) => domains.listAll({ ...filters, limit: PAGE_SIZE, cursor }));

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
