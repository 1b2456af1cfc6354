import { isIP } from "node:net";
import { wildcardAbove } from "../../lib/hostname.ts";
import {
  type CaaParameter,
  type Challenge,
  type ConflictingType,
  type Kind,
  type Needed,
  type NeededType,
  type RecordChange,
  CAA_PARAMETERS,
  addressDeletions,
  addressRecords,
  aliasDeletion,
  cnameFor,
  corrections,
  creations,
  deletion,
  kind,
  replacements,
} from "./finding-kind.ts";
import { settingOf } from "./providers.ts";

/** Records that must have other values, or the fields that name them. */
interface Replacing<Type> {
  type: Type;
  found: string[];
  expected: string[];
}

// Explains why the value of a CNAME record is wrong: a sentence with a leading space, or an empty string.

/** Text that is invalid in a host name, and the mistake. Values are printable: invisible characters are escaped. */
const VALUE_MISTAKES: readonly (readonly [pattern: RegExp, mistake: string])[] = [
  [/^\W*[a-z]+:\/\//, "starts with a protocol such as https://: enter only the host name"],
  [/["'\u201c\u201d]/, "is in quotation marks: enter it without them"],
  [/[\s\\]/, "contains a space, a backslash or an invisible character: enter only the host name"],
  [/\//, "contains a path: enter only the host name"],
  [/:/, "contains a port: enter only the host name"],
];

/** Explains a value that is not a host name. */
const mistakeHint = (found: readonly string[]): string => {
  const first = VALUE_MISTAKES.find(([pattern]) => found.some((value) => pattern.test(value)));
  return first ? ` The value ${first[1]}.` : "";
};

/** Many panels read a value without a final dot as a name below the zone. */
const finalDotHint = (found: readonly string[], expected: readonly string[]): string =>
  found.some((value) => expected.some((one) => value.startsWith(`${one}.`)))
    ? " The DNS provider added the zone to the value: enter the value with a final dot."
    : "";

const list = (values: readonly string[]): string => values.join(", ");

/** A name as the panel of its zone asks for it. @param doubled the same name, with the zone twice */
const nameInPanel = (name: string, doubled: string): string => {
  const zone = doubled.slice(name.length + 1);
  return name === zone ? "@" : name.slice(0, -zone.length - 1);
};

/** "An MX record" */
const oneRecord = (type: string): string => `${/^[AHM]/.test(type) ? "An" : "A"} ${type} record`;

/** "an MX record", "CAA records". @param count of the records */
export const countedRecords = (type: string, count: number): string =>
  count > 1 ? `${type} records` : oneRecord(type).replace("A", "a");

/** The steps that point a name here: a CNAME cannot be created before addresses are deleted. */
const moveStep = ({ type, found, expected }: Replacing<NeededType>): string => {
  if (found.some((value) => isIP(value) === 0)) return `change its ${type} record to ${list(expected)}`;
  const deletion = found.length > 0 ? "delete the records that point there, and " : "";
  return `${deletion}create ${countedRecords(type, 1)} with the value ${list(expected)}`;
};

/** The side effects of deleting records of a type. */
const LOSSES: Partial<Record<string, string>> = {
  MX: " Addresses at this name then receive no mail. If you need them, choose another name for the site.",
  TXT: " If another service still uses this record, choose another name for the site.",
};

/** The warning for records that must be deleted before a CNAME can be created. */
export const lossOf = (type: string): string => LOSSES[type] ?? "";

const MINUTE = 60;
const HOUR = 3600;

/** "24 hours", "60 minutes", "77 s" */
const duration = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  return seconds < 2 * HOUR
    ? `${Math.ceil(seconds / MINUTE)} minutes`
    : `${Math.round(seconds / HOUR)} hours`;
};

/** "2026-11-20 09:30 UTC". @param time in RFC 3339 */
const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Who must end the silence of a name server. */
const REPAIR = {
  dns_provider: "Ask the DNS provider to repair the name servers of the zone.",
  operator: "The operator of this service must find out why its resolver gives no usable response.",
} as const;

/** Whether this service can be reached through the proxy. */
const THROUGH_PROXY = {
  true: " Requests through the proxy reach this service, so the record behind it seems right.",
  false: " Requests through the proxy do not reach this service.",
  undefined: "",
} as const;

const NAME = "docs.example.org";
const APEX = "example.org";
const TARGET = "k3vqx2m7.cname.sites.example.org";

/** The findings of a check, by kind. */
export const FINDINGS = {
  /** `wildcard` has the right value, but does not answer for the name: RFC 4592 section 2.2.1. */
  no_record: kind<{ type: NeededType; expected: string[]; wildcard?: string }>({
    meaning: "The record does not exist.",
    responsible: "holder",
    title: ({ name, type }) => `There is no ${type} record for ${name} yet`,
    describe: ({ name, type, expected, wildcard }) =>
      `${name} has no ${type} record: create one with the value ${list(expected)}.${wildcard ? ` The wildcard record ${wildcard} does not answer for it, because the zone has another record at or below ${name}.` : ""}`,
    // An apex needs both: otherwise the second would be asked for when the first has spread.
    changes: (finding, { own, proof }) =>
      finding.type === "ALIAS" ? creations(...own, ...proof) : creations(cnameFor(finding)),
    example: { name: NAME, type: "CNAME", expected: [TARGET] },
  }),
  wrong_target: kind<Replacing<NeededType>>({
    meaning: "The record has another value. It must match exactly.",
    responsible: "holder",
    describe({ name, type, found, expected }) {
      if (type === "ALIAS")
        return `${name} points to ${list(found)}: delete the A, AAAA, ALIAS or ANAME records that do this. Create ones that point to ${list(expected)}.`;
      if (found.length > 1)
        return `${name} has ${found.length} CNAME records, but only one is allowed, with the value ${list(expected)}: delete ${list(found.filter((value) => !expected.includes(value)))}.`;
      return `${name}'s ${type} record points to ${list(found)}: change it to ${list(expected)}.${finalDotHint(found, expected)}${mistakeHint(found)}`;
    },
    changes: (finding, needed) =>
      finding.type === "ALIAS"
        ? [aliasDeletion(needed, finding.name, finding.found), ...creations(...needed.own, ...needed.proof)]
        : replacements(cnameFor(finding), finding.found),
    example: { name: NAME, type: "CNAME", found: ["old.example.net"], expected: [TARGET] },
  }),
  /** The record is at `found`, because the DNS provider adds the zone to a name that had it already. */
  doubled_name: kind<Replacing<NeededType | "TXT">>({
    meaning:
      "The name of the record contains the zone twice: the holder entered the whole name, and the DNS provider added the zone.",
    responsible: "holder",
    describe: ({ name, type, found: [found = ""], expected }) =>
      `The ${type} record for ${name} is at ${found}: the DNS provider adds the zone to every name. Delete this record, and create it with the name ${nameInPanel(name, found)} and the value ${list(expected)}.`,
    changes: ({ name, type, found: [found = ""], expected }, needed) =>
      type === "ALIAS"
        ? [aliasDeletion(needed, found, expected), ...creations(...needed.own, ...needed.proof)]
        : [deletion(type, found, expected), ...creations({ ...cnameFor({ name, expected }), type })],
    example: { name: NAME, type: "CNAME", found: [`${NAME}.example.org`], expected: [TARGET] },
  }),
  conflicting_record: kind<Replacing<ConflictingType>>({
    meaning: "Another record has the name that the CNAME needs. DNS providers refuse a CNAME there.",
    responsible: "holder",
    title: ({ name, type }) => `${oneRecord(type)} of ${name} is in the way`,
    describe({ name, type, found, expected }) {
      const them = found.length > 1 ? "them" : "it";
      return `${name} has ${countedRecords(type, found.length)} (${list(found)}) where the CNAME belongs: delete ${them}, and create a CNAME with the value ${list(expected)}.${name.startsWith("_") ? "" : lossOf(type)}`;
    },
    changes: (finding) => [
      deletion(finding.type, finding.name, finding.found),
      ...creations(cnameFor(finding)),
    ],
    example: { name: NAME, type: "A", found: ["192.0.2.7"], expected: [TARGET] },
  }),
  /** `found` are the name servers of `zone`, which is the name, or a parent of it below the registered domain. */
  delegated_away: kind<{ zone: string; found: string[] }>({
    meaning:
      "NS records delegate the name, or a parent of it, to other name servers, which do not have the record.",
    responsible: "holder",
    describe: ({ name, zone, found }) =>
      zone === name
        ? `${name} has NS records (${list(found)}), which cannot coexist with a CNAME. In the parent zone, delete the NS records, and create the CNAME there. Other records on those name servers then stop working: copy the ones that you need.`
        : `${zone} has NS records (${list(found)}), so the records of ${name} belong on those name servers. Create the CNAME there. If those name servers are no longer in use, delete the NS records instead, and create the CNAME in the parent zone.`,
    // Below a delegated name, the record belongs to another zone, which the message names.
    changes: ({ name, zone, found }, { own }) =>
      name === zone ? [deletion("NS", name, found), ...creations(...own)] : [],
    example: { name: NAME, zone: NAME, found: ["ns1.old.example.net"] },
  }),
  /** `found` are HTTPS records that send browsers to another host. */
  https_record: kind<{ found: string[] }>({
    meaning: "An HTTPS record sends browsers to another host, although the addresses are right.",
    responsible: "holder",
    describe: ({ name, found }) =>
      `${name} has ${countedRecords("HTTPS", found.length)} (${list(found)}) of another host. Browsers prefer HTTPS records to the addresses. Delete these values.`,
    changes: ({ name, found }) => [deletion("HTTPS", name, found)],
    example: { name: APEX, found: ["1 . alpn=h2 ipv4hint=192.0.2.7"] },
  }),
  apex_cname: kind<{ expected: string[] }>({
    meaning: "The apex of a zone has a CNAME record, which hides its MX and TXT records.",
    responsible: "holder",
    isHint: true,
    describe: ({ name, expected }) =>
      `${name} has a CNAME record, which hides all other records of this name: mail to addresses at ${name} can fail. Create an ALIAS or ANAME record with the value ${list(expected)} instead.`,
    example: { name: APEX, expected: [TARGET] },
  }),
  /**
   * `found` are the CAA records at `name`; one with an `expected` value would be enough. It must have the tag `tag`,
   * otherwise `issue`. `parameter` forbids the certificate; the CNAME record `challenge` would allow it too.
   */
  caa_forbids: kind<{
    found: string[];
    expected: string[];
    parameter?: CaaParameter;
    tag?: "issuewild";
    challenge?: Challenge;
  }>({
    meaning:
      "CAA records forbid the CA from issuing a certificate for the name, or forbid the account or the methods of this service.",
    responsible: "holder",
    describe({ name, found, expected, parameter, tag, challenge }) {
      const forbid = `The CAA records of ${name} (${list(found)}) forbid the certificate:`;
      const withTag = tag === undefined ? "" : ` with the tag ${tag}`;
      if (expected.length === 0)
        return `${forbid} no CA recognizes the tag of a critical record, so no CA may issue one. Delete ${found.length > 1 ? "them" : "it"}.`;
      if (parameter === undefined) return `${forbid} add one${withTag} that allows ${expected.join(" or ")}.`;
      const add = challenge
        ? `Create a CNAME record with the name ${challenge.name} and the value ${challenge.value}, so that this service can use dns-01. Or add`
        : "Add";
      return `${forbid} ${CAA_PARAMETERS[parameter]}. ${add} a record${withTag} with the value ${expected.map((value) => `"${value}"`).join(" or ")}.`;
    },
    changes({ name, found, expected: [value], tag = "issue", challenge }) {
      if (challenge) return creations({ type: "CNAME", ...challenge });
      return value === undefined
        ? [deletion("CAA", name, found)]
        : creations({ type: "CAA", name, value: `0 ${tag} "${value}"` });
    },
    example: { name: APEX, found: ['0 issue "other.example"'], expected: ["letsencrypt.org"] },
  }),
  /** CAs refuse, because CAA queries to all servers of the zone fail; `server` is one of them. */
  caa_unanswered: kind<{ server: string; reason: string }>({
    meaning:
      "CAA queries to the name servers of the zone fail. CAs must then refuse the certificate (RFC 8659).",
    responsible: "dns_provider",
    describe: ({ name, server, reason }) =>
      `CAA queries for ${name} to the name servers of the zone fail (${server}: ${reason}). CAs must refuse the certificate until they succeed. Ask the DNS provider to repair these name servers. If there are no CAA records, the correct response is NOERROR with no records.`,
    example: { name: NAME, server: "192.0.2.1", reason: "NOTIMP" },
  }),
  /** Right at the source, not yet at this resolver; `seconds` is how long it may keep the old records, if known. */
  not_propagated: kind<{ server: string; seconds?: number }>({
    meaning:
      "The domain's own name servers have the right record, but a resolver still has the old one. This does not delay the domain.",
    responsible: "nobody",
    isHint: true,
    title: () => "Some visitors may still get the old record",
    describe({ name, server, seconds }) {
      const until = seconds === undefined ? "for a while" : `for up to ${duration(seconds)}`;
      return `The name servers of ${name} have the right record. The resolver ${server} and others may return the old one ${until}.`;
    },
    example: { name: NAME, server: "192.0.2.53", seconds: 3600 },
  }),
  ownership_unproven: kind<Replacing<"TXT">>({
    meaning: "An apex has the right addresses, but all projects share them. It also needs a TXT record.",
    responsible: "holder",
    title: () => "The domain is not linked to a project yet",
    describe({ name, found, expected }) {
      const instead = found.length > 0 ? ` instead of ${list(found)}` : "";
      return `The addresses are right, but they do not identify the project. Create a TXT record with the name ${name} and the value ${list(expected)}${instead}.`;
    },
    changes: (finding) => replacements({ ...cnameFor(finding), type: "TXT" }, finding.found),
    example: { name: "_adoption-store.example.org", type: "TXT", found: [], expected: [TARGET] },
  }),
  /** The server gave no useful response, which proves nothing about the domain. `responsible`: who must act, if known. */
  unreachable: kind<{
    server: string;
    reason: string;
    since?: string;
    responsible?: "dns_provider" | "operator";
  }>({
    meaning:
      "A name server gave no usable response. This never counts against the domain. If no server of the zone responds, the DNS provider must act. If only a resolver of this service fails, the operator must act. If one of several servers fails for a day (`since`), the DNS provider must act.",
    responsible: "nobody",
    isHint: true,
    title: ({ server }) => `The name server ${server} did not respond`,
    describe({ name, server, reason, since, responsible }) {
      const silence = `${server} gave no usable response for ${name}: ${reason}.`;
      if (responsible === undefined) return silence;
      const length = since === undefined ? "" : ` No check has received a response since ${minute(since)}.`;
      return `${silence}${length} ${REPAIR[responsible]}`;
    },
    example: {
      name: NAME,
      server: "192.0.2.53",
      reason: "timeout",
      since: "2026-11-20T09:30:00.000Z",
      responsible: "dns_provider",
    },
  }),
  /** A proxy's addresses hide the record; `reachesService` if the proxy was tried. */
  proxied: kind<{ found: string[]; expected: string[]; provider: string; reachesService?: boolean }>({
    meaning:
      "A proxy hides the record behind its own addresses. While it is on, renewals of the certificate can fail.",
    responsible: "proxy",
    describe: ({ name, found, expected, provider, reachesService }) =>
      `${name} is behind ${provider}'s proxy, which hides its record.${THROUGH_PROXY[`${reachesService}`]} In the DNS settings of ${provider}, set the record to ${settingOf(provider)}, with the value ${list(expected)}. While the proxy is on, renewals of the certificate can fail without notice. If your DNS provider is not ${provider}, delete the A and AAAA records (${list(found)}), and create a CNAME or ALIAS record with that value.`,
    // At a provider that is not listed, these may be addresses to delete: the message says both.
    changes: (_, { own, provider }) => (provider ? corrections(own) : []),
    example: {
      name: NAME,
      found: ["104.16.0.7"],
      expected: [TARGET],
      provider: "Cloudflare",
      reachesService: true,
    },
  }),
  wildcard_record: kind<Replacing<ConflictingType | "CNAME">>({
    meaning: "A wildcard record answers for the name, with another value.",
    responsible: "holder",
    describe: ({ name, type, found, expected }) =>
      `${name} itself has no record: a wildcard ${type} record, such as ${wildcardAbove(name)}, answers for it (${list(found)}). Create a CNAME record with the name ${name} and the value ${list(expected)}. The wildcard can stay.`,
    changes: (finding) => creations(cnameFor(finding)),
    example: { name: NAME, type: "A", found: ["192.0.2.7"], expected: [TARGET] },
  }),
  stray_address: kind<Replacing<"A" | "AAAA">>({
    meaning: "Some address records are right, but others point elsewhere, so some visitors do not arrive.",
    responsible: "holder",
    title: ({ name }) => `Some addresses of ${name} point elsewhere`,
    describe: ({ name, type, found }) =>
      `Some addresses of ${name} are right, but other ${type} records point elsewhere (${list(found)}). Delete those.`,
    changes: ({ name, type, found }) => [deletion(type, name, found)],
    example: { name: APEX, type: "AAAA", found: ["2001:db8::7"], expected: ["203.0.113.10"] },
  }),
  addresses_changed: kind<{ found: string[]; expected: string[] }>({
    meaning:
      "The operator has changed the addresses of the service, and the records still have the old ones.",
    responsible: "holder",
    describe: ({ name, found, expected }) =>
      `The addresses of this service have changed: ${name} still has ${list(found)}. Change its A and AAAA records to ${list(expected)}. An ALIAS record needs no change.`,
    changes: ({ name, found, expected }) => [
      ...addressDeletions(name, found),
      ...creations(...addressRecords(name, expected)),
    ],
    example: { name: APEX, found: ["203.0.113.9"], expected: ["203.0.113.10"] },
  }),
  /** The zone's other servers have the right record. */
  mixed_answers: kind<{ server: string; found: string[]; expected: string[] }>({
    meaning: "The name servers of the zone have different records.",
    responsible: "dns_provider",
    describe: ({ name, server, found, expected }) =>
      `The name servers of the zone do not agree about ${name}: ${server} has ${found.length > 0 ? list(found) : "no record"}, and others have ${list(expected)}. If this lasts longer than an hour, ask the DNS provider to repair ${server}.`,
    example: { name: NAME, server: "192.0.2.54", found: [], expected: [TARGET] },
  }),
  /** `name` is a zone that `server` should hold. */
  lame_delegation: kind<{ server: string; reason: string; responsible?: "registrar" }>({
    meaning: "The domain is delegated to a name server that does not serve its zone.",
    responsible: "dns_provider",
    describe: ({ name, server, reason, responsible }) =>
      responsible === "registrar"
        ? `The registry delegates ${name} to the name server ${server}, which does not serve the zone (${reason}). At the registrar, enter the name servers of your DNS provider.`
        : `${name} is delegated to the name server ${server}, which does not serve the zone (${reason}). Ask the DNS provider to repair the name servers of the zone.`,
    example: { name: APEX, server: "192.0.2.53", reason: "REFUSED" },
  }),
  /** The parent zone has a DS record for `name` if `responsible` is the registrar. */
  dnssec_failure: kind<{ server: string; reason: string; responsible?: "registrar" | "dns_provider" }>({
    meaning: "Resolvers reject the records because DNSSEC validation fails.",
    responsible: "dns_provider",
    describe: ({ name, server, reason, responsible }) =>
      `${server} rejects the records of ${name} because DNSSEC validation fails (${reason}). Ask the DNS provider to sign the zone again${responsible === "registrar" ? ", or remove the DS record of the domain at the registrar" : ""}.`,
    example: { name: APEX, server: "192.0.2.1", reason: "a signature has expired" },
  }),
  /** `found` are the name servers of the registered domain `name`, if it has any. */
  registration_expired: kind<{ found: string[] }>({
    meaning: "The registered domain does not exist, or its registration has expired.",
    responsible: "registrar",
    describe: ({ name, found }) =>
      found.length > 0
        ? `The registration of ${name} has expired: its name servers are now ${list(found)}. Renew it at the registrar.`
        : `${name} is not registered, or its registration has expired. Register or renew it at the registrar.`,
    example: { name: APEX, found: [] },
  }),
  registration_on_hold: kind<{ found: string[]; provider: string }>({
    meaning: "The registrar has put the domain on hold until its holder confirms the contact details.",
    responsible: "registrar",
    describe: ({ name, found, provider }) =>
      `The registrar has put ${name} on hold (${list(found)}). Confirm your contact details: ${provider} has sent an e-mail about it.`,
    example: { name: APEX, found: ["failed-whois-verification.namecheap.com"], provider: "Namecheap" },
  }),
  parked: kind<{ found: string[]; provider: string }>({
    meaning: "The domain uses the name servers of a parking page.",
    responsible: "registrar",
    describe: ({ name, found, provider }) =>
      `${name} uses the name servers of ${provider}'s parking page (${list(found)}). At the registrar, enter the name servers of your DNS provider.`,
    example: { name: APEX, found: ["ns1.sedoparking.com"], provider: "Sedo" },
  }),
  /** `seconds` is the TTL, of a day or more. */
  long_ttl: kind<{ type: string; seconds: number }>({
    meaning: "The record has a TTL of a day or more, so changes take long to reach everybody.",
    responsible: "holder",
    isHint: true,
    describe: ({ name, type, seconds }) =>
      `The ${type} record of ${name} has a TTL of ${duration(seconds)}: a change takes up to ${duration(seconds)} to reach everybody. Set its TTL to 3600 before you change it.`,
    example: { name: NAME, type: "CNAME", seconds: 86_400 },
  }),
  /** The DNS names the project, but the records still point to `found`, if anywhere; the CNAME record `challenge` is missing. */
  not_moved: kind<Replacing<NeededType> & { challenge?: Challenge }>({
    meaning: "The DNS proves that the domain belongs to the project, but its records do not point here yet.",
    responsible: "holder",
    isHint: "until_live",
    title: ({ name }, isLive) =>
      isLive ? "Ready: change the record now" : `${name} is yours, and its certificate comes next`,
    describe(finding) {
      const { name, found, challenge } = finding;
      const state = found.length > 0 ? `still points to ${list(found)}` : "has no record yet";
      const missing = challenge
        ? ` To get a certificate before the move, create a CNAME record with the name ${challenge.name} and the value ${challenge.value}.`
        : "";
      return `${name} belongs to this project, but ${state}.${missing} Wait until the domain is live and its certificate is ready. Then ${moveStep(finding)}.`;
    },
    changes({ name, type, found, challenge }, needed) {
      if (challenge) return creations({ type: "CNAME", ...challenge });
      if (!needed.isLive) return [];
      if (found.some((value) => isIP(value) === 0)) return corrections(needed.own, found);
      const isAlias = type === "ALIAS" && found.length > 0;
      return [
        ...(isAlias ? [aliasDeletion(needed, name, found)] : addressDeletions(name, found)),
        ...creations(...needed.own),
      ];
    },
    example: { name: NAME, type: "CNAME", found: ["old.example.net"], expected: [TARGET] },
  }),
  /** `name` is the target; `found` are its CAA records, if they forbid the certificate. */
  platform_unready: kind<{ reason: string; found?: string[] }>({
    meaning: "This service is not ready for custom domains. The domain's records are not the cause.",
    responsible: "operator",
    describe: ({ name, reason, found }) =>
      `This service is not ready for custom domains: ${name} ${reason}${found ? ` (${list(found)})` : ""}. Its operator must correct this; the domain's records are not the cause.`,
    example: { name: TARGET, reason: "has no A or AAAA record" },
  }),
  /** Right records alone were not enough. */
  domain_taken: kind<{}>({
    meaning: "The TXT record names two projects, and the other one holds the domain.",
    responsible: "holder",
    describe: ({ name }) =>
      `The DNS names both this project and another one for ${name}, and the other project holds the domain. Remove the other project's value from the TXT record.`,
    changes: (_, { proof }) => corrections(proof),
    example: { name: NAME },
  }),
  domain_lost: kind<{}>({
    meaning: "The DNS now names another project, which holds the domain.",
    responsible: "holder",
    describe: ({ name }) =>
      `The DNS names another project for ${name}, which holds it now. To get it back, create this project's record, then verify.`,
    changes: (_, { own, proof }) => corrections([...own, ...proof]),
    example: { name: NAME },
  }),
} as const;

export type FindingKind = keyof typeof FINDINGS;
export const FINDING_KINDS = Object.keys(FINDINGS) as FindingKind[];

export type FindingOf<Name extends FindingKind> = Name extends FindingKind
  ? { kind: Name } & (typeof FINDINGS)[Name]["example"]
  : never;
export type DomainFinding = FindingOf<FindingKind>;
/** The findings that follow from the DNS alone. */
export type Finding = FindingOf<Exclude<FindingKind, "domain_taken" | "domain_lost">>;
/** Records that the domain's owner must change. */
export type RecordFinding = FindingOf<"no_record" | "wrong_target" | "conflicting_record" | "stray_address">;

/** The type of a row cannot follow from the kind of a finding of any kind. */
const rowOf = <Name extends FindingKind>(finding: FindingOf<Name>) =>
  FINDINGS[finding.kind] as unknown as Kind<FindingOf<Name>>;

/** The problem and the remedy, for the person who must act. */
export const describeFinding = <Name extends FindingKind>(finding: FindingOf<Name>): string =>
  rowOf(finding).describe(finding);

/** A finding for the manual. */
export const exampleOf = (kind: FindingKind) => ({ ...FINDINGS[kind].example, kind }) as DomainFinding;

/** The first clause of a message. A server's words in brackets are not split. */
const clauseIn = (message: string): string =>
  message.slice(0, message.replaceAll(/\([^)]*\)/g, (quoted) => "-".repeat(quoted.length)).search(/[.:] |$/));

/** The records to change. */
export const changesFor = (finding: DomainFinding, needed: Needed): readonly RecordChange[] =>
  rowOf(finding).changes?.(finding, needed) ?? [];

/** The texts for the person who must act. */
export const adviceOn = (finding: DomainFinding, isLive = false) => {
  const { responsible, isHint, title } = rowOf(finding);
  const message = describeFinding(finding);
  return {
    responsible,
    // If anybody must act, it is not a hint.
    isHint: isHint === true ? !("responsible" in finding) : isHint === "until_live" && !isLive,
    title: title?.(finding, isLive) ?? clauseIn(message),
    message,
  };
};
