import { isLimitType } from "../../platform/certificates/order.ts";
import type { summaryOf } from "../../platform/certificates/summary.ts";
import { whoMustAct } from "../../platform/dns-checks/finding-kind.ts";
import type { fromDomain, fromEvent } from "../../platform/domains/model.ts";
import { isServed } from "../../platform/domains/stage.ts";
import type { ListedDomain } from "../../platform/domains/domain.ts";
import { coloured, print, relativeTime, table } from "./output.ts";

export type WireDomain = ReturnType<typeof fromDomain>;
type WireEvent = ReturnType<typeof fromEvent>;

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

export const displayName = ({ hostname, unicode }: Pick<WireDomain, "hostname" | "unicode">): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;

/** A host name in a command: a shell would read the asterisk of a wildcard. */
export const argumentOf = (hostname: string): string =>
  hostname.startsWith("*") ? `'${hostname}'` : hostname;

interface RecordRow {
  type: string;
  name: string;
  value: string;
  ttl: number;
}

const printRows = (records: readonly RecordRow[]): void => {
  const rows = records.map(({ type, name, value, ttl }) => [type, name, value, String(ttl)]);
  print(indent(table([["TYPE", "NAME", "VALUE", "TTL"], ...rows])));
};

type Needs = Pick<WireDomain, "record" | "guide" | "challengeRecord" | "ownershipRecord" | "domainConnect">;

const printConnect = ({ provider, url }: NonNullable<Needs["domainConnect"]>): void =>
  print(`${provider} can create the records for you. Open this address:\n\n  ${url}\n`);

const printGuide = ({ provider, steps }: NonNullable<Needs["guide"]>): void => {
  print(`\nThe zone is at ${provider}:\n`);
  for (const [at, step] of steps.entries()) print(`  ${at + 1}. ${step}`);
};

/** Notes about the record. */
const printNotes = ({ value, note, addresses = [] }: Needs["record"]): void => {
  if (note) print(`\n${note}`);
  if (value.endsWith(".localhost"))
    print(
      "\nlocalhost is not in public DNS: restart the server with --platform-domain set to a domain you own.",
    );
  if (addresses.length === 0) return;
  print("\nIf your DNS provider has no ALIAS record, create these instead:\n");
  printRows(addresses);
};

/** The records in the forms that tools take. */
const printForms = (records: readonly { bind?: string; terraform: string }[], hasProof: boolean): void => {
  const lines = records.flatMap(({ bind }) => bind ?? []);
  if (lines.length > 0)
    print(`\n${hasProof ? "The TXT record in" : "In"} a zone file:\n\n${indent(lines.join("\n"))}`);
  print(`\nIn Terraform:\n\n${indent(records.map(({ terraform }) => terraform).join("\n\n"))}`);
};

const recordsOf = ({ record, challengeRecord }: Needs) => [
  record,
  ...(record.proof ? [record.proof] : []),
  ...(challengeRecord?.required ? [challengeRecord] : []),
];

const printOptional = ({ challengeRecord, ownershipRecord }: Needs): void => {
  const other = challengeRecord ?? ownershipRecord;
  if (!other) return;
  print(`\n${other.note ?? ""}`);
  if (challengeRecord?.required) return;
  print("");
  printRows([other]);
};

/** Prints the records of domains to create in one zone, untruncated so that they can be copied. */
export const printRecords = (domains: readonly Needs[]): void => {
  const records = domains.flatMap(recordsOf);
  const offers = domains.flatMap(({ domainConnect }) => domainConnect ?? []);
  for (const offer of offers) printConnect(offer);
  print(
    `${offers.length > 0 ? "Or create" : "Create"} ${records.length > 1 ? "these records" : "this record"} at your DNS provider:\n`,
  );
  printRows(records);
  for (const { guide } of domains) if (guide) printGuide(guide);
  for (const { record } of domains) printNotes(record);
  printForms(
    records,
    domains.some(({ record }) => record.proof),
  );
  for (const domain of domains) printOptional(domain);
};

/** Suggests adding the name with or without `www` too. */
export const printPairHint = (hostname: string, pair: string, project: string): void =>
  print(
    `\nVisitors also type ${pair}. To redirect it:\n  adoption-store domains add ${hostname} --project ${project} --pair`,
  );

/** The other stages wait for something. */
const STAGE_COLOURS: Readonly<Record<string, "green" | "red">> = {
  live: "green",
  dns_conflict: "red",
  issue_failed: "red",
};

/** Prints the findings' advice, and who must act. */
export const printFindings = ({ findings }: Pick<WireDomain, "findings">): void => {
  for (const { message, responsible } of findings) {
    print(`  ${message}`);
    if (responsible) print(`    ${whoMustAct(responsible)}`);
  }
};

export const printStage = (domain: WireDomain): void => {
  const redirect = domain.role === "redirect" ? ", redirects to the primary domain" : "";
  print(
    `${displayName(domain)}: ${coloured(STAGE_COLOURS[domain.stage] ?? "yellow", domain.stage)}${redirect}`,
  );
  if (domain.suspension) print(`  ${domain.suspension.message}`);
  const { queue } = domain.certificate ?? {};
  if (queue)
    print(
      `  Its certificate is number ${queue.position} in the queue, because the CA limits orders. Its turn comes ${relativeTime(Date.parse(queue.estimatedAt), Date.now())}.`,
    );
  printFindings(domain);
};

type Problem = NonNullable<ReturnType<typeof summaryOf>["problem"]>;

/** Why the last attempt at a certificate failed, and the CA's last refusal if the name only waits now. */
export const printProblem = ({ type, detail, subproblems, cause }: Problem): void => {
  print(`  ${type}: ${detail}`);
  for (const part of subproblems)
    print(`    ${part.identifier ? `${part.identifier}: ` : ""}${part.type}: ${part.detail}`);
  if (!cause) return;
  print("  The CA's last refusal:");
  printProblem(cause);
};

export const printCertificate = ({ certificate }: WireDomain): void => {
  if (!certificate) return;
  const { status, notAfter, problem, nextAttemptAt } = certificate;
  print(`\nCertificate: ${status}${notAfter ? `, valid until ${notAfter}` : ""}`);
  if (!problem) return;
  printProblem(problem);
  const earlier = isLimitType(problem.type) ? "" : ", or within a minute if you verify the domain again";
  if (nextAttemptAt) print(`  Next attempt: ${nextAttemptAt}${earlier}.`);
};

type WireTrace = NonNullable<WireDomain["trace"]>;

/** Prints every DNS query of a check, its response, and the command that repeats it. @param title before the zone */
export const printTrace = (
  title: string,
  { zone = "an unknown zone", nameServers, questions }: Pick<WireTrace, "zone" | "nameServers" | "questions">,
): void => {
  print(`\n${title} ${zone} (name servers: ${nameServers.join(", ") || "none"}):\n`);
  for (const { server, name, type, outcome, detail, records, milliseconds, command } of questions) {
    print(`  ${server}  ${name} ${type}  ${outcome}${detail ? ` (${detail})` : ""}  ${milliseconds} ms`);
    for (const record of records) print(`    ${record}`);
    if (command !== undefined) print(`    $ ${command}`);
  }
};

export const printLastCheck = ({ trace }: WireDomain): void => {
  if (!trace) return print("\nIt has not been checked yet.");
  printTrace("The last check, of", trace);
};

export const printHistory = (events: readonly WireEvent[]): void => {
  print("\nHistory, newest first:\n");
  const rows = events.map(({ at, actor, key, event, stage }) => [
    at,
    key === undefined ? actor : `key ${key}`,
    event,
    stage,
  ]);
  print(indent(table([["TIME", "ACTOR", "EVENT", "STAGE"], ...rows])));
};

const isWildcard = (hostname: string): boolean => hostname.startsWith("*.");

/** Explains how to redirect a domain before its removal. A wildcard cannot be redirected, and is not the primary domain. */
export const printBeforeRemoval = (
  { hostname, role }: WireDomain,
  project: string,
  all: readonly ListedDomain[],
) => {
  print(`${hostname} is live: its traffic stops being served immediately.`);
  if (isWildcard(hostname)) return;
  const other = all.find(
    (one) => one.hostname !== hostname && !isWildcard(one.hostname) && isServed(one.stage),
  )?.hostname;
  print("If others know its address, redirect it first, and remove it later:");
  if (other === undefined)
    return print(`  adoption-store domains add OTHER --project ${project} --wait   (where to)`);
  if (role === "primary") print(`  adoption-store domains primary ${other} --project ${project}`);
  print(`  adoption-store domains redirect ${hostname} --project ${project}`);
};
