import { type Issuance, directMethods, issuanceBy, missingChallenge } from "./caa-finding.ts";
import type { Finding } from "./finding.ts";
import type { IsUrgent } from "../protocols/dns/limiter.ts";
import { isClaimed, ownershipOf, rivalsOf } from "./ownership.ts";
import { type DnsSettings, dnsAccess } from "./dns-access.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import type { SendQuery } from "../protocols/dns/client.ts";
import { traceDomain } from "./trace-domain.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import type { Hostname } from "../lib/hostname.ts";
import { printable } from "../lib/text.ts";
import type { Report } from "./model.ts";
import { toReport } from "./report.ts";

/** What the DNS says about a domain. */
export interface Inspection {
  /** `ownership_proven`: the records point elsewhere, but the DNS names this project. */
  event: Verdict["event"] | "ownership_proven";
  findings: Finding[];
  /** True if the records are this project's own, and no other project's. */
  isProven: boolean;
  /** True if the TXT records name this project. */
  isClaimed?: boolean;
  /** The targets of other projects in the TXT records. */
  rivals: string[];
  report: Report;
}

export interface InspectOptions {
  isUrgent: IsUrgent;
  /** True unless the project holds the name already. */
  needsProof: boolean;
  /** True if the DNS can prove the name for the project before its records point here. */
  acceptsProof?: boolean;
  /** True if visitors of the name are served already. */
  isServed?: boolean;
  /** Addresses that the target had at earlier checks. */
  formerAddresses?: readonly string[];
  /** More CAs that CAA records may name, in addition to the configured ones. */
  issuers?: readonly string[];
  /** True if the name stands for the wildcard beside it: only DNS-01 can prove that (RFC 8555 section 7.1.3). */
  isWildcard?: boolean;
}

/** Asks the DNS whether a host name leads to a target. Never rejects. */
export type Inspect = (hostname: Hostname, target: string, options: InspectOptions) => Promise<Inspection>;

export interface InspectorOptions extends DnsAccess {
  issuance: Issuance;
}

/** Records in one finding: a zone can have any number. */
const MAX_FOUND = 100;

const sanitize = (value: unknown): unknown => {
  if (typeof value === "string") return printable(value);
  return Array.isArray(value) ? value.slice(0, MAX_FOUND).map(sanitize) : value;
};

/** Makes every text of a finding safe to print. */
export const sanitizeFinding = (finding: Finding): Finding =>
  Object.fromEntries(Object.entries(finding).map(([field, value]) => [field, sanitize(value)])) as Finding;

/** An inspector that queries name servers. */
export const inspector =
  ({ ask, resolvers, port, mayAsk, issuance }: InspectorOptions): Inspect =>
  async ({ ascii, apex, isApex }, target, options) => {
    const { isUrgent, needsProof, acceptsProof = false, isWildcard = false } = options;
    const { issuers: extraIssuers = [], formerAddresses = [] } = options;
    const askInTurn: SendQuery = (server, question, recursive) => ask(server, question, recursive, isUrgent);
    const trace = await traceDomain(
      askInTurn,
      { resolvers: resolvers(), port, mayAsk },
      { ascii, apex, target, isWildcard, acceptsProof },
    );
    const order = {
      issuers: [...new Set([...issuance.issuers, ...extraIssuers])],
      methods: isWildcard ? ["dns-01"] : issuance.methods,
      isWildcard,
      accounts: await issuance.accounts(),
    };
    const records = trace.caa.kind === "found" ? trace.caa.records : [];
    const challenge = await missingChallenge(records, order, {
      delegation: isWildcard || target === ascii ? undefined : issuance.delegation,
      hostname: ascii,
      label: target.slice(0, target.indexOf(".")),
    });
    const methods = challenge ? directMethods(order.methods) : order.methods;
    const expected = { ...order, methods, hostname: ascii, target, isApex, needsProof, formerAddresses };
    const { event, findings } = verdictOf(trace, expected);
    const isProven = ownershipOf(trace, expected) === "proven";
    const rivals = rivalsOf(trace, expected, event === "records_right");
    return {
      event,
      findings: findings.map((finding) =>
        sanitizeFinding(finding.kind === "caa_forbids" && challenge ? { ...finding, challenge } : finding),
      ),
      isProven,
      isClaimed: isClaimed(trace, expected),
      rivals,
      report: toReport(trace, formerAddresses),
    };
  };

/** An inspector that queries real servers. */
export const dnsInspector = (
  { caaIssuers, ...settings }: DnsSettings & { caaIssuers: readonly string[] },
  dependencies: Parameters<typeof dnsAccess>[1],
): Inspect => inspector({ ...dnsAccess(settings, dependencies), issuance: issuanceBy(caaIssuers) });
