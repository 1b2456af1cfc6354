import { canonicalName } from "../lib/dns-name.ts";
import type { Exchange } from "../protocols/dns/client.ts";
import { recordsOf } from "../protocols/dns/cname-chain.ts";
import { targetAddresses, zoneProxyOf } from "./causes.ts";
import type { Expectation } from "./cname-rule.ts";
import type { Finding, RecordFinding } from "./finding.ts";
import { formatData } from "./report.ts";
import { type AskSource, type Subject, type Trace, type View, siblingNameOf } from "./trace.ts";

/** Records that cannot coexist with a CNAME (RFC 1034 section 3.6.2), except addresses. NS records appear as a referral. */
const EXCLUDED_BY_CNAME = ["TXT", "MX", "CAA", "HTTPS"] as const;
/** An apex may have all other types. */
const AT_APEX = ["HTTPS"] as const;

const valuesOf = (exchange: Exchange): string[] =>
  recordsOf(exchange)
    .filter(({ type }) => type === exchange.question.type)
    .map(formatData)
    .toSorted();

/** True for a name that exists and is not an alias. Nothing else is at a name that does not exist (RFC 8020). */
const mayHaveOthers = ({ cname }: View): boolean =>
  cname.outcome.kind === "answer" && cname.outcome.rcode === "NOERROR" && recordsOf(cname).length === 0;

/** Asks one of the zone's servers for the name's other records, without those of a wildcard. */
export const askOthers = async (
  ask: AskSource,
  { ascii, apex, isWildcard }: Subject,
  view: View,
): Promise<Exchange[]> => {
  const isApex = ascii === apex;
  if (!isApex && !mayHaveOthers(view)) return [];
  const others = (isApex ? AT_APEX : EXCLUDED_BY_CNAME).map(async (type) => {
    const exchange = await ask({ name: ascii, type });
    const mayBeWildcard = valuesOf(exchange).length > 0 && !isApex && !isWildcard;
    const sibling = mayBeWildcard ? valuesOf(await ask({ name: siblingNameOf(ascii), type })) : [];
    return valuesOf(exchange).join() === sibling.join() ? [] : [exchange];
  });
  return (await Promise.all(others)).flat();
};

/** The keys and values of an HTTPS record (RFC 9460 section 2.1). */
const parametersOf = (value: string): string[][] =>
  value
    .split(" ")
    .slice(2)
    .map((parameter) => parameter.split(/[=,]/));

const isHint = (key = ""): boolean => key === "ipv4hint" || key === "ipv6hint";

/** A proxy adds an HTTPS record with its own addresses to the names that it hides. */
const isByProxy = (value: string, trace: Trace): boolean => {
  const hints = parametersOf(value).flatMap(([key, ...values]) => (isHint(key) ? values : []));
  return zoneProxyOf(hints, trace) !== undefined;
};

/** The findings, with other records that keep a panel from creating the CNAME. */
export const withConflicts = (findings: Finding[], trace: Trace, expectation: Expectation): Finding[] => {
  const { hostname: name, target, isApex } = expectation;
  const isBlocked = findings.some(({ kind }) => kind === "no_record" || kind === "conflicting_record");
  if (isApex || !isBlocked) return findings;
  const conflicts = (trace.others ?? []).flatMap((exchange): RecordFinding[] => {
    const type = exchange.question.type as (typeof EXCLUDED_BY_CNAME)[number];
    const found = valuesOf(exchange).filter((value) => type !== "HTTPS" || !isByProxy(value, trace));
    const expected = [canonicalName(target)];
    return found.length > 0 ? [{ kind: "conflicting_record", name, type, found, expected }] : [];
  });
  return conflicts.length > 0
    ? [...findings.filter(({ kind }) => kind !== "no_record"), ...conflicts]
    : findings;
};

/** Keys that are valid for any host. An ECH key or a port belongs to one host. */
const FOR_ANY_HOST: ReadonlySet<string> = new Set(["mandatory", "alpn", "no-default-alpn"]);

/** Leftover HTTPS records of an apex, which send browsers to a host other than the target. */
export const httpsFindings = (trace: Trace): Finding[] => {
  const { ascii: name, apex, target, others = [] } = trace;
  const addresses = targetAddresses(trace);
  if (name !== apex || !addresses) return [];
  const hosts = new Set([".", `${name}.`, `${canonicalName(target)}.`]);
  const leadsElsewhere = (value: string): boolean =>
    !hosts.has(value.split(" ")[1] ?? "") ||
    parametersOf(value).some(([key = "", ...values]) =>
      isHint(key) ? values.some((one) => !addresses.includes(one)) : !FOR_ANY_HOST.has(key),
    );
  const found = others.flatMap(valuesOf).filter((value) => leadsElsewhere(value) && !isByProxy(value, trace));
  return found.length > 0 ? [{ kind: "https_record", name, found }] : [];
};
