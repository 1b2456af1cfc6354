import type { Finding } from "./finding.ts";
import type { IsUrgent } from "../protocols/dns/limiter.ts";
import { type Server, systemNetwork } from "../protocols/dns/network.ts";
import { ownershipOf, rivalsOf } from "./ownership.ts";
import {
  type SendQuery,
  type DnsClientOptions,
  type DnsClientDependencies,
  dnsClient,
} from "../protocols/dns/client.ts";
import { traceDomain } from "./trace.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import type { Hostname } from "../lib/hostname.ts";
import { printable } from "../lib/text.ts";
import { type Report, toReport } from "./check-report.ts";
import { readFileSync } from "node:fs";
import { isGlobalUnicast } from "../protocols/dns/address.ts";
import { parseServer, resolversOf } from "../protocols/dns/server-address.ts";

/** What the DNS says about a domain. */
export interface Inspection {
  event: Verdict["event"];
  findings: Finding[];
  /** True if the records are this project's own, and no other project's. */
  isProven: boolean;
  /** The targets of other projects in the TXT records. */
  rivals: string[];
  report: Report;
}

export interface InspectOptions {
  isUrgent: IsUrgent;
  /** True unless the project holds the name already. */
  needsProof: boolean;
  /** More CAs that CAA records may name, besides the configured ones. */
  issuers?: readonly string[];
}

/** Asks the DNS whether a host name leads to a target. Never rejects. */
export type Inspect = (hostname: Hostname, target: string, options: InspectOptions) => Promise<Inspection>;

export interface InspectorOptions {
  ask: SendQuery;
  /** Called for each check, because the system's resolvers may change. */
  resolvers: () => Server[];
  /** The port of authoritative servers. */
  port: number;
  mayAsk: (address: string) => boolean;
  /** The CAs that CAA records may name. */
  issuers: readonly string[];
}

/** resolv.conf(5): without a name server, the one on this machine is used. */
const THIS_MACHINE = "127.0.0.1";

/** Records in one finding: a zone can have any number. */
const MAX_FOUND = 100;

const sanitize = (value: unknown): unknown => {
  if (typeof value === "string") return printable(value);
  return Array.isArray(value) ? value.slice(0, MAX_FOUND).map(sanitize) : value;
};

/** Makes every text of a finding safe to print. */
const sanitizeFinding = (finding: Finding): Finding =>
  Object.fromEntries(Object.entries(finding).map(([field, value]) => [field, sanitize(value)])) as Finding;

export const inspector =
  ({ ask, resolvers, port, mayAsk, issuers }: InspectorOptions): Inspect =>
  async ({ ascii, apex, isApex }, target, { isUrgent, needsProof, issuers: extraIssuers = [] }) => {
    const configured = resolvers();
    const servers = configured.length > 0 ? configured : [{ address: THIS_MACHINE, port }];
    const askInTurn: SendQuery = (server, question, recursive) => ask(server, question, recursive, isUrgent);
    const trace = await traceDomain(askInTurn, { resolvers: servers, port, mayAsk }, { ascii, apex, target });
    const expected = {
      hostname: ascii,
      target,
      isApex,
      issuers: [...new Set([...issuers, ...extraIssuers])],
      needsProof,
    };
    const { event, findings } = verdictOf(trace, expected);
    const isProven = ownershipOf(trace, expected) === "proven";
    const rivals = rivalsOf(trace, expected);
    return { event, findings: findings.map(sanitizeFinding), isProven, rivals, report: toReport(trace) };
  };

/** The resolvers in /etc/resolv.conf; none if it has none or cannot be read. */
const systemResolvers = (port: number) => {
  try {
    return resolversOf(readFileSync("/etc/resolv.conf", "utf8"), port);
  } catch {
    return [];
  }
};

/** Two tries of two seconds: a verification ends before the client times out. */
const DNS_OPTIONS: DnsClientOptions = { timeoutMs: 2000, attempts: 2 };

/** Settings of the DNS client. */
interface DnsSettings {
  dnsResolvers: readonly string[];
  dnsPort: number;
  dnsPrivate: boolean;
  caaIssuers: readonly string[];
}

/** An inspector that queries real servers. */
export const dnsInspector = (
  { dnsResolvers, dnsPort, dnsPrivate, caaIssuers }: DnsSettings,
  dependencies: Pick<DnsClientDependencies, "clock" | "randomBytes">,
  options = DNS_OPTIONS,
): Inspect => {
  const configured = dnsResolvers
    .map((text) => parseServer(text, dnsPort))
    .filter((one) => one !== undefined);
  return inspector({
    ask: dnsClient({ network: systemNetwork, ...dependencies }, options),
    resolvers: () => (configured.length > 0 ? configured : systemResolvers(dnsPort)),
    port: dnsPort,
    mayAsk: (address) => dnsPrivate || isGlobalUnicast(address),
    issuers: caaIssuers,
  });
};
