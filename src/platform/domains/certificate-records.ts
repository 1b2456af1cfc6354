import { type Hostname, apexOf, hostnameOf, withoutWildcard } from "../../lib/hostname.ts";
import { type DnsAccess, resolveAround } from "../../protocols/dns/authoritative.ts";
import { relevantCaa } from "../../protocols/dns/caa.ts";
import { type Resolve, resolveAddresses } from "../../protocols/dns/cname-chain.ts";
import { type Delegation, type Issuance, judgeCaaAt } from "../dns-checks/issuance.ts";
import {
  type Inspect,
  type InspectOptions,
  type Inspection,
  mayHold,
  sanitizeFinding,
} from "../dns-checks/inspect.ts";
import { type DomainFinding, type Finding, FINDINGS, describeFinding } from "../dns-checks/finding.ts";
import type { NameRecords } from "../certificates/preflight.ts";
import type { Domains } from "./repository.ts";
import { wantsCertificate } from "./stage.ts";

const IN_BACKGROUND: InspectOptions = { isUrgent: () => false, needsProof: false };

/** A name without any record. */
const MISSING: ReadonlySet<Finding["kind"]> = new Set(["no_record", "registration_expired"]);

const wrong = (detail: string): NameRecords => ({ kind: "wrong", detail });

/** Findings for which CAs refuse a certificate although the records are right. An unresponsive server is not one. */
const REFUSED: ReadonlySet<string> = new Set(["caa_forbids", "caa_unanswered", "platform_unready"]);

/** True if CAs refuse because of CAA records of the domain or of the target. */
export const isRefused = (findings: readonly DomainFinding[]): boolean =>
  findings.some((one) => REFUSED.has(one.kind) && (one.kind !== "platform_unready" || one.found));

/** The challenge's record that would allow a certificate, before a move or although CAA records exclude the other methods. */
export const missingChallenge = (findings: readonly DomainFinding[]) =>
  findings.find((one) => one.kind === "caa_forbids" || one.kind === "not_moved")?.challenge;

/** Browsers obey HTTPS records, and CAs do not. */
const isFault = (kind: DomainFinding["kind"]): boolean =>
  kind !== "https_record" && !("isHint" in FINDINGS[kind]);

/** Why no certificate can be ordered; undefined if the records are right. */
const faultIn = ({ event, findings }: Inspection): NameRecords | undefined => {
  const isRight = mayHold(event);
  const first = findings.find(({ kind }) => (isRight ? REFUSED.has(kind) : isFault(kind)));
  if (first?.kind === "platform_unready") return { kind: "unready", detail: describeFinding(first) };
  if (first) return wrong(describeFinding(first));
  if (isRight) return undefined;
  const silence = findings.find(({ kind }) => kind === "unreachable");
  return {
    kind: "unknown",
    detail: silence ? describeFinding(silence) : "The records could not be looked up.",
  };
};

interface RecordsOptions {
  domains: Pick<Domains, "holder">;
  inspect: Inspect;
  dns: DnsAccess;
  issuance: Issuance;
  /** The CNAME target of a project by its label. */
  targetOf: (label: string) => string;
  /** Undefined if the service cannot create records. */
  delegation?: Delegation | undefined;
}

/** The methods with which a CA connects to a name. */
const BY_CONNECTION = ["http-01", "tls-alpn-01"] as const;
const BY_RECORD = ["dns-01"] as const;

interface CaaQuestion {
  methods: readonly string[];
  /** More CAs that CAA records may name, in addition to the configured ones. */
  issuers?: readonly string[];
  isWildcard?: boolean;
}

/** The methods that CAA records allow, or why they forbid the certificate. */
type CaaAnswer = { methods: readonly string[] } | { forbidden: string };

/** Asks the zone of a name. */
const resolveFor = (dns: DnsAccess, name: string): Promise<Resolve> =>
  resolveAround(dns, { ascii: withoutWildcard(name), apex: apexOf(name) });

/** Checks records again before an order, because CAs limit failed orders. */
export const certificateRecords = ({
  domains,
  inspect,
  dns,
  issuance,
  targetOf,
  delegation,
}: RecordsOptions) => {
  /**
   * Asks for the CAA records of a name. Records that cannot be read forbid nothing: the CA decides.
   * @param resolve the same for all questions about a name, because its servers can be slow
   */
  const checkCaa = async (
    name: string,
    { issuers = [], ...question }: CaaQuestion,
    resolve?: Resolve,
  ): Promise<CaaAnswer> => {
    // RFC 8659 section 3: for a wildcard, the records of its domain.
    const caa = await relevantCaa(resolve ?? (await resolveFor(dns, name)), withoutWildcard(name));
    if (caa.kind !== "found") return { methods: question.methods };
    const order = {
      ...question,
      isWildcard: question.isWildcard ?? name !== withoutWildcard(name),
      issuers: [...new Set([...issuance.issuers, ...issuers])],
      accounts: await issuance.accounts(),
    };
    const judged = judgeCaaAt(caa, order);
    return "methods" in judged ? judged : { forbidden: describeFinding(sanitizeFinding(judged.finding)) };
  };

  /** The name that the challenge of a project's domain is delegated to; undefined if it is not. */
  const delegatedName = async (hostname: string, label: string): Promise<string | undefined> =>
    (await delegation?.lookUp(hostname, label))?.kind === "delegated" ? delegation?.nameOf(label) : undefined;

  /** For a domain whose records are right. */
  const forRight = async (
    { ascii: hostname, isWildcard }: Hostname,
    { event, report }: Inspection,
    label: string,
  ): Promise<NameRecords> => {
    const resolve = await resolveFor(dns, hostname);
    const recordName = await delegatedName(hostname, label);
    // Preferred, because it needs no port. Wildcards have no alternative.
    if (recordName !== undefined) {
      const caa = await checkCaa(hostname, { methods: BY_RECORD }, resolve);
      if ("methods" in caa) return { kind: "delegated", recordName };
      if (isWildcard) return wrong(caa.forbidden);
    }
    if (isWildcard)
      return wrong(
        `${hostname} needs the CNAME record for its challenge: create it as the domain's page shows.`,
      );
    const caa = await checkCaa(hostname, { methods: BY_CONNECTION }, resolve);
    if ("forbidden" in caa) return wrong(caa.forbidden);
    const isAtOldHost = event === "ownership_proven";
    const addresses = isAtOldHost ? await resolveAddresses(resolve, hostname) : report.targetAddresses;
    return { kind: "right", addresses, isAtOldHost, methods: caa.methods };
  };

  return {
    /**
     * For one of the service's own names. The operator may point it here in any way, so only CAA records that
     * forbid it and a missing address count.
     * @param issuers more CAs that CAA records may name, in addition to the configured ones
     */
    async forOwnName(hostname: string, issuers: readonly string[]): Promise<NameRecords> {
      const { findings, report } = await inspect(hostnameOf(hostname), hostname, {
        ...IN_BACKGROUND,
        issuers,
      });
      const forbidden = findings.find(({ kind }) => kind === "caa_forbids");
      if (forbidden) return wrong(describeFinding(forbidden));
      const addresses = report.targetAddresses;
      if (addresses.length === 0 && findings.some(({ kind }) => MISSING.has(kind)))
        return wrong(`${hostname} has no address: create an A or AAAA record.`);
      const caa = await checkCaa(hostname, { methods: BY_CONNECTION, issuers });
      return "forbidden" in caa ? wrong(caa.forbidden) : { kind: "right", addresses, methods: caa.methods };
    },

    /** For the wildcard below one of the service's own domains: explains why CAA forbids it. */
    async forbiddenWildcard(domain: string, issuers: readonly string[]): Promise<string | undefined> {
      const caa = await checkCaa(domain, { methods: BY_RECORD, issuers, isWildcard: true });
      return "forbidden" in caa ? caa.forbidden : undefined;
    },
    /** For a custom domain, whose records must all be right, CAA among them; undefined if no project holds or proves it. */
    async forDomain(hostname: string): Promise<NameRecords | undefined> {
      const holder = await domains.holder(hostname);
      if (!holder) return undefined;
      if (!wantsCertificate(holder.domain.stage)) return { kind: "suspended" };
      const { targetLabel } = holder.project;
      const acceptsProof = holder.domain.verifiedAt === null;
      const name = hostnameOf(hostname);
      const found = await inspect(name, targetOf(targetLabel), { ...IN_BACKGROUND, acceptsProof });
      return faultIn(found) ?? forRight(name, found, targetLabel);
    },
  };
};
