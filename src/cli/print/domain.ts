import type { fromDomain, fromEvent } from "../../domains/model.ts";
import { printProblem } from "./certificate-problem.ts";
import { coloured } from "./colour.ts";
import { print } from "./output.ts";
import { table } from "./table.ts";

export type WireDomain = ReturnType<typeof fromDomain>;
type WireEvent = ReturnType<typeof fromEvent>;

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

export const displayName = ({ hostname, unicode }: WireDomain): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;

/** Prints the records to create, uncut so that they can be copied. */
export const printRecord = ({ record }: WireDomain): void => {
  const { value, note, bind, proof } = record;
  const records = proof ? [record, proof] : [record];
  print(`Create ${proof ? "these records" : "this record"} at your DNS provider:\n`);
  const rows = records.map(({ type, name, value, ttl }) => [type, name, value, String(ttl)]);
  print(indent(table([["TYPE", "NAME", "VALUE", "TTL"], ...rows])));
  if (note) print(`\n${note}`);
  if (value.endsWith(".localhost"))
    print(
      "\nlocalhost is not in public DNS: restart the server with --platform-domain set to a domain you own.",
    );
  const line = bind ?? proof?.bind;
  if (line) print(`\n${proof ? "The TXT record in" : "In"} a zone file:\n\n${indent(line)}`);
  print(`\nIn Terraform:\n\n${indent(records.map(({ terraform }) => terraform).join("\n\n"))}`);
};

/** The other stages wait for something. */
const STAGE_COLOURS: Readonly<Record<string, "green" | "red">> = {
  live: "green",
  dns_conflict: "red",
  issue_failed: "red",
};

export const printStage = (domain: WireDomain): void => {
  const redirect = domain.role === "redirect" ? ", redirects to the primary domain" : "";
  print(
    `${displayName(domain)}: ${coloured(STAGE_COLOURS[domain.stage] ?? "yellow", domain.stage)}${redirect}`,
  );
  for (const { message } of domain.findings) print(`  ${message}`);
};

export const printCertificate = ({ certificate }: WireDomain): void => {
  if (!certificate) return;
  const { status, notAfter, problem, nextAttemptAt } = certificate;
  print(`\nCertificate: ${status}${notAfter ? `, valid until ${notAfter}` : ""}`);
  if (!problem) return;
  printProblem(problem);
  if (nextAttemptAt) print(`  Next attempt: ${nextAttemptAt}, or when you verify the domain again.`);
};

/** Prints every DNS question of the last check, and its response. */
export const printLastCheck = ({ trace }: WireDomain): void => {
  if (!trace) return print("\nIt has not been checked yet.");
  const { zone = "an unknown zone", nameServers, questions } = trace;
  print(`\nThe last check, of ${zone} (name servers: ${nameServers.join(", ") || "none"}):\n`);
  for (const { server, name, type, outcome, detail, records, milliseconds } of questions) {
    print(`  ${server}  ${name} ${type}  ${outcome}${detail ? ` (${detail})` : ""}  ${milliseconds} ms`);
    for (const record of records) print(`    ${record}`);
  }
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
