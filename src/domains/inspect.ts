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

/** What the DNS says of a domain. */
export interface Inspection {
  event: Verdict["event"];
  findings: Finding[];
  /** True if right records name this very project's target, so that no other's could be meant. */
  isProven: boolean;
  /** Targets of other projects that TXT records name as well. */
  rivals: string[];
  report: Report;
}

/** How a host name is looked at. */
export interface InspectOptions {
  isUrgent: IsUrgent;
  /** True unless the project holds the name already. */
  needsProof: boolean;
  /** What CAA records may name beside what they are to name. */
  issuers?: readonly string[];
}

/** Asks the DNS about a host name that must lead to a target; never fails. */
export type Inspect = (hostname: Hostname, target: string, options: InspectOptions) => Promise<Inspection>;

export interface InspectorOptions {
  ask: SendQuery;
  /** Read at each check: the system's own may change. */
  resolvers: () => Server[];
  /** Where the zones' own servers are asked. */
  port: number;
  mayAsk: (address: string) => boolean;
  /** What CAA records must name. */
  issuers: readonly string[];
}

/** resolv.conf(5): without a name server, the one on this machine is asked. */
const THIS_MACHINE = "127.0.0.1";

/** Records of one finding that are kept: a zone can have any number. */
const MAX_FOUND = 100;

const sanitize = (value: unknown): unknown => {
  if (typeof value === "string") return printable(value);
  return Array.isArray(value) ? value.slice(0, MAX_FOUND).map(sanitize) : value;
};

/** A finding whose texts can be shown anywhere. */
const sanitizeFinding = (finding: Finding): Finding =>
  Object.fromEntries(Object.entries(finding).map(([field, value]) => [field, sanitize(value)])) as Finding;

export const inspector =
  ({ ask, resolvers, port, mayAsk, issuers }: InspectorOptions): Inspect =>
  async ({ ascii, apex, isApex }, target, { isUrgent, needsProof, issuers: others = [] }) => {
    const configured = resolvers();
    const servers = configured.length > 0 ? configured : [{ address: THIS_MACHINE, port }];
    const askInTurn: SendQuery = (server, question, recursive) => ask(server, question, recursive, isUrgent);
    const trace = await traceDomain(askInTurn, { resolvers: servers, port, mayAsk }, { ascii, apex, target });
    const expected = {
      hostname: ascii,
      target,
      isApex,
      issuers: [...new Set([...issuers, ...others])],
      needsProof,
    };
    const { event, findings } = verdictOf(trace, expected);
    const isProven = ownershipOf(trace, expected) === "shown";
    const rivals = rivalsOf(trace, expected);
    return { event, findings: findings.map(sanitizeFinding), isProven, rivals, report: toReport(trace) };
  };

/** The system's resolvers, as they are now; none if it names none. */
const systemResolvers = (port: number) => {
  try {
    return resolversOf(readFileSync("/etc/resolv.conf", "utf8"), port);
  } catch {
    return [];
  }
};

/** Two tries of two seconds: a verification ends before who asked for it gives up. */
const DNS_OPTIONS: DnsClientOptions = { timeoutMs: 2000, attempts: 2 };

/** How the DNS is asked, as the settings of these names say. */
interface DnsSettings {
  dnsResolvers: readonly string[];
  dnsPort: number;
  dnsPrivate: boolean;
  caaIssuers: readonly string[];
}

/** An inspector that asks real servers. */
export const dnsInspector = (
  { dnsResolvers, dnsPort, dnsPrivate, caaIssuers }: DnsSettings,
  dependencies: Pick<DnsClientDependencies, "clock" | "random">,
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
