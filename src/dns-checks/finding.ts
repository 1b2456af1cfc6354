/** The record that a domain needs: CNAME for a subdomain, ALIAS or ANAME for an apex. */
export type NeededType = "CNAME" | "ALIAS";

/** Who must act on a finding. */
export const RESPONSIBLE = {
  holder: "the holder of the domain, in its DNS records",
  dns_provider: "the DNS provider, whose name servers hold the zone",
  proxy: "the holder of the domain, in the settings of the proxy",
  registrar: "the holder of the domain, at its registrar",
  operator: "the operator of this service",
  nobody: "no action needed: wait, then check again",
} as const;
export type Responsible = keyof typeof RESPONSIBLE;

/** Who must act, in a sentence. */
export const whoMustAct = (responsible: Responsible): string =>
  responsible === "nobody"
    ? "No action needed: wait, then check again."
    : `Who must act: ${RESPONSIBLE[responsible]}.`;

/** The parameters of CAA records (RFC 8657), and what each forbids. */
export const CAA_PARAMETERS = {
  accounturi: "their accounturi does not name this service's account with the CA",
  validationmethods: "their validationmethods do not name a method that this service can use",
} as const;
export type CaaParameter = keyof typeof CAA_PARAMETERS;

/** The CNAME record that delegates a challenge to this service. */
export interface Challenge {
  name: string;
  value: string;
}

/** Records that keep a panel from creating a CNAME with the same name. */
export type ConflictingType = "A" | "AAAA" | "TXT" | "MX" | "CAA" | "HTTPS";

/** The finding of a check, by its kind; names the record to change. Names are in A-labels. */
interface Details {
  /** `wildcard` has the right value, but does not answer for the name: RFC 4592 section 2.2.1. */
  no_record: { type: NeededType; expected: string[]; wildcard?: string };
  wrong_target: { type: NeededType; found: string[]; expected: string[] };
  conflicting_record: { type: ConflictingType; found: string[]; expected: string[] };
  /** `found` are the name servers of `zone`, which is the name, or a parent of it below the registered domain. */
  delegated_away: { zone: string; found: string[] };
  /** `found` are HTTPS records that send browsers to another host. */
  https_record: { found: string[] };
  /** A CNAME record at the apex of a zone. */
  apex_cname: { expected: string[] };
  /** The record is at `found`, because the DNS provider adds the zone to a name that had it already. */
  doubled_name: { type: NeededType | "TXT"; found: string[]; expected: string[] };
  /**
   * `found` are the CAA records at `name`; one with an `expected` value would be enough. It must have the tag `tag`,
   * otherwise `issue`. `parameter` forbids the certificate; the CNAME record `challenge` would allow it too.
   */
  caa_forbids: {
    found: string[];
    expected: string[];
    parameter?: CaaParameter;
    tag?: "issuewild";
    challenge?: Challenge;
  };
  /** Right at the source, not yet at this resolver; `seconds` is how long it may keep the old records, if known. */
  not_propagated: { server: string; seconds?: number };
  /** The addresses of the apex are right, but every project has the same ones. */
  ownership_unproven: { type: "TXT"; found: string[]; expected: string[] };
  /** CAs refuse, because CAA queries to all servers of the zone fail; `server` is one of them. */
  caa_unanswered: { server: string; reason: string };
  /** The server gave no useful response, which proves nothing about the domain. `responsible`: who must act, if known. */
  unreachable: { server: string; reason: string; since?: string; responsible?: "dns_provider" | "operator" };
  /** A proxy's addresses hide the record; `reachesService` if the proxy was tried. */
  proxied: { found: string[]; expected: string[]; provider: string; reachesService?: boolean };
  /** A wildcard record answers for the name. */
  wildcard_record: { type: ConflictingType | "CNAME"; found: string[]; expected: string[] };
  /** Addresses that point elsewhere, although others are right. */
  stray_address: { type: "A" | "AAAA"; found: string[]; expected: string[] };
  /** The records have the addresses that the service had before. */
  addresses_changed: { found: string[]; expected: string[] };
  /** The zone's other servers have the right record. */
  mixed_answers: { server: string; found: string[]; expected: string[] };
  /** `name` is a zone that `server` should hold. */
  lame_delegation: { server: string; reason: string; responsible?: "registrar" };
  /** The parent zone has a DS record for `name` if `responsible` is the registrar. */
  dnssec_failure: { server: string; reason: string; responsible?: "registrar" | "dns_provider" };
  /** `found` are the name servers of the registered domain `name`, if it has any. */
  registration_expired: { found: string[] };
  registration_on_hold: { found: string[]; provider: string };
  parked: { found: string[]; provider: string };
  /** `seconds` is the TTL, of a day or more. */
  long_ttl: { type: string; seconds: number };
  /** The DNS names the project, but the records still point to `found`, if anywhere; the CNAME record `challenge` is missing. */
  not_moved: { type: NeededType; found: string[]; expected: string[]; challenge?: Challenge };
  /** `name` is the target; `found` are its CAA records, if they forbid the certificate. */
  platform_unready: { reason: string; found?: string[] };
  /** Right records alone were not enough. */
  domain_taken: {};
  domain_lost: {};
}

export type FindingKind = keyof Details;
export type FindingOf<Kind extends FindingKind> = Kind extends FindingKind
  ? { kind: Kind; name: string } & Details[Kind]
  : never;
export type DomainFinding = FindingOf<FindingKind>;
/** The findings that follow from the DNS alone. */
export type Finding = FindingOf<Exclude<FindingKind, "domain_taken" | "domain_lost">>;
/** Records that the domain's owner must change. */
export type RecordFinding = FindingOf<"no_record" | "wrong_target" | "conflicting_record" | "stray_address">;
