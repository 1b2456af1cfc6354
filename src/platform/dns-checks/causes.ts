import { wildcardAbove, canonicalName } from "../../lib/hostname.ts";
import { formatServer } from "../../lib/name-server.ts";
import { dnssecErrorOf } from "../../protocols/dns/client.ts";
import { isUsable, recordsOf } from "../../protocols/dns/cname-chain.ts";
import type { DnsRecord } from "../../protocols/dns/message.ts";
import type { Expectation, View } from "./cname-rule.ts";
import { distinct } from "./finding-kind.ts";
import type { Finding, RecordFinding } from "./finding.ts";
import { providerOf, proxyOf } from "./providers.ts";
import { type EXCLUDED_BY_CNAME, type Trace, hasValue, targetAddresses, valuesOf } from "./trace.ts";

// The cause of wrong records or silent servers says better who must act. It never changes the decision of a check.

type OfKind<Kind extends Finding["kind"]> = Extract<Finding, { kind: Kind }>;

const rcodeOf = ({ outcome }: View["cname"]): string | undefined =>
  outcome.kind === "answer" ? outcome.rcode : undefined;

/** The last server that was asked is the closest to the registry: the parent zone's own, if it could be asked. */
const isUnregistered = ({ exchanges, apex }: Trace): boolean => {
  const last = exchanges.findLast(
    (one) => one.question.name === apex && one.question.type === "NS" && isUsable(one),
  );
  return last !== undefined && rcodeOf(last) === "NXDOMAIN";
};

/** Name servers that a domain has until its holder acts at the registrar, and the finding that they cause. */
interface ParkingServers {
  /** The end of their names. */
  suffix: string;
  provider: string;
  kind: "parked" | "registration_expired" | "registration_on_hold";
}

/** From public lists of such name servers, compared on 2026-11-23. Servers that also serve real sites are left out. */
const PARKING_SERVERS: readonly ParkingServers[] = [
  { suffix: "above.com", provider: "Above.com", kind: "parked" },
  { suffix: "afternic.com", provider: "Afternic", kind: "parked" },
  { suffix: "bodis.com", provider: "Bodis", kind: "parked" },
  { suffix: "cashparking.com", provider: "CashParking", kind: "parked" },
  { suffix: "dan.com", provider: "Dan.com", kind: "parked" },
  { suffix: "parkingcrew.net", provider: "ParkingCrew", kind: "parked" },
  { suffix: "parklogic.com", provider: "ParkLogic", kind: "parked" },
  { suffix: "sedoparking.com", provider: "Sedo", kind: "parked" },
  { suffix: "uniregistrymarket.link", provider: "Uniregistry Market", kind: "parked" },
  { suffix: "onamae-expired.com", provider: "Onamae", kind: "registration_expired" },
  { suffix: "pendingrenewaldeletion.com", provider: "Network Solutions", kind: "registration_expired" },
  { suffix: "renewyourname.net", provider: "Tucows", kind: "registration_expired" },
  { suffix: "failed-whois-verification.namecheap.com", provider: "Namecheap", kind: "registration_on_hold" },
  { suffix: "verify-contact-details.namecheap.com", provider: "Namecheap", kind: "registration_on_hold" },
  { suffix: "verification-hold.suspended-domain.com", provider: "PDR", kind: "registration_on_hold" },
];

/** @param names of name servers, in lower case @returns undefined unless one of them is such a server */
const parkingOf = (names: readonly string[]): ParkingServers | undefined =>
  PARKING_SERVERS.find(({ suffix }) => names.some((name) => `.${name}`.endsWith(`.${suffix}`)));

const registrationCause = (finding: RecordFinding, trace: Trace): Finding | undefined => {
  const { apex: name, authority } = trace;
  const found = authority?.names ?? [];
  const parking = parkingOf(found);
  if (parking?.kind === "registration_expired") return { kind: parking.kind, name, found };
  if (parking) return { kind: parking.kind, name, found, provider: parking.provider };
  const isGone = finding.kind === "no_record" && isUnregistered(trace);
  return isGone ? { kind: "registration_expired", name, found: [] } : undefined;
};

/** The record that is missing is at the name with the zone twice, or only a wildcard has it. */
const doubledCause = (
  finding: OfKind<"no_record" | "ownership_unproven">,
  trace: Trace,
): Finding | undefined => {
  const { name, type, expected } = finding;
  const { authority, doubled, doubledSibling } = trace;
  const values = type === "ALIAS" ? targetAddresses(trace) : expected.map(canonicalName);
  if (!doubled || !values || !hasValue(doubled, values)) return undefined;
  if (!doubledSibling || !hasValue(doubledSibling, values))
    return { kind: "doubled_name", name, type, found: [doubled.question.name], expected };
  return finding.type === "CNAME" && authority ? { ...finding, wildcard: `*.${authority.zone}` } : undefined;
};

/** NS records of the name, or of a parent of it below the registered domain, from the servers of the parent zone. */
const delegationCause = ({ ascii: name, apex, authority }: Trace): Finding | undefined =>
  authority && authority.zone !== apex
    ? { kind: "delegated_away", name, zone: authority.zone, found: authority.names.toSorted() }
    : undefined;

/** A subdomain that is itself a zone cannot have the CNAME. */
const isOwnZone = ({ kind, name }: RecordFinding, { authority }: Trace): boolean =>
  name === authority?.zone && (kind === "no_record" || kind === "conflicting_record");

/** The proxy of these addresses. Only the zone's own provider can proxy its records: at others, an old host left the addresses. */
const zoneProxyOf = (addresses: readonly string[], { authority }: Trace) => {
  const proxy = proxyOf(addresses);
  const holder = providerOf(authority?.names ?? []);
  return holder === undefined || holder.name === proxy?.provider ? proxy : undefined;
};

const recordCause = (
  finding: RecordFinding,
  trace: Trace,
  { target, formerAddresses = [] }: Expectation,
): Finding | undefined => {
  const above =
    registrationCause(finding, trace) ?? (isOwnZone(finding, trace) ? delegationCause(trace) : undefined);
  if (above) return above;
  if (finding.kind === "no_record") return doubledCause(finding, trace);
  const { name, type, found, expected } = finding;
  const addresses = target === name ? [] : (targetAddresses(trace) ?? []);
  // A platform may use the same proxy: then these are its own addresses.
  const proxy = found.some((address) => addresses.includes(address)) ? undefined : zoneProxyOf(found, trace);
  if (proxy) return { kind: "proxied", name, found, expected: [target], provider: proxy.provider };
  if (type === "ALIAS")
    return found.every((address) => formerAddresses.includes(address))
      ? { kind: "addresses_changed", name, found, expected }
      : undefined;
  const sibling = trace.sibling ? valuesIn(recordsOf(trace.sibling), type) : [];
  return found.join() === sibling.join()
    ? { kind: "wildcard_record", name, type, found, expected: [target] }
    : undefined;
};

const valuesIn = (records: DnsRecord[], wanted: string): string[] =>
  records.flatMap(({ type, data }) => (type === wanted && typeof data === "string" ? [data] : [])).toSorted();

/** True for a server of the zone that responds as if it did not hold it. */
const isLame = ({ role, cname, a, aaaa }: View): boolean =>
  role === "authority" &&
  [cname, a, aaaa].some(
    (exchange) =>
      exchange.outcome.kind === "answer" && !(isUsable(exchange) && exchange.outcome.authoritative),
  );

const viewOf = ({ server }: OfKind<"unreachable">, { views }: Trace): View | undefined =>
  views.find((view) => formatServer(view.server) === server);

/** A lame server of a subdomain's zone. Without any other server, the delegation is the cause. */
const lameCause = (finding: OfKind<"lame_delegation">, trace: Trace): Finding =>
  (trace.authority?.responding.length === 0 ? delegationCause(trace) : undefined) ?? finding;

const serverCause = (finding: OfKind<"unreachable">, trace: Trace): Finding | undefined => {
  const view = viewOf(finding, trace);
  const { server, reason } = finding;
  if (!view) return undefined;
  const { apex: name, authority, ds, unchecked } = trace;
  if (isLame(view))
    return lameCause({ kind: "lame_delegation", name: authority?.zone ?? name, server, reason }, trace);
  const isRefused =
    unchecked !== undefined && isUsable(unchecked) && formatServer(unchecked.server) === server;
  const error = dnssecErrorOf(view.cname) ?? (isRefused ? "the query succeeds without DNSSEC" : undefined);
  if (error === undefined) return undefined;
  const isSigned = ds && recordsOf(ds).some((record) => record.type === "DS" && record.name === name);
  return {
    kind: "dnssec_failure",
    name,
    server,
    reason: error,
    ...(isSigned && { responsible: "registrar" }),
  };
};

/** True for a resolver that fails because of a problem that another finding names. */
const isConsequence = (finding: Finding, trace: Trace, causes: Finding[]): boolean => {
  if (finding.kind !== "unreachable") return false;
  const view = viewOf(finding, trace);
  if (view?.role !== "resolver") return false;
  const isZoneSilent = causes.some((one) => one.kind === "unreachable" && one.responsible === "dns_provider");
  const isDelegated = causes.some(({ kind }) => kind === "delegated_away");
  const isExplained = causes.some(({ kind }) => kind === "lame_delegation" || kind === "dnssec_failure");
  return isZoneSilent || isDelegated || (isExplained && rcodeOf(view.cname) === "SERVFAIL");
};

/** CAA records of the target, or of the name that it leads to, are the operator's. */
const caaCause = (finding: OfKind<"caa_forbids">, { ascii, target, targets }: Trace): Finding | undefined => {
  const { name, found } = finding;
  // A name can be checked by itself, without a target.
  if (target === ascii || !targets.some(({ names }) => names.includes(name))) return undefined;
  return { kind: "platform_unready", name, reason: "has CAA records that forbid the certificate", found };
};

const causeOf = (finding: Finding, trace: Trace, expected: Expectation): Finding => {
  switch (finding.kind) {
    case "no_record":
    case "wrong_target":
    case "conflicting_record":
    case "stray_address":
      return recordCause(finding, trace, expected) ?? finding;
    case "lame_delegation":
      return lameCause(finding, trace);
    case "ownership_unproven":
      return doubledCause(finding, trace) ?? finding;
    case "unreachable":
      return serverCause(finding, trace) ?? finding;
    case "caa_forbids":
      return caaCause(finding, trace) ?? finding;
    default:
      return finding;
  }
};

const DAY_SECONDS = 24 * 60 * 60;

/** Hints about records at the source that take a day or more to change. */
const ttlFindings = ({ views }: Trace, name: string): Finding[] => {
  const own = views.filter(({ role, cname }) => role === "authority" && isUsable(cname));
  const records = (own.length > 0 ? own : views)
    .flatMap((view) => [view.cname, view.a, view.aaaa].flatMap(recordsOf))
    .filter((record) => record.name === name && record.type !== "SOA" && record.ttl >= DAY_SECONDS);
  const [longest] = records.toSorted((a, b) => b.ttl - a.ttl);
  return longest ? [{ kind: "long_ttl", name, type: longest.type, seconds: longest.ttl }] : [];
};

/** Some servers accept a CNAME at the apex of a zone, contrary to RFC 1912 section 2.4. */
const apexFindings = ({ views, ascii: name, apex, target }: Trace): Finding[] => {
  const isRaw = ({ role, cname }: View) =>
    role === "authority" && recordsOf(cname).some((record) => record.name === name);
  return name === apex && views.some(isRaw) ? [{ kind: "apex_cname", name, expected: [target] }] : [];
};

const platformFindings = (trace: Trace): Finding[] => {
  const { ascii, target: name, targets } = trace;
  // A name can be checked by itself, without a target.
  if (name === ascii || targetAddresses(trace)?.length !== 0) return [];
  const isAbsent = targets.every(({ last }) => rcodeOf(last) === "NXDOMAIN");
  const reason = isAbsent
    ? `does not exist (the wildcard record ${wildcardAbove(name)} may be missing)`
    : "has no A or AAAA record";
  return [{ kind: "platform_unready", name, reason }];
};

/** A proxy shows addresses of both types instead of one record. */
const withOneProxy = (findings: Finding[]): Finding[] => {
  const proxied = findings.filter((finding) => finding.kind === "proxied");
  const found = [...new Set(proxied.flatMap((finding) => finding.found))];
  return findings.flatMap((finding): Finding[] => {
    if (finding.kind !== "proxied") return [finding];
    return finding === proxied[0] ? [{ ...finding, found }] : [];
  });
};

/** The findings, with causes instead of their consequences, and with hints. */
export const explain = (findings: Finding[], trace: Trace, expected: Expectation): Finding[] => {
  const causes = findings.map((finding) => causeOf(finding, trace, expected));
  const first = causes.filter((finding) => !isConsequence(finding, trace, causes));
  const hints = [...apexFindings(trace), ...ttlFindings(trace, trace.ascii)];
  // Several servers may lead to the same finding.
  return distinct([...withOneProxy(first), ...platformFindings(trace), ...hints]);
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
